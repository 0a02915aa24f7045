/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json: the rows of reports, with what is derived from the samples, as JSON. */
#include "config.h"

#include "report.h"
#include "report_rows.h"

#include <errno.h>
#include <math.h>

enum { REPORT_JSON_VERSION = 1 };

/* Digits enough for any clock, few enough that 0.1 prints as 0.1. */
enum { PRECISION = 12 };

static json_t *cell(const struct report_column *c, const struct report_row *row)
{
	switch (c->kind) {
	case REPORT_TEXT:
		return report_text(c, row) ? result_json_text(report_text(c, row)) : json_null();
	case REPORT_FLAG:
		return json_boolean(report_flag(c, row));
	case REPORT_COUNT:
		return report_count(c, row) >= 0 ? json_integer(report_count(c, row)) : json_null();
	case REPORT_NUMBER:
		break;
	}
	return isfinite(report_number(c, row)) ? json_real(report_number(c, row)) : json_null();
}

static json_t *row_to_json(const struct report_row *row)
{
	json_t *object = json_object();

	for (size_t i = 0; object && i < n_report_columns; i++) {
		const struct report_column *c = &report_columns[i];

		if (c->name && json_object_set_new(object, c->name, cell(c, row))) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

static json_t *rows_to_json(const struct report_rows *rows)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < rows->n; i++) {
		if (json_array_append_new(array, row_to_json(&rows->rows[i]))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *warnings_to_json(const struct result *r)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < r->n_warnings; i++) {
		if (json_array_append_new(array, result_json_text(r->warnings[i]))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *text(const char *s)
{
	return *s ? result_json_text(s) : json_null();
}

static json_t *count(int64_t n)
{
	return n >= 0 ? json_integer(n) : json_null();
}

/* By quantity, as a part of what it was at first. */
static json_t *canary_to_json(const struct report_heading *h)
{
	json_t *object = json_object();

	for (int i = 0; object && i < CANARY_N_KINDS; i++) {
		json_t *drift = isfinite(h->canary[i]) ? json_real(h->canary[i]) : json_null();

		if (json_object_set_new(object, canary_quantities[i].name, drift)) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

static json_t *result_to_report(const struct result *r, const struct report_rows *rows)
{
	struct report_heading h;

	report_heading_of(r, &h);
	/* "o" takes the references over, and fails as a whole when one is NULL */
	return json_pack("{s:o, s:o, s:o, s:b, s:o, s:{s:o, s:o, s:o, s:o, s:o}, s:o, s:o, s:o, "
			 "s:o, s:o}",
			 "file", text(h.file), "label", text(h.label), "created", text(h.created),
			 "complete", h.complete, "imported_from", text(h.imported_from), "system",
			 "hostname", text(h.hostname), "kernel_release", text(h.kernel), "machine",
			 text(h.machine), "cpu_model", text(h.cpu), "page_size_bytes",
			 count(h.page_size), "pages_per_worker", count(h.pages), "seed",
			 count(h.seed), "canary_drift", canary_to_json(&h), "warnings",
			 warnings_to_json(r), "rows", rows_to_json(rows));
}

static int append_result(json_t *files, const struct result *r, struct err *err)
{
	struct report_rows rows;
	int ret = report_rows_make(r, &rows, err);

	if (ret)
		return ret;
	if (json_array_append_new(files, result_to_report(r, &rows)))
		ret = err_set(err, ENOMEM, "json_pack", "rows of %zu points", rows.n);
	report_rows_free(&rows);
	return ret;
}

static int write_json(FILE *out, const struct result *const *results, size_t n, struct err *err)
{
	json_t *files = json_array(), *all;
	int ret = files ? 0 : err_set(err, ENOMEM, "json_array", "%zu files", n);

	for (size_t i = 0; !ret && i < n; i++)
		ret = append_result(files, results[i], err);
	if (ret) {
		json_decref(files);
		return ret;
	}
	all = json_pack("{s:s, s:i, s:o}", "format", "pfscale-report", "format_version",
			REPORT_JSON_VERSION, "files", files);
	if (!all)
		return err_set(err, ENOMEM, "json_pack", "%zu files", n);
	errno = 0;
	if (json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(PRECISION)))
		ret = err_set(err, errno ? errno : EIO, "write", "the report (json)");
	fputc('\n', out);
	json_decref(all);
	return ret;
}

const struct report_format report_format_json = {
	.name = "json",
	.summary = "the same rows and columns as csv; null = n/a",
	.has_warnings = true,
	.write = write_json,
};
