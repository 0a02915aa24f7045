/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: what the kernel has counted for the calling thread. */
#include "config.h"

#include "counters.h"

#include <sys/resource.h>
#include <time.h>

static int64_t timeval_ns(const struct timeval *tv)
{
	return (int64_t)tv->tv_sec * 1000000000 + (int64_t)tv->tv_usec * 1000;
}

void counters_read(struct counters *c)
{
	struct timespec unused;
	struct rusage ru;

	/*
	 * Where the kernel accounts CPU time by ticks, a thread's total stands still between them;
	 * asking for this clock brings it up to date, and getrusage() then divides the exact total.
	 */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &unused);
	getrusage(RUSAGE_THREAD, &ru);
	c->user_ns = timeval_ns(&ru.ru_utime);
	c->sys_ns = timeval_ns(&ru.ru_stime);
	c->minflt = ru.ru_minflt;
	c->majflt = ru.ru_majflt;
}
