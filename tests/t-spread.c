/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-spread: the statistics of the A/A experiment, against values done by hand. */
#include "config.h"

#include "spread.h"
#include "tap.h"

#include <math.h>

static bool is_near(double got, double want, const char *what)
{
	if (ok(isnan(want) ? isnan(got) : fabs(got - want) <= 1e-4 * fabs(want), "%s", what))
		return true;
	printf("# got %.9g, want %.9g\n", got, want);
	return false;
}

static void share(unsigned k, unsigned n, double want_low, double want_high)
{
	char text[80];
	double low, high;

	spread_of_share(k, n, &low, &high);
	snprintf(text, sizeof(text), "%u of %u: not less than", k, n);
	is_near(low, want_low, text);
	snprintf(text, sizeof(text), "%u of %u: not more than", k, n);
	is_near(high, want_high, text);
}

/* With none or all, the interval is a power: 0.025^(1/n). */
static void test_shares(void)
{
	share(0, 20, 0, 1 - pow(0.025, 1.0 / 20));
	share(20, 20, pow(0.025, 1.0 / 20), 1);
	share(1, 1, 0.025, 1);
	share(1, 20, 0.0012651, 0.2487328);
	share(10, 20, 0.2719578, 0.7280422);
	share(0, 0, NAN, NAN);
}

static void test_blocks(void)
{
	static const double zigzag[] = { 0, 1, 0, 1 }, drift[] = { 0, 1, 2, 3, 4, 5 };
	static const double same[] = { 3, 3, 3 };
	struct spread s = spread_of_blocks(zigzag, 4, 1);

	is_near(s.sd, 1, "single runs: root of the mean square of their differences");
	is_near(s.df, (6 - 1.2) * 4 / 9, "degrees of freedom of 4 runs");
	ok(s.low > 0.3 && s.low < 1 && s.high > 2 && isfinite(s.high), "an interval around it");
	/* Averages of two: each block differs from the next by twice the drift. */
	s = spread_of_blocks(drift, 7, 2);
	is_near(s.sd, 2, "blocks of two that overlap");
	is_near(s.df, (5.25 - 1.5) * 16 / 21, "their degrees of freedom");
	s = spread_of_blocks(drift, 4, 2);
	is_near(s.sd, 2, "one pair of blocks is enough");
	is_near(s.df, (3 - 1.2) * 16 / 21, "with hardly more than one degree of freedom");
	s = spread_of_blocks(same, 3, 1);
	ok(s.sd == 0 && s.low == 0 && s.high == 0, "no spread where all runs are the same");
	s = spread_of_blocks(zigzag, 1, 1);
	ok(isnan(s.sd) && isnan(s.low) && isnan(s.high) && isnan(s.df), "one run tells nothing");
	ok(isnan(spread_of_blocks(drift, 11, 6).sd), "nor does less than two blocks");
	ok(isnan(spread_of_blocks(drift, 6, 0).sd), "nor does a block of none");
}

static void test_smallest_change(void)
{
	/* Normal quantiles 1.959964 and 0.841621; with one degree of freedom 12.7062 and 1.37638 */
	is_near(spread_smallest_change(0.01, 1e7), expm1(0.02801585), "deviation well known");
	is_near(spread_smallest_change(0.01, 1), expm1(0.1408258), "deviation hardly known");
	ok(spread_smallest_change(0, 5) == 0, "no spread: every change shows");
	ok(isnan(spread_smallest_change(NAN, NAN)), "nothing from nothing");
}

static void test_alarms(void)
{
	/* t(0.975, 3) = 3.182446: 3 squares of 1 have a mean of 1. */
	const double within[] = { 1, -1, 1, 3.18 }, beyond[] = { 1, -1, 1, -3.19 };
	const double none[] = { 0, 0, 0, 0, 1e-9 };

	is_int(spread_alarms(within, 4), 0, "within what the others let expect");
	is_int(spread_alarms(beyond, 4), 1, "beyond it");
	is_int(spread_alarms(none, 5), 1, "where nothing else ever differs, the least is too much");
	is_int(spread_alarms(none, 4), 0, "nothing differs");
	is_int(spread_alarms(beyond, 2), 0, "too few");
}

int main(void)
{
	test_shares();
	test_blocks();
	test_smallest_change();
	test_alarms();
	return tap_done();
}
