/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary: from samples to the numbers that are reported (pure). */
#ifndef PFSCALE_SUMMARY_H
#define PFSCALE_SUMMARY_H

#include "result.h"

/*
 * An interval is too short for the clock when it is under this many clock steps: a rate from it
 * would be wrong by more than 1 %. For the CPU times of the workers, the step is a microsecond
 * each: getrusage(2), which divides them, gives no finer ones. (Where the kernel divides by ticks,
 * the system time of a touch of N ticks is known to about one part in N per worker, and a rate over
 * it is no better; that is for the reader to judge by clock.cpu_split.)
 */
enum { SUMMARY_MIN_STEPS = 100 };

/*
 * The row of one repeat, in double precision; without the interval, which one repeat does not have.
 * clock_step_ns: the clock's smallest step in nanoseconds (system "clock.step_ns"), -1 = not known,
 * then nothing counts as too short.
 */
void summary_of_repeat(const struct point *p, const struct repeat *r, int64_t clock_step_ns,
		       struct summary *out);

/*
 * The repeats that count: no warm-up, and not disturbed. Where all timed repeats of a point were
 * disturbed, all of them count: then there is nothing better, and reports say so. They are in the
 * order of the run; out has room for p->n_repeats. Returns how many.
 */
size_t summary_list(const struct point *p, const struct repeat **out);

/* How many timed repeats there are, and how many of them were disturbed. */
void summary_count(const struct point *p, size_t *timed, size_t *disturbed);

/*
 * The rates per CPU of the repeats that count, in the order of the run. rates has room for
 * p->n_repeats. Returns how many; 0 where one of them has none: those that are too short for the
 * clock are the fast ones, and what is left would say nothing of all.
 */
size_t summary_rates(const struct point *p, int64_t clock_step_ns, double *rates);

/*
 * The repeat that the point's row shows: of the ones that count, the one whose faults per
 * wall second per CPU is the median, the lower of two; repeats that are too short for a rate count
 * as the fastest. Where that rate is n/a for all of them, the one of median MAX WALL. NULL when
 * there is none.
 */
const struct repeat *summary_pick(const struct point *p, int64_t clock_step_ns);

/*
 * Fill p->summary from summary_pick(); has_summary becomes false for failed or skipped points, and
 * where there is no timed repeat. A point without any repeat keeps what it has (an imported one).
 * rate_low and rate_high are of all repeats that count (series_estimate()).
 */
void summary_update(struct point *p, int64_t clock_step_ns);

#endif
