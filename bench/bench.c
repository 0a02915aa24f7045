/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench: what the benchmarks share: pairs of runs, their ratios, and the table's rows. */
#include "config.h"

#include "bench.h"

#include "stats.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARGS = 32 };

static void usage(FILE *out, const char *name, const char *more)
{
	fprintf(out, "usage: %s [-p PFSCALE] [-d DIR] [-n COUNT] [-s SIZE]%s%s\n", name,
		more ? " " : "", more ? more : "");
}

static int parse_option(struct bench *b, int c, struct err *err)
{
	uint64_t number = 0;
	int ret = 0;

	switch (c) {
	case 'p':
		b->pfscale = optarg;
		break;
	case 'd':
		b->dir = optarg;
		break;
	case 's':
		ret = util_parse_size("-s", optarg, &b->size_bytes, err);
		break;
	case 't':
		ret = util_parse_time("-t", optarg, &b->time_ns, err);
		break;
	default:
		ret = util_parse_uint("-n", optarg, 1, 100000, &number, err);
		b->count = (unsigned)number;
		break;
	}
	return ret;
}

int bench_options(struct bench *b, int argc, char **argv, const char *more, int *operands)
{
	static const struct option help[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	struct err err = { 0 };
	int c;

	b->pfscale = "./pfscale";
	b->dir = ".";
	while ((c = getopt_long(argc, argv, b->time_ns ? "hp:d:n:s:t:" : "hp:d:n:s:", help,
				NULL)) != -1) {
		if (c == 'h') {
			usage(stdout, argv[0], more);
			return 1;
		}
		if (c == '?' || parse_option(b, c, &err)) {
			if (err.num)
				bench_trouble(argv[0], &err);
			usage(stderr, argv[0], more);
			return -EINVAL;
		}
	}
	if (operands) {
		*operands = optind;
	} else if (optind < argc) {
		usage(stderr, argv[0], more);
		return -EINVAL;
	}
	return 0;
}

/* In the new process. */
static void become(const char *dir, const char *const *argv, bool silent)
{
	int fd = open("/dev/null", O_RDWR);

	if (fd >= 0) {
		dup2(fd, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		if (silent)
			dup2(fd, STDERR_FILENO);
		close(fd);
	}
	if (!dir || !chdir(dir))
		execvp(argv[0], (char *const *)argv);
	_exit(127);
}

int bench_spawn(const char *const *argv, const char *dir, bool silent, int64_t *wall_ns,
		struct err *err)
{
	int64_t begun = bench_now_ns();
	pid_t pid = fork();
	int status;

	if (!pid)
		become(dir, argv, silent);
	if (pid < 0)
		return err_set(err, errno, "fork", "%s", argv[0]);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_set(err, errno, "waitpid", "%s", argv[0]);
	}
	*wall_ns = bench_now_ns() - begun;
	if (status)
		return err_set(err, ECHILD, "", "%s ended with status %d", argv[0],
			       WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	return 0;
}

int bench_pfscale(const struct bench *b, const char *const *args, const char *path,
		  int64_t *wall_ns, struct result **out, struct err *err)
{
	static const char *const ending[] = { "-q", "--force", "-o" };
	const char *argv[MAX_ARGS] = { b->pfscale, "run" };
	size_t argc = 2;
	int ret;

	for (; *args && argc < MAX_ARGS - ARRAY_SIZE(ending) - 2; args++)
		argv[argc++] = *args;
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		argv[argc++] = ending[i];
	argv[argc] = path;
	/* Its messages are seen. */
	ret = bench_spawn(argv, NULL, false, wall_ns, err);
	if (!ret && out)
		ret = result_load(path, out, err);
	return ret;
}

int64_t bench_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static double cpu_s(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}

double bench_cpu_s(void)
{
	return cpu_s(RUSAGE_SELF) + cpu_s(RUSAGE_CHILDREN);
}

struct bench_median bench_median(double *values, unsigned n)
{
	struct bench_median m = { .low = NAN, .high = NAN, .n = n };
	unsigned k = 0;

	stats_sort(values, n);
	m.value = stats_median(values, n);
	/* The largest k for which fewer than k values below the true median is rare enough. */
	while (k < n / 2 && gsl_cdf_binomial_P(k, 0.5, n) <= 0.025)
		k++;
	if (k) {
		m.low = values[k - 1];
		m.high = values[n - k];
	}
	return m;
}

/* The text's width on a terminal, where every character is one column wide. */
static int columns(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void cell(const char *text, int width)
{
	printf("%s%*s", text, width > columns(text) ? width - columns(text) : 1, "");
}

void bench_row(const char *what, const char *target, const char *seen, const char *interval,
	       const char *met)
{
	cell(what, 50);
	cell(target, 14);
	cell(seen, 12);
	cell(interval, 20);
	printf("%s\n", met);
	fflush(stdout);
}

void bench_row_median(const char *what, const char *target, const struct bench_median *m,
		      const char *unit, double min, double max)
{
	char seen[40], interval[60];
	const char *met = "unclear";

	snprintf(seen, sizeof(seen), "%.3f%s", m->value, unit);
	snprintf(interval, sizeof(interval), "%.3f … %.3f", m->low, m->high);
	if (m->low >= min && m->high <= max)
		met = "yes";
	else if (m->low > max || m->high < min)
		met = "no";
	bench_row(what, target, seen, isfinite(m->low) ? interval : "n/a",
		  isfinite(min) || isfinite(max) ? met : "");
}

int bench_trouble(const char *name, const struct err *err)
{
	char text[800];

	err_text(err, text, sizeof(text));
	fprintf(stderr, "%s: %s\n", name, text);
	return 1;
}
