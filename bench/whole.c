/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole: the time of a whole default run against that of the same work in bare loops. */
#include "config.h"

#include "bare.h"
#include "bench.h"
#include "util.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Six pairs are the fewest that give an interval at 95 %. Repeats are pfscale's default and
 * warm-up. */
enum { PAIRS = 6, REPEATS = 6, MAX_WORKERS = 2 };

static const uint64_t size_bytes = 100000000;

/* What one side of a pair took. */
struct cost {
	double wall_s, cpu_s;
};

struct numbers {
	struct cost *bare, *tool; /* one each per pair */
	double *sorted;		  /* room for one number per pair */
};

/* 2 models × 4 objects × private and shared, with 1 … most workers. */
static int bare_all(const int *cpus, unsigned most, struct cost *cost, struct err *err)
{
	size_t page = util_page_size();
	int64_t begun = bench_now_ns();
	double cpu_before = bench_cpu_s();

	for (unsigned i = 0; i < REPEATS * 2 * BARE_N_OBJECTS * 2 * most; i++) {
		struct bare b = {
			.threads = i % 2,
			.shared = i / 2 % 2,
			.object = i / 4 % BARE_N_OBJECTS,
			.workers = 1 + i / 4 / BARE_N_OBJECTS % most,
			.pages = (size_bytes + page - 1) / page,
			.page_size = page,
			.cpus = cpus,
		};
		int ret = bare_run(&b, err);

		if (ret)
			return ret;
	}
	cost->wall_s = (double)(bench_now_ns() - begun) / 1e9;
	cost->cpu_s = bench_cpu_s() - cpu_before;
	return 0;
}

static int pfscale_all(const struct bench *b, unsigned pair, unsigned most, struct cost *cost,
		       struct err *err)
{
	const char *const args[] = { "--cpus", most > 1 ? "1,2" : "1", NULL };
	double cpu_before = bench_cpu_s();
	char path[PATH_MAX];
	int64_t wall_ns;
	int ret;

	snprintf(path, sizeof(path), "%s/whole-%u.json", b->dir, pair);
	ret = bench_pfscale(b, args, path, &wall_ns, NULL, err);
	if (ret)
		return ret;
	cost->wall_s = (double)wall_ns / 1e9;
	cost->cpu_s = bench_cpu_s() - cpu_before;
	return 0;
}

static int measure(const struct bench *b, const int *cpus, unsigned most, struct numbers *x,
		   struct err *err)
{
	for (unsigned i = 0; i < b->pairs; i++) {
		int ret = i % 2 ? bare_all(cpus, most, &x->bare[i], err)
				: pfscale_all(b, i, most, &x->tool[i], err);

		if (!ret)
			ret = i % 2 ? pfscale_all(b, i, most, &x->tool[i], err)
				    : bare_all(cpus, most, &x->bare[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

static void print_side(const char *what, const struct cost *costs, struct numbers *x, unsigned n)
{
	struct bench_median m;

	for (unsigned i = 0; i < n; i++)
		x->sorted[i] = costs[i].wall_s;
	m = bench_median(x->sorted, n);
	bench_row_median(what, "", &m, " s", -INFINITY, INFINITY);
}

static void print(struct numbers *x, unsigned n)
{
	struct bench_median m;
	char text[60];

	print_side("whole default run, bare loops", x->bare, x, n);
	print_side("whole default run, pfscale", x->tool, x, n);
	for (unsigned i = 0; i < n; i++)
		x->sorted[i] = x->tool[i].wall_s / x->bare[i].wall_s;
	m = bench_median(x->sorted, n);
	snprintf(text, sizeof(text), "time, pfscale / bare loops (%u pairs)", n);
	bench_row_median(text, "≤ 1.25", &m, "", -INFINITY, 1.25);
	/* Says more than wall time where other jobs have the CPUs at times. */
	for (unsigned i = 0; i < n; i++)
		x->sorted[i] = x->tool[i].cpu_s / x->bare[i].cpu_s;
	m = bench_median(x->sorted, n);
	bench_row_median("CPU time, pfscale / bare loops", "", &m, "", -INFINITY, INFINITY);
}

int main(int argc, char **argv)
{
	struct numbers x = { 0 };
	struct err err = { 0 };
	struct bench b;
	int *cpus, ret;
	unsigned most;

	if (bench_options(&b, argc, argv, PAIRS))
		return 2;
	ret = bare_allowed_cpus(&err);
	most = ret == 1 ? 1 : MAX_WORKERS;
	cpus = ret < 0 ? NULL : bare_cpus(most, &err);
	if (!cpus)
		return bench_trouble(argv[0], &err);
	x.bare = calloc(b.pairs, sizeof(*x.bare));
	x.tool = calloc(b.pairs, sizeof(*x.tool));
	x.sorted = calloc(b.pairs, sizeof(*x.sorted));
	if (!x.bare || !x.tool || !x.sorted)
		ret = err_set(&err, ENOMEM, "calloc", "%u pairs", b.pairs);
	else
		ret = measure(&b, cpus, most, &x, &err);
	if (ret)
		bench_trouble(argv[0], &err);
	else
		print(&x, b.pairs);
	free(x.bare);
	free(x.tool);
	free(x.sorted);
	free(cpus);
	return ret ? 1 : 0;
}
