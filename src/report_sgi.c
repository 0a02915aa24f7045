/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_sgi: the table that SGI's test program printed in 2004, to the last digit. */
#include "config.h"

#include "report_sgi.h"

#include "report.h"
#include "report_rows.h"
#include "util.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Where the columns after the type end, counted from 1. */
static const int column_ends[] = { 24, 35, 46, 57, 66, 77, 87, 100, 110, 120, 128 };

enum { FIELD_LEN = 400 }; /* any finite double with three decimals */

/* A row in the making. */
struct line {
	FILE *out;
	size_t column; /* the next one, as an index of column_ends */
	int filled;    /* character columns written so far */
};

/*
 * A field ends at its column's end. One that is too wide, or comes after one that was, moves right
 * as far as it must to keep one blank before it, and no farther: the columns after it stand under
 * their headings again as soon as there is room.
 */
static void put(struct line *line, const char *field)
{
	int width = column_ends[line->column++] - line->filled;

	if (width < (int)strlen(field) + 1)
		width = (int)strlen(field) + 1;
	fprintf(line->out, "%*s", width, field);
	line->filled += width;
}

static struct line begin(FILE *out, const char *type, unsigned workers)
{
	struct line line = { .out = out, .filled = (int)strlen(type) };
	char field[FIELD_LEN];

	fputs(type, out);
	snprintf(field, sizeof(field), "%u", workers);
	put(&line, field);
	return line;
}

static bool known(double value)
{
	return isfinite(value) && value >= 0;
}

static void put_time(struct line *line, double seconds)
{
	char field[FIELD_LEN] = "n/a";

	if (known(seconds))
		snprintf(field, sizeof(field), "%.3f", seconds);
	put(line, field);
}

/* Truncated as a floating-point number, so that no integer type can overflow. */
static void put_rate(struct line *line, double rate)
{
	char field[FIELD_LEN] = "n/a";

	if (known(rate))
		snprintf(field, sizeof(field), "%.0f", trunc(rate));
	put(line, field);
}

static void put_count(struct line *line, int64_t count)
{
	char field[FIELD_LEN] = "n/a";

	if (count >= 0)
		snprintf(field, sizeof(field), "%" PRId64, count);
	put(line, field);
}

/*
 * The original's arithmetic: every operand and quotient is a float. volatile, so that a compiler
 * that computes in wider registers (x87) rounds where the original did.
 */
static double divide(double dividend, double divisor)
{
	volatile float n = (float)dividend, d = (float)divisor, quotient;

	if (!(d > 0))
		return NAN;
	quotient = n / d;
	return (double)quotient;
}

/* The three rates in the order of their columns. */
static void rates_of(const struct sgi_row *row, double rates[3])
{
	double faults = row->faults >= 0 ? (double)row->faults : NAN;

	if (row->given_rates) {
		rates[0] = row->faults_per_wall_s;
		rates[1] = row->faults_per_sys_s;
		rates[2] = row->faults_per_wall_s_per_cpu;
		return;
	}
	rates[0] = row->wall_too_short ? NAN : divide(faults, row->max_wall_s);
	rates[1] = row->sys_too_short ? NAN : divide(faults, row->sys_s);
	rates[2] = divide(rates[0], row->workers);
}

void sgi_write_header(FILE *out)
{
	fprintf(out, "%120s\n", "PF/");
	fprintf(out, "%35s%11s%41s%13s%10s%10s\n", "MAX", "MIN", "TOTCPU/", "TOT_PF/", "TOT_PF/",
		"WSEC/");
	fprintf(out, "TYPE:%19s%11s%11s%11s%9s%11s%10s%13s%10s%10s%8s\n", "CPUS", "WALL", "WALL",
		"SYS", "USER", "TOTCPU", "CPU", "WALL_SEC", "SYS_SEC", "CPU", "NODES");
}

void sgi_write_row(FILE *out, const struct sgi_row *row)
{
	struct line line = begin(out, row->type, row->workers);
	double totcpu = NAN, per_cpu, rates[3];

	if (known(row->sys_s) && known(row->user_s))
		totcpu = row->sys_s + row->user_s;
	if (row->given_rates && known(row->totcpu_s))
		totcpu = row->totcpu_s;
	per_cpu = totcpu / row->workers;
	if (row->given_rates && known(row->totcpu_per_cpu_s))
		per_cpu = row->totcpu_per_cpu_s;
	rates_of(row, rates);

	put_time(&line, row->max_wall_s);
	put_time(&line, row->min_wall_s);
	put_time(&line, row->sys_s);
	put_time(&line, row->user_s);
	put_time(&line, totcpu);
	put_time(&line, per_cpu);
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		put_rate(&line, rates[i]);
	put_count(&line, row->nodes);
	fputc('\n', out);
}

void sgi_write_word(FILE *out, const char *type, unsigned workers, const char *word)
{
	struct line line = begin(out, type, workers);

	put(&line, word);
	fputc('\n', out);
}

static void write_numbers(FILE *out, const struct report_row *row)
{
	const struct summary *s = &row->shown;

	sgi_write_row(out,
		      &(struct sgi_row){
			      .type = row->type,
			      .workers = (unsigned)row->workers,
			      .max_wall_s = s->max_wall_s,
			      .min_wall_s = s->min_wall_s,
			      .sys_s = s->sys_s,
			      .user_s = s->user_s,
			      .faults = s->faults,
			      .nodes = s->nodes,
			      /* summary.c says what is too short; here only precision differs */
			      .wall_too_short = isnan(s->faults_per_wall_s),
			      .sys_too_short = isnan(s->faults_per_sys_s),
			      .given_rates = !row->measured,
			      .faults_per_wall_s = s->faults_per_wall_s,
			      .faults_per_sys_s = s->faults_per_sys_s,
			      .faults_per_wall_s_per_cpu = s->faults_per_wall_s_per_cpu,
			      .totcpu_s = s->totcpu_s,
			      .totcpu_per_cpu_s = s->totcpu_per_cpu_s,
		      });
}

static int write_result(FILE *out, const struct result *r, struct err *err)
{
	struct report_rows rows;
	int ret = report_rows_make(r, &rows, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < rows.n; i++) {
		const struct report_row *row = &rows.rows[i];

		if (!i || strcmp(row->type, row[-1].type))
			sgi_write_header(out);
		if (row->status_code == POINT_OK)
			write_numbers(out, row);
		else
			sgi_write_word(out, row->type, (unsigned)row->workers, row->status);
	}
	report_rows_free(&rows);
	return 0;
}

static int write_sgi(FILE *out, const struct result *const *results, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		int ret = write_result(out, results[i], err);

		if (ret)
			return ret;
	}
	return 0;
}

const struct report_format report_format_sgi = {
	.name = "sgi",
	.summary = "the tables of SGI's test program of 2004",
	.write = write_sgi,
};
