/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reports say of how far rates can be trusted: disturbed repeats, intervals, skew, counters.
 * The numbers wanted were computed apart from pfscale, from the samples in report/disturbed.json.
 */
#include "config.h"

#include "report.h"
#include "report_rows.h"
#include "stats.h"
#include "summary.h"

#include "tap.h"
#include "text.h"

#include <math.h>

static struct result *load(const char *name)
{
	char *path = data_path(name);
	struct result *r = NULL;
	struct err err = { 0 };

	if (result_load(path, &r, &err)) {
		printf("Bail out! %s\n", err.detail);
		exit(EXIT_FAILURE);
	}
	free(path);
	free(r->path);
	r->path = strdup("disturbed.json");
	return r;
}

static char *report(const char *format, const struct result *r)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct err err = { 0 };

	is_int(report_write(out, report_find(format), &r, 1, &err), 0, format);
	fclose(out);
	return text;
}

static void is_near(double got, double want, const char *what)
{
	if (!ok(fabs(got - want) <= 1e-9 * fabs(want), "%s", what))
		printf("# got %.17g, want %.17g\n", got, want);
}

static void rows_of(const struct result *r, struct report_rows *rows)
{
	struct err err = { 0 };

	is_int(report_rows_make(r, rows, &err), 0, "rows are derived");
}

/* Walls of 10, 13, 10.1, 9.9, 30, 10.2, 9.8 and 10.4 ms, of which 13 and 30 were disturbed. */
static void test_some(const struct report_row *row)
{
	double rates[] = { 1e6 / 10.4, 1e6 / 10.2, 1e6 / 10.1, 1e6 / 10.0, 1e6 / 9.9, 1e6 / 9.8 };
	char text[200];

	is_int(row->repeats, 8, "timed repeats, disturbed ones too");
	is_int(row->disturbed, 2, "disturbed ones");
	is_str(row->causes,
	       "steal \xc3\x97"
	       "2, preempted \xc3\x97"
	       "1",
	       "causes, with how often");
	is_str(row->stopped, "precision", "what stopped it");
	is_near(row->shown.faults_per_wall_s_per_cpu, rates[2], "the median of the undisturbed");
	is_near(row->rate_min, rates[0], "the slowest of the undisturbed");
	is_near(row->rate_max, rates[5], "the fastest of them");
	is_near(row->below, 10.1 / 10.4 - 1, "how far below");
	is_near(row->above, 10.1 / 9.8 - 1, "how far above");
	is_near(row->cold, 0.505, "cold: 20 ms for 10.1 ms");
	is_near(row->map_s, 3050e-9, "map: of repeats 10, 30, 40, 60, 70 and 80");
	is_int(row->nivcsw, 3, "involuntary switches of the shown repeat");
	is_near(row->steal, 0.01, "its part of stolen time");
	is_near(row->foreign, 0.02, "and of others' time");
	ok(report_disturbed_text(row, text, sizeof(text)), "it is worth a remark");
	is_str(text,
	       "2 of 8 repeats were disturbed: steal \xc3\x97"
	       "2, preempted \xc3\x97"
	       "1",
	       "which says all that");
}

/*
 * With the six values sorted, d = 1 covers 96.875 % and d = 2 78.125 %, so that the interval's ends
 * are interpolated by 5 × 0.1 / (1 + 4 × 0.1) = 5 / 14 from the first and last value to the next.
 * The error is (x6 - x1) / (2 × 2.153875); the change that it can show is (2.228139 + 0.879058) ×
 * sqrt(2) errors, from Student's t with 10 degrees of freedom.
 */
static void test_interval(const struct report_row *row)
{
	double rates[] = { 1e6 / 10.4, 1e6 / 10.2, 1e6 / 10.1, 1e6 / 10.0, 1e6 / 9.9, 1e6 / 9.8 };
	double low, high, error = stats_median_error(rates, 6) / ((rates[2] + rates[3]) / 2);

	stats_median_interval(rates, 6, STATS_LEVEL, &low, &high);
	is_near(row->shown.rate_low, low, "the interval's low end, not the file's");
	is_near(row->shown.rate_high, high, "its high end, not the file's");
	is_near(low, rates[0] + 5 / 14. * (rates[1] - rates[0]), "as computed by hand");
	is_near(high, rates[5] - 5 / 14. * (rates[5] - rates[4]), "the high one, too");
	is_near(row->low, low / rates[2] - 1, "as a part of the shown rate");
	is_near(row->high, high / rates[2] - 1, "the high one, too");
	is_near(row->smallest_change, stats_smallest_change(error, 6), "the smallest change");
	ok(fabs(row->smallest_change - 0.060350) < 5e-6, "as computed by hand");
}

static void test_all(const struct report_row *row)
{
	char text[200];

	is_int(row->repeats, 5, "all disturbed: their number");
	is_int(row->disturbed, 5, "all disturbed");
	is_near(row->shown.faults_per_wall_s_per_cpu, 62500, "then they are what there is");
	is_near(row->rate_max, 1e6 / 14, "the fastest of them");
	ok(isnan(row->low) && isnan(row->high), "five repeats give no interval");
	is_str(row->stopped, "time limit", "what stopped it");
	report_disturbed_text(row, text, sizeof(text));
	has_str(text, "all 5 repeats were disturbed: the rates are of disturbed repeats: preempted",
		"that is said plainly");
	ok(isnan(row->per_fault[PERF_CYCLES_USER]), "what one worker lacks is not known");
	is_near(row->per_fault[PERF_CYCLES_KERNEL], 2500.5, "what both have is");
	is_near(row->foreign, 0.2, "others: 8 ms of 20 ms on each of two CPUs");
	is_int(row->nivcsw, 3, "switches of both");
}

static void test_many(const struct report_row *row)
{
	is_str(row->causes,
	       "migrated \xc3\x97"
	       "1, other \xc3\x97"
	       "1",
	       "a cause of a later version is another");
	is_near(row->shown.faults_per_wall_s_per_cpu, 40000, "the lower of two");
	is_near(row->skew_median_s, 42.5e-6, "skew: the middle of 126");
	is_near(row->skew_p99_s, 124e-6, "skew: the 125th of 126");
	is_near(row->skew_max_s, 126e-6, "skew: the last, without warm-up and disturbed repeat");
	is_near(row->per_fault[PERF_PAGE_FAULTS], 1.002, "page faults by perf");
	is_near(row->per_fault[PERF_INSTRUCTIONS_USER], 20, "instructions");
	is_near(row->per_fault[PERF_INSTRUCTIONS_KERNEL], 1500, "instructions in the kernel");
	is_near(row->per_fault[PERF_CYCLES_USER], 40, "cycles");
	is_near(row->per_fault[PERF_CYCLES_KERNEL], 2531.5, "cycles in the kernel");
	is_near(row->per_fault[PERF_DTLB_MISSES_USER], 0.2275, "misses: 7 × (1 + … + 64) / 64000");
	is_near(row->per_fault[PERF_DTLB_MISSES_KERNEL], 0.25, "misses in the kernel");
	is_near(row->steal, 0.005, "stolen: 32 ms of 100 ms on each of 64 CPUs");
	is_near(row->foreign, 0.0025, "others: 16 ms of them");
	is_int(row->nivcsw, 64, "a switch each");
}

static void test_rows(const struct result *r)
{
	struct report_rows rows;
	char text[200];

	rows_of(r, &rows);
	is_int((int64_t)rows.n, 6, "one row per point");
	test_some(&rows.rows[0]);
	test_interval(&rows.rows[0]);
	test_all(&rows.rows[1]);
	test_many(&rows.rows[2]);
	report_disturbed_text(&rows.rows[3], text, sizeof(text));
	is_str(text,
	       "the only repeat was disturbed: the rates are of a disturbed repeat: other \xc3\x97"
	       "1",
	       "one of one");
	ok(!rows.rows[3].stopped && isnan(rows.rows[3].cold), "neither stopped nor warmed up");
	ok(rows.rows[4].disturbed == -1 && !rows.rows[4].causes &&
		   !report_disturbed_text(&rows.rows[4], text, sizeof(text)),
	   "a failed point counts nothing");
	is_str(text, "", "and says nothing");
	ok(rows.rows[5].disturbed == -1 && rows.rows[5].repeats == 2,
	   "repeats of before: nobody looked");
	ok(!rows.rows[5].stopped, "a reason to stop that is not known here");
	report_rows_free(&rows);
}

static void test_format(const char *format, const struct result *r)
{
	char name[64], *got, *want;

	snprintf(name, sizeof(name), "report/disturbed.%s.txt", format);
	want = read_data(name);
	got = report(format, r);
	is_text(got, want, name);
	free(got);
	free(want);
}

/* Columns that no row has a number for are for programs only, and so are empty tables. */
static void test_absent(void)
{
	struct result *r = result_new();
	struct report_rows rows;
	const struct report_column *columns[REPORT_MAX_COLUMNS];
	struct repeat *repeat;
	char *text;

	result_add_point(r, "fork", "fork", "malloc", "write", false, 1, 10);
	repeat = point_add_repeat(&r->points[0]);
	repeat->wall_ns[0] = 1000000;
	repeat->minflt[0] = 10;
	for (int i = 0; i < PERF_N_EVENTS; i++)
		repeat->perf[i][0] = -1;
	rows_of(r, &rows);
	is_int(rows.rows[0].disturbed, 0, "looked at, and undisturbed");
	is_int((int64_t)report_columns_of(&rows, REPORT_PER_FAULT, columns), 0, "nothing counted");
	report_rows_free(&rows);
	text = report("wide", r);
	ok(!strstr(text, "per fault, counted"), "wide: no table of it");
	ok(!strstr(text, "cold to") || strstr(text, "cold to") == strstr(text, "cold to warm:"),
	   "wide: no cold column without a warm-up");
	ok(!strstr(text, "p99"), "wide: no skew of one worker");
	ok(!strstr(text, "seed") && strstr(text, "\nrounds   1\n"), "wide: a round, no seed");
	free(text);
	text = report("csv", r);
	has_str(text, ",cold_over_warm,", "csv: all columns");
	has_str(text, ",perf_dtlb_misses_kernel_per_fault,", "csv: perf's too");
	free(text);
	result_free(r);
}

/* Without its faults, and with more workers than CPUs. */
static void test_oversubscribed(void)
{
	struct result *r = result_new();
	struct report_rows rows;
	struct repeat *repeat;

	result_add_point(r, "fork", "fork", "malloc", "write", false, 3, 10);
	repeat = point_add_repeat(&r->points[0]);
	for (int w = 0; w < 3; w++) {
		repeat->cpu[w] = w == 1 ? 7 : 2;
		repeat->wall_ns[w] = 1000000;
	}
	repeat->lived_ns = 1000;
	repeat->steal_ns = 200;
	repeat->foreign_ns = 2000;
	rows_of(r, &rows);
	is_near(rows.rows[0].steal, 0.1, "a part of the time of two CPUs");
	is_near(rows.rows[0].foreign, 1, "all of it");
	ok(isnan(rows.rows[0].per_fault[PERF_PAGE_FAULTS]), "per fault, without one");
	is_near(rows.rows[0].skew_max_s + 1, 1, "three that began together");
	report_rows_free(&rows);
	result_free(r);
}

/* A first pass that was disturbed tells nothing, and a second one is not the first. */
static void test_disturbed_cold(void)
{
	struct result *r = result_new();
	struct report_rows rows;

	result_add_point(r, "fork", "fork", "malloc", "write", false, 1, 10);
	for (int i = 0; i < 3; i++) {
		struct repeat *repeat = point_add_repeat(&r->points[0]);

		repeat->order = i;
		repeat->warmup = i < 2;
		repeat->wall_ns[0] = 4000000 >> i;
		repeat->minflt[0] = 10;
	}
	r->points[0].repeats[1].disturbed = 1;
	rows_of(r, &rows);
	is_near(rows.rows[0].cold, 0.25, "the second warm-up was disturbed: that is nothing");
	report_rows_free(&rows);
	r->points[0].repeats[0].disturbed = 1;
	r->points[0].repeats[1].disturbed = 0;
	rows_of(r, &rows);
	ok(isnan(rows.rows[0].cold), "the first one was: cold to warm is n/a");
	report_rows_free(&rows);
	result_free(r);
}

/* Equal rates have an interval without width, but what change they show is not known. */
static void test_equal(void)
{
	struct result *r = result_new();
	struct report_rows rows;
	char cell[20];

	result_add_point(r, "fork", "fork", "malloc", "write", false, 1, 10);
	for (int i = 0; i < 8; i++) {
		struct repeat *repeat = point_add_repeat(&r->points[0]);

		repeat->order = i;
		repeat->wall_ns[0] = 1000000;
		repeat->minflt[0] = 10;
	}
	rows_of(r, &rows);
	ok(rows.rows[0].low == 0 && rows.rows[0].high == 0, "equal rates: an interval of one");
	ok(isnan(rows.rows[0].smallest_change), "equal rates: no smallest change");
	for (size_t i = 0; i < n_report_columns; i++) {
		const struct report_column *c = &report_columns[i];

		if (c->name && !strcmp(c->name, "smallest_change")) {
			report_cell(c, &rows.rows[0], cell, sizeof(cell));
			is_str(cell, "n/a", "equal rates: it is shown as n/a");
		}
	}
	r->points[0].repeats[0].wall_ns[0]++;
	r->points[0].repeats[1].wall_ns[0]++;
	report_rows_free(&rows);
	rows_of(r, &rows);
	ok(rows.rows[0].smallest_change > 0, "two that differ: one that is above 0");
	report_rows_free(&rows);
	result_free(r);
}

/* Points with a great many repeats take a look or few at each. */
static void test_great(void)
{
	enum { GREAT = 100000 };
	struct result *r = result_new();
	struct report_rows rows;

	result_add_point(r, "fork", "fork", "malloc", "write", false, 1, 10);
	for (int i = 0; i < GREAT; i++) {
		struct repeat *repeat = point_add_repeat(&r->points[0]);

		repeat->order = i;
		repeat->warmup = i < 2;
		repeat->wall_ns[0] = 1000000 + i;
		repeat->minflt[0] = 10;
		repeat->disturbed = i ? ~0u : 0; /* more bits than there are causes */
	}
	rows_of(r, &rows);
	is_int(rows.rows[0].disturbed, GREAT - 2, "all of very many were disturbed");
	has_str(rows.rows[0].causes,
		"steal \xc3\x97"
		"99998, ",
		"by all causes");
	is_near(rows.rows[0].cold, (1000000. + (GREAT + 2) / 2) / 1000000,
		"the first is the cold one");
	report_rows_free(&rows);
	result_free(r);
}

static void test_remark(void)
{
	struct report_row row = {
		.status_code = POINT_FAILED,
		.status = "failed",
		.workers = 2,
		.disturbed = -1,
	};
	char text[200];

	ok(report_remark_text(&row, text, sizeof(text)), "a failed point is remarked on");
	is_str(text, "2 CPUs failed: no reason given", "without a reason");
	row.reason = "no memory";
	report_remark_text(&row, text, sizeof(text));
	is_str(text, "2 CPUs failed: no memory", "with one");
	report_remark_text(&row, text, 8);
	is_str(text, "2 CPUs ", "cut where there is no room");
	row.status_code = POINT_OK;
	row.workers = row.disturbed = 1;
	row.repeats = 3;
	row.causes = (char *)"steal";
	ok(report_remark_text(&row, text, sizeof(text)), "so are disturbed repeats");
	is_str(text, "1 CPU: 1 of 3 repeats was disturbed: steal", "and how");
	row.disturbed = 0;
	ok(!report_remark_text(&row, text, sizeof(text)), "nothing to remark on");
	is_str(text, "", "no text");
}

int main(void)
{
	struct result *r = load("report/disturbed.json");

	test_format("sgi", r);
	test_format("wide", r);
	test_format("csv", r);
	test_format("json", r);
	test_format("markdown", r);
	test_rows(r);
	test_absent();
	test_oversubscribed();
	test_disturbed_cold();
	test_equal();
	test_great();
	test_remark();
	result_free(r);
	return tap_done();
}
