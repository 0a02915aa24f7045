/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-plan: worker counts, sizes, points, and the order of rounds. Also built for 32 bits. */
#include "config.h"

#include "tap.h"

#include "plan.h"
#include "util.h"

#include <errno.h>
#include <limits.h>

static const struct model_ops fork_model = { .name = "fork" };
static const struct model_ops pthread_model = { .name = "pthread", .one_process = true };
static const struct object_ops any_object = { .name = "malloc" };
static const struct touch_ops any_touch = { .name = "write" };

static const struct type all_types[] = {
	{ &fork_model, &any_object, &any_touch, false, "fork" },
	{ &fork_model, &any_object, &any_touch, true, "fork:shared" },
	{ &pthread_model, &any_object, &any_touch, false, "pthread" },
};

static const char *parse(const char *text, unsigned max, bool oversubscribe)
{
	static char joined[4096];
	unsigned *counts = NULL;
	struct err err = { 0 };
	size_t n = 0;

	joined[0] = '\0';
	if (plan_parse_cpus(text, max, oversubscribe, &counts, &n, &err)) {
		if (counts || n || err.num != EINVAL)
			return "failed in a wrong way";
		snprintf(joined, sizeof(joined), "error: %s", err.detail);
		return joined;
	}
	for (size_t i = 0; i < n && strlen(joined) < 4000; i++)
		snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%u",
			 i ? " " : "", counts[i]);
	free(counts);
	return joined;
}

static void test_cpus(void)
{
	static const struct {
		const char *text;
		unsigned max;
		bool oversubscribe;
		const char *want;
	} rows[] = {
		{ "pow2", 1, false, "1" },
		{ "pow2", 2, false, "1 2" },
		{ "pow2", 3, false, "1 2 3" },
		{ "pow2", 8, false, "1 2 4 8" },
		{ "pow2", 12, false, "1 2 4 8 12" },
		{ "pow2", 512, false, "1 2 4 8 16 32 64 128 256 512" },
		{ "pow2", 2, true, "1 2" },
		{ "max", 24, false, "24" },
		{ "1", 24, false, "1" },
		{ "007", 24, false, "7" },
		{ "8-12", 24, false, "8 9 10 11 12" },
		{ "8-8", 24, false, "8" },
		{ "22-max", 24, false, "22 23 24" },
		{ "max-max", 24, false, "24" },
		{ "1,2,8-12,max", 24, false, "1 2 8 9 10 11 12 24" },
		{ "2,1,1", 2, false, "1 2" },
		{ "max,1,2,max", 2, false, "1 2" },
		{ "5-7,6-9,2,7-7,1-2", 24, false, "1 2 5 6 7 8 9" },
		{ "1-9,2-3", 24, false, "1 2 3 4 5 6 7 8 9" },
		{ "3,pow2,5", 8, false, "1 2 3 4 5 8" },
		{ "1500", 2, true, "1500" },
		{ "1,max,1000000", 2, true, "1 2 1000000" },
		{ "24-max", 24, false, "24" },
	};
	const char *at_last;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		is_str(parse(rows[i].text, rows[i].max, rows[i].oversubscribe), rows[i].want,
		       rows[i].text);
	at_last = parse("pow2", PLAN_MAX_WORKERS, false);
	has_str(at_last, " 524288 1000000", "pow2 of the most that there can be");
}

static void test_cpus_refused(void)
{
	static const char *const bad[] = {
		"",	 "0",	"-1",	 "1,,2",  "2-1",     "1e3",    "1,",	 ",1",
		"1-",	 "-",	"1--2",	 "1-2-3", " 1",	     "1 ",     "1, 2",	 "+1",
		"0x2",	 "1.5", "max-1", "pow",	  "pow22",   "pow2-4", "maxi",	 "MAX",
		"a",	 "1;2", "0-2",	 "00",	  "1-0",     "1,0",    "1\n",	 "%s%n",
		"pow2,", "1,,", ",",	 "auto",  "1-max-2", "\xff",   "1,2,3-", "2-a",
	};
	char what[80], many[200000];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(what, sizeof(what),
			 "error: --cpus '%s': not a list of worker counts: ", bad[i]);
		has_str(parse(bad[i], 8, true), what, "a malformed list is refused");
	}
	is_str(parse("3", 2, false),
	       "error: --cpus '3': at most 2, the number of allowed CPUs (with --oversubscribe: "
	       "1000000)",
	       "more workers than CPUs");
	has_str(parse("1-3", 2, false), "--oversubscribe", "a range above the CPUs");
	has_str(parse("3-max", 2, false), "not a list", "a range that max reverses");
	has_str(parse("99999999999999999999", 2, false),
		"error: --cpus '99999999999999999999': at most 2, ", "20 nines");
	is_str(parse("99999999999999999999", 2, true),
	       "error: --cpus '99999999999999999999': at most 1000000",
	       "20 nines with --oversubscribe");
	has_str(parse("1-99999999999999999999", 2, true), "at most 1000000", "a range to 20 nines");
	has_str(parse("18446744073709551617", 2, true), "at most 1000000", "2^64 + 1");
	has_str(parse("4294967297", 2, true), "at most 1000000", "2^32 + 1");
	has_str(parse("1000001", 2, true), "at most 1000000", "one too many");
	has_str(parse("1", 0, false), "error: ", "no allowed CPU");
	memset(many, 'p', sizeof(many));
	many[sizeof(many) - 1] = '\0';
	has_str(parse(many, 2, false), "not a list", "a very long list is refused");
	for (size_t i = 0; i < sizeof(many) - 1; i++)
		many[i] = i % 2 ? ',' : '1';
	is_str(parse(many, 2, false), "1", "100,000 times the same");
}

static struct type *copy_types(size_t n)
{
	struct type *types = malloc(n * sizeof(*types));

	if (!types)
		exit(99);
	memcpy(types, all_types, n * sizeof(*types));
	return types;
}

static void test_ranges_are_cheap(void)
{
	unsigned *counts = NULL;
	struct err err = { 0 };
	size_t n = 0;

	is_int(plan_parse_cpus("1-1000000,5-999999,1-1000000", 2, true, &counts, &n, &err), 0,
	       "all counts at once");
	is_int((int64_t)n, 1000000, "… each once");
	ok(counts && counts[0] == 1 && counts[999999] == 1000000, "… in order");
	free(counts);
}

static void test_defaults(void)
{
	struct plan_options options = {
		.warmup = -1, .limit_ns = -1, .page_size = 16384, .allowed_cpus = 4
	};
	struct err err = { 0 };
	struct plan plan;

	if (!ok(!plan_make(&plan, &options, copy_types(3), 3, &err), "a plan by default"))
		return;
	is_int((int64_t)plan.size_bytes, 100000000, "… of 100 MB");
	is_int((int64_t)plan.pages, 6104, "… which are 6104 pages of 16 KiB, rounded up");
	ok(plan.adaptive, "… with as many repeats as it takes");
	is_int(plan.repeats, 5, "… at least 5");
	is_int(plan.max_repeats, 50, "… at most 50");
	ok(plan.precision == 0.01, "… until within 1 %%");
	is_int(plan.limit_ns, INT64_C(120000000000), "… or 2 minutes are over");
	is_int(plan.warmup, 1, "… 1 warm-up");
	is_int(plan_rounds(&plan), 6, "… 6 rounds");
	is_int((int64_t)plan.n_counts, 3, "… 3 worker counts");
	is_int((int64_t)plan.n_points, 9, "… 9 points");
	for (size_t i = 0; i < plan.n_points; i++)
		ok(plan.points[i].type == &plan.types[i / 3] &&
			   plan.points[i].workers == 1u << i % 3 && !plan.points[i].oversubscribed,
		   "point %zu: by type, then by workers", i);
	is_int((int64_t)plan_point_bytes(&plan, &plan.points[2]), INT64_C(4) * 6104 * 16384,
	       "bytes of a point");
	plan_free(&plan);
	ok(!plan.points && !plan.types && !plan.counts, "freed");
	plan_free(&plan);
}

static void test_options(void)
{
	struct plan_options options = { .cpus = "1-3",
					.size_bytes = 4097,
					.repeats = 1,
					.seed = 9,
					.oversubscribe = true,
					.page_size = 4096,
					.allowed_cpus = 2 };
	struct err err = { 0 };
	struct plan plan;

	if (!ok(!plan_make(&plan, &options, copy_types(1), 1, &err), "a plan with options"))
		return;
	is_int((int64_t)plan.pages, 2, "a byte more than a page is two");
	is_int(plan_rounds(&plan), 1, "no warm-up, one repeat");
	ok(!plan.adaptive && plan.max_repeats == 1, "a number of repeats is just that");
	is_int(plan.limit_ns, 0, "a time limit of 0 is one");
	ok(!plan.points[1].oversubscribed && plan.points[2].oversubscribed, "oversubscribed");
	plan_free(&plan);
	options.size_bytes = 1;
	ok(!plan_make(&plan, &options, copy_types(1), 1, &err) && plan.pages == 1,
	   "one byte, one page");
	plan_free(&plan);
	options.size_bytes = 4096;
	ok(!plan_make(&plan, &options, copy_types(1), 1, &err) && plan.pages == 1, "one page");
	plan_free(&plan);
	options.cpus = "0";
	is_int(plan_make(&plan, &options, copy_types(2), 2, &err), -EINVAL, "--cpus is checked");
	ok(!plan.types && !plan.points, "… and nothing is left");
	options.cpus = "1";
	is_int(plan_make(&plan, &options, copy_types(1), 0, &err), -EINVAL, "no types");
	options.page_size = 0;
	is_int(plan_make(&plan, &options, copy_types(1), 1, &err), -EINVAL, "no page size");
	options.page_size = 4096;
	options.repeats = UINT_MAX;
	options.warmup = 1;
	is_int(plan_make(&plan, &options, copy_types(1), 1, &err), -EINVAL, "too many rounds");
	has_str(err.detail, "--repeats", "… named");
}

/* Plan one type with 1 and 5 workers of a size; returns the bytes of the larger point or -errno. */
static int64_t bytes_of(size_t type, uint64_t size, struct err *err)
{
	struct plan_options options = { .cpus = "1,5",
					.size_bytes = size,
					.page_size = 4096,
					.oversubscribe = true,
					.allowed_cpus = 1 };
	struct type *types = copy_types(1);
	struct plan plan;
	int64_t bytes;
	int ret;

	types[0] = all_types[type];
	ret = plan_make(&plan, &options, types, 1, err);
	if (ret)
		return ret;
	bytes = (int64_t)plan_point_bytes(&plan, &plan.points[1]);
	plan_free(&plan);
	return bytes;
}

static void test_sizes(void)
{
	const int64_t large = INT64_C(1000001536); /* a multiple of the page size */
	const int64_t in_one_process = sizeof(void *) == 4 ? -EINVAL : 5 * large;
	struct err err = { 0 };

	is_int(bytes_of(0, (uint64_t)large, &err), 5 * large, "fork: 5 GB in all");
	is_int(bytes_of(1, (uint64_t)large, &err), in_one_process,
	       "fork:shared: 5 GB in one process");
	is_int(bytes_of(2, (uint64_t)large, &err), in_one_process, "pthread: 5 GB in one process");
	if (sizeof(void *) == 4) {
		is_str(err.detail,
		       "--size '1000001536': too large: pthread with 5 workers takes 5000007680 "
		       "bytes in one process, which has room for 2147483647",
		       "… the message");
		is_int(bytes_of(0, UINT64_C(1) << 31, &err), -EINVAL, "fork: one worker of 2 GiB");
		is_int(bytes_of(0, UINT64_C(4999999488), &err), -EINVAL, "fork: over 4 GiB");
	}
	is_int(bytes_of(1, 100000000, &err), INT64_C(5) * 24415 * 4096, "fork:shared: 500 MB");
	for (size_t type = 0; type < 3; type++) {
		is_int(bytes_of(type, INT64_MAX, &err), -EINVAL, "2^63 - 1 bytes");
		has_str(err.detail, "--size '9223372036854775807': too large", "… named");
		is_int(bytes_of(type, UINT64_MAX, &err), -EINVAL, "2^64 - 1 bytes");
		is_int(bytes_of(type, (uint64_t)INT64_MAX / 5 + 1, &err), -EINVAL,
		       "a fifth and one");
		is_int(bytes_of(type, UINT64_MAX / 5 + 2, &err), -EINVAL, "wraps round 2^64");
	}
}

static void make_order(uint64_t seed, unsigned round, size_t n, size_t *order)
{
	struct plan plan = { .n_points = n, .seed = seed };

	plan_round_order(&plan, round, order);
}

static void test_order(void)
{
	/* Made by an independent program from the comment in plan.c. */
	static const size_t seed0[] = { 6, 3, 2, 9, 8, 1, 4, 7, 0, 5 },
			    seed0_next[] = { 1, 4, 3, 5, 6, 2, 9, 7, 8, 0 };
	static const size_t seed_max[] = { 3, 4, 5, 6, 0, 2, 7, 9, 8, 1 };
	size_t order[1000], again[1000], n_same = 0;
	bool seen[1000] = { false };

	make_order(0, 0, 10, order);
	ok(!memcmp(order, seed0, sizeof(seed0)), "seed 0, round 0: the known order");
	make_order(0, 1, 10, order);
	ok(!memcmp(order, seed0_next, sizeof(seed0_next)), "seed 0, round 1: the known order");
	make_order(UINT64_MAX, UINT_MAX, 10, order);
	ok(!memcmp(order, seed_max, sizeof(seed_max)), "the largest seed and round");
	make_order(42, 3, 1000, order);
	make_order(42, 3, 1000, again);
	ok(!memcmp(order, again, sizeof(order)), "the same again");
	for (size_t i = 0; i < 1000; i++) {
		if (order[i] < 1000)
			seen[order[i]] = true;
	}
	ok(!memchr(seen, 0, sizeof(seen)), "a permutation");
	make_order(42, 4, 1000, again);
	for (size_t i = 0; i < 1000; i++)
		n_same += order[i] == again[i];
	ok(n_same < 20, "rounds differ");
	make_order(43, 3, 1000, again);
	ok(memcmp(order, again, sizeof(order)), "seeds differ");
	make_order(5, 5, 1, order);
	is_int((int64_t)order[0], 0, "one point");
	order[0] = 77;
	make_order(5, 5, 0, order);
	is_int((int64_t)order[0], 77, "no point: nothing is written");
}

/* Each of the 6 orders of 3 points must come up about as often. */
static void test_order_is_fair(void)
{
	enum { ROUNDS = 6000, EACH = ROUNDS / 6 };
	unsigned seen[27] = { 0 };
	size_t order[3];
	bool fair = true;

	for (unsigned round = 0; round < ROUNDS; round++) {
		make_order(1, round, 3, order);
		seen[order[0] * 9 + order[1] * 3 + order[2]]++;
	}
	for (size_t i = 0; i < 27; i++) {
		if (i / 9 == i / 3 % 3 || i / 9 == i % 3 || i / 3 % 3 == i % 3)
			fair &= seen[i] == 0;
		else /* five standard deviations of a binomial count */
			fair &= seen[i] > EACH - 145 && seen[i] < EACH + 145;
	}
	ok(fair, "no order of 3 points is preferred");
}

int main(void)
{
	test_cpus();
	test_cpus_refused();
	test_ranges_are_cheap();
	test_defaults();
	test_options();
	test_sizes();
	test_order();
	test_order_is_fair();
	return tap_done();
}
