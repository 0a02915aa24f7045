/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_import: `pfscale import`: tables as found in mail → a result file. */
#include "config.h"

#include "import.h"
#include "options.h"
#include "result.h"
#include "save.h"
#include "util.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct import_options {
	const char *output, *label;
	bool force;
};

static int set_output(void *ctx, const char *value, struct err *err)
{
	struct import_options *options = ctx;

	options->output = value;
	return *value ? 0 : err_usage(err, "--output", value, "the name of a file, or -");
}

static const struct option_def import_options[] = {
	{ "output", 'o', "FILE",
	  "where the result goes (default: FILE's name, with .json, in the\n"
	  "current directory; standard output when FILE is -); - is standard output",
	  .set = set_output },
	{ "label", 0, "TEXT", "the result's label (default: FILE's name)",
	  .offset = offsetof(struct import_options, label) },
	{ "force", 0, NULL, "write over an existing file",
	  .offset = offsetof(struct import_options, force) },
	{ 0 },
};

static bool is_stdin(const char *path)
{
	return !strcmp(path, "-");
}

static int read_tables(const char *path, struct result **out, struct err *err)
{
	FILE *in = is_stdin(path) ? stdin : fopen(path, "re");
	int ret;

	if (!in)
		return err_set(err, errno, "open", "%s", path);
	ret = import_sgi(in, is_stdin(path) ? "standard input" : path, out, err);
	if (in != stdin)
		fclose(in);
	return ret;
}

/* mails/fork.txt → fork.json; malloc'd. What is no ending of a text file stays: 6.12 → 6.12.json */
static char *default_output(const char *path)
{
	static const char *const endings[] = { ".txt", ".eml", ".mbox", ".log", ".out" };
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	size_t keep = strlen(base);
	char *out;

	for (size_t i = 0; dot && dot > base && i < ARRAY_SIZE(endings); i++) {
		if (!strcmp(dot, endings[i]))
			keep = (size_t)(dot - base);
	}
	out = malloc(keep + sizeof(".json"));
	if (out) {
		memcpy(out, base, keep);
		strcpy(out + keep, ".json");
	}
	return out;
}

/* The label and the command line; import_sgi() has done the rest. */
static int describe(struct result *r, const struct import_options *options, json_t *command_line,
		    struct err *err)
{
	int bad = !command_line;

	if (!bad) {
		json_decref(r->command);
		r->command = json_incref(command_line);
	}
	if (options->label && !bad) {
		free(r->label);
		r->label = strdup(options->label);
		bad = !r->label;
	}
	return bad ? err_set(err, ENOMEM, "malloc", "the result's description") : 0;
}

static int save_result(struct result *r, const char *path, bool force, struct err *err)
{
	struct save save = { 0 };
	int ret = save_open(&save, path, "", force, err);

	if (ret)
		return ret;
	ret = save_write(&save, r, true, err);
	save_close(&save);
	for (size_t i = 0; i < r->n_warnings && !ret; i++)
		fprintf(stderr, "pfscale import: warning: %s\n", r->warnings[i]);
	if (!ret)
		fprintf(stderr, "pfscale import: %zu point%s saved in %s\n", r->n_points,
			r->n_points == 1 ? "" : "s", strcmp(path, "-") ? path : "standard output");
	return ret;
}

static int import_file(const struct import_options *options, const char *path, json_t *command_line,
		       struct err *err)
{
	char *made = options->output || is_stdin(path) ? NULL : default_output(path);
	const char *output = options->output ? options->output : made ? made : "-";
	struct result *r = NULL;
	int ret = 0;

	if (!options->output && !is_stdin(path) && !made)
		ret = err_set(err, ENOMEM, "malloc", "the name of the result file");
	if (!ret)
		ret = read_tables(path, &r, err);
	if (!ret)
		ret = describe(r, options, command_line, err);
	if (!ret)
		ret = save_result(r, output, options->force, err);
	result_free(r);
	free(made);
	return ret;
}

static int import_run(const struct command *self, int argc, char **argv)
{
	struct import_options options = { 0 };
	json_t *command_line = result_command_line(argc, argv);
	struct err err = { 0 };
	int first, ret;

	ret = options_parse(self, &options, argc, argv, &first, &err);
	if (ret > 0) {
		json_decref(command_line);
		return command_finish(self, EXIT_OK);
	}
	if (!ret && first == argc)
		ret = err_set(&err, EINVAL, "", "FILE is missing: a text with tables, or -");
	if (!ret && argc - first > 1)
		ret = err_usage(&err, "FILE", argv[first + 1], "one file at a time");
	if (!ret)
		ret = import_file(&options, argv[first], command_line, &err);
	json_decref(command_line);
	return ret ? command_trouble(self, &err) : EXIT_OK;
}

const struct command cmd_import = {
	.name = "import",
	.summary = "tables in the SGI format, as found in mail, into a result file",
	.operands = "FILE",
	.options = import_options,
	.run = import_run,
};
