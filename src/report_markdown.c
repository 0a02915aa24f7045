/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_markdown: a table per file, as GitHub and others render it. */
#include "config.h"

#include "report.h"
#include "report_rows.h"

#include <inttypes.h>
#include <string.h>

enum { CELL_LEN = 400 };

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
	if (!*text)
		return;
	fprintf(out, "- %s: ", what);
	put_text(out, text);
	fputc('\n', out);
}

static void put_heading(FILE *out, const struct report_heading *h)
{
	fputs("### ", out);
	put_text(out, *h->label ? h->label : *h->file ? h->file : "pfscale");
	fputs("\n\n", out);
	put_fact(out, "file", h->file);
	put_fact(out, "date", h->created);
	put_fact(out, "host", h->hostname);
	put_fact(out, "kernel", h->kernel);
	put_fact(out, "machine", h->machine);
	put_fact(out, "CPU", h->cpu);
	if (h->page_size >= 0)
		fprintf(out, "- page size: %" PRId64 " bytes\n", h->page_size);
	if (h->pages >= 0)
		fprintf(out, "- pages per worker: %" PRId64 "\n", h->pages);
	if (*h->imported_from) {
		fputs("- source: an imported table: ", out);
		put_text(out, h->imported_from);
		fputc('\n', out);
	}
	fprintf(out, "- complete: %s\n\n",
		h->complete ? "yes" : "no: interrupted, or still running");
}

static void put_titles(FILE *out)
{
	fputs("| type |", out);
	for (size_t i = 0; i < n_report_columns; i++) {
		const struct report_column *c = &report_columns[i];
		const char *a = c->title[0];
		size_t len = a ? strlen(a) : 0;

		if (!a)
			continue;
		/* a word that was broken to be narrow is made whole again */
		if (len && a[len - 1] == '-')
			fprintf(out, " %.*s%s |", (int)len - 1, a, c->title[1]);
		else
			fprintf(out, " %s%s%s |", a, len ? " " : "", c->title[1]);
	}
	fputs("\n| --- |", out);
	for (size_t i = 0; i < n_report_columns; i++) {
		if (report_columns[i].title[0])
			fputs(" ---: |", out);
	}
	fputc('\n', out);
}

static void put_row(FILE *out, const struct report_row *row)
{
	char cell[CELL_LEN];
	unsigned shown = 0;

	fputs("| ", out);
	put_type(out, row->type);
	fputs(" |", out);
	for (size_t i = 0; i < n_report_columns; i++) {
		const struct report_column *c = &report_columns[i];

		if (!c->title[0])
			continue;
		report_cell(c, row, cell, sizeof(cell));
		if (row->status_code != POINT_OK && shown)
			snprintf(cell, sizeof(cell), "%s", shown == 1 ? row->status : "");
		fprintf(out, " %s%s|", cell, *cell ? " " : "");
		shown++;
	}
	fputc('\n', out);
}

/* What a table has no room for. */
static void put_remarks(FILE *out, const struct result *r, const struct report_rows *rows)
{
	fputc('\n', out);
	for (size_t i = 0; i < rows->n; i++) {
		const struct report_row *row = &rows->rows[i];

		if (row->status_code == POINT_OK)
			continue;
		fputs("- ", out);
		put_type(out, row->type);
		fprintf(out, " on %" PRId64 " CPU%s %s: ", row->workers,
			row->workers == 1 ? "" : "s", row->status);
		put_text(out, row->reason ? row->reason : "no reason given");
		fputc('\n', out);
	}
	for (size_t i = 0; i < r->n_warnings; i++) {
		fputs("- warning: ", out);
		put_text(out, r->warnings[i]);
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
	put_heading(out, &heading);
	put_titles(out);
	for (size_t i = 0; i < rows.n; i++)
		put_row(out, &rows.rows[i]);
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
	.summary = "a table per file, for GitHub and the like",
	.has_warnings = true,
	.write = write_markdown,
};
