/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spread: what runs of the same thing tell of how far they scatter (pure). */
#include "config.h"

#include "spread.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* Two-sided, at 95 %. */
static const double tail = 0.025;

static double degrees_of_freedom(unsigned n, unsigned block)
{
	double m = block, phases = n + 1.0;
	double df = (3 * (phases - 1) / (2 * m) - 2 * (phases - 2) / phases) * 4 * m * m /
		    (4 * m * m + 5);

	return df > 1 ? df : 1;
}

struct spread spread_of_blocks(const double *logs, unsigned n, unsigned block)
{
	struct spread s = { NAN, NAN, NAN, NAN };
	double squares = 0;
	unsigned count;

	if (!block || n < 2 * block)
		return s;
	count = n - 2 * block + 1;
	for (unsigned k = 0; k < count; k++)
		squares += pow(logs[k + block] - logs[k], 2);
	s.sd = sqrt(squares / count);
	s.df = degrees_of_freedom(n, block);
	s.low = s.sd * sqrt(s.df / gsl_cdf_chisq_Qinv(tail, s.df));
	s.high = s.sd * sqrt(s.df / gsl_cdf_chisq_Pinv(tail, s.df));
	return s;
}

double spread_smallest_change(double sd, double df)
{
	if (!(df > 0))
		return NAN;
	return expm1((gsl_cdf_tdist_Qinv(tail, df) + gsl_cdf_tdist_Pinv(0.80, df)) * sd);
}

void spread_of_share(unsigned k, unsigned n, double *low, double *high)
{
	*low = *high = NAN;
	if (!n)
		return;
	*low = k ? gsl_cdf_beta_Pinv(tail, k, n - k + 1.0) : 0;
	*high = k < n ? gsl_cdf_beta_Qinv(tail, k + 1.0, n - k) : 1;
}

unsigned spread_alarms(const double *differences, unsigned n)
{
	double squares = 0, t;
	unsigned alarms = 0;

	if (n < 3)
		return 0;
	for (unsigned i = 0; i < n; i++)
		squares += differences[i] * differences[i];
	t = gsl_cdf_tdist_Pinv(0.975, n - 1);
	for (unsigned i = 0; i < n; i++) {
		double own = differences[i] * differences[i];

		/* Rounding can leave the others a little below nothing. */
		alarms += own > t * t * fmax(squares - own, 0) / (n - 1);
	}
	return alarms;
}
