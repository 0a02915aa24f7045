/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-summary: the arithmetic of a row and the choice of the repeat, against values done by hand. */
#include "config.h"

#include "series.h"
#include "stats.h"
#include "summary.h"
#include "tap.h"
#include "util.h"

#include <errno.h>
#include <math.h>

static bool is_real(double got, double want, const char *what)
{
	if (ok(isnan(want) ? isnan(got) : got == want, "%s", what))
		return true;
	printf("# got %.17g, want %.17g\n", got, want);
	return false;
}

static struct point *new_point(struct result **r, unsigned workers)
{
	struct point *p;

	*r = result_new();
	p = *r ? result_add_point(*r, "fork", "fork", "malloc", "write", false, workers, 100)
	       : NULL;
	if (!p)
		exit(99);
	return p;
}

/* A repeat whose workers each have these values. */
static struct repeat *add(struct point *p, bool warmup, int64_t wall_ns, int64_t minflt)
{
	struct repeat *r = point_add_repeat(p);

	if (!r)
		exit(99);
	r->order = (int64_t)p->n_repeats - 1;
	r->warmup = warmup;
	for (unsigned i = 0; i < p->workers; i++) {
		r->wall_ns[i] = wall_ns;
		r->minflt[i] = minflt;
	}
	return r;
}

static void drop(int64_t **column)
{
	free(*column);
	*column = NULL;
}

/* Repeats of these wall times in ms, of which some are disturbed: what is shown and counted? */
static void test_disturbed(void)
{
	static const struct {
		unsigned n, disturbed; /* bits: repeat i */
		int64_t ms[6];
		int64_t shown_ms;
		int64_t rates;
		const char *what;
	} rows[] = {
		{ 3, 0, { 10, 20, 30 }, 20, 3, "none is disturbed" },
		{ 3,
		  2,
		  { 10, 20, 30 },
		  30,
		  2,
		  "the one in the middle is: the lower rate of the others" },
		{ 5, 6, { 10, 90, 91, 20, 30 }, 20, 3, "two slow ones are" },
		{ 3, 6, { 10, 20, 30 }, 10, 1, "all but one are: that one" },
		{ 3, 7, { 10, 20, 30 }, 20, 3, "all are: as if none was" },
		{ 1, 1, { 10 }, 10, 1, "the only one is" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct result *result;
		struct point *p = new_point(&result, 1);
		const struct repeat *counted[8];
		size_t timed, disturbed;
		double rates[8];

		add(p, true, 1, 100)->disturbed = 1;
		for (unsigned j = 0; j < rows[i].n; j++)
			add(p, false, rows[i].ms[j] * 1000000, 100)->disturbed =
				rows[i].disturbed >> j & 1 ? 1u << DISTURBED_STEAL : 0;
		is_int(summary_pick(p, 20)->wall_ns[0], rows[i].shown_ms * 1000000, rows[i].what);
		is_int((int64_t)summary_rates(p, 20, rates), rows[i].rates,
		       "… the rates that count");
		summary_count(p, &timed, &disturbed);
		is_int((int64_t)timed, rows[i].n, "… the timed ones");
		is_int((int64_t)disturbed, __builtin_popcount(rows[i].disturbed),
		       "… disturbed ones");
		is_int((int64_t)summary_list(p, counted), rows[i].rates, "… those that count");
		for (int64_t j = 0; j < rows[i].rates; j++)
			ok(!counted[j]->warmup && (!j || counted[j - 1]->order < counted[j]->order),
			   "… no warm-up, in the order of the run");
		result_free(result);
	}
}

/* Too short for the clock means fast: the slow ones must not stand for all. */
static void test_some_short(void)
{
	struct result *result;
	struct point *p = new_point(&result, 1);
	double rates[8];

	add(p, false, 9000, 100);
	add(p, false, 2100, 100);
	add(p, false, 1900, 100);
	is_int(summary_pick(p, 20)->wall_ns[0], 2100,
	       "one of three is too short: it is the fastest");
	is_int((int64_t)summary_rates(p, 20, rates), 0, "… but there are no rates of all");
	add(p, false, 1800, 100);
	add(p, false, 1700, 100);
	summary_update(p, 20);
	ok(isnan(p->summary.faults_per_wall_s), "three of five are: no rate is the median");
	ok(isnan(p->summary.rate_low), "… and there is no interval");
	result_free(result);
}

static void test_interval(void)
{
	struct result *result;
	struct point *p = new_point(&result, 1);
	static const int64_t ms[] = { 10, 15, 14, 11, 12, 13 };
	double low, high, rates[8];
	struct series_estimate e;

	for (int i = 0; i < 5; i++)
		add(p, false, ms[i] * 1000000, 1000);
	summary_update(p, 20);
	ok(isnan(p->summary.rate_low) && isnan(p->summary.rate_high), "5 repeats: no interval");
	add(p, false, ms[5] * 1000000, 1000);
	add(p, false, 1000000, 1000)->disturbed = 1;
	summary_update(p, 20);
	is_int((int64_t)summary_rates(p, 20, rates), 6, "6 that count");
	series_estimate(rates, 6, STATS_LEVEL, &e);
	low = e.low;
	high = e.high;
	ok(p->summary.rate_low == low && p->summary.rate_high == high, "their interval");
	ok(low >= 1000 / 0.015 - 1 && high <= 1000 / 0.010 + 1,
	   "the disturbed one has no part in it");
	result_free(result);

	p = new_point(&result, 1);
	for (int i = 0; i < 6; i++)
		add(p, false, i < 2 ? 1000000 : 1000000000, 1000);
	summary_update(p, 20);
	ok(p->summary.rate_low == 0 && p->summary.rate_high > 1000,
	   "however wide the interval, no rate is negative");
	result_free(result);
}

static void test_one_worker(void)
{
	struct result *result;
	struct point *p = new_point(&result, 1);
	struct repeat *r = add(p, false, 500000000, 6104);
	struct summary s;

	r->sys_ns[0] = 250000000;
	r->user_ns[0] = 125000000;
	r->majflt[0] = 2;
	r->node[0] = 3;
	summary_of_repeat(p, r, 20, &s);
	is_real(s.max_wall_s, 0.5, "one worker: max wall");
	is_real(s.min_wall_s, 0.5, "one worker: min wall");
	is_real(s.sys_s, 0.25, "one worker: sys");
	is_real(s.user_s, 0.125, "one worker: user");
	is_int(s.faults, 6106, "one worker: minor and major faults count");
	is_real(s.faults_per_wall_s, 12212, "one worker: faults per wall second");
	is_real(s.faults_per_sys_s, 24424, "one worker: faults per system second");
	is_real(s.faults_per_wall_s_per_cpu, 12212, "one worker: per CPU the same");
	is_int(s.nodes, 1, "one worker: one node");
	result_free(result);
}

static void test_four_workers(void)
{
	static const int64_t wall[] = { 1000000000, 2000000000, 1500000000, 500000000 };
	static const int64_t sys[] = { 400000000, 300000000, 200000000, 100000000 };
	static const int64_t user[] = { 1000000, 2000000, 3000000, 4000000 };
	static const int64_t node[] = { 8, -1, 0, 8 };
	struct result *result;
	struct point *p = new_point(&result, 4);
	struct repeat *r = add(p, false, 0, 1000);
	struct summary s;

	for (int i = 0; i < 4; i++) {
		r->wall_ns[i] = wall[i];
		r->sys_ns[i] = sys[i];
		r->user_ns[i] = user[i];
		r->node[i] = node[i];
	}
	r->minflt[3] = 1001;
	summary_of_repeat(p, r, -1, &s);
	is_real(s.max_wall_s, 2, "four workers: max wall is the largest");
	is_real(s.min_wall_s, 0.5, "four workers: min wall is the smallest");
	is_real(s.sys_s, 1, "four workers: sys is the sum");
	is_real(s.user_s, 0.01, "four workers: user is the sum");
	is_real(s.totcpu_s, 1.01, "four workers: TOTCPU is both");
	is_real(s.totcpu_per_cpu_s, 0.2525, "four workers: TOTCPU per CPU");
	is_int(s.faults, 4001, "four workers: faults are the sum");
	is_real(s.faults_per_wall_s, 2000.5, "four workers: the rate divides by max wall");
	is_real(s.faults_per_sys_s, 4001, "four workers: the rate over sys");
	is_real(s.faults_per_wall_s_per_cpu, 500.125, "four workers: the rate per CPU");
	is_int(s.nodes, 2, "four workers: each known node once");
	result_free(result);
}

static void test_missing(void)
{
	struct result *result;
	struct point *p = new_point(&result, 2);
	struct repeat *r = add(p, false, 1000000000, 50);
	struct summary s;

	r->node[0] = r->node[1] = -1;
	summary_of_repeat(p, r, 20, &s);
	is_real(s.sys_s, 0, "no system time: sys is 0");
	is_real(s.faults_per_sys_s, NAN, "no system time: no rate over it");
	is_real(s.faults_per_wall_s, 100, "no system time: the other rate is there");
	is_int(s.nodes, -1, "all nodes unknown: n/a");
	drop(&r->majflt);
	summary_of_repeat(p, r, 20, &s);
	is_int(s.faults, -1, "no column of major faults: faults are n/a");
	is_real(s.faults_per_wall_s, NAN, "faults n/a: rate n/a");
	is_real(s.faults_per_wall_s_per_cpu, NAN, "faults n/a: rate per CPU n/a");
	is_real(s.max_wall_s, 1, "faults n/a: wall is there");
	drop(&r->wall_ns);
	drop(&r->sys_ns);
	drop(&r->user_ns);
	drop(&r->node);
	drop(&r->minflt);
	summary_of_repeat(p, r, 20, &s);
	is_real(s.max_wall_s, NAN, "no column: max wall n/a");
	is_real(s.min_wall_s, NAN, "no column: min wall n/a");
	is_real(s.sys_s, NAN, "no column: sys n/a");
	is_real(s.user_s, NAN, "no column: user n/a");
	is_real(s.faults_per_sys_s, NAN, "no column: rate over sys n/a");
	is_int(s.faults, -1, "no column: faults n/a");
	is_int(s.nodes, -1, "no column: nodes n/a");
	result_free(result);
}

static void test_too_short(void)
{
	struct result *result;
	struct point *p = new_point(&result, 1);
	struct repeat *r = add(p, false, 1999, 7);
	struct summary s;

	summary_of_repeat(p, r, 20, &s);
	is_real(s.faults_per_wall_s, NAN, "under 100 clock steps: rate n/a");
	is_real(s.faults_per_wall_s_per_cpu, NAN, "under 100 clock steps: rate per CPU n/a");
	is_real(s.max_wall_s, 1999e-9, "under 100 clock steps: wall is there");
	r->wall_ns[0] = 2000;
	summary_of_repeat(p, r, 20, &s);
	is_real(s.faults_per_wall_s, 7 / 2000e-9, "100 clock steps: rate is there");
	r->wall_ns[0] = 1;
	summary_of_repeat(p, r, -1, &s);
	is_real(s.faults_per_wall_s, 7 / 1e-9, "clock unknown: nothing is too short");
	r->wall_ns[0] = 0;
	summary_of_repeat(p, r, -1, &s);
	is_real(s.faults_per_wall_s, NAN, "wall 0: rate n/a, not infinite");
	summary_of_repeat(p, r, 1, &s);
	is_real(s.faults_per_wall_s, NAN, "wall 0 with a known clock: rate n/a");
	r->minflt[0] = 0;
	r->wall_ns[0] = 1000000;
	summary_of_repeat(p, r, 1, &s);
	is_real(s.faults_per_wall_s, 0, "no faults in a good interval: a rate of 0");
	result_free(result);
}

/* CPU times come in microseconds: a sum over workers is too short by that. */
static void test_short_system_time(void)
{
	struct result *result;
	struct point *p = new_point(&result, 2);
	struct repeat *r = add(p, false, 1000000000, 50);
	struct summary s;

	r->sys_ns[0] = 100000;
	r->sys_ns[1] = 99000;
	summary_of_repeat(p, r, 20, &s);
	is_real(s.faults_per_sys_s, NAN, "under 100 steps a worker: rate over sys n/a");
	r->sys_ns[1] = 100000;
	summary_of_repeat(p, r, 20, &s);
	is_real(s.faults_per_sys_s, 500000, "100 steps a worker: rate over sys is there");
	result_free(result);
}

static void test_huge_values(void)
{
	struct result *result;
	struct point *p = new_point(&result, 3);
	struct repeat *r = add(p, false, INT64_MAX, INT64_MAX);
	struct summary s;

	for (int i = 0; i < 3; i++)
		r->sys_ns[i] = INT64_MAX;
	summary_of_repeat(p, r, INT64_MAX, &s);
	is_int(s.faults, -1, "faults that overflow are n/a");
	ok(s.sys_s > 2.7e10 && s.sys_s < 2.8e10, "times that would overflow int64 add up");
	is_real(s.faults_per_wall_s, NAN, "a huge clock step makes it too short");
	result_free(result);
}

static void test_many_workers(void)
{
	enum { N = 1500 };
	struct result *result;
	struct point *p = new_point(&result, N);
	struct repeat *r = add(p, false, 0, 1);
	struct summary s;

	for (int i = 0; i < N; i++) {
		r->wall_ns[i] = 1000000 + (i * 7) % N;
		r->sys_ns[i] = 1000000;
		r->node[i] = i % 48;
	}
	summary_of_repeat(p, r, 20, &s);
	is_real(s.max_wall_s, 1001499e-9, "1500 workers: max wall");
	is_real(s.min_wall_s, 0.001, "1500 workers: min wall");
	is_real(s.sys_s, 1.5, "1500 workers: sys");
	is_int(s.faults, N, "1500 workers: faults");
	is_real(s.faults_per_sys_s, 1000, "1500 workers: rate over sys");
	is_real(s.faults_per_wall_s_per_cpu, N / 1001499e-9 / N, "1500 workers: rate per CPU");
	is_int(s.nodes, 48, "1500 workers: 48 nodes");
	result_free(result);
}

/* The index of the picked repeat, -1 for none. */
static int64_t picked(const struct point *p, int64_t step_ns)
{
	const struct repeat *r = summary_pick(p, step_ns);

	return r ? r - p->repeats : -1;
}

static void test_pick(void)
{
	struct result *result;
	struct point *p = new_point(&result, 2);

	is_int(picked(p, 20), -1, "no repeat: none is picked");
	add(p, true, 3000000, 100);
	is_int(picked(p, 20), -1, "warm-up only: none is picked");
	add(p, false, 9000000, 100);
	is_int(picked(p, 20), 1, "one timed repeat: it is picked");
	add(p, false, 1000000, 100);
	is_int(picked(p, 20), 1, "of two, the one with the lower rate");
	add(p, false, 5000000, 100);
	is_int(picked(p, 20), 3, "of three, the middle one");
	add(p, false, 4000000, 100);
	is_int(picked(p, 20), 3, "of four, the lower of the two in the middle");
	add(p, false, 7000000, 1000);
	is_int(picked(p, 20), 4, "of five, by rate and not by wall");
	result_free(result);
}

static void test_ties(void)
{
	struct result *result;
	struct point *p = new_point(&result, 1);

	for (int i = 0; i < 4; i++)
		add(p, false, 1000000, 100)->order = 10 - i;
	is_int(picked(p, 20), 2, "equal rates: the lower median in the order of the run");
	for (int i = 0; i < 4; i++)
		p->repeats[i].order = 5;
	is_int(picked(p, 20), 1, "equal orders too: in the order of the file");
	is_int(picked(p, 20), 1, "and the same again");
	result_free(result);
}

static void test_pick_without_rates(void)
{
	struct result *result;
	struct point *p = new_point(&result, 1);

	add(p, false, 900, 1);
	add(p, false, 100, 1);
	add(p, false, 500, 1);
	add(p, false, 700, 1);
	is_int(picked(p, 20), 2, "all too short: the lower median of max wall");
	p->repeats[3].wall_ns[0] = 1000000;
	is_int(picked(p, 20), 0, "one rate only: it is the slowest of four");
	for (int i = 0; i < 4; i++)
		drop(&p->repeats[i].minflt);
	is_int(picked(p, 20), 2, "no faults counted: the lower median of max wall");
	for (int i = 0; i < 4; i++)
		drop(&p->repeats[i].wall_ns);
	is_int(picked(p, 20), 1, "nothing measured: a repeat nevertheless, by order");
	result_free(result);
}

static void test_update(void)
{
	struct result *result;
	struct point *p = new_point(&result, 1);

	p->has_summary = true;
	p->summary.faults = 12;
	summary_update(p, 20);
	ok(p->has_summary && p->summary.faults == 12, "an imported summary is kept");
	add(p, true, 1000000, 100);
	summary_update(p, 20);
	ok(!p->has_summary, "warm-up only: no summary");
	add(p, false, 1000000, 200);
	summary_update(p, 20);
	ok(p->has_summary, "a timed repeat: a summary");
	is_int(p->summary.faults, 200, "from the timed repeat");
	is_int(point_set_status(p, POINT_FAILED, "it died"), 0, "the point fails");
	ok(!p->has_summary, "a failed point has no summary");
	p->has_summary = true;
	summary_update(p, 20);
	ok(!p->has_summary, "and gets none");
	result_free(result);
}

int main(void)
{
	test_disturbed();
	test_some_short();
	test_interval();
	test_one_worker();
	test_four_workers();
	test_missing();
	test_too_short();
	test_short_system_time();
	test_huge_values();
	test_many_workers();
	test_pick();
	test_ties();
	test_pick_without_rates();
	test_update();
	return tap_done();
}
