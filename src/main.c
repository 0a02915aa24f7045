/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main: find the command and run it. */
#include "config.h"

#include "options.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command *const commands[] = {
	&cmd_run, &cmd_list, &cmd_topology, &cmd_report, &cmd_import,
};

static void overview(FILE *out)
{
	fprintf(out, "Usage: pfscale COMMAND [OPTION…] [ARGUMENT…]\n"
		     "Measure how page-fault performance scales with CPUs.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(out, "\npfscale COMMAND --help tells more; so does pfscale(1).\n");
}

static int finish(void)
{
	if (!fflush(stdout))
		return EXIT_OK;
	fprintf(stderr, "pfscale: write: standard output: %s\n", strerror(errno));
	return EXIT_TROUBLE;
}

/* As git does: a program of the package that is no part of this one. */
static void run_external(const char *name, char **argv)
{
	char path[4096];

	if (strchr(name, '/') || (size_t)snprintf(path, sizeof(path), "%s/pfscale-%s",
						  PFSCALE_LIBEXECDIR, name) >= sizeof(path))
		return;
	execv(path, argv);
	if (errno != ENOENT && errno != ENOTDIR) {
		fprintf(stderr, "pfscale: execv %s: %s\n", path, strerror(errno));
		exit(EXIT_TROUBLE);
	}
}

static int unknown(const char *name)
{
	const char *names[ARRAY_SIZE(commands)], *near;
	struct err err;
	char text[400];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	near = util_nearest(name, names, ARRAY_SIZE(commands));
	if (near)
		err_usage(&err, "command", name, "unknown; did you mean '%s'?", near);
	else
		err_usage(&err, *name == '-' ? "option" : "command", name,
			  "unknown ('pfscale --help' tells what there is)");
	err_text(&err, text, sizeof(text));
	fprintf(stderr, "pfscale: %s\n", text);
	return EXIT_TROUBLE;
}

/*
 * Where standard input, output or error is closed, the next file opened would take its place, and
 * be written to. What is put there instead fails, as a closed one does.
 */
static void keep_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	keep_standard_streams();

	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		overview(stdout);
		return finish();
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		printf("pfscale %s\n", PACKAGE_VERSION);
		return finish();
	}
	if (argc < 2) {
		overview(stderr);
		return EXIT_TROUBLE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(name, commands[i]->name))
			return commands[i]->run(commands[i], argc - 1, argv + 1);
	}
	run_external(name, argv + 1);
	return unknown(name);
}
