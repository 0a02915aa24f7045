/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * t-stats: medians, their intervals and tests, against values that were computed elsewhere.
 *
 * The constants: coverages and interpolated ranks are fractions, exact by the binomial
 * coefficients; normal quantiles and t probabilities come from numerical integration outside GSL.
 */
#include "config.h"

#include "stats.h"
#include "tap.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_real(double got, double want, const char *what)
{
	if (ok(isnan(want) ? isnan(got) : got == want, "%s", what))
		return true;
	printf("# got %.17g, want %.17g\n", got, want);
	return false;
}

/* To 8 digits, or to what is given. */
static bool is_near_by(double got, double want, double relative, const char *what)
{
	if (ok(fabs(got - want) <= fabs(want) * relative, "%s", what))
		return true;
	printf("# got %.17g, want %.17g\n", got, want);
	return false;
}

static bool is_near(double got, double want, const char *what)
{
	return is_near_by(got, want, 1e-8, what);
}

static bool is_between(double got, double low, double high, const char *what)
{
	if (ok(got >= low && got <= high, "%s", what))
		return true;
	printf("# got %g, want %g to %g\n", got, low, high);
	return false;
}

static double *new_values(size_t n)
{
	double *values = malloc(n * sizeof(*values));

	if (!values)
		exit(99);
	return values;
}

/* 1, 2 … n: an order statistic is its rank. */
static double *ranks(size_t n)
{
	double *values = new_values(n);

	for (size_t i = 0; i < n; i++)
		values[i] = (double)(i + 1);
	return values;
}

static void test_median(void)
{
	static const double values[] = { 1, 2, 4, 8 };
	static const double huge[] = { 1.5e308, 1.7e308 };
	double unsorted[] = { 3, -1, 2, 2, INFINITY, 0 };
	static const double sorted[] = { -1, 0, 2, 2, 3, INFINITY };

	is_real(stats_median(values, 0), NAN, "median of none");
	is_real(stats_median(values, 1), 1, "median of one");
	is_real(stats_median(values, 2), 1.5, "median of two");
	is_real(stats_median(values, 3), 2, "median of three");
	is_real(stats_median(values, 4), 3, "median of four");
	is_near(stats_median(huge, 2), 1.6e308, "median of two that have no sum");
	stats_sort(unsorted, COUNT(unsorted));
	ok(!memcmp(unsorted, sorted, sizeof(sorted)), "sort");
	stats_sort(unsorted, 0);
	ok(!memcmp(unsorted, sorted, sizeof(sorted)), "sort none");
}

static void test_quantile(void)
{
	double *values = ranks(100);

	is_real(stats_quantile(values, 0, 0.5), NAN, "quantile of none");
	is_real(stats_quantile(values, 1, 0.99), 1, "quantile of one");
	is_real(stats_quantile(values, 100, 0), 1, "the quantile 0 is the first");
	is_real(stats_quantile(values, 100, 1), 100, "the quantile 1 is the last");
	is_real(stats_quantile(values, 100, 0.99), 99, "99 of 100 do not exceed the 99th");
	is_real(stats_quantile(values, 100, 0.07), 7, "nor 7 the 7th, whatever 0.07 × 100 is");
	is_real(stats_quantile(values, 100, 0.071), 8, "0.071 takes the 8th");
	is_real(stats_quantile(values, 4, 0.5), 2, "half of 4");
	is_real(stats_quantile(values, 100, -1), 1, "a fraction below 0");
	is_real(stats_quantile(values, 100, 2), 100, "a fraction above 1");
	is_real(stats_quantile(values, 100, NAN), NAN, "a fraction that is none");
	free(values);
}

/*
 * d and lambda by hand: coverages g(d) = 1 - 2 P(B < d), I = (g(d) - 0.95) / (g(d) - g(d + 1)),
 * lambda = (n - d) I / (d + (n - 2 d) I). n = 6: g(1) = 31/32, g(2) = 25/32, I = 1/10, so 5/14.
 */
static void test_interval(void)
{
	static const struct {
		size_t n;
		double low; /* as a rank: d + lambda */
	} cases[] = {
		{ 6, 1 + 5.0 / 14 },
		{ 7, 1 + 11.0 / 15 },
		{ 8, 1 + 189.0 / 202 },
		{ 9, 2 + 49.0 / 215 },
		{ 10, 2 + 73.0 / 111 },
		{ 11, 2 + 882.0 / 961 },
		{ 12, 3 + 351.0 / 1334 },
		{ 20, 6.235234215885947 },
		{ 50, 18.671737514362157 },
		{ 1000, 469.5330866017012 },
		{ 100000, 49690.604701152624 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t n = cases[i].n;
		double *values = ranks(n), low, high;
		char what[80];

		stats_median_interval(values, n, 0.95, &low, &high);
		snprintf(what, sizeof(what), "interval of %zu: low", n);
		is_near(low, cases[i].low, what);
		snprintf(what, sizeof(what), "interval of %zu: high", n);
		is_near(high, (double)n + 1 - cases[i].low, what);
		free(values);
	}
}

static void is_interval(size_t n, double level, double want_low, double want_high, const char *what)
{
	double *values = ranks(n ? n : 1), low = 0, high = 0;

	stats_median_interval(values, n, level, &low, &high);
	is_near(isnan(want_low) ? isnan(low) : low, isnan(want_low) ? 1 : want_low, what);
	is_near(isnan(want_high) ? isnan(high) : high, isnan(want_high) ? 1 : want_high, what);
	free(values);
}

static void test_interval_levels(void)
{
	static const double equal[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
	double low, high;

	for (size_t n = 0; n < 6; n++)
		is_interval(n, 0.95, NAN, NAN, "no interval of fewer than 6");
	is_interval(5, 0.9375, 1, 5, "but one of 15/16 of 5: all of it");
	is_interval(5, 0.93751, NAN, NAN, "and none above that");
	is_interval(6, 0.96875, 1, 6, "31/32 of 6: all of it");
	is_interval(6, 0.78125, 2, 5, "25/32 of 6: without the outer ones");
	is_interval(6, 0.3125, 3, 4, "20/64 of 6: the two in the middle");
	is_interval(6, 0.1, 3, 4, "of an even number there is no smaller one");
	is_interval(5, 0.625, 2, 4, "20/32 of 5: without the outer ones");
	is_interval(5, 1e-12, 3, 3, "of an odd number it can shrink to the median");
	is_interval(100, 1, NAN, NAN, "no interval is certain");
	is_interval(100, 0, NAN, NAN, "or of level 0");
	is_interval(100, -0.5, NAN, NAN, "or less");
	is_interval(100, 1.5, NAN, NAN, "or more than certain");
	is_interval(100, NAN, NAN, NAN, "or of no level");
	stats_median_interval(equal, 7, 0.95, &low, &high);
	is_real(low, 0.1, "equal values: low is exactly that");
	is_real(high, 0.1, "equal values: high, too");
}

/* Where the exact sum gives way to the normal approximation, one goes over into the other. */
static void test_interval_of_many(void)
{
	double *values = ranks(1000002), low[2], high[2];

	for (size_t i = 0; i < 2; i++)
		stats_median_interval(values, 1000000 + i, 0.95, &low[i], &high[i]);
	is_between(low[0], 499020, 499021, "a million: low is n/2 - 0.98 sqrt(n)");
	is_between(low[1] - low[0], 0.49, 0.51, "one more: half a rank further");
	is_between(high[1] - high[0], 0.49, 0.51, "on both sides");
	free(values);
}

/* Of 1 … n, the distance is n + 1 - 2c; below it, twice the normal quantile of the coverage. */
static void test_error(void)
{
	static const struct {
		size_t n, c;
		double z;
	} cases[] = {
		{ 2, 1, 0.6744897501960817 },	  /* 1/2 */
		{ 3, 1, 1.1503493803760079 },	  /* 3/4 */
		{ 4, 1, 1.5341205443525459 },	  /* 7/8 */
		{ 5, 1, 1.862731867421651 },	  /* 15/16 */
		{ 6, 1, 2.1538746940614555 },	  /* 31/32 */
		{ 7, 1, 2.417559016236505 },	  /* 63/64 */
		{ 8, 2, 1.8098922384806082 },	  /* 119/128 */
		{ 9, 2, 2.063527898316244 },	  /* 123/128 */
		{ 10, 2, 2.2993622974032286 },	  /* 501/512 */
		{ 11, 3, 1.8423108917410795 },	  /* 957/1024 */
		{ 12, 3, 2.0687003031928377 },	  /* 1969/2048 */
		{ 20, 6, 2.039607190239354 },	  /* 0.95861 */
		{ 50, 19, 1.8458867766944822 },	  /* 0.93509 */
		{ 1000, 470, 1.9294272003839865 } /* 0.94632 */
	};
	static const double equal[] = { 7, 7, 7 };
	double *values;

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t n = cases[i].n;
		char what[40];

		values = ranks(n);
		snprintf(what, sizeof(what), "error of the median of %zu", n);
		is_near(stats_median_error(values, n),
			(double)(n + 1 - 2 * cases[i].c) / (2 * cases[i].z), what);
		free(values);
	}
	is_real(stats_median_error(equal, 0), NAN, "no error of none");
	is_real(stats_median_error(equal, 1), NAN, "nor of one");
	is_real(stats_median_error(equal, 3), 0, "equal values have no error");
	/* Of a uniform distribution, the median's error is (n + 1) / (2 sqrt(n)) ranks. */
	values = ranks(100000);
	is_near_by(stats_median_error(values, 100000), 158.114, 0.002, "error of very many");
	free(values);
}

static void test_smallest_change(void)
{
	/* (t(0.975) + t(0.80)) sqrt(2) of 2 (n + 1 - 2c) degrees of freedom */
	is_real(stats_smallest_change(0.01, 0), NAN, "no change is shown by none");
	is_real(stats_smallest_change(0.01, 1), NAN, "by one");
	is_real(stats_smallest_change(0.01, 2), NAN, "by two: all orders of them are too likely");
	is_real(stats_smallest_change(0.01, 3), NAN, "by three: likewise");
	is_near(stats_smallest_change(0.01, 4), 0.047413137952, "by four: t of 6");
	is_near(stats_smallest_change(0.01, 5), 0.045182619344, "by five: t of 8");
	is_near(stats_smallest_change(0.01, 6), 0.043942396866, "by six: t of 10");
	is_near(stats_smallest_change(0.01, 10), 0.042608012674, "by ten: t of 14");
	is_near(stats_smallest_change(0.01, 50), 0.041170509878, "by fifty: t of 26");
	is_near_by(stats_smallest_change(0.01, 100000), 0.0396204, 0.002, "by very many: normal");
	is_real(stats_smallest_change(0, 5), NAN, "equal values do not show every change");
	is_real(stats_smallest_change(NAN, 5), NAN, "n/a of n/a");
	is_real(stats_smallest_change(-1, 5), NAN, "no error is negative");
}

/* (z(0.975) + z(0.80)) sqrt(2) / z((1 + level) / 2), z being normal quantiles */
static void test_smallest_change_at(void)
{
	is_near(stats_smallest_change_at(0.01, 0.95), 0.02021486028749, "±1 % at 95 %: 2.02 %");
	is_near(stats_smallest_change_at(0.1, 0.95), 0.2021486028749, "±10 % at 95 %: 20.2 %");
	is_near(stats_smallest_change_at(0.01, 0.99), 0.015381608579965, "±1 % at 99 %: 1.54 %");
	is_real(stats_smallest_change_at(0, 0.99), NAN, "±0 cannot be reached");
	is_real(stats_smallest_change_at(-1, 0.99), NAN, "less neither");
	is_real(stats_smallest_change_at(NAN, 0.99), NAN, "n/a of n/a");
	is_real(stats_smallest_change_at(0.01, 0), NAN, "an interval of no level says nothing");
	is_real(stats_smallest_change_at(0.01, 1), NAN, "there is none that is certain");
	is_real(stats_smallest_change_at(0.01, NAN), NAN, "nor of a level that is none");
}

/* The exponentials of first/100, (first + 1)/100 … */
static double *steps(int first, int n)
{
	double *values = new_values((size_t)n);

	for (int i = 0; i < n; i++)
		values[i] = exp((first + i) / 100.0);
	return values;
}

static void test_differ(void)
{
	static const double twos[] = { 2, 2, 2, 2, 2 }, threes[] = { 3, 3, 3, 3, 3 };
	double *a = steps(0, 5), *b = steps(3, 5), *c = steps(3, 10), *far = steps(90, 10);

	/* t = 0.03 / (0.04 / (2 × 1.86273) × sqrt(2)) = 1.97573, 8 degrees of freedom */
	is_near(stats_medians_differ(a, 5, b, 5), 0.0835998695276573, "five and five");
	is_near(stats_medians_differ(b, 5, a, 5), 0.0835998695276573, "the other way round");
	/* t = 2.95264, 10.95335 degrees of freedom, of 4 and 7 */
	is_near(stats_medians_differ(a, 5, c, 10), 0.013202341005740137, "five and ten");
	is_real(stats_medians_differ(a, 5, a, 5), 1, "a sample and itself");
	/* 2 / binomial(10, 5), (4, 2) and (20, 10) */
	is_near(stats_medians_differ(a, 5, far, 5), 2.0 / 252, "five far away: no less than ranks");
	is_near(stats_medians_differ(a, 2, far, 2), 2.0 / 6, "two far away");
	is_near(stats_medians_differ(a, 3, far, 3), 2.0 / 20, "three far away");
	is_near(stats_medians_differ(a, 5, far, 10), 2.0 / 3003, "five and ten far away");
	is_real(stats_medians_differ(twos, 5, twos, 5), 1, "equal values, the same");
	is_near(stats_medians_differ(twos, 5, threes, 5), 2.0 / 252, "equal values, others");
	/* t of 4: the side without error adds none, and no degrees of freedom */
	free(b);
	b = new_values(5);
	for (int i = 0; i < 5; i++)
		b[i] = exp(-0.01);
	is_near(stats_medians_differ(b, 5, a, 5), 0.049106238589582296, "only one side varies");
	free(a);
	free(b);
	free(c);
	free(far);
}

static void test_differ_odd(void)
{
	static const double fine[] = { 1, 2, 3 }, zero[] = { 0, 1, 2 }, below[] = { -1, 1, 2 };
	static const double infinite[] = { 1, 2, INFINITY };
	static const double small[] = { 5e-324, 1e-300 }, large[] = { 1e300, 1.7e308 };
	double *many = ranks(100000), *more = ranks(100000), p;

	is_real(stats_medians_differ(fine, 0, fine, 3), NAN, "none and three");
	is_real(stats_medians_differ(fine, 1, fine, 3), NAN, "one and three");
	is_real(stats_medians_differ(fine, 3, fine, 1), NAN, "three and one");
	is_real(stats_medians_differ(zero, 3, fine, 3), NAN, "a value of 0");
	is_real(stats_medians_differ(fine, 3, zero, 3), NAN, "on the other side");
	is_real(stats_medians_differ(fine, 3, below, 3), NAN, "a negative value");
	is_real(stats_medians_differ(fine, 3, infinite, 3), NAN, "an infinite value");
	is_real(stats_medians_differ(infinite, 3, fine, 3), NAN, "on the other side");
	p = stats_medians_differ(small, 2, large, 2);
	is_near(p, 2.0 / 6, "the smallest and the largest numbers");
	for (size_t i = 0; i < 100000; i++)
		more[i] *= 1.02; /* 1.98 % where the error of either is 0.32 % */
	p = stats_medians_differ(many, 100000, more, 100000);
	is_between(p, 1e-6, 1e-4, "very many: t of 1240, 4.4");
	free(many);
	free(more);
}

int main(void)
{
	test_median();
	test_quantile();
	test_interval();
	test_interval_levels();
	test_interval_of_many();
	test_error();
	test_smallest_change();
	test_smallest_change_at();
	test_differ();
	test_differ_odd();
	return tap_done();
}
