/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch: pfscale's rate for one worker against that of a bare touch loop, run alternately. */
#include "config.h"

#include "bare.h"
#include "bench.h"
#include "util.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Per side of a pair, besides one that is thrown away. */
enum { PAIRS = 60, REPEATS = 5 };

static const uint64_t size_bytes = 100000000;

struct setting {
	const struct bench *b;
	char path[PATH_MAX];
	int cpu;
	size_t pages, page_size;
};

static int median_bare(const struct setting *s, double *wall_s, struct err *err)
{
	double walls[REPEATS];

	for (int i = -1; i < REPEATS; i++) {
		int64_t ns;
		int ret = bare_touch(s->cpu, s->pages, s->page_size, &ns, err);

		if (ret)
			return ret;
		if (i >= 0)
			walls[i] = (double)ns / 1e9;
	}
	*wall_s = bench_median(walls, REPEATS).value;
	return 0;
}

/* The result holds what we asked for: else the two sides would not be the same work. */
static int take_walls(const struct setting *s, const struct result *r, double *walls,
		      struct err *err)
{
	const struct point *p = &r->points[0];
	unsigned n = 0;

	for (size_t i = 0; i < p->n_repeats; i++) {
		const struct repeat *repeat = &p->repeats[i];

		if (repeat->warmup || n == REPEATS)
			continue;
		if (repeat->cpu[0] != s->cpu)
			return err_set(err, EPROTO, "", "pfscale ran on CPU %d, the loop on %d",
				       (int)repeat->cpu[0], s->cpu);
		walls[n++] = (double)repeat->wall_ns[0] / 1e9;
	}
	if (n < REPEATS || p->pages != s->pages)
		return err_set(err, EPROTO, "", "%u repeats of %llu pages instead of %d of %zu", n,
			       (unsigned long long)p->pages, REPEATS, s->pages);
	return 0;
}

static int median_pfscale(const struct setting *s, double *wall_s, struct err *err)
{
	char size[24], repeats[24];
	const char *const args[] = { "fork",	 "--cpus", "1",		"--size", size,
				     "--warmup", "1",	   "--repeats", repeats,  NULL };
	double walls[REPEATS];
	struct result *r;
	int64_t ignored;
	int ret;

	snprintf(size, sizeof(size), "%llu", (unsigned long long)size_bytes);
	snprintf(repeats, sizeof(repeats), "%d", REPEATS);
	ret = bench_pfscale(s->b, args, s->path, &ignored, &r, err);
	if (ret)
		return ret;
	ret = take_walls(s, r, walls, err);
	result_free(r);
	*wall_s = bench_median(walls, REPEATS).value;
	return ret;
}

static int measure(const struct setting *s, double *ratios, double *bare, double *tool,
		   struct err *err)
{
	for (unsigned i = 0; i < s->b->pairs; i++) {
		/* Who is first changes, so that a drift of the machine favours nobody. */
		int ret = i % 2 ? median_bare(s, &bare[i], err) : median_pfscale(s, &tool[i], err);

		if (!ret)
			ret = i % 2 ? median_pfscale(s, &tool[i], err)
				    : median_bare(s, &bare[i], err);
		if (ret)
			return ret;
		ratios[i] = bare[i] / tool[i];
	}
	return 0;
}

static void print(const struct setting *s, double *ratios, double *bare, double *tool)
{
	struct bench_median m = bench_median(bare, s->b->pairs);
	char text[60];

	snprintf(text, sizeof(text), "%.0f/s", (double)s->pages / m.value);
	bench_row("pages touched, bare loop", "", text, "", "");
	m = bench_median(tool, s->b->pairs);
	snprintf(text, sizeof(text), "%.0f/s", (double)s->pages / m.value);
	bench_row("pages touched, pfscale run fork --cpus 1", "", text, "", "");
	m = bench_median(ratios, s->b->pairs);
	snprintf(text, sizeof(text), "rate, pfscale / bare loop (%u pairs)", m.n);
	bench_row_median(text, "0.99 … 1.01", &m, "", 0.99, 1.01);
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	struct bench b;
	struct setting s = { .b = &b, .page_size = util_page_size() };
	double *numbers;
	int *cpus, ret;

	if (bench_options(&b, argc, argv, PAIRS))
		return 2;
	snprintf(s.path, sizeof(s.path), "%s/touch.json", b.dir);
	s.pages = (size_bytes + s.page_size - 1) / s.page_size;
	cpus = bare_cpus(1, &err);
	if (!cpus)
		return bench_trouble(argv[0], &err);
	s.cpu = cpus[0];
	free(cpus);
	numbers = calloc(3 * (size_t)b.pairs, sizeof(*numbers));
	if (!numbers)
		ret = err_set(&err, ENOMEM, "calloc", "%u pairs", b.pairs);
	else
		ret = measure(&s, numbers, numbers + b.pairs, numbers + 2 * b.pairs, &err);
	if (ret)
		bench_trouble(argv[0], &err);
	else
		print(&s, numbers, numbers + b.pairs, numbers + 2 * b.pairs);
	free(numbers);
	return ret ? 1 : 0;
}
