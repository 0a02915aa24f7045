/* SPDX-License-Identifier: GPL-2.0-or-later */
/* many: what it takes to make many workers of one page each, beside bare loops of as many. */
#include "config.h"

#include "bare.h"
#include "bench.h"
#include "util.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 6, REPEATS = 5, WARMUPS = 1, MOST_COUNTS = 16 };

/* The run as a whole has a target there. */
enum { WHOLE_WORKERS = 1024 };

static const unsigned default_counts[] = { 64, 512, WHOLE_WORKERS, 4096 };

/* One side of a pair: the median time of a team's life, and the time of all. */
struct cost {
	double team_s, wall_s;
};

struct setting {
	struct bench b;
	unsigned counts[MOST_COUNTS], n_counts;
	int *cpus;		  /* of the largest team */
	struct cost *bare, *tool; /* one each per pair */
	double *sorted;		  /* room for one number per pair */
};

static int bare_many(const struct setting *s, bool threads, unsigned workers, struct cost *cost,
		     struct err *err)
{
	struct bare b = {
		.threads = threads,
		.workers = workers,
		.pages = 1,
		.page_size = util_page_size(),
		.cpus = s->cpus,
	};
	int64_t begun = bench_now_ns();
	double teams[REPEATS];

	for (int i = -WARMUPS; i < REPEATS; i++) {
		int64_t team_begun = bench_now_ns();
		int ret = bare_run(&b, NULL, err);

		if (ret)
			return ret;
		if (i >= 0)
			teams[i] = (double)(bench_now_ns() - team_begun) / 1e9;
	}
	cost->wall_s = (double)(bench_now_ns() - begun) / 1e9;
	cost->team_s = bench_median(teams, REPEATS).value;
	return 0;
}

static int take_teams(const struct point *p, double *team_s, struct err *err)
{
	double teams[REPEATS];
	unsigned n = 0;

	for (size_t i = 0; i < p->n_repeats && n < REPEATS; i++) {
		if (!p->repeats[i].warmup && p->repeats[i].lived_ns > 0)
			teams[n++] = (double)p->repeats[i].lived_ns / 1e9;
	}
	if (n < REPEATS)
		return err_set(err, EPROTO, "", "%u repeats with lived_ns instead of %d", n,
			       REPEATS);
	*team_s = bench_median(teams, REPEATS).value;
	return 0;
}

static int tool_many(const struct setting *s, bool threads, unsigned workers, struct cost *cost,
		     struct err *err)
{
	char count[24], repeats[24], path[PATH_MAX];
	const char *const args[] = { threads ? "pthread" : "fork",
				     "--cpus",
				     count,
				     "--size",
				     "1",
				     "--warmup",
				     "1",
				     "--repeats",
				     repeats,
				     "--time-limit",
				     "0",
				     "--oversubscribe",
				     NULL };
	struct result *r;
	int64_t ns = 0;
	int ret;

	snprintf(count, sizeof(count), "%u", workers);
	snprintf(repeats, sizeof(repeats), "%d", REPEATS);
	snprintf(path, sizeof(path), "%s/many.json", s->b.dir);
	ret = bench_pfscale(&s->b, args, path, &ns, &r, err);
	if (ret)
		return ret;
	ret = take_teams(&r->points[0], &cost->team_s, err);
	result_free(r);
	cost->wall_s = (double)ns / 1e9;
	return ret;
}

static int measure(const struct setting *s, bool threads, unsigned workers, struct err *err)
{
	for (unsigned i = 0; i < s->b.count; i++) {
		int ret = i % 2 ? bare_many(s, threads, workers, &s->bare[i], err) : 0;

		if (!ret)
			ret = tool_many(s, threads, workers, &s->tool[i], err);
		if (!ret && i % 2 == 0)
			ret = bare_many(s, threads, workers, &s->bare[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

/* Returns the median time per worker in microseconds. */
static double print_side(const struct setting *s, const struct cost *costs, unsigned workers,
			 const char *side)
{
	struct bench_median m;
	char text[80];

	for (unsigned i = 0; i < s->b.count; i++)
		s->sorted[i] = costs[i].team_s / workers * 1e6;
	m = bench_median(s->sorted, s->b.count);
	snprintf(text, sizeof(text), "  a worker of %u, %s", workers, side);
	bench_row_median(text, "", &m, " µs", -INFINITY, INFINITY);
	return m.value;
}

static void print_whole(const struct setting *s, const struct cost *costs, const char *side,
			double max)
{
	struct bench_median m;
	char text[80];

	for (unsigned i = 0; i < s->b.count; i++)
		s->sorted[i] = costs[i].wall_s;
	m = bench_median(s->sorted, s->b.count);
	snprintf(text, sizeof(text), "  %d repeats of %d, %s", REPEATS + WARMUPS, WHOLE_WORKERS,
		 side);
	bench_row_median(text, isfinite(max) ? "≤ 3 s" : "", &m, " s", -INFINITY, max);
}

static int run_model(const struct setting *s, bool threads, struct err *err)
{
	double bare_us[MOST_COUNTS], tool_us[MOST_COUNTS];
	unsigned last = s->n_counts - 1;
	char text[80], seen[24];

	snprintf(text, sizeof(text),
		 "making and ending workers, %s, %u pairs:", threads ? "pthread" : "fork",
		 s->b.count);
	bench_row(text, "", "", "", "");
	for (unsigned i = 0; i < s->n_counts; i++) {
		int ret = measure(s, threads, s->counts[i], err);

		if (ret)
			return ret;
		bare_us[i] = print_side(s, s->bare, s->counts[i], "bare loop");
		tool_us[i] = print_side(s, s->tool, s->counts[i], "pfscale");
		if (s->counts[i] == WHOLE_WORKERS) {
			print_whole(s, s->bare, "bare loop", INFINITY);
			print_whole(s, s->tool, "pfscale, the whole run", 3);
		}
	}
	if (!last)
		return 0;
	snprintf(text, sizeof(text), "  a worker of %u / a worker of %u, bare loop",
		 s->counts[last], s->counts[0]);
	snprintf(seen, sizeof(seen), "%.3f", bare_us[last] / bare_us[0]);
	bench_row(text, "", seen, "n/a", "");
	snprintf(seen, sizeof(seen), "%.3f", tool_us[last] / tool_us[0]);
	bench_row("  the same, pfscale", "", seen, "n/a", "");
	return 0;
}

static int read_counts(struct setting *s, int argc, char **argv, struct err *err)
{
	uint64_t count;
	int ret;

	for (int i = 0; i < argc; i++) {
		if (s->n_counts == MOST_COUNTS)
			return err_set(err, EINVAL, "", "more than %d numbers of workers",
				       MOST_COUNTS);
		ret = util_parse_uint("WORKERS", argv[i], 1, 1000000, &count, err);
		if (ret)
			return ret;
		s->counts[s->n_counts++] = (unsigned)count;
	}
	for (size_t i = 0; i < ARRAY_SIZE(default_counts) && !argc; i++)
		s->counts[s->n_counts++] = default_counts[i];
	return 0;
}

static int prepare(struct setting *s, struct err *err)
{
	unsigned most = 0;

	for (unsigned i = 0; i < s->n_counts; i++)
		most = s->counts[i] > most ? s->counts[i] : most;
	s->cpus = bare_cpus(most, err);
	if (!s->cpus)
		return -err->num;
	s->bare = calloc(s->b.count, sizeof(*s->bare));
	s->tool = calloc(s->b.count, sizeof(*s->tool));
	s->sorted = calloc(s->b.count, sizeof(*s->sorted));
	if (!s->bare || !s->tool || !s->sorted)
		return err_set(err, ENOMEM, "calloc", "%u pairs", s->b.count);
	return 0;
}

int main(int argc, char **argv)
{
	struct setting s = { .b = { .count = PAIRS } };
	struct err err = { 0 };
	int first, ret = bench_options(&s.b, argc, argv, "[WORKERS…]", &first);

	if (ret)
		return ret < 0 ? 2 : 0;
	if (read_counts(&s, argc - first, argv + first, &err)) {
		bench_trouble(argv[0], &err);
		return 2;
	}
	ret = prepare(&s, &err);
	for (int threads = 0; threads < 2 && !ret; threads++)
		ret = run_model(&s, threads, &err);
	if (ret)
		bench_trouble(argv[0], &err);
	free(s.bare);
	free(s.tool);
	free(s.sorted);
	free(s.cpus);
	return ret ? 1 : 0;
}
