/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_wide: for people: rates with their spread, scaling, and what happened around the touching.
 */
#include "config.h"

#include "report.h"
#include "report_rows.h"

#include <inttypes.h>
#include <string.h>

enum { CELL_LEN = 400, GAP = 2 };

static const char notes[] =
	"Rates, faults per page and busy are those of one repeat, the one of median rate per CPU.\n"
	"min %, max %: the slowest and fastest repeat against it. efficiency: rate per CPU "
	"against\n"
	"the type's smallest worker count that has one. start skew: first to last start, median "
	"over\n"
	"the repeats. map, unmap: medians over repeats and workers, for shared objects the "
	"team's one.\n"
	"busy: CPU time over CPUs times longest wall time. Warm-ups are left out. n/a: not "
	"known.\n";

static void put_fact(FILE *out, const char *what, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "%-8s ", what);
	report_put_plain(out, text);
	fputc('\n', out);
}

static void put_size(FILE *out, const struct report_heading *h)
{
	if (h->pages < 0 && h->page_size < 0)
		return;
	fprintf(out, "%-8s ", "memory");
	if (h->pages >= 0)
		fprintf(out, "%" PRId64 " ", h->pages);
	fputs("pages", out);
	if (h->page_size >= 0)
		fprintf(out, " of %" PRId64 " bytes", h->page_size);
	if (h->pages >= 0)
		fputs(" per worker", out);
	if (h->pages >= 0 && h->page_size >= 0)
		fprintf(out, " (%.3f MB)", (double)h->pages * (double)h->page_size / 1e6);
	fputc('\n', out);
}

static void put_heading(FILE *out, const struct result *r)
{
	struct report_heading h;

	report_heading_of(r, &h);
	put_fact(out, "file", h.file);
	put_fact(out, "label", h.label);
	put_fact(out, "date", h.created);
	put_fact(out, "host", h.hostname);
	put_fact(out, "kernel", h.kernel);
	put_fact(out, "machine", h.machine);
	put_fact(out, "cpu", h.cpu);
	put_size(out, &h);
	if (*h.imported_from) {
		fputs("source   an imported table: ", out);
		report_put_plain(out, h.imported_from);
		fputc('\n', out);
	}
	put_fact(out, "complete", h.complete ? "yes" : "no: interrupted, or still running");
}

static int column_width(const struct report_column *c, const struct report_row *rows, size_t n)
{
	char cell[CELL_LEN];
	size_t width;

	if (!c->title[0])
		return 0;
	width = strlen(c->title[0]);
	if (strlen(c->title[1]) > width)
		width = strlen(c->title[1]);
	for (size_t i = 0; i < n; i++) {
		report_cell(c, &rows[i], cell, sizeof(cell));
		if (strlen(cell) > width)
			width = strlen(cell);
	}
	return (int)width + GAP;
}

static void put_titles(FILE *out, const int *widths)
{
	for (int line = 0; line < 2; line++) {
		for (size_t i = 0; i < n_report_columns; i++) {
			if (report_columns[i].title[0])
				fprintf(out, "%*s", widths[i], report_columns[i].title[line]);
		}
		fputc('\n', out);
	}
}

/* A point without numbers has its word where the first number would be. */
static void put_row(FILE *out, const struct report_row *row, const int *widths)
{
	char cell[CELL_LEN];
	unsigned shown = 0;

	for (size_t i = 0; i < n_report_columns; i++) {
		const struct report_column *c = &report_columns[i];

		if (!c->title[0])
			continue;
		if (row->status_code != POINT_OK && shown) {
			fprintf(out, "%*s", widths[i], row->status);
			break;
		}
		report_cell(c, row, cell, sizeof(cell));
		fprintf(out, "%*s", widths[i], cell);
		shown++;
	}
	fputc('\n', out);
}

/* The table of one type, and why some of its points have no numbers. */
static void put_table(FILE *out, const struct report_row *rows, size_t n, const int *widths)
{
	fputc('\n', out);
	report_put_plain(out, rows[0].type);
	fputc('\n', out);
	put_titles(out, widths);
	for (size_t i = 0; i < n; i++)
		put_row(out, &rows[i], widths);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].status_code == POINT_OK)
			continue;
		fprintf(out, "  %" PRId64 " CPU%s %s: ", rows[i].workers,
			rows[i].workers == 1 ? "" : "s", rows[i].status);
		report_put_plain(out, rows[i].reason ? rows[i].reason : "no reason given");
		fputc('\n', out);
	}
}

/* One table per type, all of the same widths. */
static void put_tables(FILE *out, const struct report_rows *rows)
{
	int widths[REPORT_MAX_COLUMNS];
	size_t first = 0;

	for (size_t i = 0; i < n_report_columns; i++)
		widths[i] = column_width(&report_columns[i], rows->rows, rows->n);
	for (size_t i = 1; i <= rows->n; i++) {
		if (i < rows->n && !strcmp(rows->rows[i].type, rows->rows[first].type))
			continue;
		put_table(out, rows->rows + first, i - first, widths);
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
	struct report_rows rows;
	int ret = report_rows_make(r, &rows, err);

	if (ret)
		return ret;
	put_heading(out, r);
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
	.summary = "for reading: rates with their spread, efficiency, skew, map times, busy share",
	.has_warnings = true,
	.write = write_wide,
};
