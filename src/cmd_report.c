/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_report: `pfscale report`: show result files again, in any format. */
#include "config.h"

#include "options.h"
#include "report.h"
#include "report_rows.h"
#include "result.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct report_options {
	const struct report_format *format;
};

static const char *format_choice(size_t i)
{
	return i < n_report_formats ? report_formats[i]->name : NULL;
}

static int set_format(void *ctx, const char *value, struct err *err)
{
	struct report_options *options = ctx;

	options->format = report_parse_format(value, err);
	return options->format ? 0 : -EINVAL;
}

static const struct option_def report_options[] = {
	{ "format", 'f', "FORMAT", "form of the report", .set = set_format,
	  .choice = format_choice },
	{ 0 },
};

/* All of them, before anything is printed. *out and its results are the caller's, also on failure.
 */
static int load_all(char **paths, size_t n, struct result **results, struct err *err)
{
	bool stdin_read = false;
	int ret;

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(paths[i], "-") && stdin_read)
			return err_usage(err, "FILE", "-", "standard input can be read once only");
		if (!strcmp(paths[i], "-"))
			stdin_read = true;
		ret = result_load(paths[i], &results[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

static void note(const struct result *r, const char *kind, const char *text)
{
	fputs("pfscale report: ", stderr);
	report_put_plain(stderr, r->path);
	fprintf(stderr, ": %s", kind);
	report_put_plain(stderr, text);
	fputc('\n', stderr);
}

/* What a reader of the numbers must know, and the format leaves out. */
static void write_notes(const struct report_format *format, const struct result *r)
{
	if (!r->complete)
		note(r, "", "not complete: interrupted, or still running");
	for (size_t i = 0; i < r->n_warnings && !format->has_warnings; i++)
		note(r, "warning: ", r->warnings[i]);
}

static int report_files(const struct report_format *format, char **paths, size_t n, struct err *err)
{
	struct result **results = calloc(n, sizeof(struct result *));
	int ret;

	if (!results)
		return err_set(err, ENOMEM, "calloc", "%zu results", n);
	ret = load_all(paths, n, results, err);
	for (size_t i = 0; i < n && !ret; i++)
		write_notes(format, results[i]);
	if (!ret)
		ret = report_write(stdout, format, (const struct result *const *)results, n, err);
	for (size_t i = 0; i < n; i++)
		result_free(results[i]);
	free(results);
	return ret;
}

static int report_run(const struct command *self, int argc, char **argv)
{
	struct report_options options = { .format = report_formats[0] };
	struct err err = { 0 };
	int first, ret;

	ret = options_parse(self, &options, argc, argv, &first, &err);
	if (ret > 0)
		return command_finish(self, EXIT_OK);
	if (!ret && first == argc)
		ret = err_set(&err, EINVAL, "", "FILE is missing: which result file? (--help)");
	if (!ret)
		ret = report_files(options.format, argv + first, (size_t)(argc - first), &err);
	return ret ? command_trouble(self, &err) : EXIT_OK;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "result files as tables, or as data for other programs",
	.operands = "FILE…",
	.options = report_options,
	.run = report_run,
};
