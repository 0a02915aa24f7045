/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series: the median of values that were measured one after the other on a machine that drifts
 * (pure). */
#include "config.h"

#include "series.h"

#include "stats.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 5, LEAST_BLOCKS = 3, LEAST_PER_BLOCK = 2 };

static size_t count_blocks(size_t n)
{
	size_t blocks = n / LEAST_PER_BLOCK;

	if (blocks > BLOCKS)
		blocks = BLOCKS;
	return blocks < LEAST_BLOCKS ? 0 : blocks;
}

/* The standard error by blocks; NAN where there are none. room: for n values. */
static double block_error(const double *values, size_t n, size_t blocks, double *room)
{
	double medians[BLOCKS];

	if (!blocks)
		return NAN;
	for (size_t i = 0; i < blocks; i++) {
		size_t first = i * n / blocks, next = (i + 1) * n / blocks;

		memcpy(room, values + first, (next - first) * sizeof(*room));
		stats_sort(room, next - first);
		medians[i] = stats_median(room, next - first);
	}
	return gsl_stats_sd(medians, 1, blocks) / sqrt((double)blocks);
}

int series_estimate(const double *values, size_t n, double level, struct series_estimate *out)
{
	double *room = malloc((n + !n) * sizeof(*room));
	size_t blocks = count_blocks(n);
	double by_blocks, reach;

	*out = (struct series_estimate){ NAN, NAN, NAN, NAN, NAN, n };
	if (!room)
		return -ENOMEM;
	by_blocks = block_error(values, n, blocks, room);
	if (n)
		memcpy(room, values, n * sizeof(*room));
	stats_sort(room, n);
	out->median = stats_median(room, n);
	stats_median_interval(room, n, level, &out->low, &out->high);
	out->error = stats_median_error(room, n);
	out->df = stats_median_freedom(n);
	free(room);
	if (!blocks)
		return 0;
	reach = by_blocks * gsl_cdf_tdist_Pinv(1 - STATS_FALSE_ALARM / 2, (double)blocks - 1);
	/* Comparisons with NAN are false: where there is no interval, none is made up. */
	if (out->low > out->median - reach)
		out->low = out->median - reach;
	if (out->high < out->median + reach)
		out->high = out->median + reach;
	if (by_blocks > out->error) {
		out->error = by_blocks;
		out->df = (double)blocks - 1;
	}
	return 0;
}

double series_smallest_change(const struct series_estimate *e)
{
	double df = 2 * e->df, relative = e->error / e->median;

	if (e->n < STATS_LEAST_FOR_CHANGE || !(relative > 0))
		return NAN;
	return (gsl_cdf_tdist_Pinv(1 - STATS_FALSE_ALARM / 2, df) +
		gsl_cdf_tdist_Pinv(STATS_POWER, df)) *
	       sqrt(2) * relative;
}

/* The estimate of the logarithms. Returns whether there is one. */
static bool estimate_logs(const double *values, size_t n, struct series_estimate *out)
{
	double *logs = malloc((n + !n) * sizeof(*logs));
	bool good = logs && n >= 2;

	for (size_t i = 0; i < n && good; i++) {
		good = values[i] > 0 && isfinite(values[i]);
		logs[i] = good ? log(values[i]) : 0;
	}
	good = good && !series_estimate(logs, n, STATS_LEVEL, out);
	free(logs);
	return good;
}

double series_differ(const double *a, size_t n_a, const double *b, size_t n_b)
{
	struct series_estimate x, y;
	double u, v, t, df;

	if (!estimate_logs(a, n_a, &x) || !estimate_logs(b, n_b, &y))
		return NAN;
	u = x.error * x.error;
	v = y.error * y.error;
	if (u + v <= 0)
		return x.median == y.median ? 1 : 0;
	t = fabs(x.median - y.median) / sqrt(u + v);
	/* Welch, as in stats_medians_differ(). */
	df = (u + v) * (u + v) / (u * u / x.df + v * v / y.df);
	return 2 * gsl_cdf_tdist_Q(t, df);
}
