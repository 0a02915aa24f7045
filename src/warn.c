/* SPDX-License-Identifier: GPL-2.0-or-later */
/* warn: what in the samples says that a rate is not what it seems. */
#include "config.h"

#include "warn.h"

#include "summary.h"
#include "system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TURNS_TOLERANCE = 1.1;

/* One disturbed repeat in so many is a warning. */
enum { MANY_SHARE = 4 };

/* The faults of the timed repeat that lies farthest from the pages; -1 = not known. */
static int64_t farthest_faults(const struct point *p, int64_t pages)
{
	int64_t farthest = -1;

	for (size_t i = 0; i < p->n_repeats; i++) {
		struct summary s;

		if (p->repeats[i].warmup)
			continue;
		summary_of_repeat(p, &p->repeats[i], -1, &s);
		if (s.faults >= 0 &&
		    (farthest < 0 || llabs(s.faults - pages) > llabs(farthest - pages)))
			farthest = s.faults;
	}
	return farthest;
}

/* A repeat whose counted faults and pages differ by more than 1 % measured something else. */
static int warn_of_faults(struct result *r, const struct point *p)
{
	int64_t pages = (int64_t)(p->pages * p->workers), faults = farthest_faults(p, pages);
	char text[400];

	if (!p->has_summary || faults < 0 || llabs(faults - pages) * 100 <= pages)
		return 0;
	snprintf(text, sizeof(text),
		 "%s with %u worker%s: %lld faults for %lld pages; likely cause: %s", p->type,
		 p->workers, p->workers == 1 ? "" : "s", (long long)faults, (long long)pages,
		 system_explain_faults(r->system, p->object, faults, pages));
	return result_add_warning(r, text);
}

static int warn_of_short_times(struct result *r, const struct point *p)
{
	char text[400];

	double *rates = malloc((p->n_repeats + 1) * sizeof(*rates));
	bool some = isfinite(p->summary.faults_per_wall_s);
	size_t n = rates ? summary_rates(p, result_system_int(r, "clock.step_ns"), rates) : 1;

	free(rates);
	if (!p->has_summary || (some && n))
		return 0;
	snprintf(text, sizeof(text),
		 "%s with %u worker%s: %stoo short for the clock, so there is no %s; give a larger "
		 "--size",
		 p->type, p->workers, p->workers == 1 ? "" : "s", some ? "some repeats are " : "",
		 some ? "interval" : "rate");
	return result_add_warning(r, text);
}

/*
 * Rates divide by the longest worker's time. Where the time from the first start to the last end is
 * clearly longer than that, workers ran one after the other, and the rates are those of a machine
 * with more CPUs than there were.
 */
static int warn_of_turns(struct result *r, const struct point *p)
{
	const struct repeat *shown = summary_pick(p, result_system_int(r, "clock.step_ns"));
	int64_t longest = 0, first = INT64_MAX, last = INT64_MIN;
	char text[400];

	if (!p->has_summary || !shown || !shown->start_ns || !shown->wall_ns)
		return 0;
	for (unsigned i = 0; i < p->workers; i++) {
		int64_t start = shown->start_ns[i], wall = shown->wall_ns[i];

		first = start < first ? start : first;
		last = start + wall > last ? start + wall : last;
		longest = wall > longest ? wall : longest;
	}
	if ((double)(last - first) <= TURNS_TOLERANCE * (double)longest ||
	    !isfinite(p->summary.faults_per_wall_s))
		return 0;
	snprintf(
		text, sizeof(text),
		"%s with %u workers: %.1f us from the first start to the last end, but the longest "
		"worker took %.1f us; they did not all run at once, and the rates are too high",
		p->type, p->workers, (double)(last - first) / 1e3, (double)longest / 1e3);
	return result_add_warning(r, text);
}

/* Points of which the same is to be said, and what disturbed them. */
struct troubled {
	size_t n;
	unsigned causes;
	char names[200]; /* of the first ones */
	bool full;
};

static void add_troubled(struct troubled *t, const struct point *p)
{
	size_t used = strlen(t->names);
	char name[120];

	for (size_t i = 0; i < p->n_repeats; i++)
		t->causes |= p->repeats[i].warmup ? 0 : p->repeats[i].disturbed;
	t->n++;
	snprintf(name, sizeof(name), "%s%.90s with %u", used ? ", " : "", p->type, p->workers);
	t->full |= used + strlen(name) >= sizeof(t->names);
	if (!t->full)
		memcpy(t->names + used, name, strlen(name) + 1);
}

/* One warning for all of them. */
static int warn_of_troubled(struct result *r, const struct troubled *t, const char *what,
			    const char *advice)
{
	char text[1200], causes[200], remedies[500];

	if (!t->n)
		return 0;
	disturbance_text(t->causes, causes, sizeof(causes));
	disturbance_remedies(t->causes, remedies, sizeof(remedies));
	snprintf(text, sizeof(text), "%zu point%s %s (%s); %s, %s: %s%s", t->n,
		 t->n == 1 ? "" : "s", what, causes, remedies, advice, t->names,
		 t->full ? " …" : "");
	return result_add_warning(r, text);
}

/*
 * Of points whose repeats were all disturbed, of those that have fewer undisturbed ones than the
 * least that was asked for, and of those that have enough, but so many others that what is left may
 * not stand for all. An interrupted run lacks repeats for another reason.
 */
static int warn_of_disturbance(struct result *r)
{
	const json_t *repeats = json_object_get(r->plan, "repeats");
	json_int_t wanted = json_is_integer(repeats) ? json_integer_value(repeats) : 0;
	struct troubled all = { 0 }, few = { 0 }, many = { 0 };
	int ret;

	for (size_t i = 0; i < r->n_points; i++) {
		const struct point *p = &r->points[i];
		size_t timed, disturbed;

		summary_count(p, &timed, &disturbed);
		if (!p->has_summary || !disturbed)
			continue;
		if (disturbed == timed)
			add_troubled(&all, p);
		else if ((json_int_t)(timed - disturbed) < wanted &&
			 p->stopped != POINT_STOP_INTERRUPTED)
			add_troubled(&few, p);
		else if (disturbed * MANY_SHARE > timed)
			add_troubled(&many, p);
	}
	ret = warn_of_troubled(r, &all, "had no undisturbed repeat, and shows disturbed ones",
			       "and measure again");
	if (ret)
		return ret;
	ret = warn_of_troubled(r, &few, "had fewer undisturbed repeats than were asked for",
			       "or give a longer --time-limit");
	if (ret)
		return ret;
	return warn_of_troubled(r, &many,
				"had over a quarter of the repeats disturbed and left out",
				"and measure again");
}

/* --perf could count it beforehand, but in some repeats it was not counted for any worker. */
static int warn_of_perf(struct result *r)
{
	const json_t *perf = json_object_get(r->plan, "perf");
	char text[400];
	int ret = 0;

	for (int e = 0; e < PERF_N_EVENTS && !ret; e++) {
		size_t missing = 0;

		if (!json_is_true(json_object_get(perf, perf_event_names[e])))
			continue;
		for (size_t i = 0; i < r->n_points; i++) {
			for (size_t k = 0; k < r->points[i].n_repeats; k++)
				missing += !r->points[i].repeats[k].perf[e];
		}
		snprintf(text, sizeof(text),
			 "--perf: %s was not counted in %zu repeats; likely cause: too few file "
			 "descriptors (RLIMIT_NOFILE), or a PMU that was shared with others",
			 perf_event_names[e], missing);
		ret = missing ? result_add_warning(r, text) : 0;
	}
	return ret;
}

int warn_of_points(struct result *r)
{
	int ret = 0;

	for (size_t i = 0; i < r->n_points && !ret; i++) {
		ret = warn_of_faults(r, &r->points[i]);
		if (!ret)
			ret = warn_of_short_times(r, &r->points[i]);
		if (!ret)
			ret = warn_of_turns(r, &r->points[i]);
	}
	if (!ret)
		ret = warn_of_perf(r);
	return ret ? ret : warn_of_disturbance(r);
}
