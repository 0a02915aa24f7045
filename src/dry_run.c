/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dry_run: tell what a plan would do, its memory need, about how long it takes, and what change it
 * can show.
 */
#include "config.h"

#include "dry_run.h"

#include "clock.h"
#include "counters.h"
#include "guard.h"
#include "preflight.h"
#include "stats.h"
#include "stop.h"

#include <math.h>

/*
 * Of each type: enough probes for a rough idea of their spread, and few enough to take some
 * milliseconds. One before them warms up, as a run does.
 */
enum { PROBE_MIB = 4, PROBE_BYTES = PROBE_MIB << 20, PROBES = 10 };

/* What a repeat takes besides, roughly: to start and end a team, and for each of its workers. */
enum { TEAM_NS = 1000000, WORKER_NS = 100000 };

struct probes {
	double best_page_ns;   /* per page: to map, touch and unmap an object */
	double cpu_ns[PROBES]; /* CPU times of the touch, in rising order */
};

/*
 * Map, touch and unmap an object of this type. What goes by the clock is *page_ns per page, what
 * the touch takes of the CPU *cpu_ns: there is no replacing a probe that others disturb, and the
 * CPU time shows the least of them. False: it fails.
 */
static bool probe(const struct type *type, const struct object_env *env, size_t page_size,
		  double *page_ns, double *cpu_ns)
{
	size_t pages = PROBE_BYTES / page_size;
	int64_t begun = clock_now_ns(), cpu_begun;
	struct err ignored;
	struct object o;

	if (object_map(&o, type->object, env, PROBE_BYTES, &ignored))
		return false;
	cpu_begun = counters_cpu_ns();
	type->touch->run(o.base, pages, page_size);
	*cpu_ns = (double)(counters_cpu_ns() - cpu_begun);
	object_unmap(&o, &ignored);
	*page_ns = (double)(clock_now_ns() - begun) / (double)pages;
	return true;
}

/* False: the type cannot be tried here and now. */
static bool probe_type(const struct type *type, const struct object_env *env, size_t page_size,
		       struct probes *out)
{
	const struct object_need need = { .objects = 1, .bytes_per_object = PROBE_BYTES };
	double page_ns, unused;
	struct err ignored;

	/* What is too small for the probe would end it by a SIGBUS. */
	if (object_check(type->object, env, &ignored) ||
	    object_preflight(type->object, env, &need, &ignored) ||
	    !probe(type, env, page_size, &out->best_page_ns, &unused))
		return false;
	for (int i = 0; i < PROBES; i++) {
		if (!probe(type, env, page_size, &page_ns, &out->cpu_ns[i]))
			return false;
		out->best_page_ns = fmin(out->best_page_ns, page_ns);
	}
	stats_sort(out->cpu_ns, PROBES);
	return true;
}

/* What the probes tell of a plan, all types that can be probed taken together. */
struct outlook {
	double seconds; /* for what is sure to be run; 0 = no idea */
	/* the smallest change that so many repeats show, of the steadiest and the least steady
	 * type; NAN = no idea */
	double change_low, change_high;
};

static double estimate_ns(const struct plan *plan, const struct type *type, double page_ns,
			  unsigned allowed_cpus)
{
	double ns = 0;

	for (size_t i = 0; i < plan->n_points; i++) {
		unsigned workers = plan->points[i].workers;

		if (plan->points[i].type != type)
			continue;
		ns += page_ns * (double)plan->pages * ((workers + allowed_cpus - 1) / allowed_cpus);
		ns += TEAM_NS + (double)WORKER_NS * workers;
	}
	return ns * plan_rounds(plan);
}

/* The error of a median goes with the root of the number of values. NAN: no idea. */
static double estimate_change(const struct plan *plan, const double sorted[PROBES])
{
	double median = stats_median(sorted, PROBES), error;

	if (median <= 0)
		return NAN;
	error = stats_median_error(sorted, PROBES) / median;
	return stats_smallest_change(error * sqrt((double)PROBES / plan->repeats), plan->repeats);
}

static struct outlook look_ahead(const struct plan *plan, const struct object_env *env,
				 unsigned allowed_cpus)
{
	struct outlook o = { 0, NAN, NAN };

	for (size_t i = 0; i < plan->n_types; i++) {
		struct probes probes;
		double change;

		if (!probe_type(&plan->types[i], env, plan->page_size, &probes))
			continue;
		o.seconds +=
			estimate_ns(plan, &plan->types[i], probes.best_page_ns, allowed_cpus) / 1e9;
		change = estimate_change(plan, probes.cpu_ns);
		o.change_low = fmin(o.change_low, change);
		o.change_high = fmax(o.change_high, change);
	}
	return o;
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

static void print_repeats(FILE *out, const struct plan *plan)
{
	fputs("repeats: ", out);
	if (plan->adaptive)
		fprintf(out, "auto: %u to %u of each point, until the median is known to ±%g %%",
			plan->repeats, plan->max_repeats, plan->precision * 100);
	else
		fprintf(out, "%u", plan->repeats);
	fprintf(out, ", and %u to warm up, of %zu points, in rounds shuffled from seed %llu\n",
		plan->warmup, plan->n_points, (unsigned long long)plan->seed);
}

static void print_time(FILE *out, const struct plan *plan, double seconds)
{
	const char *first = plan->warmup ? "the warm-up and the first" : "the first";

	if (seconds > 0) {
		fprintf(out, "time:    about %.*f s", seconds < 10 ? 1 : 0, seconds);
		if (plan->adaptive)
			fprintf(out, " for %s %u", first, plan->repeats);
		fprintf(out,
			", by probes of %d bytes of each type here; more where workers get in each "
			"other's way",
			PROBE_BYTES);
	} else {
		fputs("time:    n/a: no type can be probed here and now", out);
	}
	if (plan->adaptive)
		fprintf(out, "; what goes beyond %s %u keeps to a limit of %g s for the whole run",
			first, plan->repeats, (double)plan->limit_ns / 1e9);
	fputc('\n', out);
}

/* STATS_POWER and STATS_FALSE_ALARM, in words. */
static const char power_text[] = "(80 % power, two-sided 5 %)";

/* With two digits that say something, of small percentages too. */
static void print_percent(FILE *out, double part)
{
	double percent = part * 100;

	fprintf(out, "%.*f", percent < 0.0995 ? 3 : percent < 0.995 ? 2 : 1, percent);
}

static void print_smallest(FILE *out, const struct plan *plan, const struct outlook *o)
{
	fputs("about ", out);
	print_percent(out, o->change_low);
	if (plan->n_types > 1) {
		fputs(" to ", out);
		print_percent(out, o->change_high);
	}
	fprintf(out,
		" %%%s is the smallest that %u repeats show %s, by the spread of the CPU time of "
		"%d probes of %d MiB here\n",
		plan->n_types > 1 ? ", by type," : "", plan->repeats, power_text, PROBES,
		PROBE_MIB);
}

static void print_change(FILE *out, const struct plan *plan, const struct outlook *o)
{
	fputs("change:  ", out);
	/* Where the limit leaves no time beyond the first repeats, none gets to a precision. */
	if (plan->adaptive && (double)plan->limit_ns / 1e9 > o->seconds) {
		print_percent(out, stats_smallest_change_at(plan->precision, STATS_LEVEL));
		fprintf(out,
			" %% is the smallest that a point within ±%g %% shows %s; one that is "
			"stopped by time or repeats may show only larger ones\n",
			plan->precision * 100, power_text);
	} else if (isnan(stats_smallest_change(1, plan->repeats))) {
		fprintf(out, "n/a: so few repeats show none, however large %s\n", power_text);
	} else if (!(o->seconds > 0)) {
		fputs("n/a: no type can be probed here and now\n", out);
	} else if (isnan(o->change_low)) {
		fputs("n/a: the CPU times of probes here do not tell\n", out);
	} else {
		print_smallest(out, plan, o);
	}
}

void dry_run_print(FILE *out, const struct plan *plan, const struct object_env *env,
		   unsigned allowed_cpus)
{
	struct outlook outlook;

	fprintf(out, "types:   %zu\n", plan->n_types);
	print_types(out, plan, env);
	fprintf(out, "workers:");
	for (size_t i = 0; i < plan->n_counts; i++)
		fprintf(out, " %u", plan->counts[i]);
	fprintf(out, "   (%u CPUs allowed)\n", allowed_cpus);
	fprintf(out, "size:    %llu bytes per worker: %llu pages of %zu bytes\n",
		(unsigned long long)plan->size_bytes, (unsigned long long)plan->pages,
		plan->page_size);
	print_repeats(out, plan);
	print_memory(out, plan, env);
	/* Ctrl-C then waits for a segment that is half made, and takes nothing that was printed. */
	fflush(out);
	guard_signals();
	outlook = look_ahead(plan, env, allowed_cpus);
	print_time(out, plan, outlook.seconds);
	print_change(out, plan, &outlook);
}
