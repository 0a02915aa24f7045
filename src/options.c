/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options: one table of options per command, from which parser, help and checks are made. */
#include "config.h"

#include "options.h"

#include "util.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 64 };
enum { CODE_HELP = 1000, CODE_VERSION, CODE_FIRST };

/* The table in getopt's form. letters: "+" is not given, so operands may stand anywhere. */
static size_t make_getopt_tables(const struct option_def *defs, struct option *longs, char *letters)
{
	size_t n = 0;

	*letters++ = ':';
	*letters++ = 'h';
	for (; defs && defs[n].name && n < MAX_OPTIONS; n++) {
		longs[n] = (struct option){
			.name = defs[n].name,
			.has_arg = defs[n].value_name ? required_argument : no_argument,
			.val = CODE_FIRST + (int)n,
		};
		if (defs[n].letter)
			*letters++ = defs[n].letter;
		if (defs[n].letter && defs[n].value_name)
			*letters++ = ':';
	}
	*letters = '\0';
	longs[n] = (struct option){ .name = "help", .val = CODE_HELP };
	longs[n + 1] = (struct option){ .name = "version", .val = CODE_VERSION };
	longs[n + 2] = (struct option){ 0 };
	return n;
}

static const struct option_def *find(const struct option_def *defs, size_t n, int code)
{
	if (code >= CODE_FIRST && (size_t)(code - CODE_FIRST) < n)
		return &defs[code - CODE_FIRST];
	for (size_t i = 0; i < n; i++) {
		if (defs[i].letter && defs[i].letter == code)
			return &defs[i];
	}
	return NULL;
}

/* A long option that getopt did not take: `word` is what stands between "--" and "=". */
static int refuse_long(const struct option_def *defs, size_t n, const char *word, struct err *err)
{
	const char *names[MAX_OPTIONS + 2], *near;
	char matches[200] = "";
	size_t n_matches = 0, used = 0;

	for (size_t i = 0; i < n; i++)
		names[i] = defs[i].name;
	names[n++] = "help";
	names[n++] = "version";
	for (size_t i = 0; i < n; i++) {
		if (strncmp(names[i], word, strlen(word)))
			continue;
		if (used < sizeof(matches))
			used += (size_t)snprintf(matches + used, sizeof(matches) - used, "%s--%s",
						 n_matches ? ", " : "", names[i]);
		n_matches++;
	}
	if (*word && n_matches > 1)
		return err_set(err, EINVAL, "", "--%s could be any of %s", word, matches);
	near = util_nearest(word, names, n);
	if (near)
		return err_set(err, EINVAL, "", "no option --%s; did you mean --%s?", word, near);
	return err_set(err, EINVAL, "", "no option --%s (--help lists them)", word);
}

/* getopt has met an option that it does not know, that lacks its value, or has one too many. */
static int refuse(const struct option_def *defs, size_t n, int code, char *const *argv,
		  struct err *err)
{
	const struct option_def *def = find(defs, n, optopt);
	char word[64];

	if (code == ':')
		return err_set(err, EINVAL, "", "--%s needs a value: %s", def ? def->name : "?",
			       def ? def->value_name : "?");
	if (def || optopt == CODE_HELP || optopt == CODE_VERSION)
		return err_set(err, EINVAL, "", "--%s takes no value",
			       def		     ? def->name
			       : optopt == CODE_HELP ? "help"
						     : "version");
	/* A letter; getopt may stand within a cluster of them, and optind is then not yet past it.
	 */
	if (optopt > 0x20 && optopt < 0x7f)
		return err_set(err, EINVAL, "", "no option -%c (--help lists them)", optopt);
	if (optopt)
		return err_set(err, EINVAL, "", "no option - with byte 0x%02x (--help lists them)",
			       (unsigned)optopt & 0xff);
	snprintf(word, sizeof(word), "%s", argv[optind - 1] + 2);
	word[strcspn(word, "=")] = '\0';
	return refuse_long(defs, n, word, err);
}

/* Give an option's value to its setter, or store it where its row says. */
static int take(const struct option_def *def, void *ctx, const char *value, struct err *err)
{
	if (def->set)
		return def->set(ctx, value, err);
	if (value)
		memcpy((char *)ctx + def->offset, &value, sizeof(value));
	else
		*(bool *)((char *)ctx + def->offset) = true;
	return 0;
}

int options_parse(const struct command *cmd, void *ctx, int argc, char **argv, int *first,
		  struct err *err)
{
	struct option longs[MAX_OPTIONS + 3];
	char letters[2 * MAX_OPTIONS + 3];
	size_t n = make_getopt_tables(cmd->options, longs, letters);
	int code;

	opterr = 0;
	optind = 0; /* glibc: start afresh */
	while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct option_def *def = find(cmd->options, n, code);
		int ret;

		if (code == CODE_HELP || (code == 'h' && !def)) {
			options_help(stdout, cmd);
			return 1;
		}
		if (code == CODE_VERSION) {
			printf("pfscale %s\n", PACKAGE_VERSION);
			return 1;
		}
		if (!def)
			return refuse(cmd->options, n, code, argv, err);
		ret = take(def, ctx, def->value_name ? optarg : NULL, err);
		if (ret)
			return ret;
	}
	*first = optind;
	if (!*cmd->operands && optind < argc)
		return err_usage(err, "argument", argv[optind], "this command takes only options");
	return 0;
}

/* Options and their names, then the text in a column of its own. */
static void help_row(FILE *out, const char *left, const char *text, const char *choices)
{
	enum { TEXT_COLUMN = 28 };
	int width = fprintf(out, "  %s", left);

	if (width > TEXT_COLUMN - 2) {
		fputc('\n', out);
		width = 0;
	}
	for (;;) {
		size_t len = strcspn(text, "\n");

		fprintf(out, "%*s%.*s", TEXT_COLUMN - width, "", (int)len, text);
		if (!text[len])
			break;
		fputc('\n', out);
		text += len + 1;
		width = 0;
	}
	fprintf(out, "%s%s\n", *choices ? ": " : "", choices);
}

static void option_row(FILE *out, const struct option_def *d)
{
	char left[80], choices[200] = "";
	size_t used = 0;

	snprintf(left, sizeof(left), "%c%c%s --%s%s%s", d->letter ? '-' : ' ',
		 d->letter ? d->letter : ' ', d->letter ? "," : " ", d->name,
		 d->value_name ? " " : "", d->value_name ? d->value_name : "");
	for (size_t i = 0; d->choice && d->choice(i) && used < sizeof(choices); i++)
		used += (size_t)snprintf(choices + used, sizeof(choices) - used, "%s%s",
					 i ? ", " : "", d->choice(i));
	help_row(out, left, d->help, choices);
}

void options_help(FILE *out, const struct command *cmd)
{
	fprintf(out, "Usage: pfscale %s [OPTION…]%s%s\n%s\n\n", cmd->name,
		*cmd->operands ? " " : "", cmd->operands, cmd->summary);
	for (const struct option_def *d = cmd->options; d && d->name; d++) {
		if (d->help)
			option_row(out, d);
	}
	help_row(out, "-h, --help", "print this and stop", "");
	help_row(out, "    --version", "print the version and stop", "");
	fprintf(out, "\nSee pfscale(1).\n");
}

int command_trouble(const struct command *cmd, const struct err *err)
{
	char text[800];

	err_text(err, text, sizeof(text));
	fflush(stdout);
	fprintf(stderr, "pfscale %s: %s\n", cmd->name, text);
	return EXIT_TROUBLE;
}

int command_finish(const struct command *cmd, int status)
{
	struct err err;

	errno = 0; /* an earlier failure left its mark on the stream, not its errno */
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	err_set(&err, errno ? errno : EIO, "write", "standard output");
	return command_trouble(cmd, &err);
}
