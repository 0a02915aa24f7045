/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_columns: the columns of reports: what they are called, in which unit, where they are. */
#include "config.h"

#include "report_rows.h"

#include "util.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define AT(member) offsetof(struct report_row, member)

/* For programs only. */
#define DATA(called, what, member)                                                                 \
	{                                                                                          \
		.name = called, .kind = what, .offset = AT(member)                                 \
	}
/* For people as well, in two lines of heading. */
#define SHOWN(called, what, member, above, below, ...)                                             \
	{                                                                                          \
		.name = called, .kind = what, .offset = AT(member), .title = { above, below },     \
		__VA_ARGS__                                                                        \
	}
#define COUNT(called, member, above, below, ...)                                                   \
	SHOWN(called, REPORT_COUNT, member, above, below, __VA_ARGS__)
#define NUMBER(called, member, above, below, ...)                                                  \
	SHOWN(called, REPORT_NUMBER, member, above, below, __VA_ARGS__)

#define RATES	.block = REPORT_RATES
#define BEHIND	.block = REPORT_BEHIND, .optional = true
#define PERCENT .scale = 100, .decimals = 1
#define MICRO	.scale = 1000000, .decimals = 1

/* What perf counted, by the names that the file has. */
#define PER_FAULT(called, event, above, below, digits)                                             \
	NUMBER("perf_" called "_per_fault", per_fault[event], above, below,                        \
	       .block = REPORT_PER_FAULT, .optional = true, .decimals = digits)

/* The order is that of the report. */
const struct report_column report_columns[] = {
	DATA("type", REPORT_TEXT, type),
	DATA("model", REPORT_TEXT, model),
	DATA("object", REPORT_TEXT, object),
	DATA("touch", REPORT_TEXT, touch),
	DATA("shared", REPORT_FLAG, shared),
	COUNT("workers", workers, "", "CPUs", RATES),
	DATA("status", REPORT_TEXT, status),
	DATA("reason", REPORT_TEXT, reason),
	NUMBER("faults_per_wall_s_per_cpu", shown.faults_per_wall_s_per_cpu, "faults/s", "per CPU",
	       RATES),
	NUMBER(NULL, below, "min", "%", RATES, PERCENT, .sign = true),
	NUMBER(NULL, above, "max", "%", RATES, PERCENT, .sign = true),
	DATA("faults_per_wall_s_per_cpu_min", REPORT_NUMBER, rate_min),
	DATA("faults_per_wall_s_per_cpu_max", REPORT_NUMBER, rate_max),
	COUNT("repeats", repeats, "re-", "peats", RATES),
	COUNT("repeats_disturbed", disturbed, "dis-", "turbed", RATES, .optional = true),
	DATA("disturbed_by", REPORT_TEXT, causes),
	NUMBER(NULL, low, "95%", "low %", RATES, PERCENT, .sign = true),
	NUMBER(NULL, high, "95%", "high %", RATES, PERCENT, .sign = true),
	DATA("faults_per_wall_s_per_cpu_low", REPORT_NUMBER, shown.rate_low),
	DATA("faults_per_wall_s_per_cpu_high", REPORT_NUMBER, shown.rate_high),
	NUMBER("smallest_change", smallest_change, "shows", "%", RATES, PERCENT),
	SHOWN("stopped", REPORT_TEXT, stopped, "stopped", "by", RATES, .optional = true),
	NUMBER("faults_per_wall_s", shown.faults_per_wall_s, "faults/s", "total", RATES),
	DATA("faults_per_sys_s", REPORT_NUMBER, shown.faults_per_sys_s),
	NUMBER("efficiency", efficiency, "effi-", "ciency %", RATES, PERCENT),
	DATA("faults", REPORT_COUNT, shown.faults),
	DATA("pages_per_worker", REPORT_COUNT, pages),
	NUMBER("faults_per_page", faults_per_page, "faults", "per page", BEHIND, .decimals = 3),
	NUMBER("busy_share", busy, "busy", "%", BEHIND, PERCENT),
	NUMBER("cold_over_warm", cold, "cold to", "warm %", BEHIND, PERCENT),
	NUMBER("start_skew_s_median", skew_median_s, "skew us", "median", BEHIND, MICRO),
	NUMBER("start_skew_s_p99", skew_p99_s, "skew us", "p99", BEHIND, MICRO),
	NUMBER("start_skew_s_max", skew_max_s, "skew us", "max", BEHIND, MICRO),
	NUMBER("map_s", map_s, "map", "us", BEHIND, MICRO),
	NUMBER("unmap_s", unmap_s, "unmap", "us", BEHIND, MICRO),
	DATA("involuntary_switches", REPORT_COUNT, nivcsw),
	DATA("steal_share", REPORT_NUMBER, steal),
	DATA("foreign_share", REPORT_NUMBER, foreign),
	PER_FAULT("page_faults", PERF_PAGE_FAULTS, "faults", "by perf", 3),
	PER_FAULT("instructions_user", PERF_INSTRUCTIONS_USER, "instructions", "user", 1),
	PER_FAULT("instructions_kernel", PERF_INSTRUCTIONS_KERNEL, "instructions", "kernel", 1),
	PER_FAULT("cycles_user", PERF_CYCLES_USER, "cycles", "user", 1),
	PER_FAULT("cycles_kernel", PERF_CYCLES_KERNEL, "cycles", "kernel", 1),
	PER_FAULT("dtlb_misses_user", PERF_DTLB_MISSES_USER, "dTLB misses", "user", 3),
	PER_FAULT("dtlb_misses_kernel", PERF_DTLB_MISSES_KERNEL, "dTLB misses", "kernel", 3),
	DATA("max_wall_s", REPORT_NUMBER, shown.max_wall_s),
	DATA("min_wall_s", REPORT_NUMBER, shown.min_wall_s),
	DATA("sys_s", REPORT_NUMBER, shown.sys_s),
	DATA("user_s", REPORT_NUMBER, shown.user_s),
	DATA("totcpu_s", REPORT_NUMBER, shown.totcpu_s),
	DATA("totcpu_per_cpu_s", REPORT_NUMBER, shown.totcpu_per_cpu_s),
	DATA("nodes", REPORT_COUNT, shown.nodes),
};
const size_t n_report_columns = ARRAY_SIZE(report_columns);
const char *const report_block_titles[REPORT_N_BLOCKS] = {
	[REPORT_RATES] = "",
	[REPORT_BEHIND] = ", behind the rates",
	[REPORT_PER_FAULT] = ", per fault, counted by perf",
};
_Static_assert(ARRAY_SIZE(report_columns) <= REPORT_MAX_COLUMNS, "REPORT_MAX_COLUMNS");

static const void *at(const struct report_column *c, const struct report_row *row)
{
	return (const char *)row + c->offset;
}

const char *report_text(const struct report_column *c, const struct report_row *row)
{
	return *(const char *const *)at(c, row);
}

bool report_flag(const struct report_column *c, const struct report_row *row)
{
	return *(const bool *)at(c, row);
}

int64_t report_count(const struct report_column *c, const struct report_row *row)
{
	return *(const int64_t *)at(c, row);
}

double report_number(const struct report_column *c, const struct report_row *row)
{
	return *(const double *)at(c, row);
}

static bool has_value(const struct report_column *c, const struct report_row *row)
{
	switch (c->kind) {
	case REPORT_TEXT:
		return report_text(c, row);
	case REPORT_COUNT:
		return report_count(c, row) >= 0;
	case REPORT_NUMBER:
		return isfinite(report_number(c, row));
	case REPORT_FLAG:
		break;
	}
	return true;
}

static bool any_has_value(const struct report_column *c, const struct report_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (has_value(c, &rows->rows[i]))
			return true;
	}
	return false;
}

size_t report_columns_of(const struct report_rows *rows, enum report_block block,
			 const struct report_column **out)
{
	size_t n = 0;

	for (size_t i = 0; i < n_report_columns; i++) {
		const struct report_column *c = &report_columns[i];
		bool workers = c->offset == offsetof(struct report_row, workers);

		if (!c->title[0] || (c->block != block && !workers))
			continue;
		if (!c->optional || any_has_value(c, rows))
			out[n++] = c;
	}
	return n > 1 ? n : 0;
}

bool report_in_block(const struct report_row *row, enum report_block block)
{
	for (size_t i = 0; i < n_report_columns && block != REPORT_RATES; i++) {
		const struct report_column *c = &report_columns[i];

		if (c->title[0] && c->block == block && has_value(c, row))
			return true;
	}
	return block == REPORT_RATES;
}

static void number_cell(const struct report_column *c, double value, char *buf, size_t len)
{
	if (c->scale)
		value *= c->scale;
	if (!isfinite(value))
		return; /* too large in its unit */
	if (!c->decimals)
		value = trunc(value);
	snprintf(buf, len, c->sign ? "%+.*f" : "%.*f", c->decimals, value);
}

void report_cell(const struct report_column *c, const struct report_row *row, char *buf, size_t len)
{
	snprintf(buf, len, "n/a");
	if (!has_value(c, row))
		return;
	if (c->kind == REPORT_TEXT)
		snprintf(buf, len, "%s", report_text(c, row));
	else if (c->kind == REPORT_FLAG)
		snprintf(buf, len, "%s", report_flag(c, row) ? "yes" : "no");
	else if (c->kind == REPORT_COUNT)
		snprintf(buf, len, "%" PRId64, report_count(c, row));
	else
		number_cell(c, report_number(c, row), buf, len);
}

void report_put_plain(FILE *out, const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
			c++; /* U+0080 to U+009F: terminals may obey these as well */
		else if (*c >= 0x20 && *c != 0x7f) {
			fputc(*c, out);
			continue;
		}
		fputc('?', out);
	}
}
