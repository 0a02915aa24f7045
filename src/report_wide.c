/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_wide: for people: rates, how sure they are, scaling, and what may explain them. */
#include "config.h"

#include "report.h"
#include "report_rows.h"

#include <string.h>

enum { CELL_LEN = 400, TEXT_LEN = 1000, GAP = 2 };

static const char notes[] =
	"Rates, faults per page, busy and counts per fault are those of one repeat, the one of\n"
	"median rate per CPU. min %, max %: the slowest and fastest repeat against it. 95% low,\n"
	"high: the confidence interval of the median rate, against it; there is none under 6\n"
	"repeats. shows %: the smallest change of the rate from this run to another like it that\n"
	"such repeats show with a probability of 80 %, in a two-sided test at the 5 % level;\n"
	"what differs from boot to boot comes on top. stopped by: why no more repeats were run.\n"
	"efficiency: rate per CPU against the type's smallest worker count that has one. busy:\n"
	"CPU time over CPUs times longest wall time. cold to warm: the rate of the first pass, a\n"
	"warm-up, against the rate shown. skew: how much later than the first of its team each\n"
	"other worker started. map, unmap: medians over repeats and workers, for shared objects\n"
	"the team's one. Warm-ups are left out; so are disturbed repeats, unless all were\n"
	"disturbed. n/a: not known.\n";

/* The columns of one block that there are, and how wide each is in all tables. */
struct layout {
	const struct report_column *columns[REPORT_MAX_COLUMNS];
	int widths[REPORT_MAX_COLUMNS];
	size_t n; /* 0: the block has nothing to show */
};

static void put_fact(FILE *out, const char *what, const char *text)
{
	fprintf(out, "%-8s ", what);
	report_put_plain(out, text);
	fputc('\n', out);
}

static int column_width(const struct report_column *c, const struct report_rows *rows)
{
	char cell[CELL_LEN];
	size_t width = strlen(c->title[0]);

	if (strlen(c->title[1]) > width)
		width = strlen(c->title[1]);
	for (size_t i = 0; i < rows->n; i++) {
		report_cell(c, &rows->rows[i], cell, sizeof(cell));
		if (strlen(cell) > width)
			width = strlen(cell);
	}
	return (int)width + GAP;
}

static void lay_out(const struct report_rows *rows, enum report_block block, struct layout *layout)
{
	layout->n = report_columns_of(rows, block, layout->columns);
	for (size_t i = 0; i < layout->n; i++)
		layout->widths[i] = column_width(layout->columns[i], rows);
}

static void put_titles(FILE *out, const struct layout *layout)
{
	for (int line = 0; line < 2; line++) {
		for (size_t i = 0; i < layout->n; i++)
			fprintf(out, "%*s", layout->widths[i], layout->columns[i]->title[line]);
		fputc('\n', out);
	}
}

/* A point without numbers has its word where the first number would be. */
static void put_row(FILE *out, const struct report_row *row, const struct layout *layout)
{
	char cell[CELL_LEN];

	for (size_t i = 0; i < layout->n; i++) {
		if (row->status_code != POINT_OK && i) {
			fprintf(out, "%*s", layout->widths[i], row->status);
			break;
		}
		report_cell(layout->columns[i], row, cell, sizeof(cell));
		fprintf(out, "%*s", layout->widths[i], cell);
	}
	fputc('\n', out);
}

/* A block of one type, if it has a line in it. */
static void put_block(FILE *out, const struct report_row *rows, size_t n, enum report_block block,
		      const struct layout *layout)
{
	bool any = false;

	for (size_t i = 0; i < n && layout->n; i++) {
		if (!report_in_block(&rows[i], block))
			continue;
		if (!any) {
			report_put_plain(out, rows[i].type);
			fprintf(out, "%s\n", report_block_titles[block]);
			put_titles(out, layout);
		}
		put_row(out, &rows[i], layout);
		any = true;
	}
}

/* Why some points have no numbers, and which had disturbed repeats. */
static void put_remarks(FILE *out, const struct report_row *rows, size_t n)
{
	char text[TEXT_LEN];

	for (size_t i = 0; i < n; i++) {
		if (!report_remark_text(&rows[i], text, sizeof(text)))
			continue;
		fputs("  ", out);
		report_put_plain(out, text);
		fputc('\n', out);
	}
}

/* All of one type. */
static void put_type(FILE *out, const struct report_row *rows, size_t n,
		     const struct layout *layouts)
{
	fputc('\n', out);
	for (int block = 0; block < REPORT_N_BLOCKS; block++) {
		put_block(out, rows, n, block, &layouts[block]);
		if (block == REPORT_RATES)
			put_remarks(out, rows, n);
	}
}

/* The tables of a block have the same widths in all types. */
static void put_tables(FILE *out, const struct report_rows *rows)
{
	struct layout layouts[REPORT_N_BLOCKS];
	size_t first = 0;

	for (int block = 0; block < REPORT_N_BLOCKS; block++)
		lay_out(rows, block, &layouts[block]);
	for (size_t i = 1; i <= rows->n; i++) {
		if (i < rows->n && !strcmp(rows->rows[i].type, rows->rows[first].type))
			continue;
		put_type(out, rows->rows + first, i - first, layouts);
		first = i;
	}
	if (!rows->n)
		fputs("\nno points\n", out);
}

static void put_warnings(FILE *out, const struct result *r)
{
	if (r->n_warnings)
		fputc('\n', out);
	for (size_t i = 0; i < r->n_warnings; i++) {
		fputs("warning: ", out);
		report_put_plain(out, r->warnings[i]);
		fputc('\n', out);
	}
}

static int write_result(FILE *out, const struct result *r, struct err *err)
{
	struct report_heading heading;
	struct report_rows rows;
	int ret = report_rows_make(r, &rows, err);

	if (ret)
		return ret;
	report_heading_of(r, &heading);
	report_put_facts(out, &heading, put_fact);
	put_tables(out, &rows);
	put_warnings(out, r);
	fputc('\n', out);
	report_rows_free(&rows);
	return 0;
}

static int write_wide(FILE *out, const struct result *const *results, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		int ret = write_result(out, results[i], err);

		if (ret)
			return ret;
	}
	fputs(notes, out);
	return 0;
}

const struct report_format report_format_wide = {
	.name = "wide",
	.summary = "for reading: rates, how sure they are, scaling, and what may explain them",
	.has_warnings = true,
	.write = write_wide,
};
