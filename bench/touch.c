/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch: pfscale's rates of all types against those of bare touch loops, run alternately. */
#include "config.h"

#include "bare.h"
#include "bench.h"
#include "util.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Repeats are per side of a pair, besides one that is thrown away. */
enum { PAIRS = 12, REPEATS = 3, MAX_WORKERS = 2 };

struct setting {
	struct bench b;
	char path[PATH_MAX];
	int *cpus;
	unsigned most; /* workers */
	size_t pages, page_size;
	/* median wall times in seconds, by type, workers and pair; see at() */
	double *bare, *tool;
	double *ratios; /* room for one number per pair */
};

static double *at(const struct setting *s, double *numbers, unsigned type, unsigned workers,
		  unsigned pair)
{
	return &numbers[(type * MAX_WORKERS + workers - 1) * s->b.count + pair];
}

static int bare_type(const struct setting *s, unsigned type, unsigned pair, struct err *err)
{
	double walls[MAX_WORKERS][REPEATS];
	int64_t wall_ns;
	int ret;

	for (int i = -1; i < REPEATS; i++) {
		for (unsigned n = 1; n <= s->most; n++) {
			struct bare b = {
				.workers = n,
				.pages = s->pages,
				.page_size = s->page_size,
				.cpus = s->cpus,
			};

			bare_set_type(&b, type);
			ret = bare_run(&b, &wall_ns, err);
			if (ret)
				return ret;
			if (i >= 0)
				walls[n - 1][i] = (double)wall_ns / 1e9;
		}
	}
	for (unsigned n = 1; n <= s->most; n++)
		*at(s, s->bare, type, n, pair) = bench_median(walls[n - 1], REPEATS).value;
	return 0;
}

/* The result holds what we asked for: else the two sides would not be the same work. */
static int take_point(const struct setting *s, const struct point *p, double *wall_s,
		      struct err *err)
{
	double walls[REPEATS];
	unsigned n = 0;

	/* Disturbed ones too: what disturbs is as likely to hit the bare loop. */
	for (size_t i = 0; i < p->n_repeats && n < REPEATS; i++) {
		const struct repeat *repeat = &p->repeats[i];
		int64_t wall_ns = 0;

		if (repeat->warmup)
			continue;
		for (unsigned w = 0; w < p->workers; w++) {
			if (repeat->cpu[w] != s->cpus[w])
				return err_set(err, EPROTO, "",
					       "pfscale ran on CPU %d, the loop on %d",
					       (int)repeat->cpu[w], s->cpus[w]);
			wall_ns = repeat->wall_ns[w] > wall_ns ? repeat->wall_ns[w] : wall_ns;
		}
		walls[n++] = (double)wall_ns / 1e9;
	}
	if (n < REPEATS || p->pages != s->pages)
		return err_set(err, EPROTO, "", "%u repeats of %llu pages instead of %d of %zu", n,
			       (unsigned long long)p->pages, REPEATS, s->pages);
	*wall_s = bench_median(walls, REPEATS).value;
	return 0;
}

static int tool_type(const struct setting *s, unsigned type, unsigned pair, struct err *err)
{
	char label[40], size[24], repeats[24];
	const char *const args[] = { label,
				     "--cpus",
				     s->most > 1 ? "1,2" : "1",
				     "--size",
				     size,
				     "--warmup",
				     "1",
				     "--repeats",
				     repeats,
				     "--time-limit",
				     "0",
				     NULL };
	struct bare b;
	struct result *r;
	int64_t ignored;
	int ret;

	bare_set_type(&b, type);
	bare_label(&b, label, sizeof(label));
	snprintf(size, sizeof(size), "%llu", (unsigned long long)s->b.size_bytes);
	snprintf(repeats, sizeof(repeats), "%d", REPEATS);
	ret = bench_pfscale(&s->b, args, s->path, &ignored, &r, err);
	if (ret)
		return ret;
	if (r->n_points != s->most)
		ret = err_set(err, EPROTO, "", "%zu points instead of %u", r->n_points, s->most);
	for (size_t i = 0; i < s->most && !ret; i++)
		ret = take_point(s, &r->points[i], at(s, s->tool, type, r->points[i].workers, pair),
				 err);
	result_free(r);
	return ret;
}

/* Every pair goes through all types, so that each type's pairs are spread over the whole time. */
static int measure(const struct setting *s, struct err *err)
{
	for (unsigned i = 0; i < s->b.count * BARE_N_TYPES; i++) {
		unsigned pair = i / BARE_N_TYPES, type = i % BARE_N_TYPES;
		/* Who is first changes, so that a drift of the machine favours nobody. */
		bool bare_first = pair % 2;
		int ret = bare_first ? bare_type(s, type, pair, err)
				     : tool_type(s, type, pair, err);

		if (!ret)
			ret = bare_first ? tool_type(s, type, pair, err)
					 : bare_type(s, type, pair, err);
		if (ret)
			return ret;
	}
	return 0;
}

static double ratio(const struct setting *s, unsigned type, unsigned workers, unsigned pair)
{
	return *at(s, s->bare, type, workers, pair) / *at(s, s->tool, type, workers, pair);
}

static void print_point(const struct setting *s, unsigned type, unsigned workers)
{
	char label[40], text[100];
	struct bench_median m;
	struct bare b;

	for (unsigned i = 0; i < s->b.count; i++)
		s->ratios[i] = ratio(s, type, workers, i);
	bare_set_type(&b, type);
	m = bench_median(at(s, s->bare, type, workers, 0), s->b.count);
	snprintf(text, sizeof(text), "  %s, %u worker%s (bare: %.2f M/s)",
		 bare_label(&b, label, sizeof(label)), workers, workers > 1 ? "s" : "",
		 (double)s->pages * workers / m.value / 1e6);
	m = bench_median(s->ratios, s->b.count);
	bench_row_median(text, "0.99 … 1.01", &m, "", 0.99, 1.01);
}

/* The geometric mean over all points, of each pair: what single points scatter is less in it. */
static void print_all(const struct setting *s)
{
	struct bench_median m;

	for (unsigned i = 0; i < s->b.count; i++) {
		double sum = 0;

		for (unsigned n = 1; n <= s->most; n++) {
			for (unsigned type = 0; type < BARE_N_TYPES; type++)
				sum += log(ratio(s, type, n, i));
		}
		s->ratios[i] = exp(sum / (BARE_N_TYPES * s->most));
	}
	m = bench_median(s->ratios, s->b.count);
	bench_row_median("  mean of these, pair by pair", "0.99 … 1.01", &m, "", 0.99, 1.01);
}

static void print(const struct setting *s)
{
	char text[80];

	snprintf(text, sizeof(text), "rate, pfscale / bare loop, %u pairs:", s->b.count);
	bench_row(text, "", "", "", "");
	/* First, since the rows of points put the numbers into another order. */
	print_all(s);
	for (unsigned n = 1; n <= s->most; n++) {
		for (unsigned type = 0; type < BARE_N_TYPES; type++)
			print_point(s, type, n);
	}
}

static int prepare(struct setting *s, struct err *err)
{
	size_t numbers = (size_t)BARE_N_TYPES * MAX_WORKERS * s->b.count;
	int ret = bare_allowed_cpus(err);

	if (ret < 0)
		return ret;
	s->most = ret < MAX_WORKERS ? 1 : MAX_WORKERS;
	s->cpus = bare_cpus(s->most, err);
	if (!s->cpus)
		return -err->num;
	s->page_size = util_page_size();
	s->pages = (s->b.size_bytes + s->page_size - 1) / s->page_size;
	snprintf(s->path, sizeof(s->path), "%s/touch.json", s->b.dir);
	s->bare = calloc(numbers, sizeof(*s->bare));
	s->tool = calloc(numbers, sizeof(*s->tool));
	s->ratios = calloc(s->b.count, sizeof(*s->ratios));
	if (!s->bare || !s->tool || !s->ratios)
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
	if (ret)
		bench_trouble(argv[0], &err);
	else
		print(&s);
	free(s.bare);
	free(s.tool);
	free(s.ratios);
	free(s.cpus);
	return ret ? 1 : 0;
}
