/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop: when a point has enough repeats (pure). */
#include "config.h"

#include "stop.h"

#include "series.h"
#include "stats.h"
#include "summary.h"

#include <math.h>
#include <stdlib.h>

/* Whether a timed repeat, disturbed or not, was too short for a rate: then more will be. */
static bool has_no_rate(const struct stop_rule *rule, const struct point *p)
{
	for (size_t i = 0; i < p->n_repeats; i++) {
		struct summary s;

		if (p->repeats[i].warmup)
			continue;
		summary_of_repeat(p, &p->repeats[i], rule->clock_step_ns, &s);
		if (!isfinite(s.faults_per_wall_s_per_cpu))
			return true;
	}
	return false;
}

/* Of n rates in the order of the run; no interval (too few for one) is not within anything. */
static bool is_precise(const double *rates, size_t n, double precision)
{
	struct series_estimate e;

	return !series_estimate(rates, n, STATS_LEVEL, &e) && e.low >= e.median * (1 - precision) &&
	       e.high <= e.median * (1 + precision);
}

/*
 * What the rates say. Rates of disturbed repeats say nothing, and summary_rates() gives them where
 * there are no others; hence `usable`.
 */
static enum point_stop judge_rates(const struct stop_rule *rule, const struct point *p,
				   size_t usable)
{
	double *rates = malloc(p->n_repeats * sizeof(*rates));
	enum point_stop stop = POINT_STOP_NONE;
	size_t n;

	if (!rates)
		return POINT_STOP_NONE; /* nothing is known of them: the numbers decide */
	n = summary_rates(p, rule->clock_step_ns, rates);
	if (has_no_rate(rule, p))
		stop = POINT_STOP_NO_RATE;
	else if (usable && n >= rule->least && is_precise(rates, n, rule->precision))
		stop = POINT_STOP_PRECISION;
	free(rates);
	return stop;
}

enum point_stop stop_judge(const struct stop_rule *rule, const struct point *p, int64_t elapsed_ns,
			   int64_t next_ns)
{
	enum point_stop stop = POINT_STOP_NONE;
	size_t timed, disturbed, usable;

	summary_count(p, &timed, &disturbed);
	usable = timed - disturbed;
	if (timed < rule->least || !timed)
		return POINT_STOP_NONE;
	if (rule->adaptive)
		stop = judge_rates(rule, p, usable);
	if (stop != POINT_STOP_NONE)
		return stop;
	if (usable >= rule->most || timed >= (size_t)rule->most + STOP_MOST_REPLACED)
		return POINT_STOP_REPEATS;
	/* Not as a sum, which could overflow. */
	if ((next_ns > 0 ? next_ns : 0) > rule->limit_ns - elapsed_ns)
		return POINT_STOP_TIME;
	return POINT_STOP_NONE;
}
