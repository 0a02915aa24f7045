/* SPDX-License-Identifier: GPL-2.0-or-later */
/* skew: how far apart the workers of a team start, from result files. */
#include "config.h"

#include "bench.h"
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct numbers {
	double *us; /* microseconds */
	unsigned n, max;
};

static int add(struct numbers *x, double us, struct err *err)
{
	if (x->n == x->max) {
		unsigned max = x->max ? x->max * 2 : 256;
		double *grown = realloc(x->us, max * sizeof(*grown));

		if (!grown)
			return err_set(err, ENOMEM, "realloc", "%u starts", max);
		x->us = grown;
		x->max = max;
	}
	x->us[x->n++] = us;
	return 0;
}

/* Teams that start together: spread is from the first to the last, late from the announced time. */
static int take_repeat(const struct point *p, const struct repeat *r, struct numbers *spread,
		       struct numbers *late, struct err *err)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	int ret = 0;

	for (unsigned i = 0; i < p->workers && !ret; i++) {
		first = r->start_ns[i] < first ? r->start_ns[i] : first;
		last = r->start_ns[i] > last ? r->start_ns[i] : last;
		ret = add(late, (double)r->start_ns[i] / 1e3, err);
	}
	if (!ret && p->workers > 1)
		ret = add(spread, (double)(last - first) / 1e3, err);
	return ret;
}

static int take_file(const char *path, struct numbers *spread, struct numbers *late,
		     struct err *err)
{
	struct result *r;
	int ret = result_load(path, &r, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < r->n_points; i++) {
		const struct point *p = &r->points[i];

		for (size_t j = 0; j < p->n_repeats && !ret; j++) {
			if (p->repeats[j].start_ns)
				ret = take_repeat(p, &p->repeats[j], spread, late, err);
		}
	}
	result_free(r);
	return ret;
}

static void print(const char *what, const char *target, struct numbers *x, double max)
{
	char text[80], tail[60];
	struct bench_median m;

	if (!x->n)
		return;
	m = bench_median(x->us, x->n);
	snprintf(text, sizeof(text), "%s, median of %u", what, x->n);
	bench_row_median(text, target, &m, " µs", -INFINITY, max);
	snprintf(tail, sizeof(tail), "%.3f µs", stats_quantile(x->us, x->n, 0.99));
	bench_row("  99th percentile", "", tail, "", "");
	snprintf(tail, sizeof(tail), "%.3f µs", x->us[x->n - 1]);
	bench_row("  maximum", "", tail, "", "");
}

int main(int argc, char **argv)
{
	struct numbers spread = { 0 }, late = { 0 };
	struct err err = { 0 };
	int ret = 0;

	if (argc < 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: %s RESULT-FILE…\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc && !ret; i++)
		ret = take_file(argv[i], &spread, &late, &err);
	if (ret) {
		bench_trouble(argv[0], &err);
	} else {
		print("start skew, first to last worker", "< 2 µs", &spread, 2);
		print("start after the announced time", "", &late, INFINITY);
	}
	free(spread.us);
	free(late.us);
	return ret ? 1 : 0;
}
