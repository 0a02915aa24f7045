/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole: the time of a run of all types against the same work in bare loops; what it is spent on.
 */
#include "config.h"

#include "bare.h"
#include "bench.h"
#include "util.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Six pairs are the fewest that give an interval at 95 %. */
enum { PAIRS = 6, REPEATS = 5, WARMUPS = 1, MAX_WORKERS = 2 };

/* What one side of a pair took; the last is known of pfscale alone. */
struct cost {
	double wall_s, cpu_s, share;
};

struct setting {
	struct bench b;
	int *cpus;
	unsigned most;		  /* workers */
	struct cost *bare, *tool; /* one each per pair */
	double *sorted;		  /* room for one number per pair */
};

static int64_t most_of(const int64_t *column, unsigned n)
{
	int64_t most = 0;

	for (unsigned i = 0; column && i < n; i++)
		most = column[i] > most ? column[i] : most;
	return most;
}

static int64_t or_none(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

/*
 * The part of the wall time of a run that went into timed loops, mapping and unmapping: in each
 * repeat, warm-ups included, the slowest worker's time of each. Workers begin to touch when all
 * have mapped, and unmap when all have touched: the three follow each other and do not overlap, so
 * the sum is never more than the time that passed. What is lost between workers counts as lost.
 */
static double share(const struct result *r, int64_t wall_ns)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < r->n_points; i++) {
		const struct point *p = &r->points[i];

		for (size_t j = 0; j < p->n_repeats; j++) {
			const struct repeat *x = &p->repeats[j];

			sum_ns += most_of(x->map_ns, p->workers) + most_of(x->wall_ns, p->workers) +
				  most_of(x->unmap_ns, p->workers) + or_none(x->shared_map_ns) +
				  or_none(x->shared_unmap_ns);
		}
	}
	return (double)sum_ns / (double)wall_ns;
}

static int bare_all(const struct setting *s, struct cost *cost, struct err *err)
{
	size_t page = util_page_size();
	int64_t begun = bench_now_ns();
	double cpu_before = bench_cpu_s();

	for (unsigned i = 0; i < (REPEATS + WARMUPS) * BARE_N_TYPES * s->most; i++) {
		struct bare b = {
			.workers = 1 + i / BARE_N_TYPES % s->most,
			.pages = (s->b.size_bytes + page - 1) / page,
			.page_size = page,
			.cpus = s->cpus,
		};
		int ret;

		bare_set_type(&b, i % BARE_N_TYPES);
		ret = bare_run(&b, NULL, err);
		if (ret)
			return ret;
	}
	cost->wall_s = (double)(bench_now_ns() - begun) / 1e9;
	cost->cpu_s = bench_cpu_s() - cpu_before;
	return 0;
}

/* repeats: NULL leaves it to pfscale. *timed, if wanted, is how many repeats that count there were.
 */
static int tool_all(const struct setting *s, const char *name, const char *repeats,
		    struct cost *cost, size_t *timed, struct err *err)
{
	char path[PATH_MAX], size[24];
	const char *const args[] = { "--cpus",
				     s->most > 1 ? "1,2" : "1",
				     "--size",
				     size,
				     repeats ? "--repeats" : NULL,
				     repeats,
				     "--time-limit",
				     "0",
				     NULL };
	double cpu_before = bench_cpu_s();
	struct result *r;
	int64_t wall_ns;
	int ret;

	snprintf(path, sizeof(path), "%s/whole-%s.json", s->b.dir, name);
	snprintf(size, sizeof(size), "%llu", (unsigned long long)s->b.size_bytes);
	ret = bench_pfscale(&s->b, args, path, &wall_ns, &r, err);
	if (ret)
		return ret;
	cost->wall_s = (double)wall_ns / 1e9;
	cost->cpu_s = bench_cpu_s() - cpu_before;
	cost->share = share(r, wall_ns);
	for (size_t i = 0; i < r->n_points && timed; i++) {
		for (size_t j = 0; j < r->points[i].n_repeats; j++)
			*timed += !r->points[i].repeats[j].warmup;
	}
	result_free(r);
	return 0;
}

static int measure(const struct setting *s, struct err *err)
{
	char repeats[24], name[24];

	snprintf(repeats, sizeof(repeats), "%d", REPEATS);
	for (unsigned i = 0; i < s->b.count; i++) {
		int ret = i % 2 ? bare_all(s, &s->bare[i], err) : 0;

		snprintf(name, sizeof(name), "%u", i);
		if (!ret)
			ret = tool_all(s, name, repeats, &s->tool[i], NULL, err);
		if (!ret && i % 2 == 0)
			ret = bare_all(s, &s->bare[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

static void print_side(const char *what, const struct cost *costs, const struct setting *s)
{
	struct bench_median m;

	for (unsigned i = 0; i < s->b.count; i++)
		s->sorted[i] = costs[i].wall_s;
	m = bench_median(s->sorted, s->b.count);
	bench_row_median(what, "", &m, " s", -INFINITY, INFINITY);
}

static void print(const struct setting *s)
{
	unsigned n = s->b.count;
	struct bench_median m;
	char text[80];

	print_side("all types, 5 + 1 repeats, bare loops", s->bare, s);
	print_side("all types, 5 + 1 repeats, pfscale", s->tool, s);
	for (unsigned i = 0; i < n; i++)
		s->sorted[i] = s->tool[i].wall_s / s->bare[i].wall_s;
	m = bench_median(s->sorted, n);
	snprintf(text, sizeof(text), "  time, pfscale / bare loops, %u pairs", n);
	bench_row_median(text, "≤ 1.25", &m, "", -INFINITY, 1.25);
	/* Says more than wall time where other jobs have the CPUs at times. */
	for (unsigned i = 0; i < n; i++)
		s->sorted[i] = s->tool[i].cpu_s / s->bare[i].cpu_s;
	m = bench_median(s->sorted, n);
	bench_row_median("  CPU time, pfscale / bare loops", "", &m, "", -INFINITY, INFINITY);
	for (unsigned i = 0; i < n; i++)
		s->sorted[i] = s->tool[i].share;
	m = bench_median(s->sorted, n);
	bench_row_median("  share of touch, map, unmap in pfscale's time", "≥ 0.85", &m, "", 0.85,
			 INFINITY);
}

/* A run that decides itself how often to repeat. Once: it takes long, and has no spread to show. */
static int default_run(const struct setting *s, struct err *err)
{
	char text[80], seen[24];
	struct cost cost;
	size_t timed = 0;
	int ret = tool_all(s, "default", NULL, &cost, &timed, err);

	if (ret)
		return ret;
	snprintf(text, sizeof(text), "default run, pfscale, %.1f repeats a point",
		 (double)timed / (BARE_N_TYPES * s->most));
	snprintf(seen, sizeof(seen), "%.3f s", cost.wall_s);
	bench_row(text, "", seen, "n/a", "");
	snprintf(seen, sizeof(seen), "%.3f", cost.share);
	bench_row("  share of touch, map, unmap in its time", "≥ 0.85", seen, "n/a",
		  cost.share >= 0.85 ? "yes" : "no");
	return 0;
}

static int prepare(struct setting *s, struct err *err)
{
	int ret = bare_allowed_cpus(err);

	if (ret < 0)
		return ret;
	s->most = ret < MAX_WORKERS ? 1 : MAX_WORKERS;
	s->cpus = bare_cpus(s->most, err);
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
	struct setting s = { .b = { .count = PAIRS, .size_bytes = BENCH_SIZE_BYTES } };
	struct err err = { 0 };
	int ret = bench_options(&s.b, argc, argv, NULL, NULL);

	if (ret)
		return ret < 0 ? 2 : 0;
	ret = prepare(&s, &err);
	if (!ret)
		ret = measure(&s, &err);
	if (!ret) {
		print(&s);
		ret = default_run(&s, &err);
	}
	if (ret)
		bench_trouble(argv[0], &err);
	free(s.bare);
	free(s.tool);
	free(s.sorted);
	free(s.cpus);
	return ret ? 1 : 0;
}
