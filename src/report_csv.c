/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_csv: one line per point, for spreadsheets and scripts (RFC 4180, but lines end in \n). */
#include "config.h"

#include "report.h"
#include "report_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_text(FILE *out, const char *text)
{
	if (!text)
		return;
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* What is not known is an empty cell: no word, which would turn a column of numbers into text. */
static void put_cell(FILE *out, const struct report_column *c, const struct report_row *row)
{
	switch (c->kind) {
	case REPORT_TEXT:
		put_text(out, report_text(c, row));
		break;
	case REPORT_FLAG:
		fputs(report_flag(c, row) ? "true" : "false", out);
		break;
	case REPORT_COUNT:
		if (report_count(c, row) >= 0)
			fprintf(out, "%" PRId64, report_count(c, row));
		break;
	case REPORT_NUMBER:
		if (isfinite(report_number(c, row)))
			fprintf(out, "%.12g", report_number(c, row));
		break;
	}
}

static void write_header(FILE *out)
{
	fputs("file,label,created,hostname,kernel_release,page_size_bytes,complete,imported_from",
	      out);
	for (size_t i = 0; i < n_report_columns; i++) {
		if (report_columns[i].name)
			fprintf(out, ",%s", report_columns[i].name);
	}
	fputc('\n', out);
}

static void write_row(FILE *out, const struct report_heading *h, const struct report_row *row)
{
	const char *const texts[] = { h->file, h->label, h->created, h->hostname, h->kernel };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put_text(out, texts[i]);
		fputc(',', out);
	}
	if (h->page_size >= 0)
		fprintf(out, "%" PRId64, h->page_size);
	fputs(h->complete ? ",true," : ",false,", out);
	put_text(out, h->imported_from);
	for (size_t i = 0; i < n_report_columns; i++) {
		if (!report_columns[i].name)
			continue;
		fputc(',', out);
		put_cell(out, &report_columns[i], row);
	}
	fputc('\n', out);
}

static int write_csv(FILE *out, const struct result *const *results, size_t n, struct err *err)
{
	write_header(out);
	for (size_t i = 0; i < n; i++) {
		struct report_heading heading;
		struct report_rows rows;
		int ret = report_rows_make(results[i], &rows, err);

		if (ret)
			return ret;
		report_heading_of(results[i], &heading);
		for (size_t j = 0; j < rows.n; j++)
			write_row(out, &heading, &rows.rows[j]);
		report_rows_free(&rows);
	}
	return 0;
}

const struct report_format report_format_csv = {
	.name = "csv",
	.summary = "one line per point, with units in the column names; empty = n/a",
	.write = write_csv,
};
