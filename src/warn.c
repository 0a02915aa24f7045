/* SPDX-License-Identifier: GPL-2.0-or-later */
/* warn: what in the samples says that a rate is not what it seems. */
#include "config.h"

#include "warn.h"

#include "summary.h"
#include "system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double TURNS_TOLERANCE = 1.1;

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

	if (!p->has_summary || isfinite(p->summary.faults_per_wall_s))
		return 0;
	snprintf(text, sizeof(text),
		 "%s with %u worker%s: too short for the clock, so there is no rate; give a larger "
		 "--size",
		 p->type, p->workers, p->workers == 1 ? "" : "s");
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
	return ret;
}
