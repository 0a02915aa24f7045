/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf: hardware and software events of one thread, by perf_event_open(2). */
#ifndef PFSCALE_PERF_H
#define PFSCALE_PERF_H

#include "err.h"
#include "perf_event.h"

#include <stdint.h>

/*
 * Each event is counted in user space and in the kernel apart, page faults in both together; never
 * in a hypervisor. Where the kernel's may not be counted, page faults are those in user space
 * alone: a touch takes no others, unless it is a system call. Misses of the dTLB are those of loads
 * and of stores (PERF_COUNT_HW_CACHE_DTLB, read and write misses) taken together: touching memory
 * makes the latter, but what the kernel does for a fault makes both. A PMU that knows only one of
 * the two may count both under that name (AMD and Arm do): it is then taken alone. Where the PMU
 * knows both, but one cannot be counted, the event is absent.
 */
enum { PERF_MAX_PARTS = 2, PERF_MAX_FDS = 9 };

/* A counter's state, as read(2) gives it. */
struct perf_reading {
	uint64_t value, enabled_ns, running_ns;
};

/* Open counters of the calling thread; -1 = could not be opened. */
struct perf_set {
	int fds[PERF_N_EVENTS][PERF_MAX_PARTS];
	struct perf_reading last[PERF_N_EVENTS][PERF_MAX_PARTS];
	/*
	 * Those of the PMU are one group: they run all at the same time, or not at all. The
	 * software event is apart, so that it does not depend on the PMU.
	 */
	int hardware_leader, software_leader;
};

/*
 * Open, for the calling thread on any CPU, each event that this machine, kernel and process allow,
 * with at most max_fds descriptors (PERF_MAX_FDS are enough for all); they stand still until
 * perf_enable(). Where the PMU has too few counters for all at once, the last events of enum
 * perf_event are left out. Never fails: what cannot be counted is left out. perf_close() gives the
 * descriptors back.
 */
void perf_open(struct perf_set *set, unsigned max_fds);
void perf_close(struct perf_set *set);

/* A set without counters, on which all calls do nothing. */
void perf_none(struct perf_set *set);

/*
 * Let the set's counters run, and stop them: one system call for those of the PMU, one for the
 * software event (none for what is not open). The PMU is the last to start and the first to stop.
 * Counters that others have opened for this thread are left alone, which is why it is not
 * prctl(PR_TASK_PERF_EVENTS_ENABLE); and no event counts how the next one is started.
 */
void perf_enable(const struct perf_set *set);
void perf_disable(const struct perf_set *set);

/*
 * What was counted since perf_read() was called last, or perf_open(). -1: not counted, or not all
 * the time, because the PMU had to share its counters out. A number that was scaled up is never
 * given.
 */
void perf_read(struct perf_set *set, int64_t values[PERF_N_EVENTS]);

/*
 * Whether the calling thread can count an event: 0, or a negative errno and why (no PMU,
 * kernel.perf_event_paranoid with its value, a seccomp filter, RLIMIT_NOFILE …).
 */
int perf_check(enum perf_event event, struct err *err);

#endif
