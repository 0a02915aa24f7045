/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options: one table of options per command, from which parser, help and checks are made. */
#ifndef PFSCALE_OPTIONS_H
#define PFSCALE_OPTIONS_H

#include "err.h"

#include <stddef.h>
#include <stdio.h>

struct option_def {
	const char *name;	/* long option, without dashes */
	char letter;		/* short option, 0 = none */
	const char *value_name; /* "LIST"; NULL = a flag */
	const char *help;	/* one line or a few, broken with \n; NULL = not shown */
	/* Take the value (NULL for a flag) into ctx. Returns 0 or a negative errno. */
	int (*set)(void *ctx, const char *value, struct err *err);
	/* Without set: where in ctx the bool of a flag, or the const char * of a value, stands. */
	size_t offset;
	/* The i-th name that the value may have, NULL after the last; for values from a table. */
	const char *(*choice)(size_t i);
};

struct command {
	const char *name;
	const char *summary;		  /* one line */
	const char *operands;		  /* "[TYPE…]"; "": it takes none */
	const struct option_def *options; /* ends with a row without a name; NULL = none */
	/* Does the command; argv[0] is its name. Returns the exit status. */
	int (*run)(const struct command *self, int argc, char **argv);
};

enum { EXIT_OK = 0, EXIT_WRONG = 1, EXIT_TROUBLE = 2, EXIT_INCONCLUSIVE = 3 };

/*
 * Read argv[1 …] by the command's table, in any order of options and operands, with --name=value,
 * unique prefixes, -nVALUE and "--". --help and --version are handled here: printed, then 1 is
 * returned. Operands are moved to the end; *first is the index of the first. Returns 0, 1 or a
 * negative errno with a message in *err.
 */
int options_parse(const struct command *cmd, void *ctx, int argc, char **argv, int *first,
		  struct err *err);

/* Print the command's usage, options and where to read more. */
void options_help(FILE *out, const struct command *cmd);

/* Print "pfscale NAME: ERR" as one line on stderr and return EXIT_TROUBLE. */
int command_trouble(const struct command *cmd, const struct err *err);

/* Flush stdout and check it; returns `status`, or EXIT_TROUBLE after a message when writing failed.
 */
int command_finish(const struct command *cmd, int status);

/* The commands, in the order of the overview; main.c holds the table. */
extern const struct command cmd_run, cmd_list, cmd_topology, cmd_report, cmd_import;

#endif
