/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock-back: a library to be loaded before others, whose time of day steps back by an hour each
 * time it is asked for. Clocks that cannot be set run on as they do.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *ts);
int gettimeofday(struct timeval *tv, void *zone);
time_t time(time_t *out);

static long asked;

static int next_clock_gettime(clockid_t clock, struct timespec *ts)
{
	static int (*next)(clockid_t, struct timespec *);

	if (!next)
		next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	return next(clock, ts);
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	int ret = next_clock_gettime(clock, ts);

	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)
		ts->tv_sec -= 3600 * __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
	return ret;
}

int gettimeofday(struct timeval *tv, void *zone)
{
	struct timespec ts;

	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &ts))
		return -1;
	*tv = (struct timeval){ .tv_sec = ts.tv_sec, .tv_usec = ts.tv_nsec / 1000 };
	return 0;
}

time_t time(time_t *out)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_REALTIME, &ts))
		return -1;
	if (out)
		*out = ts.tv_sec;
	return ts.tv_sec;
}
