/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock: the one clock that everything is timed with. */
#ifndef PFSCALE_CLOCK_H
#define PFSCALE_CLOCK_H

#include <stdint.h>

/*
 * CLOCK_MONOTONIC_RAW in nanoseconds: never set back, read without a system call (vDSO; since Linux
 * 5.3 on x86). CLOCK_MONOTONIC is no measure: while the time of day is being corrected it runs
 * faster or slower, with chrony by up to 8 %, and a virtual machine corrects it after each start.
 */
int64_t clock_now_ns(void);

/*
 * The smallest step between two successive readings on the calling thread, in nanoseconds (≥ 1):
 * the larger of the clock's resolution and the cost of reading it. An interval is known to about
 * this much.
 */
int64_t clock_step_ns(void);

#endif
