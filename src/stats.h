/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats: medians, their intervals, and what difference they can show (pure). */
#ifndef PFSCALE_STATS_H
#define PFSCALE_STATS_H

#include <stddef.h>

/* The level of every interval that pfscale shows. */
#define STATS_LEVEL 0.95

/*
 * Of stats_medians_differ(), and of what is planned for it: how often it may see a difference where
 * there is none (two-sided), and how often it is to see one that is as large as the smallest
 * change.
 */
#define STATS_FALSE_ALARM 0.05
#define STATS_POWER	  0.80

/* Put n values in rising order. No value may be NAN. */
void stats_sort(double *values, size_t n);

/* Of n sorted values: the middle one, or the mean of the two in the middle. NAN where n is 0. */
double stats_median(const double *sorted, size_t n);

/* The smallest of n sorted values that at least the fraction q of them does not exceed. */
double stats_quantile(const double *sorted, size_t n, double q);

/*
 * The two-sided confidence interval of the true median, from n sorted values. *low and *high are
 * NAN where n is too small for the level: under 6 for 95 %.
 *
 * The order statistics X(d) and X(n+1-d) enclose the true median with a probability that follows
 * from the binomial distribution alone, whatever the values' own distribution: 1 - 2 P(B < d), B
 * being heads in n throws of a coin. It jumps from d to d + 1, widely where n is small (from 96.9 %
 * to 78.1 % at n = 6), so the ends are interpolated between the two that lie around the level, as
 * in T. P. Hettmansperger and S. J. Sheather, Confidence intervals based on interpolated order
 * statistics, Statistics & Probability Letters 4 (1986) 75-79. What lies between is no longer
 * exact, but hardly depends on the distribution. In simulations of n = 6 to 50 (normal, lognormal,
 * uniform, exponential, Student's t with 3 degrees of freedom, 10 % outliers) a level of 95 % came
 * out between 94.0 and 95.4 %. Where the lower end of a 95 % interval lies, as a rank (1.36: from
 * the first value 0.36 of the way to the second; the upper end likewise, from above):
 *
 *   n     under 6   6     7     8     9     10    11    12    20    50     large
 *   rank  none      1.36  1.73  1.94  2.23  2.66  2.92  3.26  6.24  18.67  (n + 1)/2 - 0.98 sqrt(n)
 */
void stats_median_interval(const double *sorted, size_t n, double level, double *low, double *high);

/*
 * The standard error of the median of n sorted values; NAN where n is under 2. 0 where values are
 * equal from the lower to the upper of the two that it is taken from.
 *
 * X(n+1-c) - X(c), divided by what it would be in standard errors if the median were normal: twice
 * the normal quantile of the pair's exact coverage (see above). J. W. McKean and R. M. Schrader, A
 * comparison of methods for studentizing the sample median, Communications in Statistics -
 * Simulation and Computation 13 (1984) 751-773; with the binomial coverage in place of its normal
 * approximation as in D. G. Bonett and R. M. Price, Statistical inference for a linear function of
 * medians, Psychological Methods 7 (2002) 370-383, so that it holds at small n too. c is the one
 * whose coverage is next to 95 %: 1 up to n = 7, where the coverage is 50, 75, 87.5, 93.8, 96.9,
 * and 98.4 %.
 */
double stats_median_error(const double *sorted, size_t n);

/*
 * Its degrees of freedom: how many gaps between neighbouring values it is the sum of, n + 1 - 2c.
 * That is n - 1 up to n = 7, then less. NAN where n is under 2.
 */
double stats_median_freedom(size_t n);

/* Fewer values show no change at the 5 % level: 3 a side can be mixed in 20 ways only. */
enum { STATS_LEAST_FOR_CHANGE = 4 };

/*
 * The smallest relative change between two medians of which each has this relative standard error
 * (as a part of the median) and comes from n values, that stats_medians_differ() finds at the 5 %
 * level (two-sided) with a probability of 80 %. 0.02 = 2 %. NAN where n is under 4: so few values
 * show no change at that level, however large; and where the error is 0, which does not mean that
 * every change shows: equal values say little of how far others would lie apart.
 *
 * (t(0.975) + t(0.80)) sqrt(2) relative_error, the usual formula for two sides of equal error, with
 * the degrees of freedom of that test. Simulated for normal values, with what stats_median_error()
 * gives on average, the change was found in 75 % (n = 5) to 80 % of all cases.
 */
double stats_smallest_change(double relative_error, size_t n);

/*
 * The same before anything is measured, where the interval of each median at that level is to be
 * within ±precision (as a part of the median): 1.54 × precision for a level of 99 %, 2.02 × for one
 * of 95 %. The number of values is not known then, so it takes normal quantiles in place of t. NAN
 * where the precision is not above 0, or the level not between 0 and 1.
 */
double stats_smallest_change_at(double precision, double level);

/*
 * The test that the smallest changes above speak of. No command makes it yet.
 *
 * The two-sided p-value of a difference between the medians of two samples (sorted), on the
 * logarithmic scale; NAN where either has under 2 values or one that is not positive and finite.
 *
 * The difference of the medians of the logarithms over its standard error (that of
 * stats_median_error(), of the logarithms) is compared with Student's t. B. L. Welch's degrees of
 * freedom (Biometrika 34 (1947) 28-35) join those of the two sides: n + 1 - 2c each, the number of
 * gaps between neighbours that the error is the sum of. That is n - 1 up to n = 7, then less.
 *
 * The result is never under 2 / binomial(n_a + n_b, n_a), which is the least that any test by ranks
 * can give: some equal values on each side prove little, though their error is 0.
 *
 * Simulations of both sides from one distribution (as above) at n = 5, 6, 10, 50 had p <= 0.05 in
 * 0.5 to 4.6 % of all cases, least often where n is small or tails are heavy. n - 1 degrees of
 * freedom throughout gave up to 5.4 %, half the gaps (which fits the variance of the error) 0.2 to
 * 3.6 %.
 */
double stats_medians_differ(const double *a, size_t n_a, const double *b, size_t n_b);

#endif
