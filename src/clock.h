/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock: the one clock that everything is timed with. */
#ifndef PFSCALE_CLOCK_H
#define PFSCALE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds: never set back, read without a system call (vDSO). */
int64_t clock_now_ns(void);

/*
 * The smallest step between two successive readings on the calling thread, in nanoseconds (≥ 1):
 * the larger of the clock's resolution and the cost of reading it. An interval is known to about
 * this much.
 */
int64_t clock_step_ns(void);

#endif
