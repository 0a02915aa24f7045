/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_rows: what reports show of a result, derived once for every format. */
#include "config.h"

#include "report_rows.h"

#include "report_row.h"
#include "summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* rows: n of one type. */
static void set_efficiency(struct report_row *rows, size_t n)
{
	const struct report_row *base = NULL;

	for (size_t i = 0; i < n; i++) {
		if (rows[i].shown.faults_per_wall_s_per_cpu > 0 &&
		    (!base || rows[i].workers < base->workers))
			base = &rows[i];
	}
	for (size_t i = 0; base && i < n; i++)
		rows[i].efficiency = rows[i].shown.faults_per_wall_s_per_cpu /
				     base->shown.faults_per_wall_s_per_cpu;
}

/* Whether there is anything to show: a point that was planned but has not run has nothing. */
static bool has_row(const struct point *p, int64_t step_ns)
{
	return p->status != POINT_OK || p->has_summary || summary_pick(p, step_ns);
}

/* A point's place among the rows: by the type's first point, then by its own index. */
struct place_of_row {
	const char *type;
	size_t first, index;
};

static int compare_sizes(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int by_type(const void *a, const void *b)
{
	const struct place_of_row *x = a, *y = b;
	int order = strcmp(x->type, y->type);

	return order ? order : compare_sizes(x->index, y->index);
}

static int by_first(const void *a, const void *b)
{
	const struct place_of_row *x = a, *y = b;
	int order = compare_sizes(x->first, y->first);

	return order ? order : compare_sizes(x->index, y->index);
}

/* Types together. By sorting, since a file may hold a great many. */
static void order_points(const struct result *r, struct place_of_row *places)
{
	for (size_t i = 0; i < r->n_points; i++)
		places[i] = (struct place_of_row){ r->points[i].type, i, i };
	qsort(places, r->n_points, sizeof(*places), by_type);
	for (size_t i = 1; i < r->n_points; i++) {
		if (!strcmp(places[i].type, places[i - 1].type))
			places[i].first = places[i - 1].first;
	}
	qsort(places, r->n_points, sizeof(*places), by_first);
}

static int make_rows(const struct result *r, struct report_rows *out,
		     const struct place_of_row *places, struct report_scratch *s)
{
	int64_t step_ns = result_system_int(r, "clock.step_ns");
	size_t first = 0;
	int ret = 0;

	for (size_t i = 0; i < r->n_points && !ret; i++) {
		const struct point *p = &r->points[places[i].index];

		if (i && places[i].first != places[i - 1].first) {
			set_efficiency(out->rows + first, out->n - first);
			first = out->n;
		}
		if (has_row(p, step_ns))
			ret = report_row_make(&out->rows[out->n++], p, step_ns, s);
	}
	set_efficiency(out->rows + first, out->n - first);
	return ret;
}

int report_rows_make(const struct result *r, struct report_rows *out, struct err *err)
{
	size_t room = r->n_points ? r->n_points : 1;
	struct place_of_row *places = calloc(room, sizeof(*places));
	struct report_scratch s;
	int ret;

	out->n = 0;
	out->rows = calloc(room, sizeof(*out->rows));
	ret = report_scratch_make(r, &s);
	if (!places || !out->rows)
		ret = -ENOMEM;
	if (!ret) {
		order_points(r, places);
		ret = make_rows(r, out, places, &s);
	}
	if (ret) {
		report_rows_free(out);
		err_set(err, ENOMEM, "calloc", "rows of %zu points", r->n_points);
	}
	free(places);
	report_scratch_free(&s);
	return ret;
}

void report_rows_free(struct report_rows *rows)
{
	for (size_t i = 0; rows->rows && i < rows->n; i++)
		free(rows->rows[i].causes);
	free(rows->rows);
	rows->rows = NULL;
	rows->n = 0;
}
