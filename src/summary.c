/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary: from samples to the numbers that are reported (pure). */
#include "config.h"

#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NS_PER_S = 1e9;

/* getrusage(2) gives CPU times in whole microseconds. */
static const double CPU_TIME_STEP_NS = 1e3;

/*
 * Sums are taken in double: nanoseconds are exact up to 2^53 (104 days), and no value that a file
 * may hold overflows.
 */
static double sum_s(const int64_t *ns, unsigned n)
{
	double sum = 0;

	if (!ns)
		return NAN;
	for (unsigned i = 0; i < n; i++)
		sum += (double)ns[i];
	return sum / NS_PER_S;
}

static double extreme_s(const int64_t *ns, unsigned n, bool largest)
{
	int64_t found;

	if (!ns || !n)
		return NAN;
	found = ns[0];
	for (unsigned i = 1; i < n; i++)
		if (largest ? ns[i] > found : ns[i] < found)
			found = ns[i];
	return (double)found / NS_PER_S;
}

/* Faults are a count: exact, or not known. */
static int64_t sum_faults(const struct repeat *r, unsigned n)
{
	int64_t sum = 0;

	if (!r->minflt || !r->majflt)
		return -1;
	for (unsigned i = 0; i < n; i++)
		if (__builtin_add_overflow(sum, r->minflt[i], &sum) ||
		    __builtin_add_overflow(sum, r->majflt[i], &sum))
			return -1;
	return sum;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* How many different nodes there are, or -1 when none is known. */
static int64_t count_nodes(const int64_t *node, unsigned n)
{
	int64_t count = 0, *sorted;

	if (!node || !n)
		return -1;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -1;
	memcpy(sorted, node, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (unsigned i = 0; i < n; i++)
		count += sorted[i] >= 0 && (!i || sorted[i] != sorted[i - 1]);
	free(sorted);
	return count ? count : -1;
}

/* Comparisons with NAN are false: what is not known gives no rate. */
static double rate(int64_t faults, double seconds)
{
	return faults >= 0 && seconds > 0 ? (double)faults / seconds : NAN;
}

/* Everything but the nodes. */
static void times_and_rates(const struct point *p, const struct repeat *r, int64_t clock_step_ns,
			    struct summary *out)
{
	double shortest_s = clock_step_ns > 0 ? SUMMARY_MIN_STEPS * (double)clock_step_ns / NS_PER_S
					      : 0;
	double shortest_sys_s = SUMMARY_MIN_STEPS * p->workers * CPU_TIME_STEP_NS / NS_PER_S;

	out->max_wall_s = extreme_s(r->wall_ns, p->workers, true);
	out->min_wall_s = extreme_s(r->wall_ns, p->workers, false);
	out->sys_s = sum_s(r->sys_ns, p->workers);
	out->user_s = sum_s(r->user_ns, p->workers);
	out->totcpu_s = out->sys_s + out->user_s;
	out->totcpu_per_cpu_s = out->totcpu_s / p->workers;
	out->faults = sum_faults(r, p->workers);
	out->faults_per_wall_s = out->max_wall_s >= shortest_s ? rate(out->faults, out->max_wall_s)
							       : NAN;
	out->faults_per_sys_s = out->sys_s >= shortest_sys_s ? rate(out->faults, out->sys_s) : NAN;
	out->faults_per_wall_s_per_cpu = out->faults_per_wall_s / p->workers;
	out->nodes = -1;
}

void summary_of_repeat(const struct point *p, const struct repeat *r, int64_t clock_step_ns,
		       struct summary *out)
{
	times_and_rates(p, r, clock_step_ns, out);
	out->nodes = count_nodes(r->node, p->workers);
}

/* A repeat and the value by which it stands among the others. */
struct ranked {
	double value;
	const struct repeat *repeat;
};

/* Equal values keep the order of the run, so that the choice is always the same. */
static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->repeat->order != y->repeat->order)
		return x->repeat->order < y->repeat->order ? -1 : 1;
	return (x->repeat > y->repeat) - (x->repeat < y->repeat);
}

enum rank_by { BY_RATE, BY_WALL, BY_ORDER };

/* List the timed repeats that have the value in question. */
static size_t rank(const struct point *p, int64_t clock_step_ns, enum rank_by by,
		   struct ranked *out)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_repeats; i++) {
		const struct repeat *r = &p->repeats[i];
		struct summary s;
		double value = 0;

		if (r->warmup)
			continue;
		times_and_rates(p, r, clock_step_ns, &s);
		if (by != BY_ORDER)
			value = by == BY_RATE ? s.faults_per_wall_s_per_cpu : s.max_wall_s;
		if (!isnan(value))
			out[n++] = (struct ranked){ value, r };
	}
	return n;
}

static const struct repeat *first_timed(const struct point *p)
{
	for (size_t i = 0; i < p->n_repeats; i++)
		if (!p->repeats[i].warmup)
			return &p->repeats[i];
	return NULL;
}

const struct repeat *summary_pick(const struct point *p, int64_t clock_step_ns)
{
	const struct repeat *picked = first_timed(p);
	struct ranked *ranked;
	size_t n = 0;

	if (!picked)
		return NULL;
	ranked = malloc(p->n_repeats * sizeof(*ranked));
	if (!ranked)
		return picked; /* a real repeat too, if not the median */
	for (enum rank_by by = BY_RATE; by <= BY_ORDER && !n; by++)
		n = rank(p, clock_step_ns, by, ranked);
	qsort(ranked, n, sizeof(*ranked), by_rank);
	picked = ranked[(n - 1) / 2].repeat;
	free(ranked);
	return picked;
}

void summary_update(struct point *p, int64_t clock_step_ns)
{
	const struct repeat *picked;

	if (p->status == POINT_OK && !p->n_repeats)
		return; /* an imported point has a summary and no repeats */
	picked = p->status == POINT_OK ? summary_pick(p, clock_step_ns) : NULL;
	p->has_summary = picked;
	if (picked)
		summary_of_repeat(p, picked, clock_step_ns, &p->summary);
}
