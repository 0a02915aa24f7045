/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock: the one clock that everything is timed with. */
#include "config.h"

#include "clock.h"

#include <time.h>

enum { STEP_READINGS = 2000 };

int64_t clock_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t clock_step_ns(void)
{
	int64_t last = clock_now_ns();
	int64_t step = INT64_MAX;

	for (int i = 0; i < STEP_READINGS || step == INT64_MAX; i++) {
		int64_t now = clock_now_ns();

		if (now > last && now - last < step)
			step = now - last;
		last = now;
	}
	return step;
}
