/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_rows: what reports show of a result, derived once for every format. */
#ifndef PFSCALE_REPORT_ROWS_H
#define PFSCALE_REPORT_ROWS_H

#include "err.h"
#include "result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Where a result comes from. Strings belong to the result and are never NULL; "" = not known. */
struct report_heading {
	const char *file, *label, *created, *hostname, *kernel, *machine, *cpu;
	const char *imported_from; /* the format of the table that it was read from */
	bool complete;
	int64_t page_size; /* bytes; -1 = not known */
	int64_t pages;	   /* per worker, where all points have the same; else -1 */
};

/*
 * One point. NAN and -1: not known, or not to be had from so short an interval; so is every number
 * of a failed or skipped point. Rates, CPU times, faults and nodes are of one real repeat, the one
 * that summary_pick() names, so that they agree with each other. Strings belong to the result.
 */
struct report_row {
	const char *type, *model, *object, *touch, *status, *reason; /* reason: NULL = none */
	bool shared;
	enum point_status status_code;
	bool measured;		   /* from repeats; else numbers that were imported as they are */
	int64_t workers, pages;	   /* pages per worker */
	int64_t repeats;	   /* timed ones, warm-ups left out; -1 = imported */
	struct summary shown;	   /* totcpu_s and totcpu_per_cpu_s are filled in */
	double rate_min, rate_max; /* of faults per second per CPU, over the repeats; from 2 on */
	double below, above;	   /* the same, as a part of the shown rate: -0.02, 0.01 */
	double efficiency; /* rate per CPU over that of the type's smallest worker count with one */
	double faults_per_page;
	double start_skew_s;   /* last start less first start; median over the repeats */
	double map_s, unmap_s; /* median over repeats and workers; the team's, if it shares one */
	double busy;	       /* TOTCPU over workers times MAX WALL */
};

/* Rows in the order of the file, but types together, each where its first point is. */
struct report_rows {
	struct report_row *rows;
	size_t n;
};

void report_heading_of(const struct result *r, struct report_heading *out);

/*
 * Derive the rows of a result. Points that were never run (no repeat but warm-ups, no summary) have
 * none. Returns 0 or -ENOMEM; report_rows_free() frees what was made.
 */
int report_rows_make(const struct result *r, struct report_rows *out, struct err *err);
void report_rows_free(struct report_rows *rows);

enum report_kind { REPORT_TEXT, REPORT_FLAG, REPORT_COUNT, REPORT_NUMBER };

/* One column, for all formats. */
struct report_column {
	const char *name; /* in CSV and JSON, with the unit; NULL = for people only */
	enum report_kind kind;
	size_t offset; /* within struct report_row: const char *, bool, int64_t, double */
	/* for people: two lines of heading (NULL = for programs only), in which unit and how fine
	 */
	const char *title[2];
	double scale;
	int decimals;
	bool sign; /* print a + as well */
};

/* More than there are, for arrays. */
enum { REPORT_MAX_COLUMNS = 64 };

extern const struct report_column report_columns[];
extern const size_t n_report_columns;

/* A row's value in a column of that kind. */
const char *report_text(const struct report_column *c, const struct report_row *row);
bool report_flag(const struct report_column *c, const struct report_row *row);
int64_t report_count(const struct report_column *c, const struct report_row *row);
double report_number(const struct report_column *c, const struct report_row *row);

/*
 * A value as people read it: scaled, rounded (without decimals: truncated, as in the sgi format),
 * "n/a" where there is none. Text is cut to len.
 */
void report_cell(const struct report_column *c, const struct report_row *row, char *buf,
		 size_t len);

/* Write text from a file with its control characters, which a terminal might obey, as '?'. */
void report_put_plain(FILE *out, const char *text);

#endif
