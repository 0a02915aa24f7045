/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary: from samples to the numbers that are reported (pure). */
#ifndef PFSCALE_SUMMARY_H
#define PFSCALE_SUMMARY_H

#include "result.h"

/*
 * An interval is too short for the clock when it is under this many clock steps: a rate from it
 * would be wrong by more than 1 %. For the CPU times of the workers, the step is a microsecond
 * each: getrusage(2) gives no finer ones.
 */
enum { SUMMARY_MIN_STEPS = 100 };

/*
 * The row of one repeat (DESIGN §2), in double precision. clock_step_ns: the clock's smallest step
 * in nanoseconds (system "clock.step_ns"), -1 = not known, then nothing counts as too short.
 */
void summary_of_repeat(const struct point *p, const struct repeat *r, int64_t clock_step_ns,
		       struct summary *out);

/*
 * The repeat that the point's row shows: of the ones that are no warm-up, the one whose faults per
 * wall second per CPU is the median, the lower of two. Where that rate is n/a for all of them, the
 * one of median MAX WALL. NULL when there is none.
 */
const struct repeat *summary_pick(const struct point *p, int64_t clock_step_ns);

/*
 * Fill p->summary from summary_pick(); has_summary becomes false for failed or skipped points, and
 * where there is no timed repeat. A point without any repeat keeps what it has (an imported one).
 */
void summary_update(struct point *p, int64_t clock_step_ns);

#endif
