/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * t-series: medians of values that drift: against values worked out by hand, and in simulations
 * with a fixed seed.
 */
#include "config.h"

#include "series.h"
#include "stats.h"
#include "tap.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

enum { MOST = 60 };

static bool near(double got, double want, const char *what)
{
	if (ok(isnan(want) ? isnan(got) : fabs(got - want) <= 1e-6 * fabs(want), "%s", what))
		return true;
	printf("# got %.9g, want %.9g\n", got, want);
	return false;
}

/* 1 to 20 as they rise: the blocks' medians are 2.5, 6.5 … 18.5. */
static void test_rising(void)
{
	double rising[20];
	const double mixed[] = { 1, 20, 2, 19, 3, 18, 4, 17, 5,	 16,
				 6, 15, 7, 14, 8, 13, 9, 12, 10, 11 };
	struct series_estimate e;
	double low, high;

	for (int i = 0; i < 20; i++)
		rising[i] = i + 1;
	is_int(series_estimate(rising, 20, STATS_LEVEL, &e), 0, "rising values");
	near(e.median, 10.5, "… their median");
	/* sqrt(((-8)^2 + (-4)^2 + 0 + 4^2 + 8^2) / 4 / 5), t(0.975, 4) = 2.776445105 */
	near(e.error, sqrt(8), "… the error by five blocks of four");
	near(e.df, 4, "… with 4 degrees of freedom");
	near(e.low, 10.5 - 2.776445105 * sqrt(8), "… the interval by them, below");
	near(e.high, 10.5 + 2.776445105 * sqrt(8), "… and above");
	is_int((int64_t)e.n, 20, "… the number");
	/* t(0.975, 8) = 2.306004135, t(0.80, 8) = 0.888889518 */
	near(series_smallest_change(&e), (2.306004135 + 0.888889518) * sqrt(2) * sqrt(8) / 10.5,
	     "… the smallest change");

	is_int(series_estimate(mixed, 20, STATS_LEVEL, &e), 0, "the same values, mixed");
	near(e.median, 10.5, "… have the same median");
	near(e.error, stats_median_error(rising, 20), "… and the error of independent ones");
	near(e.df, stats_median_freedom(20), "… with its degrees of freedom");
	stats_median_interval(rising, 20, STATS_LEVEL, &low, &high);
	near(e.low, low, "… and their interval, below");
	near(e.high, high, "… and above");
}

static void test_few(void)
{
	const double values[] = { 3, 1, 2, 5, 4, 7, 6 };
	struct series_estimate e;

	is_int(series_estimate(NULL, 0, STATS_LEVEL, &e), 0, "no values");
	ok(isnan(e.median) && isnan(e.low) && isnan(e.error) && isnan(series_smallest_change(&e)),
	   "… say nothing");
	series_estimate(values, 1, STATS_LEVEL, &e);
	ok(e.median == 3 && isnan(e.error) && isnan(series_smallest_change(&e)), "one value");
	series_estimate(values, 3, STATS_LEVEL, &e);
	ok(e.error > 0 && isnan(e.low) && isnan(series_smallest_change(&e)),
	   "three: an error, and no more");
	series_estimate(values, 5, STATS_LEVEL, &e);
	ok(isnan(e.low) && isnan(e.high) && series_smallest_change(&e) > 0,
	   "five: no interval is made up of blocks");
	/* 3 1 | 2 5 | 4 7: 2, 3.5, 5.5; deviations -5/3, -1/6, 11/6 */
	series_estimate(values, 6, STATS_LEVEL, &e);
	ok(e.low < 3.5 && e.high > 3.5, "six: an interval");
	near(fmax(stats_median_error((const double[]){ 1, 2, 3, 4, 5, 7 }, 6),
		  sqrt((25. / 9 + 1. / 36 + 121. / 36) / 2 / 3)),
	     e.error, "… and an error by three blocks, or the usual one");
}

static void test_differ(void)
{
	const double low[] = { 10, 11, 12, 10, 11, 12, 10, 11, 12, 11 };
	const double high[] = { 20, 21, 22, 20, 21, 22, 20, 21, 22, 21 };
	const double bad[] = { 1, 2, 0, 4 };

	ok(series_differ(low, 10, high, 10) < 1e-4, "different ones differ");
	ok(series_differ(low, 10, low, 10) == 1, "the same do not");
	ok(isnan(series_differ(low, 10, bad, 4)), "a value that is not positive: no answer");
	ok(isnan(series_differ(low, 1, high, 10)), "a single value: no answer");
	ok(series_differ(low, 10, high, 10) == series_differ(high, 10, low, 10),
	   "either way round");
}

/*
 * How values follow each other: each is a normal deviate, and a part of what the one before it
 * deviated by (an autoregressive process of the first order).
 */
static void draw(const gsl_rng *rng, double kept, size_t n, double *values)
{
	double x = gsl_ran_gaussian_ziggurat(rng, 1) / sqrt(1 - kept * kept);

	for (size_t i = 0; i < n; i++) {
		values[i] = exp(0.01 * x);
		x = kept * x + gsl_ran_gaussian_ziggurat(rng, 1);
	}
}

static void test_alarms(const gsl_rng *rng)
{
	static const struct {
		double kept;
		size_t n;
		double most, least_plain; /* alarms of ours, and of the test for independent ones */
	} rows[] = {
		{ 0, 6, 0.05, 0 },	 { 0, 10, 0.05, 0 },	  { 0, 50, 0.05, 0 },
		{ 0.5, 10, 0.10, 0.05 }, { 0.8, 50, 0.10, 0.30 }, { 0.9, 50, 0.20, 0.40 },
	};
	enum { PAIRS = 3000 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double a[MOST], b[MOST], ours = 0, plain = 0;
		size_t n = rows[i].n;

		for (int k = 0; k < PAIRS; k++) {
			draw(rng, rows[i].kept, n, a);
			draw(rng, rows[i].kept, n, b);
			ours += (double)(series_differ(a, n, b, n) <= STATS_FALSE_ALARM) / PAIRS;
			stats_sort(a, n);
			stats_sort(b, n);
			plain += (double)(stats_medians_differ(a, n, b, n) <= STATS_FALSE_ALARM) /
				 PAIRS;
		}
		ok(ours <= rows[i].most + 3 * sqrt(rows[i].most / PAIRS),
		   "n = %zu, neighbours keep %.1f: false alarms in %.3f", n, rows[i].kept, ours);
		ok(plain >= rows[i].least_plain,
		   "… of the test that takes them as independent: %.3f", plain);
	}
}

int main(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (!rng)
		exit(99);
	gsl_rng_set(rng, 1969);
	test_rising();
	test_few();
	test_differ();
	test_alarms(rng);
	gsl_rng_free(rng);
	return tap_done();
}
