/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aa: the same thing run again and again: how often pfscale sees a change where there is none, the
 * smallest change that it can show, and that of stress-ng.
 */
#include "config.h"

#include "aa.h"

#include "bare.h"
#include "summary.h"
#include "util.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RUNS = 40, MAX_SUBJECTS = 3 };

/* --repeats: the least (fewer have no interval) and the most; and how to come to what fits. */
enum { LEAST = 6, MOST = 100000, TRIES = 6, MOST_GROWTH = 8 };

static const int64_t default_time_ns = INT64_C(10000000000);

struct experiment {
	struct bench b;
	struct aa_subject subjects[MAX_SUBJECTS];
	unsigned n_subjects;
	int *cpus;
};

static int take_rates(const struct result *r, struct aa_run *run, struct err *err)
{
	const struct point *p = &r->points[0];

	run->rates = calloc(p->n_repeats + 1, sizeof(*run->rates));
	if (!run->rates)
		return err_set(err, ENOMEM, "calloc", "%zu rates", p->n_repeats);
	run->n = summary_rates(p, result_system_int(r, "clock.step_ns"), run->rates);
	if (!run->n)
		return err_set(err, EPROTO, "", "%s with %u workers has no rate", p->type,
			       p->workers);
	return 0;
}

/* run: NULL where only the time is wanted, which goes to *wall_s. */
static int run_pfscale(const struct experiment *e, const struct aa_subject *s, unsigned n_repeats,
		       struct aa_run *run, double *wall_s, struct err *err)
{
	char workers[24], size[24], repeats[24], limit[32], path[PATH_MAX];
	/* The limit bounds how many disturbed repeats are replaced. */
	const char *const args[] = { s->type,	  "--cpus", workers,	    "--size", size,
				     "--repeats", repeats,  "--time-limit", limit,    NULL };
	struct result *r = NULL;
	int64_t wall_ns;
	int ret;

	snprintf(workers, sizeof(workers), "%u", s->workers);
	snprintf(size, sizeof(size), "%llu", (unsigned long long)e->b.size_bytes);
	snprintf(repeats, sizeof(repeats), "%u", n_repeats);
	snprintf(limit, sizeof(limit), "%lldms", (long long)e->b.time_ns / 1000000);
	snprintf(path, sizeof(path), "%s/aa.json", e->b.dir);
	ret = bench_pfscale(&e->b, args, path, &wall_ns, run ? &r : NULL, err);
	if (ret)
		return ret;
	*wall_s = (double)wall_ns / 1e9;
	if (run)
		ret = take_rates(r, run, err);
	result_free(r);
	return ret;
}

/*
 * How many repeats fit into the time: from few on, as many more as the time allows for by what the
 * last run took. A run that was held up leads astray only until the next one.
 */
static int find_repeats(const struct experiment *e, struct aa_subject *s, struct err *err)
{
	double time_s = (double)e->b.time_ns / 1e9;

	s->repeats = LEAST;
	for (int i = 0; i < TRIES; i++) {
		double wall_s, more;
		int ret = run_pfscale(e, s, s->repeats, NULL, &wall_s, err);

		if (ret)
			return ret;
		more = time_s / wall_s;
		if (more > 0.9 && more < 1.1)
			break;
		more = s->repeats * (more < MOST_GROWTH ? more : MOST_GROWTH);
		s->repeats = more < LEAST ? LEAST : more > MOST ? MOST : (unsigned)more;
	}
	return 0;
}

/* The rate of bogo operations in a file that stress-ng --yaml wrote. */
static int read_yaml(const char *path, double *rate, struct err *err)
{
	FILE *file = fopen(path, "r");
	bool found = false;
	char line[200];

	if (!file)
		return err_set(err, errno, "open", "%s", path);
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, " bogo-ops-per-second-real-time: %lf", rate) == 1;
	fclose(file);
	if (!found || !(*rate > 0))
		return err_set(err, EPROTO, "", "%s has no rate of bogo operations", path);
	return 0;
}

/* On the CPU of pfscale's first worker: it is not to be the one that wanders. */
static int run_stress_ng(const struct experiment *e, struct aa_run *run, struct err *err)
{
	static const char name[] = "aa.yaml";
	char path[PATH_MAX], seconds[32], cpu[24];
	const char *const argv[] = { "stress-ng", "--fault",   "1",	 cpu,  "--timeout",
				     seconds,	  "--metrics", "--yaml", name, NULL };
	int64_t wall_ns, whole_s = (e->b.time_ns + 999999999) / 1000000000;
	int ret;

	snprintf(path, sizeof(path), "%s/%s", e->b.dir, name);
	snprintf(seconds, sizeof(seconds), "%llds", (long long)whole_s);
	snprintf(cpu, sizeof(cpu), "--taskset=%d", e->cpus[0]);
	unlink(path); /* a rate from before is not to be taken for this one's */
	run->rates = calloc(1, sizeof(*run->rates));
	if (!run->rates)
		return err_set(err, ENOMEM, "calloc", "a rate");
	run->n = 1;
	/* It leaves what it makes in the directory that it runs in, if it is killed. */
	ret = bench_spawn(argv, e->b.dir, true, &wall_ns, err);
	run->wall_s = (double)wall_ns / 1e9;
	return ret ? ret : read_yaml(path, run->rates, err);
}

/* Subjects take turns: a drift of the machine falls on all of them. */
static int measure(struct experiment *e, struct err *err)
{
	bool show = isatty(STDERR_FILENO);

	for (unsigned i = 0; i < e->b.count; i++) {
		if (show)
			fprintf(stderr, "\rround %u of %u ", i + 1, e->b.count);
		for (unsigned j = 0; j < e->n_subjects; j++) {
			struct aa_subject *s = &e->subjects[j];
			struct aa_run *run = &s->runs[s->n_runs++];
			int ret;

			if (s->type)
				ret = run_pfscale(e, s, s->repeats, run, &run->wall_s, err);
			else
				ret = run_stress_ng(e, run, err);
			if (ret)
				return ret;
		}
	}
	if (show)
		fprintf(stderr, "\r%30s\r", "");
	return 0;
}

static int print(const struct experiment *e, struct err *err)
{
	struct aa_alarms alarms = { 0 };
	int ret = 0;

	for (unsigned i = 0; i < e->n_subjects && !ret; i++)
		ret = aa_print(&e->subjects[i], &alarms, err);
	if (!ret)
		aa_print_alarms("false alarms, all single runs", &alarms);
	return ret;
}

static bool has_stress_ng(void)
{
	static const char *const argv[] = { "stress-ng", "--version", NULL };
	struct err ignored;
	int64_t wall_ns;

	return !bench_spawn(argv, NULL, true, &wall_ns, &ignored);
}

static int prepare(struct experiment *e, struct err *err)
{
	int allowed = bare_allowed_cpus(err), ret = 0;

	if (allowed < 0)
		return allowed;
	e->cpus = bare_cpus(1, err);
	if (!e->cpus)
		return -err->num;
	e->subjects[e->n_subjects++] = (struct aa_subject){ .type = "fork", .workers = 1 };
	if (allowed > 1)
		e->subjects[e->n_subjects++] =
			(struct aa_subject){ .type = "pthread:zero:shared", .workers = 2 };
	if (has_stress_ng())
		e->subjects[e->n_subjects++] = (struct aa_subject){ .workers = 1 };
	else
		bench_row("stress-ng is not installed here", "", "n/a", "n/a", "");
	for (unsigned i = 0; i < e->n_subjects && !ret; i++) {
		struct aa_subject *s = &e->subjects[i];

		s->runs = calloc(e->b.count, sizeof(*s->runs));
		if (!s->runs)
			ret = err_set(err, ENOMEM, "calloc", "%u runs", e->b.count);
		else if (s->type)
			ret = find_repeats(e, s, err);
	}
	return ret;
}

static void release(struct experiment *e)
{
	for (unsigned i = 0; i < e->n_subjects; i++) {
		for (unsigned j = 0; j < e->subjects[i].n_runs; j++)
			free(e->subjects[i].runs[j].rates);
		free(e->subjects[i].runs);
	}
	free(e->cpus);
}

int main(int argc, char **argv)
{
	struct experiment e = {
		.b = {
			.count = RUNS,
			.size_bytes = BENCH_SIZE_BYTES,
			.time_ns = default_time_ns,
		},
	};
	struct err err = { 0 };
	int ret = bench_options(&e.b, argc, argv, "[-t TIME]", NULL);

	if (ret)
		return ret < 0 ? 2 : 0;
	ret = prepare(&e, &err);
	if (!ret)
		ret = measure(&e, &err);
	if (!ret)
		ret = print(&e, &err);
	if (ret)
		bench_trouble(argv[0], &err);
	release(&e);
	return ret ? 1 : 0;
}
