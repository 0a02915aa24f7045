/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series: the median of values that were measured one after the other on a machine that drifts
 * (pure). */
#ifndef PFSCALE_SERIES_H
#define PFSCALE_SERIES_H

#include <stddef.h>

struct series_estimate {
	double median;
	double low, high; /* its interval; NAN where there are too few values for one */
	double error;	  /* its standard error; NAN where n is under 2 */
	double df;	  /* degrees of freedom of the error */
	size_t n;
};

/*
 * What is known of the true median after n values, which stand in the order in which they were
 * measured. Returns 0 or -ENOMEM.
 *
 * Values that follow each other are often alike: a machine runs faster for some seconds, then
 * slower. Taken as independent (stats.h) they then promise far too much. On a virtual machine whose
 * host was shared, medians of runs of 10 s differed by 4 % (standard deviation), while the 250
 * repeats of each alone promised 0.2 %. So the values are also cut into blocks of neighbours: 5, or
 * as many as have 2 values each. If the machine did not drift, the blocks' medians scatter as the
 * values within them let expect; if it did, by more. The standard error of the mean of k block
 * medians is their standard deviation over sqrt(k), with k - 1 degrees of freedom: the method of
 * batch means (R. W. Conway, Some tactical problems in digital simulation, Management Science 10
 * (1963) 47-61; few large batches rather than many small ones where neighbours are alike: B.
 * Schmeiser, Batch size effects in the analysis of simulation output, Operations Research 30
 * (1982) 556-568).
 *
 * error is the larger of that one and stats_median_error(), with its degrees of freedom. The
 * interval reaches as far as either says: stats_median_interval() at `level`, and median ± t(0.975)
 * times the blocks' error. Under 6 values there are no blocks. A drift that is slower than the
 * series is long is in neither.
 */
int series_estimate(const double *values, size_t n, double level, struct series_estimate *out);

/*
 * The smallest relative change between two medians like this one that series_differ() finds at the
 * 5 % level (two-sided) with a probability of 80 %, as stats_smallest_change() explains. NAN where
 * it cannot be told.
 */
double series_smallest_change(const struct series_estimate *e);

/*
 * As stats_medians_differ(), of two series: the two-sided p-value of the difference of the medians
 * of the logarithms, with the errors of series_estimate(); NAN where either has under 2 values or
 * one that is not positive and finite, or where memory ran out.
 */
double series_differ(const double *a, size_t n_a, const double *b, size_t n_b);

#endif
