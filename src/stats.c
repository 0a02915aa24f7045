/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats: medians, their intervals, and what difference they can show (pure). */
#include "config.h"

#include "stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
}

double stats_median(const double *sorted, size_t n)
{
	double below;

	if (!n)
		return NAN;
	if (n % 2)
		return sorted[n / 2];
	below = sorted[n / 2 - 1];
	return below + (sorted[n / 2] - below) / 2;
}

double stats_quantile(const double *sorted, size_t n, double q)
{
	/* 0.07 × 100 is 7.000000000000001 in double, and is to be 7. */
	double rank = ceil(q * (double)n * (1 - 1e-12));

	if (!n || isnan(q))
		return NAN;
	if (rank < 1)
		return sorted[0];
	return sorted[rank < (double)n ? (size_t)rank - 1 : n - 1];
}

/* Above this, the normal approximation of the binomial distribution is right to 7 digits. */
enum { MANY = 1000000 };

/* The probability of fewer than d heads in n throws of a coin. */
static double fewer_than(size_t d, size_t n)
{
	if (!d)
		return 0;
	if (n > MANY)
		return gsl_cdf_ugaussian_P(((double)d - 0.5 - (double)n / 2) / sqrt((double)n / 4));
	return gsl_cdf_binomial_P((unsigned)d - 1, 0.5, (unsigned)n);
}

/* The probability that the true median lies between the d-th value and the d-th from above. */
static double coverage(size_t d, size_t n)
{
	return 1 - 2 * fewer_than(d, n);
}

/* Coverages come rounded: one that is the level but for this is the level. */
static const double rounding = 1e-12;

/* The largest d whose coverage is at least the level; 0: there is none. */
static size_t widest_rank(size_t n, double level)
{
	size_t reaches = 0, above = n / 2 + 1;

	while (above - reaches > 1) {
		size_t d = reaches + (above - reaches) / 2;

		if (coverage(d, n) >= level - rounding)
			reaches = d;
		else
			above = d;
	}
	return reaches;
}

void stats_median_interval(const double *sorted, size_t n, double level, double *low, double *high)
{
	size_t d = level > 0 && level < 1 ? widest_rank(n, level) : 0;
	double wide, narrow, part, lambda;

	*low = *high = NAN;
	if (!d)
		return;
	*low = sorted[d - 1];
	*high = sorted[n - d];
	if (2 * d == n)
		return; /* nothing is nearer to the middle */
	wide = coverage(d, n);
	narrow = coverage(d + 1, n);
	part = fmax(wide - level, 0) / (wide - narrow);
	/* The weight of Hettmansperger and Sheather (1986); see stats.h. */
	lambda = (double)(n - d) * part / ((double)d + ((double)n - 2 * (double)d) * part);
	*low += lambda * (sorted[d] - *low);
	*high -= lambda * (*high - sorted[n - d - 1]);
}

/* The c of stats_median_error(), for n of at least 2. */
static size_t error_rank(size_t n)
{
	size_t d = widest_rank(n, STATS_LEVEL);

	if (!d)
		return 1;
	if (2 * (d + 1) <= n && STATS_LEVEL - coverage(d + 1, n) < coverage(d, n) - STATS_LEVEL)
		return d + 1;
	return d;
}

/* A distance between the two order statistics, as a standard error. */
static double as_error(double distance, size_t c, size_t n)
{
	return distance / (2 * gsl_cdf_ugaussian_Qinv(fewer_than(c, n)));
}

double stats_median_error(const double *sorted, size_t n)
{
	size_t c;

	if (n < 2)
		return NAN;
	c = error_rank(n);
	return as_error(sorted[n - c] - sorted[c - 1], c, n);
}

double stats_median_freedom(size_t n)
{
	return n < 2 ? NAN : (double)(n + 1 - 2 * error_rank(n));
}

/* The least p-value that the order of two samples can give: one of all ways to mix them, or its
 * mirror image. */
static double least_p(size_t n_a, size_t n_b)
{
	double n = (double)n_a + (double)n_b;

	return 2 * exp(lgamma((double)n_a + 1) + lgamma((double)n_b + 1) - lgamma(n + 1));
}

double stats_smallest_change(double relative_error, size_t n)
{
	double df;

	if (n < STATS_LEAST_FOR_CHANGE || !(relative_error > 0))
		return NAN;
	df = 2 * stats_median_freedom(n);
	return (gsl_cdf_tdist_Qinv(STATS_FALSE_ALARM / 2, df) +
		gsl_cdf_tdist_Pinv(STATS_POWER, df)) *
	       sqrt(2) * relative_error;
}

double stats_smallest_change_at(double precision, double level)
{
	double z = gsl_cdf_ugaussian_Qinv(STATS_FALSE_ALARM / 2);
	double error;

	if (!(precision > 0 && level > 0 && level < 1))
		return NAN;
	error = precision / gsl_cdf_ugaussian_Qinv((1 - level) / 2);
	return (z + gsl_cdf_ugaussian_Pinv(STATS_POWER)) * sqrt(2) * error;
}

/* One side of a comparison, on the logarithmic scale. */
struct side {
	double median, variance, df;
};

static struct side side_of(const double *sorted, size_t n)
{
	size_t c = error_rank(n);
	double error = as_error(log(sorted[n - c]) - log(sorted[c - 1]), c, n);

	return (struct side){
		.median = (log(sorted[(n - 1) / 2]) + log(sorted[n / 2])) / 2,
		.variance = error * error,
		.df = stats_median_freedom(n),
	};
}

double stats_medians_differ(const double *a, size_t n_a, const double *b, size_t n_b)
{
	struct side x, y;
	double difference, variance, df, p;

	if (n_a < 2 || n_b < 2 || !(a[0] > 0 && b[0] > 0) || !isfinite(a[n_a - 1]) ||
	    !isfinite(b[n_b - 1]))
		return NAN;
	x = side_of(a, n_a);
	y = side_of(b, n_b);
	difference = fabs(x.median - y.median);
	variance = x.variance + y.variance;
	if (!(difference > 0))
		return 1;
	if (!(variance > 0))
		return least_p(n_a, n_b);
	df = variance * variance /
	     (x.variance * x.variance / x.df + y.variance * y.variance / y.df);
	p = 2 * gsl_cdf_tdist_Q(difference / sqrt(variance), df);
	return fmax(p, least_p(n_a, n_b));
}
