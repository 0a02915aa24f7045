/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop: when a point has enough repeats (pure). */
#ifndef PFSCALE_STOP_H
#define PFSCALE_STOP_H

#include "result.h"

/* How many repeats of a point can be replaced. */
enum { STOP_MOST_REPLACED = 50 };

struct stop_rule {
	bool adaptive;	       /* stop at the precision; else at `least` repeats */
	unsigned least, most;  /* repeats that count; equal where not adaptive; never 0 */
	double precision;      /* half the interval's width, as a part of the median: 0.01 */
	int64_t limit_ns;      /* of the whole run; bounds what goes beyond the first `least` */
	int64_t clock_step_ns; /* see summary.h */
};

/*
 * Whether a point has enough, and why; POINT_STOP_NONE = it wants another repeat. elapsed_ns: since
 * the run began. next_ns: how long the next repeat of this point is likely to take, so that it is
 * not begun where it would end beyond the limit.
 *
 * Never before `least` timed repeats were taken, disturbed or not. Then a disturbed repeat does not
 * count, and is replaced while the limit allows, with at most STOP_MOST_REPLACED timed repeats
 * beyond `most`. In this order:
 *
 * NO_RATE, adaptive: a timed repeat was too short for a rate (see summary.h).
 *
 * PRECISION, adaptive: at least `least` repeats count and have a rate, and the interval of their
 * median (series.h, STATS_LEVEL) lies within median × (1 ± precision). Never from disturbed
 * repeats, though reports show them where there are no others. An interval that is looked at after
 * each repeat, until it is narrow, is narrow by luck now and then; since series_estimate() takes
 * the wider of two, it still holds the true median in 95 % of all runs and more, and
 * series_differ() at the 5 % level sees a difference between two such runs, that have none, in
 * about 5 % or less (tests/t-stop-simulated.c: independent normal rates that scatter by 0.7 to 3 %,
 * 1 % precision).
 *
 * REPEATS: `most` repeats count, or STOP_MOST_REPLACED more were timed.
 *
 * TIME: elapsed_ns + next_ns is more than limit_ns.
 */
enum point_stop stop_judge(const struct stop_rule *rule, const struct point *p, int64_t elapsed_ns,
			   int64_t next_ns);

#endif
