/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reports: one result file in every format against the text wanted, and the derived numbers. */
#include "config.h"

#include "report.h"
#include "report_rows.h"

#include "tap.h"
#include "text.h"

#include <errno.h>
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
	/* The report names the file; where the tree lies must not show in what is compared. */
	free(r->path);
	r->path = strdup("sample.json");
	return r;
}

static char *report(const char *format, const struct result *const *results, size_t n)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct err err = { 0 };

	is_int(report_write(out, report_find(format), results, n, &err), 0, format);
	fclose(out);
	return text;
}

static void test_format(const char *format, const struct result *r)
{
	char name[64], *got, *want;

	snprintf(name, sizeof(name), "report/sample.%s.txt", format);
	want = read_data(name);
	got = report(format, &r, 1);
	is_text(got, want, name);
	free(got);
	free(want);
}

static bool near(double got, double want)
{
	return fabs(got - want) <= 1e-12 * fabs(want);
}

static void is_near(double got, double want, const char *what)
{
	if (!ok(near(got, want), "%s", what))
		printf("# got %.17g, want %.17g\n", got, want);
}

/* What files of before do not have is not known; it is not 0, and not "undisturbed". */
static void test_before(const struct report_row *row)
{
	ok(row->disturbed == -1 && !row->causes && !row->stopped, "nobody looked for disturbances");
	ok(row->nivcsw == -1 && isnan(row->steal) && isnan(row->foreign), "nor for others");
	ok(isnan(row->low) && isnan(row->high) && isnan(row->shown.rate_low) &&
		   isnan(row->shown.rate_high),
	   "three repeats give no interval");
	for (int i = 0; i < PERF_N_EVENTS; i++)
		ok(isnan(row->per_fault[i]), "perf did not count %s", perf_event_names[i]);
}

/* The numbers that the sample was made for, computed by hand. */
static void test_rows(const struct result *r)
{
	struct report_rows rows;
	struct err err = { 0 };
	const struct report_row *row;

	is_int(report_rows_make(r, &rows, &err), 0, "rows are derived");
	is_int((int64_t)rows.n, 7, "one row per point");
	row = rows.rows;
	is_str(row[0].type, "fork", "the first type first");
	is_str(row[1].type, "fork", "its other points follow, wherever they stand");
	is_str(row[2].type, "fork:zero:shared", "then the next type");
	is_int(row[0].repeats, 3, "warm-ups are not counted");
	is_near(row[0].shown.faults_per_wall_s_per_cpu, 1000 / 0.010, "the median repeat");
	is_near(row[0].rate_min, 1001 / 0.012, "the slowest, with its major fault");
	is_near(row[0].rate_max, 1001 / 0.008, "the fastest");
	is_near(row[0].below, 1001 / 0.012 / 100000 - 1, "how far below");
	is_near(row[0].above, 1001 / 0.008 / 100000 - 1, "how far above");
	is_near(row[0].map_s, 3000e-9, "map: the median, without the warm-up");
	is_near(row[0].unmap_s, 4000e-9, "unmap: the median, without the warm-up");
	is_near(row[1].shown.faults_per_wall_s_per_cpu, 40000, "of two repeats the lower");
	is_near(row[1].efficiency, 0.4, "efficiency against one worker");
	is_near(row[1].skew_median_s, 1500e-9, "skew: the mean of the middle two of 2000 and 1000");
	is_near(row[1].skew_p99_s, 2000e-9, "its 99th percentile");
	is_near(row[1].skew_max_s, 2000e-9, "the largest");
	ok(isnan(row[0].skew_median_s) && isnan(row[0].skew_p99_s) && isnan(row[0].skew_max_s),
	   "one worker has no skew");
	is_near(row[0].cold, (1000 / 0.090) / 100000, "the first pass against the shown rate");
	ok(isnan(row[1].cold), "no warm-up: nothing to compare with");
	is_near(row[1].busy, 0.049 / (2 * 0.025), "busy share");
	ok(isnan(row[2].rate_min) && isnan(row[2].above), "one repeat has no spread");
	is_near(row[2].skew_median_s, 1020e-9, "skew with a start before the announced time");
	is_near(row[2].map_s, 45600e-9, "a shared object is mapped once");
	is_near(row[2].unmap_s, 78900e-9, "and unmapped once");
	is_near(row[2].efficiency, 1, "the smallest worker count of its type is 2");
	ok(row[3].status_code == POINT_FAILED && isnan(row[3].shown.max_wall_s) &&
		   row[3].shown.faults == -1 && isnan(row[3].efficiency) && row[3].repeats == -1,
	   "a failed point has no number, though it has a repeat");
	ok(isnan(row[5].shown.faults_per_wall_s) && isnan(row[5].busy) && isnan(row[5].efficiency),
	   "too short for the clock: no rate, no share");
	is_near(row[5].faults_per_page, 1, "but the faults are counted");
	ok(isnan(row[6].map_s) && isnan(row[6].skew_max_s) && isnan(row[6].faults_per_page),
	   "columns that were not measured");
	test_before(&row[0]);
	report_rows_free(&rows);
}

static void test_json(const struct result *r)
{
	const struct result *const twice[] = { r, r };
	char *text = report("json", twice, 2);
	json_error_t error;
	json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, &error), *rows, *cell;
	const char *key;

	ok(json_is_object(all), "json parses");
	is_str(json_string_value(json_object_get(all, "format")), "pfscale-report", "its format");
	is_int((int64_t)json_array_size(json_object_get(all, "files")), 2, "one entry per file");
	rows = json_object_get(json_array_get(json_object_get(all, "files"), 1), "rows");
	is_int((int64_t)json_array_size(rows), 7, "all rows");
	json_object_foreach(json_array_get(rows, 3), key, cell)
		ok(!json_is_number(cell) || !strcmp(key, "workers") ||
			   !strcmp(key, "pages_per_worker"),
		   "a failed point has no number: %s", key);
	ok(!strstr(text, "nan") && !strstr(text, "inf"), "no nan, no inf");
	json_decref(all);
	free(text);
}

static void test_several(const struct result *r)
{
	const struct result *const twice[] = { r, r };
	char *once = read_data("report/sample.sgi.txt"), *got, *want;
	size_t len = strlen(once);

	want = malloc(2 * len + 1);
	snprintf(want, 2 * len + 1, "%s%s", once, once);
	got = report("sgi", twice, 2);
	is_text(got, want, "sgi: the tables of several files one after the other");
	free(got);
	free(want);
	got = report("csv", twice, 2);
	ok(!strncmp(got, "file,label", 10) && !strstr(got + 1, "file,label"),
	   "csv: one header for all files");
	free(got);
	free(once);
}

static void test_empty(void)
{
	struct result *r = result_new();
	char *text;

	text = report("sgi", (const struct result *const *)&r, 1);
	is_text(text, "", "sgi: no point, no table");
	free(text);
	text = report("wide", (const struct result *const *)&r, 1);
	has_str(text, "no points", "wide says so");
	free(text);
	text = report("markdown", (const struct result *const *)&r, 1);
	has_str(text, "### pfscale\n", "markdown has a heading");
	free(text);
	/* planned, and interrupted before its first timed repeat */
	result_add_point(r, "fork", "fork", "malloc", "write", false, 1, 10);
	point_add_repeat(&r->points[0])->warmup = true;
	text = report("sgi", (const struct result *const *)&r, 1);
	is_text(text, "", "sgi: a point that has not run has no row and no header");
	free(text);
	result_free(r);
}

static void test_heading(void)
{
	struct result *r = result_new();
	char *text;

	result_add_point(r, "fork", "fork", "malloc", "write", false, 1, 24415);
	json_object_set_new(r->system, "page_size", json_integer(4096));
	free(r->label);
	r->label = strdup("\x1b[31mred\n\xc2\x9b"
			  "2J\xc2\xa0\xc3\xa4");
	text = report("wide", (const struct result *const *)&r, 1);
	has_str(text, "memory   24415 pages of 4096 bytes per worker (100.004 MB)\n",
		"wide: the size per worker");
	has_str(text, "label    ?[31mred??2J\xc2\xa0\xc3\xa4\n",
		"wide: no control character of a file gets through");
	ok(!strstr(text, "host ") && !strstr(text, "kernel "),
	   "wide: what is not known is left out");
	free(text);
	text = report("markdown", (const struct result *const *)&r, 1);
	has_str(text, "\n\n- memory: 24415 pages of 4096 bytes per worker (100.004 MB)\n",
		"markdown: the same facts, without the label, which is the title");
	free(text);
	json_object_del(r->system, "page_size");
	text = report("wide", (const struct result *const *)&r, 1);
	has_str(text, "memory   24415 pages per worker\n", "wide: pages of unknown size");
	free(text);
	text = report("csv", (const struct result *const *)&r, 1);
	ok(strchr(text, '\n')[1] == '\0', "csv: the header alone where nothing has run");
	free(text);
	result_free(r);
}

/* One probe is nothing to compare with; the tables of disturbed.json have a line of two. */
static void test_one_probe(void)
{
	struct result *r = result_new();
	char *text;

	json_array_append_new(r->canary, json_pack("{s:[i], s:[f]}", "cpu", 0,
						   canary_quantities[CANARY_STORES].name, 100.));
	text = report("wide", (const struct result *const *)&r, 1);
	ok(!strstr(text, "canary"), "no drift known, no line");
	free(text);
	result_free(r);
}

/* The largest numbers that a file may hold come out right, or as n/a. */
static void test_extremes(void)
{
	struct result *r = result_new();
	struct report_rows rows;
	struct repeat *repeat;
	struct err err = { 0 };

	result_add_point(r, "fork", "fork", "malloc", "write", false, 2, INT64_MAX);
	repeat = point_add_repeat(&r->points[0]);
	repeat->start_ns[0] = INT64_MIN;
	repeat->start_ns[1] = INT64_MAX;
	repeat->sys_ns[0] = repeat->sys_ns[1] = INT64_MAX;
	repeat->minflt[0] = repeat->majflt[1] = INT64_MAX;
	repeat->wall_ns[0] = INT64_MAX;
	repeat->nivcsw[0] = INT64_MAX;
	repeat->steal_ns = INT64_MAX;
	repeat->lived_ns = 0;
	is_int(report_rows_make(r, &rows, &err), 0, "extremes");
	is_near(rows.rows[0].skew_median_s, 18446744073.709551615, "the largest skew");
	is_near(rows.rows[0].shown.sys_s, 18446744073.709551614, "the largest CPU time");
	ok(rows.rows[0].shown.faults == -1 && isnan(rows.rows[0].shown.faults_per_wall_s),
	   "more faults than can be counted are not known");
	ok(rows.rows[0].nivcsw == -1, "nor switches");
	ok(isnan(rows.rows[0].steal), "no part of no time");
	ok(isnan(rows.rows[0].per_fault[PERF_CYCLES_USER]), "nothing per fault without faults");
	report_rows_free(&rows);
	result_free(r);
}

/* A number that is finite in the file, and not in the unit that people read. */
static void test_overflow(void)
{
	struct result *r = result_new();
	char *text;

	result_add_point(r, "fork", "fork", "malloc", "write", false, 1, 0);
	r->points[0].has_summary = true;
	r->points[0].summary = (struct summary){ .max_wall_s = 1, .totcpu_s = 1e308, .faults = -1 };
	text = report("wide", (const struct result *const *)&r, 1);
	if (!ok(!strstr(text, "inf") && strstr(text, "n/a\n"), "wide: no inf"))
		printf("# %s\n", text);
	free(text);
	result_free(r);
}

static void test_full_disk(const struct result *r)
{
	static const char *const names[] = { "sgi", "wide", "csv", "json", "markdown" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		FILE *full = fopen("/dev/full", "w");
		struct err err = { 0 };

		if (!full) {
			skip(names[i], "no /dev/full");
			continue;
		}
		is_int(report_write(full, report_find(names[i]), &r, 1, &err), -ENOSPC, names[i]);
		is_str(err.call, "write", "the error names the call");
		fclose(full);
	}
}

int main(void)
{
	struct result *r = load("report/sample.json");

	is_str(report_formats[0]->name, "sgi", "sgi is the default");
	ok(!report_find("SGI") && !report_find(""), "no such format");
	test_format("sgi", r);
	test_format("wide", r);
	test_format("csv", r);
	test_format("json", r);
	test_format("markdown", r);
	test_rows(r);
	test_json(r);
	test_several(r);
	test_empty();
	test_heading();
	test_one_probe();
	test_extremes();
	test_overflow();
	test_full_disk(r);
	result_free(r);
	return tap_done();
}
