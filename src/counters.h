/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: what the kernel has counted for the calling thread. */
#ifndef PFSCALE_COUNTERS_H
#define PFSCALE_COUNTERS_H

#include <stdint.h>

/* Totals since the calling thread began. */
struct counters {
	int64_t user_ns, sys_ns; /* CPU time */
	int64_t minflt, majflt;	 /* page faults */
};

/*
 * Read the calling thread's own counters (getrusage(2) with RUSAGE_THREAD, never RUSAGE_SELF, which
 * counts the whole process for each thread). Cannot fail: the call has no failing arguments.
 */
void counters_read(struct counters *c);

#endif
