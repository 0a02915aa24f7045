/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench: what the benchmarks share: pairs of runs, their ratios, and the table's rows. */
#include "config.h"

#include "bench.h"

#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARGS = 32 };

static int usage(const char *name)
{
	fprintf(stderr, "usage: %s [-p PFSCALE] [-d DIR] [-n PAIRS]\n", name);
	return -EINVAL;
}

int bench_options(struct bench *b, int argc, char **argv, unsigned default_pairs)
{
	struct err err = { 0 };
	uint64_t pairs = default_pairs;
	char text[200];
	int c;

	*b = (struct bench){ .pfscale = "./pfscale", .dir = "." };
	while ((c = getopt(argc, argv, "p:d:n:")) != -1) {
		if (c == 'p') {
			b->pfscale = optarg;
		} else if (c == 'd') {
			b->dir = optarg;
		} else if (c != 'n') {
			return usage(argv[0]);
		} else if (util_parse_uint("-n", optarg, 1, 100000, &pairs, &err)) {
			err_text(&err, text, sizeof(text));
			fprintf(stderr, "%s: %s\n", argv[0], text);
			return usage(argv[0]);
		}
	}
	if (optind < argc)
		return usage(argv[0]);
	b->pairs = (unsigned)pairs;
	return 0;
}

/* Be pfscale; only what goes wrong is to be seen. */
static void become(const char *program, const char *const *argv)
{
	int fd = open("/dev/null", O_RDWR);

	if (fd >= 0) {
		dup2(fd, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}
	execvp(program, (char *const *)argv);
	_exit(127);
}

int bench_pfscale(const struct bench *b, const char *const *args, const char *path,
		  int64_t *wall_ns, struct result **out, struct err *err)
{
	static const char *const ending[] = { "-q", "--force", "-o" };
	const char *argv[MAX_ARGS] = { b->pfscale, "run" };
	size_t argc = 2;
	int64_t begun;
	int status;
	pid_t pid;

	for (; *args && argc < MAX_ARGS - ARRAY_SIZE(ending) - 2; args++)
		argv[argc++] = *args;
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		argv[argc++] = ending[i];
	argv[argc] = path;

	begun = bench_now_ns();
	pid = fork();
	if (!pid)
		become(b->pfscale, argv);
	if (pid < 0)
		return err_set(err, errno, "fork", "%s", b->pfscale);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_set(err, errno, "waitpid", "%s", b->pfscale);
	}
	*wall_ns = bench_now_ns() - begun;
	if (status)
		return err_set(err, ECHILD, "", "%s run ended with status %d", b->pfscale,
			       WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	return out ? result_load(path, out, err) : 0;
}

int64_t bench_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
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

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void bench_sort(double *values, unsigned n)
{
	qsort(values, n, sizeof(*values), compare);
}

double bench_quantile(const double *sorted, unsigned n, double q)
{
	double rank = ceil(q * n);

	return sorted[rank < 1 ? 0 : (unsigned)rank - 1];
}

struct bench_median bench_median(double *values, unsigned n)
{
	struct bench_median m = { .low = NAN, .high = NAN, .n = n };
	unsigned k = 0;

	bench_sort(values, n);
	m.value = (values[(n - 1) / 2] + values[n / 2]) / 2;
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
