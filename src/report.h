/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: result files → text for people and programs. */
#ifndef PFSCALE_REPORT_H
#define PFSCALE_REPORT_H

#include "err.h"
#include "result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct report_format {
	const char *name;
	const char *summary; /* one line for help and the man page */
	bool has_warnings;   /* it shows the result's warnings */

	/* Write n results to out. Returns 0 or a negative errno; the caller checks the stream. */
	int (*write)(FILE *out, const struct result *const *results, size_t n, struct err *err);
};

/* One per report_*.c. */
extern const struct report_format report_format_sgi, report_format_wide, report_format_csv,
	report_format_json, report_format_markdown;

/* The first row is the default. */
extern const struct report_format *const report_formats[];
extern const size_t n_report_formats;

/* The format called name, or NULL. */
const struct report_format *report_find(const char *name);

/* As report_find(), for the value of --format: NULL comes with a message that lists the formats. */
const struct report_format *report_parse_format(const char *name, struct err *err);

/*
 * Write n results in a format and flush; a full disk or a closed pipe is an error that names it.
 * Returns 0 or a negative errno.
 */
int report_write(FILE *out, const struct report_format *format, const struct result *const *results,
		 size_t n, struct err *err);

#endif
