/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_markdown: tables for each file, as GitHub and others render them. */
#include "config.h"

#include "report.h"
#include "report_rows.h"

#include <string.h>

enum { CELL_LEN = 400, TEXT_LEN = 1000 };

/* Text that says only what it says: no markup, no table border, no line break. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f) {
			fputc(' ', out);
			continue;
		}
		if (strchr("\\`*_{}[]<>#|~&", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

/* A type, as code, since `:name:` may be rendered as a picture. Within a table | needs its \. */
static void put_type(FILE *out, const char *type)
{
	if (strchr(type, '`') || strchr(type, '\\')) {
		put_text(out, type);
		return;
	}
	fputc('`', out);
	for (; *type; type++) {
		if (*type == '|')
			fputc('\\', out);
		fputc((unsigned char)*type < 0x20 ? ' ' : *type, out);
	}
	fputc('`', out);
}

static void put_fact(FILE *out, const char *what, const char *text)
{
	fprintf(out, "- %s: ", what);
	put_text(out, text);
	fputc('\n', out);
}

static void put_heading(FILE *out, const struct result *r)
{
	struct report_heading h;

	report_heading_of(r, &h);
	fputs("### ", out);
	put_text(out, *h.label ? h.label : *h.file ? h.file : "pfscale");
	fputs("\n\n", out);
	h.label = ""; /* it was said */
	report_put_facts(out, &h, put_fact);
}

static void put_titles(FILE *out, const struct report_column *const *columns, size_t n)
{
	fputs("\n| type |", out);
	for (size_t i = 0; i < n; i++) {
		const char *const *title = columns[i]->title;
		size_t len = strlen(title[0]);

		/* a word that was broken to be narrow is made whole again */
		if (len && title[0][len - 1] == '-')
			fprintf(out, " %.*s%s |", (int)len - 1, title[0], title[1]);
		else
			fprintf(out, " %s%s%s |", title[0], len ? " " : "", title[1]);
	}
	fputs("\n| --- |", out);
	for (size_t i = 0; i < n; i++)
		fputs(" ---: |", out);
	fputc('\n', out);
}

static void put_row(FILE *out, const struct report_row *row,
		    const struct report_column *const *columns, size_t n)
{
	char cell[CELL_LEN];

	fputs("| ", out);
	put_type(out, row->type);
	fputs(" |", out);
	for (size_t i = 0; i < n; i++) {
		report_cell(columns[i], row, cell, sizeof(cell));
		if (row->status_code != POINT_OK && i)
			snprintf(cell, sizeof(cell), "%s", i == 1 ? row->status : "");
		fprintf(out, " %s%s|", cell, *cell ? " " : "");
	}
	fputc('\n', out);
}

/* A table of all types, if there is anything to be in it. */
static void put_block(FILE *out, const struct report_rows *rows, enum report_block block)
{
	const struct report_column *columns[REPORT_MAX_COLUMNS];
	size_t n = report_columns_of(rows, block, columns);

	if (!n)
		return;
	put_titles(out, columns, n);
	for (size_t i = 0; i < rows->n; i++) {
		if (report_in_block(&rows->rows[i], block))
			put_row(out, &rows->rows[i], columns, n);
	}
}

static void put_remark(FILE *out, const struct report_row *row)
{
	char text[TEXT_LEN];

	if (!report_remark_text(row, text, sizeof(text)))
		return;
	fputs("- ", out);
	put_type(out, row->type);
	fputs(" on ", out);
	put_text(out, text);
	fputc('\n', out);
}

/* What a table has no room for. */
static void put_remarks(FILE *out, const struct result *r, const struct report_rows *rows)
{
	fputc('\n', out);
	for (size_t i = 0; i < rows->n; i++)
		put_remark(out, &rows->rows[i]);
	for (size_t i = 0; i < r->n_warnings; i++) {
		fputs("- warning: ", out);
		put_text(out, r->warnings[i]);
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
	for (int block = 0; block < REPORT_N_BLOCKS; block++)
		put_block(out, &rows, block);
	put_remarks(out, r, &rows);
	report_rows_free(&rows);
	return 0;
}

static int write_markdown(FILE *out, const struct result *const *results, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		int ret;

		if (i)
			fputc('\n', out);
		ret = write_result(out, results[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

const struct report_format report_format_markdown = {
	.name = "markdown",
	.summary = "tables for each file, for GitHub and the like",
	.has_warnings = true,
	.write = write_markdown,
};
