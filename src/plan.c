/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan: options → the ordered list of points and repeats (pure). */
#include "config.h"

#include "plan.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SIZE_BYTES = 100000000, DEFAULT_WARMUP = 1 };
static const double default_precision = 0.01;
static const int64_t default_limit_ns = 120000000000;

/* Worker counts from lo to hi, both included. A list is kept as ranges until it is in order. */
struct range {
	unsigned lo, hi;
};

static int refuse_syntax(const char *text, struct err *err)
{
	return err_usage(err, "--cpus", text,
			 "not a list of worker counts: pow2, max, numbers from 1 on and ranges "
			 "such as 8-12, separated by commas");
}

/* One number or "max" at *text, moved past it. What is above PLAN_MAX_WORKERS comes out as that
 * + 1. */
static int parse_count(const char **text, unsigned max, unsigned *out)
{
	if (!strncmp(*text, "max", 3)) {
		*text += 3;
		*out = max;
		return 0;
	}
	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	for (*out = 0; isdigit((unsigned char)**text); (*text)++) {
		if (*out <= PLAN_MAX_WORKERS)
			*out = 10 * *out + (unsigned)(**text - '0');
	}
	if (*out > PLAN_MAX_WORKERS)
		*out = PLAN_MAX_WORKERS + 1;
	return *out ? 0 : -EINVAL;
}

/* One element at *text, moved to what follows it. Returns how many ranges it makes, 0 = none. */
static size_t parse_element(const char **text, unsigned max, struct range *ranges)
{
	size_t n = 0;

	if (!strncmp(*text, "pow2", 4)) {
		*text += 4;
		for (unsigned count = 1; count < max; count *= 2)
			ranges[n++] = (struct range){ count, count };
		ranges[n++] = (struct range){ max, max };
		return n;
	}
	if (parse_count(text, max, &ranges->lo))
		return 0;
	ranges->hi = ranges->lo;
	if (**text == '-') {
		(*text)++;
		if (parse_count(text, max, &ranges->hi) || ranges->hi < ranges->lo)
			return 0;
	}
	return 1;
}

static int check_most(const char *text, unsigned most, unsigned max, bool oversubscribe,
		      struct err *err)
{
	if (most > max && !oversubscribe)
		return err_usage(
			err, "--cpus", text,
			"at most %u, the number of allowed CPUs (with --oversubscribe: %u)", max,
			(unsigned)PLAN_MAX_WORKERS);
	if (most > PLAN_MAX_WORKERS)
		return err_usage(err, "--cpus", text, "at most %u", (unsigned)PLAN_MAX_WORKERS);
	return 0;
}

/* Read the whole list. *ranges has room for what any list of this length can hold. */
static int parse_list(const char *text, unsigned max, bool oversubscribe, struct range *ranges,
		      size_t *n_out, struct err *err)
{
	const char *p = text;
	unsigned most = 0;
	size_t n = 0;

	for (;; p++) {
		size_t more = parse_element(&p, max, ranges + n);

		if (!more || (*p && *p != ','))
			return refuse_syntax(text, err);
		n += more;
		if (ranges[n - 1].hi > most)
			most = ranges[n - 1].hi;
		if (!*p)
			break;
	}
	*n_out = n;
	return check_most(text, most, max, oversubscribe, err);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Bring ranges into order without overlap, in place; returns how many counts they hold. */
static size_t merge_ranges(struct range *ranges, size_t *n)
{
	size_t kept = 0, counts = 0;

	qsort(ranges, *n, sizeof(*ranges), compare_ranges);
	for (size_t i = 1; i < *n; i++) {
		if (ranges[i].lo > ranges[kept].hi)
			ranges[++kept] = ranges[i];
		else if (ranges[i].hi > ranges[kept].hi)
			ranges[kept].hi = ranges[i].hi;
	}
	*n = kept + 1;
	for (size_t i = 0; i < *n; i++)
		counts += ranges[i].hi - ranges[i].lo + 1;
	return counts;
}

/* How many ranges a list can make: one for each element, and for pow2 one for each power. */
static size_t most_ranges(const char *text)
{
	size_t n = 1;

	for (; *text; text++) {
		if (*text == ',')
			n++;
		else if (*text == 'p')
			n += 8 * sizeof(unsigned);
	}
	return n;
}

int plan_parse_cpus(const char *text, unsigned max, bool oversubscribe, unsigned **out,
		    size_t *n_out, struct err *err)
{
	struct range *ranges;
	unsigned *counts;
	size_t n = 0, used = 0;
	int ret;

	if (!max || max > PLAN_MAX_WORKERS)
		return err_set(err, EINVAL, "", "workers may use %u CPUs; 1 to %u can be handled",
			       max, (unsigned)PLAN_MAX_WORKERS);
	ranges = calloc(most_ranges(text), sizeof(*ranges));
	if (!ranges)
		return err_set(err, ENOMEM, "calloc", "the list of --cpus");
	ret = parse_list(text, max, oversubscribe, ranges, &n, err);
	if (ret) {
		free(ranges);
		return ret;
	}
	*n_out = merge_ranges(ranges, &n);
	counts = calloc(*n_out, sizeof(*counts));
	for (size_t i = 0; counts && i < n; i++) {
		for (unsigned count = ranges[i].lo; count <= ranges[i].hi; count++)
			counts[used++] = count;
	}
	free(ranges);
	if (!counts)
		return err_set(err, ENOMEM, "calloc", "%zu worker counts", *n_out);
	*out = counts;
	return 0;
}

/* Bytes that lie in one address space at a time: all of them, unless each worker has its own. */
static uint64_t bytes_per_process(const struct plan *plan, const struct type *type,
				  unsigned workers)
{
	bool all = type->shared || type->model->one_process;

	return plan->pages * plan->page_size * (all ? workers : 1);
}

static int check_sizes(const struct plan *plan, struct err *err)
{
	unsigned workers = plan->counts[plan->n_counts - 1];
	char size[32];

	snprintf(size, sizeof(size), "%llu", (unsigned long long)plan->size_bytes);
	if (plan->pages > (uint64_t)INT64_MAX / plan->page_size / workers)
		return err_usage(err, "--size", size, "too large: %u × %s bytes are over 2^63 - 1",
				 workers, size);
	for (size_t i = 0; i < plan->n_types; i++) {
		const struct type *type = &plan->types[i];
		uint64_t bytes = bytes_per_process(plan, type, workers);

		if (bytes > PTRDIFF_MAX)
			return err_usage(err, "--size", size,
					 "too large: %s with %u worker%s takes %llu bytes in one "
					 "process, which has room for %llu",
					 type->label, workers, workers == 1 ? "" : "s",
					 (unsigned long long)bytes,
					 (unsigned long long)PTRDIFF_MAX);
	}
	return 0;
}

static int make_points(struct plan *plan, unsigned allowed_cpus, struct err *err)
{
	struct plan_point *point;

	if (plan->n_types > SIZE_MAX / plan->n_counts)
		return err_set(err, ENOMEM, "calloc", "%zu types × %zu worker counts",
			       plan->n_types, plan->n_counts);
	plan->n_points = plan->n_types * plan->n_counts;
	plan->points = calloc(plan->n_points, sizeof(*plan->points));
	if (!plan->points)
		return err_set(err, ENOMEM, "calloc", "%zu points", plan->n_points);
	point = plan->points;
	for (size_t i = 0; i < plan->n_types; i++) {
		for (size_t j = 0; j < plan->n_counts; j++, point++) {
			point->type = &plan->types[i];
			point->workers = plan->counts[j];
			point->oversubscribed = point->workers > allowed_cpus;
		}
	}
	return 0;
}

static int fill(struct plan *plan, const struct plan_options *options, struct err *err)
{
	int ret;

	plan->adaptive = !options->repeats;
	plan->repeats = plan->adaptive ? PLAN_AUTO_LEAST : options->repeats;
	plan->max_repeats = plan->adaptive ? PLAN_AUTO_MOST : options->repeats;
	plan->precision = options->precision > 0 ? options->precision : default_precision;
	plan->limit_ns = options->limit_ns >= 0 ? options->limit_ns : default_limit_ns;
	plan->perf = options->perf;
	plan->warmup = options->warmup < 0 ? DEFAULT_WARMUP : (unsigned)options->warmup;
	plan->seed = options->seed;
	plan->size_bytes = options->size_bytes ? options->size_bytes : DEFAULT_SIZE_BYTES;
	plan->page_size = options->page_size;
	if (!plan->n_types || !plan->page_size)
		return err_set(err, EINVAL, "", "nothing to measure: %zu types, pages of %zu bytes",
			       plan->n_types, plan->page_size);
	if (plan->repeats > UINT_MAX - plan->warmup)
		return err_set(err, EINVAL, "", "--repeats and --warmup: over %u rounds in all",
			       UINT_MAX);
	plan->pages =
		plan->size_bytes / plan->page_size + (plan->size_bytes % plan->page_size != 0);
	ret = plan_parse_cpus(options->cpus ? options->cpus : "pow2", options->allowed_cpus,
			      options->oversubscribe, &plan->counts, &plan->n_counts, err);
	if (!ret)
		ret = check_sizes(plan, err);
	if (!ret)
		ret = make_points(plan, options->allowed_cpus, err);
	return ret;
}

int plan_make(struct plan *plan, const struct plan_options *options, struct type *types,
	      size_t n_types, struct err *err)
{
	int ret;

	*plan = (struct plan){ .types = types, .n_types = n_types };
	ret = fill(plan, options, err);
	if (ret)
		plan_free(plan);
	return ret;
}

void plan_free(struct plan *plan)
{
	free(plan->types);
	free(plan->counts);
	free(plan->points);
	*plan = (struct plan){ 0 };
}

unsigned plan_rounds(const struct plan *plan)
{
	return plan->warmup + plan->repeats;
}

uint64_t plan_point_bytes(const struct plan *plan, const struct plan_point *point)
{
	return plan->pages * plan->page_size * point->workers;
}

/*
 * SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
 * with the constants of Vigna's public-domain splitmix64.c. One line of integer arithmetic, so that
 * an order can be made again by other programs.
 */
static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/*
 * A number below n, each equally likely: of the 2^64 draws, the lowest 2^64 mod n are thrown away,
 * so that what is left is a multiple of n (as OpenBSD's arc4random_uniform() does).
 */
static uint64_t draw_below(uint64_t *state, uint64_t n)
{
	uint64_t least = -n % n, drawn;

	do
		drawn = splitmix64(state);
	while (drawn < least);
	return drawn % n;
}

void plan_round_order(const struct plan *plan, unsigned round, size_t *order)
{
	/*
	 * Seed and round are both mixed before they meet. Added as they are, they would make the
	 * rounds' streams the same one, shifted.
	 */
	uint64_t seed = plan->seed, number = round;
	uint64_t state = splitmix64(&seed) ^ splitmix64(&number);

	for (size_t i = 0; i < plan->n_points; i++)
		order[i] = i;
	/* Fisher and Yates, in Durstenfeld's form (Knuth, TAOCP 2, 3.4.2, algorithm P). */
	for (size_t i = plan->n_points; i > 1; i--) {
		size_t j = (size_t)draw_below(&state, i), last = order[i - 1];

		order[i - 1] = order[j];
		order[j] = last;
	}
}
