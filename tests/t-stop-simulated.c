/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * t-stop-simulated: what runs are worth that stop when they are precise: how often the interval
 * that is shown holds the true median, and how often two of them differ, though nothing does. The
 * seed is fixed, so that each run of the test sees the same rates.
 */
#include "config.h"

#include "series.h"
#include "stats.h"
#include "stop.h"
#include "summary.h"
#include "tap.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST = 50 };

/* --repeats auto, without a limit that any run reaches. */
static const struct stop_rule rule = {
	.adaptive = true,
	.least = 5,
	.most = MOST,
	.precision = 0.01,
	.limit_ns = INT64_MAX,
	.clock_step_ns = 1,
};

/* How rates deviate, in units of their scatter. The true median of each is 0. */
static double normal(const gsl_rng *rng)
{
	return gsl_ran_gaussian_ziggurat(rng, 1);
}

/* Now and then something holds a repeat up, and sometimes for long: skewed, with a heavy tail. */
static double held_up(const gsl_rng *rng)
{
	return 1 - exp(gsl_ran_gaussian_ziggurat(rng, 1));
}

/* Most runs of the first stop by precision, most of the fourth by the number of repeats. */
static const struct scenario {
	const char *name;
	double (*draw)(const gsl_rng *rng);
	double scatter; /* as a part of the median */
	int pairs;	/* of runs */
} scenarios[] = {
	{ "normal, 0.7 %", normal, 0.007, 2000 },   { "normal, 1.5 %", normal, 0.015, 2000 },
	{ "normal, 2.2 %", normal, 0.022, 3000 },   { "normal, 3 %", normal, 0.03, 1000 },
	{ "held up, 1.8 %", held_up, 0.018, 2000 },
};

/* What stop.h and the manual (REPEATS) claim, as parts of all cases. */
static const double least_held = 0.95, most_held = 0.985, most_alarms = 0.05;

/* One run, in the repeats of a point that are there. Their rates go to *rates, in the order of the
 * run. */
static size_t run(const gsl_rng *rng, const struct scenario *s, struct point *p, double *rates)
{
	p->n_repeats = 0;
	while (stop_judge(&rule, p, 0, 0) == POINT_STOP_NONE) {
		if (p->n_repeats == MOST)
			exit(99);
		p->repeats[p->n_repeats++].minflt[0] =
			llrint(1e9 * (1 + s->scatter * s->draw(rng)));
	}
	return summary_rates(p, rule.clock_step_ns, rates);
}

/* Whether the interval that reports would show holds the true median. */
static bool holds(struct point *p)
{
	summary_update(p, rule.clock_step_ns);
	return p->summary.rate_low <= 1e9 && p->summary.rate_high >= 1e9;
}

/* Three standard errors of a share that is known from so many cases. */
static double margin(double share, int cases)
{
	return 3 * sqrt(share * (1 - share) / cases);
}

static void simulate(const gsl_rng *rng, const struct scenario *s, struct point *p)
{
	double a[MOST], b[MOST], held = 0, alarms = 0, repeats = 0;
	int runs = 2 * s->pairs;

	for (int i = 0; i < s->pairs; i++) {
		size_t n = run(rng, s, p, a), m;

		held += (double)holds(p) / runs;
		m = run(rng, s, p, b);
		held += (double)holds(p) / runs;
		alarms += (double)(series_differ(a, n, b, m) <= STATS_FALSE_ALARM) / s->pairs;
		repeats += (double)(n + m) / runs;
	}
	printf("# %s: %.1f repeats on average\n", s->name, repeats);
	ok(held >= least_held - margin(least_held, runs) &&
		   held <= most_held + margin(most_held, runs),
	   "%s: the interval holds the median in %.4f", s->name, held);
	ok(alarms > 0 && alarms <= most_alarms + margin(most_alarms, s->pairs),
	   "%s: two runs differ in %.4f", s->name, alarms);
}

int main(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct result *r = result_new();
	struct point *p = r ? result_add_point(r, "fork", "fork", "malloc", "write", false, 1, 100)
			    : NULL;

	if (!rng || !p)
		exit(99);
	for (int i = 0; i < MOST; i++) {
		struct repeat *repeat = point_add_repeat(p);

		if (!repeat)
			exit(99);
		repeat->order = i;
		repeat->wall_ns[0] = 1000000000;
	}
	gsl_rng_set(rng, 20040512);
	for (size_t i = 0; i < COUNT(scenarios); i++)
		simulate(rng, &scenarios[i], p);
	p->n_repeats = MOST; /* all of them are freed */
	result_free(r);
	gsl_rng_free(rng);
	return tap_done();
}
