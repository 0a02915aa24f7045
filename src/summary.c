/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary: from samples to the numbers that are reported (pure). */
#include "config.h"

#include "summary.h"

#include "series.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NS_PER_S = 1e9;

/* getrusage(2), by which CPU time is divided, counts in whole microseconds. */
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
	out->rate_low = out->rate_high = NAN;
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

void summary_count(const struct point *p, size_t *timed, size_t *disturbed)
{
	*timed = *disturbed = 0;
	for (size_t i = 0; i < p->n_repeats; i++) {
		*timed += !p->repeats[i].warmup;
		*disturbed += !p->repeats[i].warmup && p->repeats[i].disturbed;
	}
}

/* Goes through the repeats that count: here alone is decided which these are. */
struct counted {
	const struct point *point;
	bool disturbed_too; /* there are no others */
	size_t next;
};

static struct counted counted_of(const struct point *p)
{
	size_t timed, disturbed;

	summary_count(p, &timed, &disturbed);
	return (struct counted){ .point = p, .disturbed_too = timed == disturbed };
}

/* NULL: there are no more. */
static const struct repeat *next_counted(struct counted *c)
{
	while (c->next < c->point->n_repeats) {
		const struct repeat *r = &c->point->repeats[c->next++];

		if (!r->warmup && (c->disturbed_too || !r->disturbed))
			return r;
	}
	return NULL;
}

size_t summary_list(const struct point *p, const struct repeat **out)
{
	struct counted c = counted_of(p);
	const struct repeat *r;
	size_t n = 0;

	while ((r = next_counted(&c)))
		out[n++] = r;
	return n;
}

size_t summary_rates(const struct point *p, int64_t clock_step_ns, double *rates)
{
	struct counted c = counted_of(p);
	const struct repeat *r;
	size_t n = 0;
	bool all = true;

	while ((r = next_counted(&c))) {
		struct summary s;

		times_and_rates(p, r, clock_step_ns, &s);
		if (isfinite(s.faults_per_wall_s_per_cpu))
			rates[n++] = s.faults_per_wall_s_per_cpu;
		else
			all = false;
	}
	return all ? n : 0;
}

/*
 * List the repeats that count and have the value in question. One that was too short for a rate was
 * faster than those that were not: left out, it would leave the median to the slow ones.
 */
static size_t rank(const struct point *p, int64_t clock_step_ns, enum rank_by by,
		   struct ranked *out)
{
	struct counted c = counted_of(p);
	const struct repeat *r;
	size_t n = 0, with_rate = 0;

	while ((r = next_counted(&c))) {
		struct summary s;
		double value = 0;

		times_and_rates(p, r, clock_step_ns, &s);
		if (by != BY_ORDER)
			value = by == BY_RATE ? s.faults_per_wall_s_per_cpu : s.max_wall_s;
		with_rate += isfinite(value);
		if (by == BY_RATE && isnan(value) && s.faults >= 0 && !isnan(s.max_wall_s))
			value = INFINITY;
		if (!isnan(value))
			out[n++] = (struct ranked){ value, r };
	}
	return with_rate ? n : 0;
}

const struct repeat *summary_pick(const struct point *p, int64_t clock_step_ns)
{
	struct counted c = counted_of(p);
	const struct repeat *picked = next_counted(&c);
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

/* The interval of the median rate; NAN where memory ran out, too. */
static void set_interval(const struct point *p, int64_t clock_step_ns, struct summary *s)
{
	double *rates = malloc(p->n_repeats * sizeof(*rates));
	struct series_estimate e;

	if (rates &&
	    !series_estimate(rates, summary_rates(p, clock_step_ns, rates), STATS_LEVEL, &e)) {
		s->rate_low = e.low < 0 ? 0
					: e.low; /* a wide interval reaches far, a rate does not */
		s->rate_high = e.high;
	}
	free(rates);
}

void summary_update(struct point *p, int64_t clock_step_ns)
{
	const struct repeat *picked;

	if (p->status == POINT_OK && !p->n_repeats)
		return; /* an imported point has a summary and no repeats */
	picked = p->status == POINT_OK ? summary_pick(p, clock_step_ns) : NULL;
	p->has_summary = picked;
	if (picked) {
		summary_of_repeat(p, picked, clock_step_ns, &p->summary);
		set_interval(p, clock_step_ns, &p->summary);
	}
}
