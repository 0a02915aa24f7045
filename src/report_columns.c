/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_columns: the columns of reports: what they are called, in which unit, where they are. */
#include "config.h"

#include "report_rows.h"

#include "util.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* For programs only. */
#define DATA(name, kind, member)                                                                   \
	{                                                                                          \
		name, kind, offsetof(struct report_row, member), { NULL, NULL }, 1, 0, false       \
	}
/* For people as well, in two lines of heading. */
#define COUNT(name, member, above, below)                                                          \
	{                                                                                          \
		name, REPORT_COUNT, offsetof(struct report_row, member), { above, below }, 1, 0,   \
			false                                                                      \
	}
#define NUMBER(name, member, above, below, scale, decimals, sign)                                  \
	{                                                                                          \
		name, REPORT_NUMBER, offsetof(struct report_row, member), { above, below }, scale, \
			decimals, sign                                                             \
	}

enum { PERCENT = 100, MICRO = 1000000 };

/* The order is that of the report. */
const struct report_column report_columns[] = {
	DATA("type", REPORT_TEXT, type),
	DATA("model", REPORT_TEXT, model),
	DATA("object", REPORT_TEXT, object),
	DATA("touch", REPORT_TEXT, touch),
	DATA("shared", REPORT_FLAG, shared),
	COUNT("workers", workers, "", "CPUs"),
	DATA("status", REPORT_TEXT, status),
	DATA("reason", REPORT_TEXT, reason),
	NUMBER("faults_per_wall_s_per_cpu", shown.faults_per_wall_s_per_cpu, "faults/s", "per CPU",
	       1, 0, false),
	NUMBER(NULL, below, "min", "%", PERCENT, 1, true),
	NUMBER(NULL, above, "max", "%", PERCENT, 1, true),
	DATA("faults_per_wall_s_per_cpu_min", REPORT_NUMBER, rate_min),
	DATA("faults_per_wall_s_per_cpu_max", REPORT_NUMBER, rate_max),
	COUNT("repeats", repeats, "re-", "peats"),
	NUMBER("faults_per_wall_s", shown.faults_per_wall_s, "faults/s", "total", 1, 0, false),
	DATA("faults_per_sys_s", REPORT_NUMBER, shown.faults_per_sys_s),
	NUMBER("efficiency", efficiency, "effi-", "ciency %", PERCENT, 1, false),
	DATA("faults", REPORT_COUNT, shown.faults),
	DATA("pages_per_worker", REPORT_COUNT, pages),
	NUMBER("faults_per_page", faults_per_page, "faults", "per page", 1, 3, false),
	NUMBER("start_skew_s", start_skew_s, "start", "skew us", MICRO, 1, false),
	NUMBER("map_s", map_s, "map", "us", MICRO, 1, false),
	NUMBER("unmap_s", unmap_s, "unmap", "us", MICRO, 1, false),
	NUMBER("busy_share", busy, "busy", "%", PERCENT, 1, false),
	DATA("max_wall_s", REPORT_NUMBER, shown.max_wall_s),
	DATA("min_wall_s", REPORT_NUMBER, shown.min_wall_s),
	DATA("sys_s", REPORT_NUMBER, shown.sys_s),
	DATA("user_s", REPORT_NUMBER, shown.user_s),
	DATA("totcpu_s", REPORT_NUMBER, shown.totcpu_s),
	DATA("totcpu_per_cpu_s", REPORT_NUMBER, shown.totcpu_per_cpu_s),
	DATA("nodes", REPORT_COUNT, shown.nodes),
};
const size_t n_report_columns = ARRAY_SIZE(report_columns);
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

static void number_cell(const struct report_column *c, double value, char *buf, size_t len)
{
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
	if (c->kind == REPORT_TEXT && report_text(c, row))
		snprintf(buf, len, "%s", report_text(c, row));
	else if (c->kind == REPORT_FLAG)
		snprintf(buf, len, "%s", report_flag(c, row) ? "yes" : "no");
	else if (c->kind == REPORT_COUNT && report_count(c, row) >= 0)
		snprintf(buf, len, "%" PRId64, report_count(c, row));
	else if (c->kind == REPORT_NUMBER && isfinite(report_number(c, row)))
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
