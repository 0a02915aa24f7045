/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dry_run: tell what a plan would do, its memory need and about how long it takes. */
#include "config.h"

#include "dry_run.h"

#include "clock.h"
#include "guard.h"
#include "preflight.h"

enum { PROBE_BYTES = 4 << 20, PROBE_TRIES = 3 };

/* What a repeat takes besides, roughly: to start and end a team, and for each of its workers. */
enum { TEAM_NS = 1000000, WORKER_NS = 100000 };

/*
 * Nanoseconds per page of an object of this type, mapped, touched and unmapped: the best of a few
 * tries. 0: it cannot be tried here and now.
 */
static double probe_page_ns(const struct type *type, const struct object_env *env, size_t page_size)
{
	const struct object_need need = { .objects = 1, .bytes_per_object = PROBE_BYTES };
	size_t pages = PROBE_BYTES / page_size;
	struct err ignored;
	double best = 0;

	/* What is too small for the probe would end it by a SIGBUS. */
	if (object_check(type->object, env, &ignored) ||
	    object_preflight(type->object, env, &need, &ignored))
		return 0;
	for (int i = 0; i < PROBE_TRIES; i++) {
		int64_t begun = clock_now_ns();
		struct object o;
		double ns;

		if (object_map(&o, type->object, env, PROBE_BYTES, &ignored))
			return 0;
		type->touch->run(o.base, pages, page_size);
		object_unmap(&o, &ignored);
		ns = (double)(clock_now_ns() - begun) / (double)pages;
		if (best <= 0 || ns < best)
			best = ns;
	}
	return best;
}

/* Seconds for the whole plan; 0 = no idea. Types that cannot be tried are left out. */
static double estimate_s(const struct plan *plan, const struct object_env *env,
			 unsigned allowed_cpus)
{
	double ns = 0;

	for (size_t i = 0; i < plan->n_types; i++) {
		double page_ns = probe_page_ns(&plan->types[i], env, plan->page_size);

		for (size_t j = 0; j < plan->n_points; j++) {
			unsigned workers = plan->points[j].workers;

			if (page_ns <= 0 || plan->points[j].type != &plan->types[i])
				continue;
			ns += page_ns * (double)plan->pages *
			      ((workers + allowed_cpus - 1) / allowed_cpus);
			ns += TEAM_NS + (double)WORKER_NS * workers;
		}
	}
	return ns * plan_rounds(plan) / 1e9;
}

static void print_types(FILE *out, const struct plan *plan, const struct object_env *env)
{
	for (size_t i = 0; i < plan->n_types; i++) {
		struct err err = { 0 };
		char text[800];

		fprintf(out, "  %-24s", plan->types[i].label);
		if (object_check(plan->types[i].object, env, &err)) {
			err_text(&err, text, sizeof(text));
			fprintf(out, "skipped: %s\n", text);
			continue;
		}
		fprintf(out, "%s\n", plan->types[i].object->summary);
	}
}

static void print_memory(FILE *out, const struct plan *plan, const struct object_env *env)
{
	uint64_t most = 0;

	for (size_t i = 0; i < plan->n_points; i++) {
		uint64_t bytes = plan_point_bytes(plan, &plan->points[i]);

		if (bytes > most)
			most = bytes;
	}
	fprintf(out, "memory:  %llu bytes at once, at the most\n", (unsigned long long)most);
	for (size_t i = 0; i < plan->n_points; i++) {
		struct err err = { 0 };
		char text[800];

		if (object_check(plan->points[i].type->object, env, &err) ||
		    !preflight_point(plan, &plan->points[i], env, &err))
			continue;
		err_text(&err, text, sizeof(text));
		fprintf(out, "  %s with %u would fail: %s\n", plan->points[i].type->label,
			plan->points[i].workers, text);
	}
}

void dry_run_print(FILE *out, const struct plan *plan, const struct object_env *env,
		   unsigned allowed_cpus)
{
	double seconds;

	fprintf(out, "types:   %zu\n", plan->n_types);
	print_types(out, plan, env);
	fprintf(out, "workers:");
	for (size_t i = 0; i < plan->n_counts; i++)
		fprintf(out, " %u", plan->counts[i]);
	fprintf(out, "   (%u CPUs allowed)\n", allowed_cpus);
	fprintf(out, "size:    %llu bytes per worker: %llu pages of %zu bytes\n",
		(unsigned long long)plan->size_bytes, (unsigned long long)plan->pages,
		plan->page_size);
	fprintf(out,
		"repeats: %u, and %u to warm up, of %zu points, in rounds shuffled from seed "
		"%llu\n",
		plan->repeats, plan->warmup, plan->n_points, (unsigned long long)plan->seed);
	print_memory(out, plan, env);
	/* Ctrl-C then waits for a segment that is half made, and takes nothing that was printed. */
	fflush(out);
	guard_signals();
	seconds = estimate_s(plan, env, allowed_cpus);
	if (seconds > 0)
		fprintf(out,
			"time:    about %.*f s, by a probe of %d bytes of each type here; more "
			"where workers get in each other's way\n",
			seconds < 10 ? 1 : 0, seconds, PROBE_BYTES);
}
