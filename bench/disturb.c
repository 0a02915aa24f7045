/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disturb: what a competitor on a worker's CPU does to the rate that is reported, and to marks. */
#include "config.h"

#include "bare.h"
#include "bench.h"
#include "summary.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS = 10 };

/* The competitor takes the CPU for so long, then sleeps, and so on. */
static const int64_t busy_ns = 300000000, asleep_ns = 700000000;

/* A longer run, beside the competitor and alone. */
struct side {
	double *rates, *marked; /* one each per pair */
};

struct setting {
	struct bench b;
	int cpu;
	struct side alone, beside;
	double *ratios;
};

/* Never returns. */
static void compete(pid_t parent, int cpu)
{
	const struct timespec asleep = { asleep_ns / 1000000000, asleep_ns % 1000000000 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || bare_pin(cpu))
		_exit(1);
	for (;;) {
		int64_t until = bench_now_ns() + busy_ns;

		while (bench_now_ns() < until)
			;
		nanosleep(&asleep, NULL);
	}
}

/* One run. *marked is the part of its timed repeats that are marked. */
static int run(const struct setting *s, const char *type, const char *workers, double *rate,
	       double *marked, struct err *err)
{
	char path[PATH_MAX], size[32];
	const char *const args[] = { type,	  "--cpus", workers,	    "--size", size,
				     "--repeats", "20",	    "--time-limit", "60s",    NULL };
	size_t timed, disturbed;
	struct result *r;
	int64_t ns;
	int ret;

	snprintf(size, sizeof(size), "%llu", (unsigned long long)s->b.size_bytes);
	snprintf(path, sizeof(path), "%s/disturb.json", s->b.dir);
	ret = bench_pfscale(&s->b, args, path, &ns, &r, err);
	if (ret)
		return ret;
	summary_count(&r->points[0], &timed, &disturbed);
	*rate = r->points[0].summary.faults_per_wall_s_per_cpu;
	*marked = (double)disturbed / (double)timed;
	result_free(r);
	return isfinite(*rate) ? 0 : err_set(err, EDOM, "", "%s has no rate: too short", type);
}

static int run_beside(const struct setting *s, const char *type, const char *workers, double *rate,
		      double *marked, struct err *err)
{
	pid_t parent = getpid(), competitor = fork();
	int ret;

	if (!competitor)
		compete(parent, s->cpu);
	if (competitor < 0)
		return err_set(err, errno, "fork", "the competitor");
	ret = run(s, type, workers, rate, marked, err);
	if (waitpid(competitor, NULL, WNOHANG) == competitor)
		return err_set(err, ECHILD, "", "the competitor could not be pinned to CPU %d",
			       s->cpu);
	kill(competitor, SIGKILL);
	waitpid(competitor, NULL, 0);
	return ret;
}

static void print_share(const char *what, double *shares, unsigned n)
{
	struct bench_median m;

	for (unsigned i = 0; i < n; i++)
		shares[i] *= 100;
	m = bench_median(shares, n);
	bench_row_median(what, "", &m, " %", -INFINITY, INFINITY);
}

static int measure(struct setting *s, const char *type, unsigned workers, struct err *err)
{
	struct bench_median m;
	char count[16], text[100];

	snprintf(count, sizeof(count), "%u", workers);
	for (unsigned i = 0; i < 2 * s->b.count; i++) {
		unsigned pair = i / 2;
		bool beside = i % 2 != pair % 2;
		struct side *side = beside ? &s->beside : &s->alone;
		int ret =
			beside ? run_beside(s, type, count, &side->rates[pair], &side->marked[pair],
					    err)
			       : run(s, type, count, &side->rates[pair], &side->marked[pair], err);

		if (ret)
			return ret;
	}
	for (unsigned i = 0; i < s->b.count; i++)
		s->ratios[i] = s->beside.rates[i] / s->alone.rates[i];
	m = bench_median(s->ratios, s->b.count);
	snprintf(text, sizeof(text), "%s %u: rate beside a competitor / alone", type, workers);
	bench_row_median(text, "0.98 … 1.02", &m, "", 0.98, 1.02);
	print_share("  repeats marked, alone", s->alone.marked, s->b.count);
	print_share("  repeats marked, beside the competitor", s->beside.marked, s->b.count);
	return 0;
}

static int prepare(struct setting *s, struct err *err)
{
	double *room = calloc(5 * (size_t)s->b.count, sizeof(*room));
	int *cpus = bare_cpus(1, err);

	if (!room || !cpus) {
		free(room);
		free(cpus);
		return cpus ? err_set(err, ENOMEM, "calloc", "%u pairs", s->b.count) : -err->num;
	}
	s->cpu = cpus[0];
	free(cpus);
	s->ratios = room;
	s->alone = (struct side){ room + s->b.count, room + 2 * (size_t)s->b.count };
	s->beside = (struct side){ room + 3 * (size_t)s->b.count, room + 4 * (size_t)s->b.count };
	return 0;
}

int main(int argc, char **argv)
{
	struct setting s = { .b = { .count = PAIRS, .size_bytes = BENCH_SIZE_BYTES } };
	struct err err = { 0 };
	int ret = bench_options(&s.b, argc, argv, NULL, NULL);

	if (ret)
		return ret < 0 ? 2 : 0;
	ret = prepare(&s, &err);
	if (!ret)
		ret = measure(&s, "fork", 1, &err);
	if (!ret && bare_allowed_cpus(&err) > 1)
		ret = measure(&s, "pthread:zero:shared", 2, &err);
	if (ret)
		bench_trouble(argv[0], &err);
	free(s.ratios);
	return ret ? 1 : 0;
}
