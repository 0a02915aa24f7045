/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_check: whether the numbers of an imported row agree with each other (pure). Half of the
 * columns follow from the others, so that a digit that was lost or changed on the way shows.
 */
#include "config.h"

#include "import_check.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Where the number may have been that was printed. */
struct range {
	double low, high;
};

/* Times were rounded to three decimals; sums of single-precision numbers are off by more. */
static struct range of_time(double seconds)
{
	double off = 0.0005 + 1e-5 * seconds;

	return (struct range){ seconds - off, seconds + off };
}

/* Rates were cut to integers. */
static struct range of_rate(double rate)
{
	return (struct range){ rate * (1 - 1e-6), (rate + 1) * (1 + 1e-6) };
}

static struct range plus(struct range a, struct range b)
{
	return (struct range){ a.low + b.low, a.high + b.high };
}

static struct range times(struct range a, struct range b)
{
	return (struct range){ a.low * fmax(b.low, 0), a.high * b.high };
}

static struct range over(struct range a, double n)
{
	return (struct range){ a.low / n, a.high / n };
}

/* False where one is not known: comparisons with NAN are false. */
static bool apart(struct range a, struct range b)
{
	return a.high < b.low || b.high < a.low;
}

const char *import_check(const struct import_row *row)
{
	const struct summary *s = &row->summary;
	struct range total = of_time(s->totcpu_s), rate = of_rate(s->faults_per_wall_s);

	if (row->status != POINT_OK)
		return NULL;
	if (s->min_wall_s > s->max_wall_s)
		return "MIN WALL is more than MAX WALL";
	if (apart(total, plus(of_time(s->sys_s), of_time(s->user_s))))
		return "TOTCPU is not SYS + USER";
	if (apart(of_time(s->totcpu_per_cpu_s), over(total, row->workers)))
		return "TOTCPU/CPU is not TOTCPU over CPUS";
	if (apart(of_rate(s->faults_per_wall_s_per_cpu), over(rate, row->workers)))
		return "PF/WSEC/CPU is not TOT_PF/WALL_SEC over CPUS";
	if (apart(times(rate, of_time(s->max_wall_s)),
		  times(of_rate(s->faults_per_sys_s), of_time(s->sys_s))))
		return "TOT_PF/WALL_SEC and TOT_PF/SYS_SEC come from different numbers of faults";
	return NULL;
}
