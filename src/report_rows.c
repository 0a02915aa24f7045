/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_rows: what reports show of a result, derived once for every format. */
#include "config.h"

#include "report_rows.h"

#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for one number per repeat and worker of the largest point, used over and over. */
struct scratch {
	double *values;
	size_t n;
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

void report_heading_of(const struct result *r, struct report_heading *out)
{
	*out = (struct report_heading){
		.file = or_empty(r->path),
		.label = or_empty(r->label),
		.created = or_empty(r->created),
		.hostname = or_empty(result_system_string(r, "hostname")),
		.kernel = or_empty(result_system_string(r, "kernel.release")),
		.machine = or_empty(result_system_string(r, "kernel.machine")),
		.cpu = or_empty(result_system_string(r, "cpu.model")),
		.imported_from =
			or_empty(json_string_value(json_object_get(r->plan, "imported_from"))),
		.complete = r->complete,
		.page_size = result_system_int(r, "page_size"),
		.pages = r->n_points && r->points[0].pages ? (int64_t)r->points[0].pages : -1,
	};
	for (size_t i = 1; i < r->n_points; i++) {
		if (r->points[i].pages != r->points[0].pages)
			out->pages = -1;
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of what was gathered; NAN of nothing. */
static double median(struct scratch *s)
{
	size_t half = s->n / 2;

	if (!s->n)
		return NAN;
	qsort(s->values, s->n, sizeof(*s->values), compare_doubles);
	return s->n % 2 ? s->values[half] : (s->values[half - 1] + s->values[half]) / 2;
}

static void gather(struct scratch *s, double value)
{
	if (isfinite(value))
		s->values[s->n++] = value;
}

/* The time to map or unmap, in seconds. */
static double median_setup(const struct point *p, struct scratch *s, bool unmap)
{
	s->n = 0;
	for (size_t i = 0; i < p->n_repeats; i++) {
		const struct repeat *r = &p->repeats[i];
		int64_t team_ns = unmap ? r->shared_unmap_ns : r->shared_map_ns;
		const int64_t *ns = unmap ? r->unmap_ns : r->map_ns;

		if (r->warmup)
			continue;
		if (team_ns >= 0)
			gather(s, (double)team_ns * 1e-9);
		else
			for (unsigned w = 0; ns && w < p->workers; w++)
				gather(s, (double)ns[w] * 1e-9);
	}
	return median(s);
}

static double median_skew(const struct point *p, struct scratch *s)
{
	s->n = 0;
	for (size_t i = 0; i < p->n_repeats; i++) {
		const int64_t *start = p->repeats[i].start_ns;
		int64_t first, last;

		if (p->repeats[i].warmup || !start)
			continue;
		first = last = start[0];
		for (unsigned w = 1; w < p->workers; w++) {
			first = start[w] < first ? start[w] : first;
			last = start[w] > last ? start[w] : last;
		}
		/* in double: what a file may hold can overflow an integer here */
		gather(s, ((double)last - (double)first) * 1e-9);
	}
	return median(s);
}

/* How far the repeats' rates lie apart. One repeat has no spread. */
static void set_spread(struct report_row *row, const struct point *p, int64_t step_ns,
		       struct scratch *s)
{
	double rate = row->shown.faults_per_wall_s_per_cpu;

	s->n = 0;
	for (size_t i = 0; i < p->n_repeats; i++) {
		struct summary one;

		if (p->repeats[i].warmup)
			continue;
		summary_of_repeat(p, &p->repeats[i], step_ns, &one);
		gather(s, one.faults_per_wall_s_per_cpu);
	}
	if (s->n < 2)
		return;
	median(s); /* for its sorting */
	row->rate_min = s->values[0];
	row->rate_max = s->values[s->n - 1];
	if (rate > 0) {
		row->below = row->rate_min / rate - 1;
		row->above = row->rate_max / rate - 1;
	}
}

static void set_totals(struct report_row *row)
{
	struct summary *s = &row->shown;
	double pages = (double)row->pages * (double)row->workers;

	/* What was measured is summed anew; what was imported may have been rounded otherwise. */
	if (row->measured || isnan(s->totcpu_s))
		s->totcpu_s = s->sys_s + s->user_s;
	if (row->measured || isnan(s->totcpu_per_cpu_s))
		s->totcpu_per_cpu_s = s->totcpu_s / (double)row->workers;
	if (s->faults >= 0 && row->pages > 0)
		row->faults_per_page = (double)s->faults / pages;
	/* No wall rate: the interval is too short to say anything about, this share included. */
	if (s->max_wall_s > 0 && !isnan(s->faults_per_wall_s))
		row->busy = s->totcpu_s / ((double)row->workers * s->max_wall_s);
}

static const struct summary no_summary = {
	.max_wall_s = NAN,
	.min_wall_s = NAN,
	.sys_s = NAN,
	.user_s = NAN,
	.faults = -1,
	.faults_per_wall_s = NAN,
	.faults_per_sys_s = NAN,
	.faults_per_wall_s_per_cpu = NAN,
	.nodes = -1,
	.totcpu_s = NAN,
	.totcpu_per_cpu_s = NAN,
};

static int64_t count_timed(const struct point *p)
{
	int64_t n = 0;

	for (size_t i = 0; i < p->n_repeats; i++)
		n += !p->repeats[i].warmup;
	return n;
}

static void make_row(struct report_row *row, const struct point *p, int64_t step_ns,
		     struct scratch *s)
{
	const struct repeat *shown = p->status == POINT_OK ? summary_pick(p, step_ns) : NULL;

	*row = (struct report_row){
		.type = p->type,
		.model = p->model,
		.object = p->object,
		.touch = p->touch,
		.status = point_status_name(p->status),
		.reason = p->reason,
		.shared = p->shared,
		.status_code = p->status,
		.measured = shown,
		.workers = p->workers,
		.pages = p->pages ? (int64_t)p->pages : -1,
		.repeats = shown ? count_timed(p) : -1,
		.shown = no_summary,
		.rate_min = NAN,
		.rate_max = NAN,
		.below = NAN,
		.above = NAN,
		.efficiency = NAN,
		.faults_per_page = NAN,
		.start_skew_s = NAN,
		.map_s = NAN,
		.unmap_s = NAN,
		.busy = NAN,
	};
	if (p->status != POINT_OK)
		return;
	row->shown = p->summary;
	if (shown) {
		summary_of_repeat(p, shown, step_ns, &row->shown);
		set_spread(row, p, step_ns, s);
		row->start_skew_s = median_skew(p, s);
		row->map_s = median_setup(p, s, false);
		row->unmap_s = median_setup(p, s, true);
	}
	set_totals(row);
}

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

/* What a median may gather: as many numbers as the file holds, whatever `workers` claims. */
static int make_scratch(const struct result *r, struct scratch *s)
{
	size_t most = 1;

	for (size_t i = 0; i < r->n_points; i++) {
		const struct point *p = &r->points[i];
		size_t here = 0;

		for (size_t j = 0; j < p->n_repeats; j++)
			here += p->repeats[j].map_ns || p->repeats[j].unmap_ns ? p->workers : 1;
		most = here > most ? here : most;
	}
	s->n = 0;
	s->values = calloc(most, sizeof(*s->values));
	return s->values ? 0 : -ENOMEM;
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

static void make_rows(const struct result *r, struct report_rows *out,
		      const struct place_of_row *places, struct scratch *s)
{
	int64_t step_ns = result_system_int(r, "clock.step_ns");
	size_t first = 0;

	for (size_t i = 0; i < r->n_points; i++) {
		const struct point *p = &r->points[places[i].index];

		if (i && places[i].first != places[i - 1].first) {
			set_efficiency(out->rows + first, out->n - first);
			first = out->n;
		}
		if (has_row(p, step_ns))
			make_row(&out->rows[out->n++], p, step_ns, s);
	}
	set_efficiency(out->rows + first, out->n - first);
}

int report_rows_make(const struct result *r, struct report_rows *out, struct err *err)
{
	size_t room = r->n_points ? r->n_points : 1;
	struct place_of_row *places = calloc(room, sizeof(*places));
	struct scratch s = { 0 };
	int ret;

	out->n = 0;
	out->rows = calloc(room, sizeof(*out->rows));
	ret = make_scratch(r, &s);
	if (!places || !out->rows || ret) {
		report_rows_free(out);
		ret = err_set(err, ENOMEM, "calloc", "rows of %zu points", r->n_points);
	} else {
		order_points(r, places);
		make_rows(r, out, places, &s);
	}
	free(places);
	free(s.values);
	return ret;
}

void report_rows_free(struct report_rows *rows)
{
	free(rows->rows);
	rows->rows = NULL;
	rows->n = 0;
}
