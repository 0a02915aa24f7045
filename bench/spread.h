/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spread: what runs of the same thing tell of how far they scatter (pure). */
#ifndef PFSCALE_SPREAD_H
#define PFSCALE_SPREAD_H

/* The standard deviation of the difference between two runs, and how well it is known. */
struct spread {
	double sd;	  /* NAN where there is no difference to take it from */
	double low, high; /* its 95 % interval */
	double df;	  /* degrees of freedom */
};

/*
 * From the logarithms of what n runs gave, averaged over each `block` consecutive ones: logs[k] is
 * that of runs k to k + block - 1, and there are n - block + 1 of them. The differences are those
 * between a block and the next one, which begins where it ends, for all places where it can begin:
 * a drift that is slower than two blocks hardly counts, and no run is left out.
 *
 * Their mean is 0, since both sides are the same, and is not estimated. This is the overlapping
 * Allan deviation (times the square root of 2); its degrees of freedom are those for white
 * frequency noise, here: for runs that do not depend on each other, in W. J. Riley, Handbook of
 * Frequency Stability Analysis, NIST Special Publication 1065 (2008), section 5.4, at least 1. The
 * interval takes the squares as chi-squared.
 */
struct spread spread_of_blocks(const double *logs, unsigned n, unsigned block);

/*
 * The smallest relative change that a comparison of one such run a side finds at the 5 % level
 * (two-sided) with a probability of 80 %, where the deviation of the logarithms' difference is sd,
 * known with df degrees of freedom: exp((t(0.975) + t(0.80)) sd) - 1.
 */
double spread_smallest_change(double sd, double df);

/*
 * Of n differences of logarithms between two sides that are the same: how many lie beyond what the
 * other n - 1 let expect at the 5 % level (two-sided): |d| > t(0.975, n - 1) times the root mean
 * square of the others, whose true mean is 0. So each is judged by a spread that it has no part in.
 * 0 where n is under 3.
 */
unsigned spread_alarms(const double *differences, unsigned n);

/*
 * The 95 % interval of the probability of what happened in k of n independent cases: C. J. Clopper
 * and E. S. Pearson, Biometrika 26 (1934) 404-413. NAN where n is 0.
 */
void spread_of_share(unsigned k, unsigned n, double *low, double *high);

#endif
