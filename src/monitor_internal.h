/* SPDX-License-Identifier: GPL-2.0-or-later */
/* monitor_internal: what the parts of monitor share. */
#ifndef PFSCALE_MONITOR_INTERNAL_H
#define PFSCALE_MONITOR_INTERNAL_H

#include "monitor.h"
#include "monitor_file.h"

/* Where the busy time of a CPU comes from, the best source first. */
enum monitor_source { MONITOR_SCHEDSTAT, MONITOR_CPUACCT, MONITOR_STAT };

/* Counters of one CPU; -1 = not known. */
struct monitor_cpu {
	int64_t steal;	   /* in steps of /proc/stat */
	int64_t busy;	   /* in steps of the source */
	int64_t throttles; /* of the core, for its heat */
};

/* All counters at one moment. */
struct monitor_reading {
	int64_t at_ns;
	int64_t own_ns;		  /* CPU time of this process and the children waited for */
	int64_t quota;		  /* how often the cgroups had used up their CPU time; or -1 */
	struct monitor_cpu *cpus; /* one per CPU of the topology; stale but for those used */
};

struct monitor {
	const char *root;
	int64_t stat_step_ns;
	enum monitor_source source;
	struct monitor_file stat; /* /proc/stat */
	struct monitor_file busy; /* the source, unless it is the former */
	/* cpu.stat of the cgroup and those above it */
	struct monitor_file *quotas;
	size_t n_quotas;
	bool has_throttles;

	unsigned n_cpus; /* of the topology */
	int *os_cpus;	 /* their OS indices */
	int *slots;	 /* OS index → which CPU of the topology; -1 = none */
	size_t n_slots;	 /* the largest OS index + 1 */
	unsigned *used;	 /* the team's CPUs, each once */
	bool *is_used;	 /* whether a CPU is among them */
	unsigned n_used;
	bool all_known; /* every worker's CPU is in the topology */
	struct monitor_reading begin, end;
};

/* Open what there is, and choose the source of busy times. The rest of *m is filled already. */
void monitor_read_open(struct monitor *m);
void monitor_read_close(struct monitor *m);

/*
 * Read the counters as late, or as early, as can be: what matters most is nearest to the team's
 * life. The CPU time of others must come out as too small rather than too large: the time in
 * which our own CPU time is counted encloses the one in which CPUs are seen to be busy.
 */
void monitor_read_begin(struct monitor *m);
void monitor_read_end(struct monitor *m);

/* What the two readings say. */
void monitor_fill(const struct monitor *m, struct repeat *out);

#endif
