/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu-clock: a library to be loaded before others, which makes up the CPU time of the calling
 * thread, as told by its clock: between two readings, the first and the second, the third and the
 * fourth ..., go by 1 ms, then $CPU_CLOCK_STEP nanoseconds more each time. getrusage(2) tells the
 * truth.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *ts);

static long readings, now_ns;

static int next_clock_gettime(clockid_t clock, struct timespec *ts)
{
	static int (*next)(clockid_t, struct timespec *);

	if (!next)
		next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	return next(clock, ts);
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	const char *step = getenv("CPU_CLOCK_STEP");

	if (clock != CLOCK_THREAD_CPUTIME_ID)
		return next_clock_gettime(clock, ts);
	if (readings++ % 2)
		now_ns += 1000000 + (readings / 2 - 1) * (step ? atol(step) : 0);
	*ts = (struct timespec){ .tv_sec = now_ns / 1000000000, .tv_nsec = now_ns % 1000000000 };
	return 0;
}
