/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-options: a table of options against command lines, good and bad. */
#include "config.h"

#include "tap.h"

#include "options.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the options were set to, in order: "cpus=2 quiet ". */
struct seen {
	char text[400];
};

static void note(struct seen *seen, const char *name, const char *value)
{
	size_t used = strlen(seen->text);

	snprintf(seen->text + used, sizeof(seen->text) - used, "%s%s%s ", name, value ? "=" : "",
		 value ? value : "");
}

#define SETTER(name)                                                                               \
	static int set_##name(void *ctx, const char *value, struct err *err)                       \
	{                                                                                          \
		if (value && !strcmp(value, "bad"))                                                \
			return err_usage(err, "--" #name, value, "not this one");                  \
		note(ctx, #name, value);                                                           \
		return 0;                                                                          \
	}

SETTER(cpus)
SETTER(seed)
SETTER(size)
SETTER(quiet)
SETTER(verbose)
SETTER(oversubscribe)

static const struct option_def defs[] = {
	{ "cpus", 'c', "LIST", "worker counts", .set = set_cpus },
	{ "size", 's', "SIZE", "bytes per worker", .set = set_size },
	{ "seed", 0, "N", "of the order\nof points", .set = set_seed },
	{ "oversubscribe", 0, NULL, "more workers than CPUs", .set = set_oversubscribe },
	{ "quiet", 'q', NULL, "no progress", .set = set_quiet },
	{ "verbose", 'v', NULL, "more words", .set = set_verbose },
	{ 0 },
};

static const struct command command = {
	.name = "test",
	.summary = "Tests options.",
	.operands = "[TYPE…]",
	.options = defs,
};

/* Parse words separated by '|'. Returns what was set and the operands, or the error. */
static const char *parse(const struct command *cmd, const char *words)
{
	static char result[1200];
	char copy[800], *argv[40] = { NULL };
	struct seen seen = { "" };
	struct err err = { 0 };
	int argc = 0, first = -1, ret;

	snprintf(copy, sizeof(copy), "test|%s", words);
	for (char *word = copy; word;) {
		char *end = strchr(word, '|');

		argv[argc++] = word;
		if (end)
			*end++ = '\0';
		word = end;
	}
	if (!*words)
		argv[argc = 1] = NULL;
	ret = options_parse(cmd, &seen, argc, argv, &first, &err);
	if (ret < 0) {
		snprintf(result, sizeof(result), "error: %s", err.detail);
		return ret == -EINVAL && err.num == EINVAL ? result : "wrong error";
	}
	if (ret)
		return "stop";
	for (int i = first; i < argc; i++) {
		note(&seen, "", argv[i]);
	}
	snprintf(result, sizeof(result), "%s", seen.text);
	return result;
}

static void test_good(void)
{
	static const struct {
		const char *words, *want;
	} rows[] = {
		{ "", "" },
		{ "fork", "=fork " },
		{ "--cpus|2", "cpus=2 " },
		{ "--cpus=2", "cpus=2 " },
		{ "--cpus=", "cpus= " },
		{ "--cpus=a=b", "cpus=a=b " },
		{ "-c|2", "cpus=2 " },
		{ "-c2", "cpus=2 " },
		{ "-c=2", "cpus==2 " },
		{ "-qc2", "quiet cpus=2 " },
		{ "-qv", "quiet verbose " },
		{ "-qvc|2", "quiet verbose cpus=2 " },
		{ "--cp|2", "cpus=2 " },
		{ "--o", "oversubscribe " },
		{ "--si=5", "size=5 " },
		{ "--seed|-1", "seed=-1 " },
		{ "--seed=-1", "seed=-1 " },
		{ "-c|-1", "cpus=-1 " },
		{ "-c-1", "cpus=-1 " },
		{ "--cpus|--quiet", "cpus=--quiet " },
		{ "fork|--cpus|2|pthread|-q", "cpus=2 quiet =fork =pthread " },
		{ "-q|--|-v|--cpus", "quiet =-v =--cpus " },
		{ "a|--|b|-q", "=a =b =-q " },
		{ "--|--", "=-- " },
		{ "-", "=- " },
		{ "|", "= = " },
		{ "-q|-q", "quiet quiet " },
		{ "--cpus|1|--cpus|2", "cpus=1 cpus=2 " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		is_str(parse(&command, rows[i].words), rows[i].want, rows[i].words);
}

static void test_bad(void)
{
	static const struct {
		const char *words, *want;
	} rows[] = {
		{ "--cpu5", "error: no option --cpu5; did you mean --cpus?" },
		{ "--cpsu=3", "error: no option --cpsu; did you mean --cpus?" },
		{ "--Quiet", "error: no option --Quiet; did you mean --quiet?" },
		{ "--placement|x", "error: no option --placement (--help lists them)" },
		{ "--hlep", "error: no option --hlep; did you mean --help?" },
		{ "fork|--nothing=5|x", "error: no option --nothing (--help lists them)" },
		{ "--=5", "error: no option -- (--help lists them)" },
		{ "--s=5", "error: --s could be any of --size, --seed" },
		{ "--ve", "error: --ve could be any of --verbose, --version" },
		{ "fork|x|--s|5", "error: --s could be any of --size, --seed" },
		{ "-Z", "error: no option -Z (--help lists them)" },
		{ "-qZ", "error: no option -Z (--help lists them)" },
		{ "-Zq", "error: no option -Z (--help lists them)" },
		{ "--quiet|-Zq", "error: no option -Z (--help lists them)" },
		{ "fork|-qZv|--cpus|1", "error: no option -Z (--help lists them)" },
		{ "-1", "error: no option -1 (--help lists them)" },
		{ "-c|2|-1", "error: no option -1 (--help lists them)" },
		{ "-:", "error: no option -: (--help lists them)" },
		{ "-q-", "error: no option -- (--help lists them)" },
		{ "-?", "error: no option -? (--help lists them)" },
		{ "-ö", "error: no option - with byte 0xc3 (--help lists them)" },
		{ "-q\x1b", "error: no option - with byte 0x1b (--help lists them)" },
		{ "--cpus", "error: --cpus needs a value: LIST" },
		{ "--seed", "error: --seed needs a value: N" },
		{ "fork|--cp", "error: --cpus needs a value: LIST" },
		{ "-c", "error: --cpus needs a value: LIST" },
		{ "-qc", "error: --cpus needs a value: LIST" },
		{ "--quiet=yes", "error: --quiet takes no value" },
		{ "--qui=", "error: --quiet takes no value" },
		{ "--oversubscribe=1", "error: --oversubscribe takes no value" },
		{ "--help=x", "error: --help takes no value" },
		{ "--version=x", "error: --version takes no value" },
		{ "-q|--cpus|bad|--nothing", "error: --cpus 'bad': not this one" },
		{ "-cbad", "error: --cpus 'bad': not this one" },
	};
	char words[700];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		is_str(parse(&command, rows[i].words), rows[i].want, rows[i].words);
	memset(words, 's', sizeof(words));
	memcpy(words, "--", 2);
	words[sizeof(words) - 1] = '\0';
	has_str(parse(&command, words), "error: no option --sssss", "a very long option");
}

static void test_no_table(void)
{
	static const struct command bare = { .name = "bare", .summary = "", .operands = "X…" };
	static const struct command alone = { .name = "alone", .summary = "", .operands = "" };

	is_str(parse(&bare, "x|y"), "=x =y ", "a command without options: operands");
	is_str(parse(&bare, "--cpus"), "error: no option --cpus (--help lists them)", "… options");
	is_str(parse(&bare, "-c"), "error: no option -c (--help lists them)", "… letters");
	is_str(parse(&alone, "x"), "error: argument 'x': this command takes only options",
	       "a command without operands");
}

/* What a function writes to file descriptor `fd`, in a process of its own; *status is its exit. */
static const char *output_of(int fd, int (*fn)(void), int *status)
{
	static char text[4000];
	size_t used = 0;
	int pipe_fds[2];
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	if (pipe(pipe_fds))
		exit(99);
	pid = fork();
	if (pid < 0)
		exit(99);
	if (!pid) {
		dup2(pipe_fds[1], fd);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		_exit(fn());
	}
	close(pipe_fds[1]);
	while ((n = read(pipe_fds[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	close(pipe_fds[0]);
	waitpid(pid, status, 0);
	*status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
	return text;
}

static int say_help(void)
{
	return strcmp(parse(&command, "-q|--help|--nothing"), "stop") ? 1
								      : command_finish(&command, 0);
}

static int say_short_help(void)
{
	return strcmp(parse(&command, "-qh"), "stop") ? 1 : command_finish(&command, 0);
}

static int say_version(void)
{
	return strcmp(parse(&command, "x|--version"), "stop") ? 1 : command_finish(&command, 0);
}

static int say_trouble(void)
{
	struct err err;

	err_set(&err, ENOENT, "open", "a\nb");
	return command_trouble(&command, &err);
}

static int write_to_full(void)
{
	dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
	printf("x");
	return command_finish(&command, 0);
}

static int write_to_closed(void)
{
	close(STDOUT_FILENO);
	for (int i = 0; i < 100000; i++) /* past the stream's buffer: the error is an old one */
		printf("x");
	errno = 0;
	return command_finish(&command, 1);
}

static void test_output(void)
{
	const char *text;
	int status;

	text = output_of(STDOUT_FILENO, say_help, &status);
	is_int(status, 0, "--help stops, before what is wrong behind it");
	has_str(text, "Usage: pfscale test [OPTION…] [TYPE…]\nTests options.\n", "usage");
	has_str(text, "\n  -c, --cpus LIST           worker counts\n", "an option in the help");
	has_str(text,
		"\n      --seed N              of the order\n                            of "
		"points\n",
		"two lines of help, without letter");
	has_str(text, "\n  -h, --help                print this and stop\n", "--help itself");
	text = output_of(STDOUT_FILENO, say_short_help, &status);
	has_str(text, "Usage: ", "-h within a cluster");
	text = output_of(STDOUT_FILENO, say_version, &status);
	is_str(text, "pfscale " PACKAGE_VERSION "\n", "--version");
	text = output_of(STDERR_FILENO, say_trouble, &status);
	is_int(status, EXIT_TROUBLE, "trouble is exit status 2");
	is_str(text, "pfscale test: open: ENOENT (No such file or directory): a b\n",
	       "… in one line");
	text = output_of(STDERR_FILENO, write_to_full, &status);
	is_int(status, EXIT_TROUBLE, "a full disk is trouble");
	is_str(text, "pfscale test: write: ENOSPC (No space left on device): standard output\n",
	       "… with its errno");
	text = output_of(STDERR_FILENO, write_to_closed, &status);
	is_int(status, EXIT_TROUBLE, "a closed stdout is trouble");
	has_str(text, "standard output\n", "… named");
}

int main(void)
{
	unsetenv("POSIXLY_CORRECT");
	test_good();
	test_bad();
	test_no_table();
	test_output();
	return tap_done();
}
