/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_row: one row of a report: what is derived from the repeats of one point. */
#include "config.h"

#include "report_row.h"

#include "report_disturbed.h"
#include "series.h"
#include "stats.h"
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* What a median may gather: as many numbers as the file holds, whatever `workers` claims. */
int report_scratch_make(const struct result *r, struct report_scratch *s)
{
	size_t most = 1, repeats = 1;

	for (size_t i = 0; i < r->n_points; i++) {
		const struct point *p = &r->points[i];
		size_t here = 0;

		for (size_t j = 0; j < p->n_repeats; j++) {
			const struct repeat *one = &p->repeats[j];

			here += one->map_ns || one->unmap_ns || one->start_ns || one->cpu
					? p->workers
					: 1;
		}
		most = here > most ? here : most;
		repeats = p->n_repeats > repeats ? p->n_repeats : repeats;
	}
	*s = (struct report_scratch){ 0 };
	s->values = calloc(most, sizeof(*s->values));
	s->counted = calloc(repeats, sizeof(*s->counted));
	if (s->values && s->counted)
		return 0;
	report_scratch_free(s);
	return -ENOMEM;
}

void report_scratch_free(struct report_scratch *s)
{
	free(s->values);
	free(s->counted);
	*s = (struct report_scratch){ 0 };
}

static void gather(struct report_scratch *s, double value)
{
	if (isfinite(value))
		s->values[s->n++] = value;
}

/* Of what was gathered; NAN of nothing. Sorts it. */
static double median(struct report_scratch *s)
{
	stats_sort(s->values, s->n);
	return stats_median(s->values, s->n);
}

/* The time to map or unmap, in seconds. */
static double median_setup(const struct point *p, struct report_scratch *s, bool unmap)
{
	s->n = 0;
	for (size_t i = 0; i < s->n_counted; i++) {
		const struct repeat *r = s->counted[i];
		int64_t team_ns = unmap ? r->shared_unmap_ns : r->shared_map_ns;
		const int64_t *ns = unmap ? r->unmap_ns : r->map_ns;

		if (team_ns >= 0)
			gather(s, (double)team_ns * 1e-9);
		else
			for (unsigned w = 0; ns && w < p->workers; w++)
				gather(s, (double)ns[w] * 1e-9);
	}
	return median(s);
}

/* How much later than the first each other worker of a team began. */
static void gather_skew(struct report_scratch *s, const int64_t *start, unsigned workers)
{
	unsigned first = 0;

	for (unsigned w = 1; w < workers; w++)
		first = start[w] < start[first] ? w : first;
	for (unsigned w = 0; w < workers; w++) {
		/* in double: what a file may hold can overflow an integer here */
		if (w != first)
			gather(s, ((double)start[w] - (double)start[first]) * 1e-9);
	}
}

static void set_skew(struct report_row *row, const struct point *p, struct report_scratch *s)
{
	s->n = 0;
	for (size_t i = 0; i < s->n_counted; i++) {
		if (s->counted[i]->start_ns)
			gather_skew(s, s->counted[i]->start_ns, p->workers);
	}
	row->skew_median_s = median(s);
	row->skew_p99_s = stats_quantile(s->values, s->n, 0.99);
	row->skew_max_s = stats_quantile(s->values, s->n, 1);
}

/* How far the repeats' rates lie apart, and what that leaves to be seen. */
static void set_spread(struct report_row *row, const struct point *p, int64_t step_ns,
		       struct report_scratch *s)
{
	double rate = row->shown.faults_per_wall_s_per_cpu;
	struct summary *shown = &row->shown;
	struct series_estimate e;

	s->n = summary_rates(p, step_ns, s->values);
	if (s->n < 2 || series_estimate(s->values, s->n, STATS_LEVEL, &e))
		return; /* one repeat has no spread */
	stats_sort(s->values, s->n);
	row->rate_min = s->values[0];
	row->rate_max = s->values[s->n - 1];
	shown->rate_low = e.low < 0 ? 0 : e.low;
	shown->rate_high = e.high;
	if (rate > 0) {
		row->below = row->rate_min / rate - 1;
		row->above = row->rate_max / rate - 1;
		row->low = shown->rate_low / rate - 1;
		row->high = shown->rate_high / rate - 1;
	}
	row->smallest_change = series_smallest_change(&e);
}

/*
 * The first pass over a point, whose memory may have to be found first. Where that was disturbed,
 * nothing is known of it: a later warm-up is not the first pass.
 */
static void set_cold(struct report_row *row, const struct point *p, int64_t step_ns)
{
	const struct repeat *first = NULL;
	struct summary cold;

	for (size_t i = 0; i < p->n_repeats; i++) {
		const struct repeat *r = &p->repeats[i];

		if (r->warmup && (!first || r->order < first->order))
			first = r;
	}
	if (!first || first->disturbed)
		return;
	summary_of_repeat(p, first, step_ns, &cold);
	if (row->shown.faults_per_wall_s_per_cpu > 0)
		row->cold = cold.faults_per_wall_s_per_cpu / row->shown.faults_per_wall_s_per_cpu;
}

/* The sum over the workers, or NAN where one of them was not counted. */
static double sum_all(const int64_t *values, unsigned n)
{
	double sum = values ? 0 : NAN;

	for (unsigned i = 0; values && i < n; i++)
		sum += values[i] >= 0 ? (double)values[i] : NAN;
	return sum;
}

/* How many CPUs the team had, which is fewer than workers where these outnumber them. */
static size_t count_cpus(const int64_t *cpu, unsigned workers, struct report_scratch *s)
{
	size_t count = 0;

	s->n = 0;
	for (unsigned w = 0; cpu && w < workers; w++)
		gather(s, (double)cpu[w]);
	stats_sort(s->values, s->n);
	for (size_t i = 0; i < s->n; i++)
		count += !i || s->values[i] != s->values[i - 1];
	return count;
}

/* A part of the time of the team's CPUs. */
static double share(int64_t ns, int64_t lived_ns, size_t cpus)
{
	return ns >= 0 && lived_ns > 0 && cpus ? (double)ns / ((double)lived_ns * (double)cpus)
					       : NAN;
}

/* What else was recorded of the repeat that is shown. */
static void set_counts(struct report_row *row, const struct point *p, const struct repeat *r,
		       struct report_scratch *s)
{
	size_t cpus = count_cpus(r->cpu, p->workers, s);
	double faults = (double)row->shown.faults;
	double switches = sum_all(r->nivcsw, p->workers);

	for (int i = 0; i < PERF_N_EVENTS && faults > 0; i++)
		row->per_fault[i] = sum_all(r->perf[i], p->workers) / faults;
	if (switches < 0x1p63)
		row->nivcsw = (int64_t)switches;
	row->steal = share(r->steal_ns, r->lived_ns, cpus);
	row->foreign = share(r->foreign_ns, r->lived_ns, cpus);
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

/* A point without any number. */
static void set_identity(struct report_row *row, const struct point *p)
{
	*row = (struct report_row){
		.type = p->type,
		.model = p->model,
		.object = p->object,
		.touch = p->touch,
		.status = point_status_name(p->status),
		.reason = p->reason,
		.shared = p->shared,
		.status_code = p->status,
		.workers = p->workers,
		.pages = p->pages ? (int64_t)p->pages : -1,
		.repeats = -1,
		.disturbed = -1,
		.nivcsw = -1,
		.shown = { .faults = -1, .nodes = -1 },
	};
	double *const numbers[] = {
		&row->shown.max_wall_s,
		&row->shown.min_wall_s,
		&row->shown.sys_s,
		&row->shown.user_s,
		&row->shown.totcpu_s,
		&row->shown.totcpu_per_cpu_s,
		&row->shown.faults_per_wall_s,
		&row->shown.faults_per_sys_s,
		&row->shown.faults_per_wall_s_per_cpu,
		&row->shown.rate_low,
		&row->shown.rate_high,
		&row->rate_min,
		&row->rate_max,
		&row->below,
		&row->above,
		&row->low,
		&row->high,
		&row->smallest_change,
		&row->efficiency,
		&row->cold,
		&row->faults_per_page,
		&row->skew_median_s,
		&row->skew_p99_s,
		&row->skew_max_s,
		&row->map_s,
		&row->unmap_s,
		&row->busy,
		&row->steal,
		&row->foreign,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = NAN;
	for (int i = 0; i < PERF_N_EVENTS; i++)
		row->per_fault[i] = NAN;
}

/* What the repeats say, beyond the one that is shown. */
static int set_measured(struct report_row *row, const struct point *p, const struct repeat *shown,
			int64_t step_ns, struct report_scratch *s)
{
	row->measured = true;
	row->stopped = point_stop_name(p->stopped);
	s->n_counted = summary_list(p, s->counted);
	summary_of_repeat(p, shown, step_ns, &row->shown);
	set_spread(row, p, step_ns, s);
	set_cold(row, p, step_ns);
	set_skew(row, p, s);
	row->map_s = median_setup(p, s, false);
	row->unmap_s = median_setup(p, s, true);
	set_counts(row, p, shown, s);
	return report_disturbed_count(row, p);
}

int report_row_make(struct report_row *row, const struct point *p, int64_t step_ns,
		    struct report_scratch *s)
{
	const struct repeat *shown;
	int ret = 0;

	set_identity(row, p);
	if (p->status != POINT_OK)
		return 0;
	shown = summary_pick(p, step_ns);
	row->shown = p->summary;
	row->shown.rate_low = row->shown.rate_high = NAN; /* there are no samples to tell */
	if (shown)
		ret = set_measured(row, p, shown, step_ns, s);
	set_totals(row);
	return ret;
}
