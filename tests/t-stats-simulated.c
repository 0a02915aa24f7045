/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * t-stats-simulated: how often intervals hold the true median, and how often a difference is seen,
 * where there is none and where there is one. The seed is fixed, so that each run of the test sees
 * the same samples.
 */
#include "config.h"

#include "stats.h"
#include "tap.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_between(double got, double low, double high, const char *what)
{
	if (ok(got >= low && got <= high, "%s", what))
		return true;
	printf("# got %g, want %g to %g\n", got, low, high);
	return false;
}

/* The distributions to simulate. The true median of each is 1. */
static double normal(const gsl_rng *rng)
{
	return 1 + 0.01 * gsl_ran_gaussian_ziggurat(rng, 1);
}

static double lognormal(const gsl_rng *rng)
{
	return exp(0.5 * gsl_ran_gaussian_ziggurat(rng, 1));
}

static double heavy_tailed(const gsl_rng *rng)
{
	return exp(0.01 * gsl_ran_tdist(rng, 3));
}

static double uniform(const gsl_rng *rng)
{
	return 0.5 + gsl_rng_uniform(rng);
}

static double exponential(const gsl_rng *rng)
{
	return gsl_ran_exponential(rng, 1 / M_LN2);
}

/* A tenth is 1.3 times as slow. The median then is the quantile 4/9 from below of the others. */
static double with_outliers(const gsl_rng *rng)
{
	double value = 1 + 0.01 * (gsl_ran_gaussian_ziggurat(rng, 1) + 0.139710298881862);

	return gsl_rng_uniform(rng) < 0.1 ? value / 1.3 : value;
}

static const struct {
	const char *name;
	double (*draw)(const gsl_rng *rng);
} distributions[] = {
	{ "normal", normal },	    { "lognormal", lognormal },
	{ "uniform", uniform },	    { "exponential", exponential },
	{ "t of 3", heavy_tailed }, { "10 % outliers", with_outliers },
};

enum { MOST = 50 };

static void draw(const gsl_rng *rng, size_t distribution, size_t n, double *sorted)
{
	for (size_t i = 0; i < n; i++)
		sorted[i] = distributions[distribution].draw(rng);
	stats_sort(sorted, n);
}

/* The interval holds the true median about as often as it says. */
static void test_coverage(const gsl_rng *rng, size_t distribution)
{
	static const size_t sizes[] = { 6, 7, 8, 9, 10, 15, 20, 30, 50 };
	enum { TIMES = 8000 };
	double all = 0;
	char what[100];

	for (size_t i = 0; i < COUNT(sizes); i++) {
		int held = 0;

		for (int j = 0; j < TIMES; j++) {
			double values[MOST], low, high;

			draw(rng, distribution, sizes[i], values);
			stats_median_interval(values, sizes[i], 0.95, &low, &high);
			held += low <= 1 && high >= 1;
		}
		snprintf(what, sizeof(what), "coverage, %s, n = %zu: %.4f",
			 distributions[distribution].name, sizes[i], (double)held / TIMES);
		/* three standard errors of 0.0024 below and above what stats.h says */
		is_between((double)held / TIMES, 0.940 - 0.0073, 0.954 + 0.0073, what);
		all += (double)held / TIMES / COUNT(sizes);
	}
	snprintf(what, sizeof(what), "coverage, %s, all n: %.4f", distributions[distribution].name,
		 all);
	is_between(all, 0.945, 0.955, what);
}

/* How often a difference is seen where the second sample's values are multiplied by `factor`. */
static double seen(const gsl_rng *rng, size_t distribution, size_t n, double factor)
{
	enum { TIMES = 5000 };
	int times = 0;

	for (int i = 0; i < TIMES; i++) {
		double a[MOST], b[MOST];

		draw(rng, distribution, n, a);
		draw(rng, distribution, n, b);
		for (size_t j = 0; j < n; j++)
			b[j] *= factor;
		times += stats_medians_differ(a, n, b, n) <= STATS_FALSE_ALARM;
	}
	return (double)times / TIMES;
}

static void test_false_alarms(const gsl_rng *rng, size_t distribution)
{
	static const size_t sizes[] = { 5, 6, 10, 50 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		double alarms = seen(rng, distribution, sizes[i], 1);
		char what[100];

		snprintf(what, sizeof(what), "false alarms, %s, n = %zu: %.4f",
			 distributions[distribution].name, sizes[i], alarms);
		is_between(alarms, 0.001, 0.05, what);
	}
}

/* A change as small as it is said to be is found about as often as it is said to be. */
static void test_power(const gsl_rng *rng)
{
	static const size_t sizes[] = { 5, 6, 10, 20, 50 };
	enum { TIMES = 5000 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		double error = 0, power;
		char what[100];

		for (int j = 0; j < TIMES; j++) {
			double values[MOST];

			draw(rng, 0, sizes[i], values);
			error += stats_median_error(values, sizes[i]) /
				 stats_median(values, sizes[i]) / TIMES;
		}
		power = seen(rng, 0, sizes[i], 1 + stats_smallest_change(error, sizes[i]));
		snprintf(what, sizeof(what), "power, normal, n = %zu: %.4f", sizes[i], power);
		is_between(power, 0.73, 0.84, what);
	}
}

int main(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (!rng)
		exit(99);
	gsl_rng_set(rng, 20040512);
	for (size_t i = 0; i < COUNT(distributions); i++) {
		test_coverage(rng, i);
		test_false_alarms(rng, i);
	}
	test_power(rng);
	gsl_rng_free(rng);
	return tap_done();
}
