/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advise: what of the system will spoil or skew the numbers, and what to do about it (pure). */
#include "config.h"

#include "advise.h"

#include "advise_parts.h"
#include "rounds.h"
#include "util.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int advise_add(const struct advice *a, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return result_add_warning(a->r, text);
}

const char *advise_text(const struct advice *a, const char *path)
{
	const char *text = result_system_string(a->r, path);

	return text && strcmp(text, "unknown") ? text : "";
}

static bool is_measured(const struct point *p)
{
	return p->status == POINT_OK ||
	       (p->status == POINT_SKIPPED && (!p->reason || !strcmp(p->reason, ROUNDS_NOT_RUN)));
}

bool advise_measures(const struct advice *a, const char *object)
{
	for (size_t i = 0; i < a->r->n_points; i++) {
		if (is_measured(&a->r->points[i]) && !strcmp(a->r->points[i].object, object))
			return true;
	}
	return false;
}

/* In the order in which they are told: from what spoils every number to what spoils some. */
static const advise_check checks[] = {
	advise_debug_kernel, advise_load,  advise_oversubscription, advise_quota, advise_governor,
	advise_clock,	     advise_nodes, advise_numa_balancing,   advise_swap,  advise_huge_pages,
	advise_malloc,
};

int advise(struct result *r, const struct place *places, unsigned workers)
{
	json_int_t size = json_integer_value(json_object_get(r->plan, "size_bytes"));
	struct advice a = { .r = r, .places = places, .n_places = workers };
	int ret = 0;

	for (size_t i = 0; i < r->n_points; i++) {
		if (is_measured(&r->points[i]) && r->points[i].workers > a.workers)
			a.workers = r->points[i].workers;
	}
	if (size > 0 && size < INT64_MAX / PLAN_MAX_WORKERS && a.workers <= PLAN_MAX_WORKERS)
		a.bytes = (uint64_t)size * a.workers;
	for (size_t i = 0; a.workers && i < ARRAY_SIZE(checks) && !ret; i++)
		ret = checks[i](&a);
	return ret;
}
