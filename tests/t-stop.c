/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-stop: when a point has enough repeats: every reason, on both sides of each boundary. */
#include "config.h"

#include "stop.h"
#include "tap.h"

#include <limits.h>

static const int64_t second = 1000000000;

/* --repeats auto, with a limit of 100 s. */
static const struct stop_rule automatic = {
	.adaptive = true,
	.least = 5,
	.most = 50,
	.precision = 0.01,
	.limit_ns = 100000000000,
	.clock_step_ns = 20,
};

/* --repeats 5 */
static const struct stop_rule fixed = {
	.least = 5,
	.most = 5,
	.precision = 0.01,
	.limit_ns = 100000000000,
	.clock_step_ns = 20,
};

static struct point *new_point(struct result **r)
{
	struct point *p;

	*r = result_new();
	p = *r ? result_add_point(*r, "fork", "fork", "malloc", "write", false, 1, 100) : NULL;
	if (!p)
		exit(99);
	return p;
}

static struct repeat *add(struct point *p, int64_t rate)
{
	struct repeat *r = point_add_repeat(p);

	if (!r)
		exit(99);
	r->order = (int64_t)p->n_repeats - 1;
	r->wall_ns[0] = second;
	r->minflt[0] = rate;
	return r;
}

static void add_warmup(struct point *p)
{
	add(p, 500000)->warmup = true;
}

static void add_disturbed(struct point *p)
{
	add(p, 1000000)->disturbed = 1;
}

/* Too short for a rate: 100 steps of the clock take 2000 ns. */
static void add_short(struct point *p)
{
	add(p, 5)->wall_ns[0] = 1999;
}

/* n rates that no interval of 1 % holds. */
static void add_wild(struct point *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		add(p, 1000000 + (int64_t)(p->n_repeats % 2) * 500000);
}

static bool is_stop(const struct stop_rule *rule, const struct point *p, int64_t elapsed_ns,
		    int64_t next_ns, enum point_stop want, const char *what)
{
	return is_int(stop_judge(rule, p, elapsed_ns, next_ns), want, what);
}

static void test_least(void)
{
	const struct stop_rule *rules[] = { &automatic, &fixed };
	int64_t never = INT64_MAX;

	for (int i = 0; i < 2; i++) {
		struct result *result;
		struct point *p = new_point(&result);

		is_stop(rules[i], p, 0, 0, POINT_STOP_NONE, "no repeats: go on");
		is_stop(rules[i], p, never, never, POINT_STOP_NONE, "even beyond the limit");
		for (int j = 0; j < 20; j++)
			add_warmup(p);
		is_stop(rules[i], p, never, never, POINT_STOP_NONE, "warm-ups do not count");
		for (int j = 0; j < 4; j++)
			add_short(p);
		is_stop(rules[i], p, never, never, POINT_STOP_NONE,
			"never before the least, too short or not");
		for (int j = 0; j < 4; j++)
			p->repeats[20 + j].disturbed = 1;
		is_stop(rules[i], p, never, never, POINT_STOP_NONE, "nor disturbed");
		add_disturbed(p);
		is_stop(rules[i], p, never, never, i ? POINT_STOP_TIME : POINT_STOP_NO_RATE,
			"after the least, disturbed or not, there is a reason");
		result_free(result);
	}
}

static void test_precision(void)
{
	struct result *result;
	struct point *p = new_point(&result);

	add_warmup(p);
	for (int i = 0; i < 5; i++)
		add(p, 1000000);
	is_stop(&automatic, p, 0, second, POINT_STOP_NONE,
		"five equal rates: too few for an interval");
	add(p, 1000000);
	is_stop(&automatic, p, 0, second, POINT_STOP_PRECISION, "six: precise");
	is_stop(&automatic, p, INT64_MAX, INT64_MAX, POINT_STOP_PRECISION,
		"that is said though the time is over");
	add_disturbed(p);
	is_stop(&automatic, p, 0, second, POINT_STOP_PRECISION, "a disturbed one changes nothing");
	result_free(result);
}

/*
 * The interval of 6 values lies 5/14 of the way from the outer ones to their neighbours. By blocks,
 * of two values each: if one of the blocks' medians is off by d, it reaches d / 3 × t(0.975, 2) to
 * both sides, t(0.975, 2) = 4.302653. An outer value moves its block's median by half its distance.
 */
static void test_precision_bounds(void)
{
	static const struct {
		int64_t lowest, highest;
		enum point_stop want;
		const char *what;
	} cases[] = {
		{ 1000000 - 15555, 1000000 + 15555, POINT_STOP_PRECISION, "within both bounds" },
		{ 1000000 - 15557, 1000000 + 15557, POINT_STOP_NONE, "beyond both bounds" },
		{ 1000000 - 13944, 1000000, POINT_STOP_PRECISION, "one block as low as may be" },
		{ 1000000 - 13946, 1000000, POINT_STOP_NONE, "lower" },
		{ 1000000, 1000000 + 13944, POINT_STOP_PRECISION, "one block as high as may be" },
		{ 1000000, 1000000 + 13946, POINT_STOP_NONE, "higher" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result *result;
		struct point *p = new_point(&result);

		add(p, cases[i].highest); /* both in one block */
		add(p, cases[i].lowest);
		for (int j = 0; j < 4; j++)
			add(p, 1000000);
		is_stop(&automatic, p, 0, second, cases[i].want, cases[i].what);
		result_free(result);
	}
}

/* The machine became slower in between: what each half knows well is not known of both. */
static void test_drift(void)
{
	struct result *result;
	struct point *p = new_point(&result);

	for (int i = 0; i < 20; i++)
		add(p, i < 10 ? 1010000 : 990000);
	is_stop(&automatic, p, 0, second, POINT_STOP_NONE, "a drift of 2 %");
	result_free(result);
	p = new_point(&result);
	for (int i = 0; i < 20; i++)
		add(p, i % 2 ? 1010000 : 990000);
	is_stop(&automatic, p, 0, second, POINT_STOP_PRECISION, "the same rates in turns");
	result_free(result);
}

static void test_precision_of_the_rule(void)
{
	struct stop_rule rule = automatic;
	struct result *result;
	struct point *p = new_point(&result);

	add(p, 1400000);
	add(p, 600000);
	for (int i = 0; i < 4; i++)
		add(p, 1000000);
	rule.precision = 0.25; /* (1 - 5/14) × 40 % = 25.7 % */
	is_stop(&rule, p, 0, second, POINT_STOP_NONE, "another precision: not reached");
	rule.precision = 0.26;
	is_stop(&rule, p, 0, second, POINT_STOP_PRECISION, "another precision: reached");
	rule.least = 7;
	is_stop(&rule, p, 0, second, POINT_STOP_NONE, "but not before the least");
	add(p, 1000000);
	is_stop(&rule, p, 0, second, POINT_STOP_PRECISION, "then it is");
	result_free(result);
}

static void test_disturbed(void)
{
	struct result *result;
	struct point *p = new_point(&result);

	for (int i = 0; i < 10; i++)
		add_disturbed(p);
	is_stop(&automatic, p, 0, second, POINT_STOP_NONE,
		"equal rates, all disturbed: not precise");
	for (int i = 0; i < 5; i++)
		add(p, 1000000);
	is_stop(&automatic, p, 0, second, POINT_STOP_NONE,
		"five others: the disturbed do not help them");
	is_stop(&automatic, p, 99 * second, 2 * second, POINT_STOP_TIME, "the limit holds");
	add(p, 1000000);
	is_stop(&automatic, p, 0, second, POINT_STOP_PRECISION, "six others: precise");
	result_free(result);

	p = new_point(&result);
	for (int i = 0; i < 99; i++)
		add_disturbed(p);
	is_stop(&automatic, p, 0, second, POINT_STOP_NONE, "99 disturbed: one more");
	add_disturbed(p);
	is_stop(&automatic, p, 0, second, POINT_STOP_REPEATS, "100 disturbed: no more");
	result_free(result);
}

static void test_most(void)
{
	struct result *result;
	struct point *p = new_point(&result);

	add_warmup(p);
	add_wild(p, 49);
	is_stop(&automatic, p, 0, second, POINT_STOP_NONE, "49 wild rates: one more");
	add_disturbed(p);
	is_stop(&automatic, p, 0, second, POINT_STOP_NONE, "a disturbed one does not count");
	add_wild(p, 1);
	is_stop(&automatic, p, 0, second, POINT_STOP_REPEATS, "50: the most");
	is_stop(&automatic, p, 1000 * second, second, POINT_STOP_REPEATS,
		"the most is said before the limit");
	result_free(result);

	p = new_point(&result);
	add_wild(p, 49);
	for (int i = 0; i < 50; i++)
		add_disturbed(p);
	is_stop(&automatic, p, 0, second, POINT_STOP_NONE, "49 of 99 timed: one more");
	add_disturbed(p);
	is_stop(&automatic, p, 0, second, POINT_STOP_REPEATS, "49 of 100 timed: no more");
	result_free(result);
}

static void test_time(void)
{
	struct result *result;
	struct point *p = new_point(&result);
	struct stop_rule rule = automatic;

	add_wild(p, 5);
	is_stop(&rule, p, 98 * second, 2 * second, POINT_STOP_NONE,
		"the next one ends at the limit: go on");
	is_stop(&rule, p, 98 * second, 2 * second + 1, POINT_STOP_TIME,
		"a nanosecond beyond: stop");
	is_stop(&rule, p, 98 * second + 1, 2 * second, POINT_STOP_TIME, "begun later: stop");
	is_stop(&rule, p, 100 * second, 0, POINT_STOP_NONE, "nothing takes no time");
	is_stop(&rule, p, 100 * second + 1, 0, POINT_STOP_TIME, "beyond the limit by now");
	is_stop(&rule, p, 100 * second, -second, POINT_STOP_NONE, "less than no time is none");
	is_stop(&rule, p, 100 * second + 1, -second, POINT_STOP_TIME, "and gains none");
	is_stop(&rule, p, 0, INT64_MAX, POINT_STOP_TIME, "no end can be seen");
	is_stop(&rule, p, INT64_MAX, INT64_MAX, POINT_STOP_TIME, "sums do not overflow");
	rule.limit_ns = INT64_MAX;
	is_stop(&rule, p, 1000 * second, second, POINT_STOP_NONE, "no limit to speak of");
	rule.limit_ns = 1;
	is_stop(&rule, p, 1000 * second, second, POINT_STOP_TIME, "the least takes longer: stop");
	result_free(result);
}

static void test_no_rate(void)
{
	struct result *result;
	struct point *p = new_point(&result);

	add_warmup(p); /* whose rate does not count */
	for (int i = 0; i < 4; i++)
		add_short(p);
	is_stop(&automatic, p, 0, 1, POINT_STOP_NONE, "too short: not before the least");
	add_short(p);
	is_stop(&automatic, p, 0, 1, POINT_STOP_NO_RATE, "five too short: more do not help");
	is_stop(&automatic, p, INT64_MAX, 1, POINT_STOP_NO_RATE, "whatever the time");
	p->repeats[1].disturbed = p->repeats[2].disturbed = 1;
	is_stop(&automatic, p, 0, 1, POINT_STOP_NO_RATE, "nor if some were disturbed");
	for (size_t i = 1; i < p->n_repeats; i++)
		p->repeats[i].disturbed = 1;
	is_stop(&automatic, p, 0, 1, POINT_STOP_NO_RATE, "all disturbed and too short");
	for (size_t i = 1; i + 1 < p->n_repeats; i++)
		p->repeats[i].wall_ns[0] = 2000;
	is_stop(&automatic, p, 0, 1, POINT_STOP_NO_RATE, "all but one are long enough");
	p->repeats[p->n_repeats - 1].wall_ns[0] = 2000;
	is_stop(&automatic, p, 0, 1, POINT_STOP_NONE, "all of them: go on");
	result_free(result);

	p = new_point(&result);
	add_wild(p, 5);
	for (int i = 0; i < 5; i++) {
		free(p->repeats[i].minflt);
		p->repeats[i].minflt = NULL;
	}
	is_stop(&automatic, p, 0, 1, POINT_STOP_NO_RATE, "faults were not counted");
	result_free(result);
}

static void test_unknown_clock(void)
{
	struct stop_rule rule = automatic;
	struct result *result;
	struct point *p = new_point(&result);

	rule.clock_step_ns = -1;
	for (int i = 0; i < 6; i++)
		add_short(p);
	is_stop(&rule, p, 0, 1, POINT_STOP_PRECISION, "a clock of unknown steps: nothing is short");
	result_free(result);
}

static void test_fixed(void)
{
	struct result *result;
	struct point *p = new_point(&result);

	add_warmup(p);
	for (int i = 0; i < 5; i++)
		add_disturbed(p);
	is_stop(&fixed, p, 0, second, POINT_STOP_NONE, "fixed: disturbed ones are replaced");
	is_stop(&fixed, p, 100 * second, second, POINT_STOP_TIME, "fixed: within the limit");
	add_wild(p, 4);
	is_stop(&fixed, p, 0, second, POINT_STOP_NONE, "fixed: four of nine");
	for (int i = 9; i < 54; i++)
		add_disturbed(p);
	is_stop(&fixed, p, 0, second, POINT_STOP_NONE, "fixed: four of 54");
	add_disturbed(p);
	is_stop(&fixed, p, 0, second, POINT_STOP_REPEATS, "fixed: 50 were replaced, and no more");
	result_free(result);

	p = new_point(&result);
	add_wild(p, 5);
	is_stop(&fixed, p, 0, second, POINT_STOP_REPEATS, "fixed: five, however wild");
	is_stop(&fixed, p, INT64_MAX, INT64_MAX, POINT_STOP_REPEATS, "fixed: whatever the time");
	p->repeats[0].disturbed = 1;
	is_stop(&fixed, p, 0, second, POINT_STOP_NONE, "fixed: one was disturbed");
	add_short(p);
	is_stop(&fixed, p, 0, second, POINT_STOP_REPEATS, "fixed: with or without a rate");
	result_free(result);
}

static void test_fixed_one(void)
{
	struct stop_rule rule = fixed;
	struct result *result;
	struct point *p = new_point(&result);

	rule.least = rule.most = 1;
	is_stop(&rule, p, 0, second, POINT_STOP_NONE, "one: not without any");
	add_disturbed(p);
	is_stop(&rule, p, 0, second, POINT_STOP_NONE, "one: disturbed, once more");
	for (int i = 1; i < 50; i++)
		add_disturbed(p);
	is_stop(&rule, p, 0, second, POINT_STOP_NONE, "one: 50 times disturbed, once more");
	add_disturbed(p);
	is_stop(&rule, p, 0, second, POINT_STOP_REPEATS, "one: replaced 50 times at the most");
	rule.least = rule.most = UINT_MAX;
	is_stop(&rule, p, 0, second, POINT_STOP_NONE, "so many that more do not fit");
	rule.least = 1;
	is_stop(&rule, p, 0, second, POINT_STOP_NONE, "as a most either");
	result_free(result);
}

int main(void)
{
	test_least();
	test_precision();
	test_precision_bounds();
	test_drift();
	test_precision_of_the_rule();
	test_disturbed();
	test_most();
	test_time();
	test_no_rate();
	test_unknown_clock();
	test_fixed();
	test_fixed_one();
	return tap_done();
}
