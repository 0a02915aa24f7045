/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disturbance: what can disturb a repeat, and the rule that says whether it did (pure). */
#ifndef PFSCALE_DISTURBANCE_H
#define PFSCALE_DISTURBANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct point;
struct repeat;

/* Causes, as bits of struct repeat's `disturbed`. */
enum disturbance {
	DISTURBED_STEAL,	/* the hypervisor gave the CPUs to others */
	DISTURBED_PREEMPTED,	/* a worker that never slept was off its CPU */
	DISTURBED_FOREIGN,	/* others ran on the workers' CPUs */
	DISTURBED_MIGRATED,	/* a worker was moved from its CPU */
	DISTURBED_MAJOR_FAULTS, /* pages came from a disk */
	DISTURBED_THROTTLED,	/* a core was slowed down for its heat */
	DISTURBED_FREQUENCY,	/* a CPU's frequency was not that of the repeats before */
	DISTURBED_QUOTA,	/* the cgroup's CPU time was used up */
	DISTURBED_OTHER,	/* a cause that a later version wrote */
	DISTURBED_N
};

struct disturbance_cause {
	const char *name;    /* one word or more, in files and reports: "steal" */
	const char *summary; /* one line, for the man page and warnings */
	const char *remedy;  /* what to do about it, for warnings */
};

/* Indexed by enum disturbance. */
extern const struct disturbance_cause disturbance_causes[DISTURBED_N];

/* The cause of that name; DISTURBED_OTHER where there is none. */
enum disturbance disturbance_find(const char *name);

/*
 * Judge a repeat of p by what was recorded of it: a set of 1 << enum disturbance. The rule is fixed
 * (the thresholds stand in disturbance.c, and the man page has them) and looks neither at wall
 * times as such nor at any rate, so that it cannot choose among rates. oversubscribed: more
 * workers than CPUs: they are then meant to wait for each other. load_step_ns: how exact foreign_ns
 * is, per CPU. Earlier repeats of p are looked at for the frequency alone. What is not known (-1,
 * or a column that is NULL) does not disturb.
 */
unsigned disturbance_judge(const struct point *p, const struct repeat *r, bool oversubscribed,
			   int64_t load_step_ns);

/* Write the names of a set, "steal, preempted"; "" for the empty one. Returns buf. */
char *disturbance_text(unsigned set, char *buf, size_t len);

/* Write what to do about a set, each remedy once; "" for the empty one. Returns buf. */
char *disturbance_remedies(unsigned set, char *buf, size_t len);

#endif
