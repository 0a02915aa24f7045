/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_rows: what reports show of a result, derived once for every format. */
#ifndef PFSCALE_REPORT_ROWS_H
#define PFSCALE_REPORT_ROWS_H

#include "canary.h"
#include "err.h"
#include "perf_event.h"
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
	int64_t seed;	   /* of the order; -1 = not known */
	/* that points took part in, to warm up and timed: the most of any; 0 = imported or none */
	size_t warmups, rounds;
	double canary[CANARY_N_KINDS]; /* canary_drift(); NAN = not known */
};

/*
 * One point. NAN and -1: not known, or not to be had from so short an interval; so is every number
 * of a failed or skipped point. Rates, CPU times, faults, nodes, counts per fault and shares are of
 * one real repeat, the one that summary_pick() names, so that they agree with each other. What is
 * "over the repeats" is over those that count (summary_list()). Strings belong to the result, but
 * for causes.
 */
struct report_row {
	const char *type, *model, *object, *touch, *status, *reason; /* reason: NULL = none */
	bool shared;
	enum point_status status_code;
	bool measured;		/* from repeats; else numbers that were imported as they are */
	int64_t workers, pages; /* pages per worker */
	int64_t repeats;	/* timed ones, warm-ups left out; -1 = imported */
	int64_t disturbed;	/* of these; -1 = nobody looked */
	char *causes;		/* "steal ×2, preempted ×1"; NULL = none */
	const char
		*stopped; /* point_stop_name(): why there are no more repeats; NULL = not known */
	/* totcpu_s and totcpu_per_cpu_s are filled in, and rate_low and rate_high computed anew */
	struct summary shown;
	double rate_min, rate_max; /* of faults per second per CPU, over the repeats; from 2 on */
	double below, above;	   /* the same, as a part of the shown rate: -0.02, 0.01 */
	double low, high;	   /* rate_low and rate_high, likewise */
	double smallest_change;	   /* that the repeats can show: stats_smallest_change() */
	double efficiency; /* rate per CPU over that of the type's smallest worker count with one */
	double cold;	   /* rate per CPU of the first warm-up, undisturbed, over the shown one */
	double faults_per_page;
	/*
	 * By how much later than the first of its team each of the other workers started, over
	 * workers and repeats. One worker has no skew.
	 */
	double skew_median_s, skew_p99_s, skew_max_s;
	double map_s, unmap_s; /* median over repeats and workers; the team's, if it shares one */
	double busy;	       /* TOTCPU over workers times MAX WALL */
	int64_t nivcsw;	       /* involuntary switches of all workers while they touched */
	/* the hypervisor's and other processes' part of the time of the workers' CPUs */
	double steal, foreign;
	double per_fault[PERF_N_EVENTS]; /* what perf counted, over the faults; all workers or none
					  */
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

/*
 * Say how a row's repeats were disturbed: "2 of 7 repeats were disturbed: steal ×2". Returns
 * whether any was.
 */
bool report_disturbed_text(const struct report_row *row, char *buf, size_t len);

/*
 * What a table has no room for, "2 CPUs failed: why" or "1 CPU: 2 of 7 repeats were disturbed: …".
 * Returns whether there is anything. Text is cut to len.
 */
bool report_remark_text(const struct report_row *row, char *buf, size_t len);

/*
 * Put all that the heading says to people and that is known: "kernel" and "6.18.5". Texts come as
 * they are in the file.
 */
void report_put_facts(FILE *out, const struct report_heading *h,
		      void (*put)(FILE *out, const char *what, const char *text));

/* "12, after 1 to warm up; shuffled from seed 42", and "store bandwidth -1.2 %, …"; "" = nothing.
 */
void report_rounds_text(const struct report_heading *h, char *buf, size_t len);
void report_canary_text(const struct report_heading *h, char *buf, size_t len);

enum report_kind { REPORT_TEXT, REPORT_FLAG, REPORT_COUNT, REPORT_NUMBER };

/* For people, the columns make several tables, each with the number of workers. */
enum report_block {
	REPORT_RATES,
	REPORT_BEHIND,	  /* what may explain the rates */
	REPORT_PER_FAULT, /* what perf counted */
	REPORT_N_BLOCKS
};

/* What stands behind a type's name over its table of that block: ", behind the rates". */
extern const char *const report_block_titles[REPORT_N_BLOCKS];

/* One column, for all formats. */
struct report_column {
	const char *name; /* in CSV and JSON, with the unit; NULL = for people only */
	enum report_kind kind;
	size_t offset; /* within struct report_row: const char *, bool, int64_t, double */
	/* for people: two lines of heading (NULL = for programs only), in which unit and how fine
	 */
	const char *title[2];
	double scale; /* 0 = as it is */
	int decimals;
	bool sign; /* print a + as well */
	enum report_block block;
	bool optional; /* people see it only where some row has a value */
};

/* More than there are, for arrays. */
enum { REPORT_MAX_COLUMNS = 80 };

extern const struct report_column report_columns[];
extern const size_t n_report_columns;

/*
 * The columns that people see of a block, the workers first. out has room for REPORT_MAX_COLUMNS.
 * Returns how many; 0 where no row has anything for the block.
 */
size_t report_columns_of(const struct report_rows *rows, enum report_block block,
			 const struct report_column **out);

/* Whether a row has a line in a block: always in the first, else where it has a number for it. */
bool report_in_block(const struct report_row *row, enum report_block block);

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
