/* SPDX-License-Identifier: GPL-2.0-or-later */
/* many: the time of a run with 1024 workers of one page each, beside bare loops of as many. */
#include "config.h"

#include "bare.h"
#include "bench.h"
#include "util.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Repeats are pfscale's default and its warm-up. */
enum { PAIRS = 6, REPEATS = 6, WORKERS = 1024 };

static int bare_many(const int *cpus, bool threads, double *wall_s, struct err *err)
{
	struct bare b = {
		.threads = threads,
		.workers = WORKERS,
		.pages = 1,
		.page_size = util_page_size(),
		.cpus = cpus,
	};
	int64_t begun = bench_now_ns();
	int ret = 0;

	for (int i = 0; i < REPEATS && !ret; i++)
		ret = bare_run(&b, err);
	*wall_s = (double)(bench_now_ns() - begun) / 1e9;
	return ret;
}

static int pfscale_many(const struct bench *b, bool threads, double *wall_s, struct err *err)
{
	const char *const args[] = { threads ? "pthread" : "fork",
				     "--cpus",
				     "1024",
				     "--size",
				     "1",
				     "--oversubscribe",
				     NULL };
	char path[PATH_MAX];
	int64_t ns = 0;
	int ret;

	snprintf(path, sizeof(path), "%s/many.json", b->dir);
	ret = bench_pfscale(b, args, path, &ns, NULL, err);
	*wall_s = (double)ns / 1e9;
	return ret;
}

static int measure(const struct bench *b, const int *cpus, bool threads, double *bare, double *tool,
		   struct err *err)
{
	for (unsigned i = 0; i < b->pairs; i++) {
		int ret = i % 2 ? bare_many(cpus, threads, &bare[i], err)
				: pfscale_many(b, threads, &tool[i], err);

		if (!ret)
			ret = i % 2 ? pfscale_many(b, threads, &tool[i], err)
				    : bare_many(cpus, threads, &bare[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

static void print(unsigned n, bool threads, double *bare, double *tool)
{
	struct bench_median m = bench_median(bare, n);
	const char *model = threads ? "pthread" : "fork";
	char text[60];

	snprintf(text, sizeof(text), "1024 workers, %s, bare loop", model);
	bench_row_median(text, "", &m, " s", -INFINITY, INFINITY);
	m = bench_median(tool, n);
	snprintf(text, sizeof(text), "1024 workers, %s, pfscale (%u runs)", model, n);
	bench_row_median(text, "≤ 3 s", &m, " s", -INFINITY, 3);
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	struct bench b;
	double *numbers;
	int *cpus, ret = 0;

	if (bench_options(&b, argc, argv, PAIRS))
		return 2;
	cpus = bare_cpus(WORKERS, &err);
	if (!cpus)
		return bench_trouble(argv[0], &err);
	numbers = calloc(2 * (size_t)b.pairs, sizeof(*numbers));
	if (!numbers)
		ret = err_set(&err, ENOMEM, "calloc", "%u pairs", b.pairs);
	for (int threads = 0; threads < 2 && !ret; threads++) {
		ret = measure(&b, cpus, threads, numbers, numbers + b.pairs, &err);
		if (!ret)
			print(b.pairs, threads, numbers, numbers + b.pairs);
	}
	if (ret)
		bench_trouble(argv[0], &err);
	free(numbers);
	free(cpus);
	return ret ? 1 : 0;
}
