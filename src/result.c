/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result: the structs of a result: making, growing, looking into and freeing them. */
#include "config.h"

#include "result_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMN(member, min, has_unknown)                                                           \
	{                                                                                          \
#member, offsetof(struct repeat, member), min, has_unknown                         \
	}

#define PERF_COLUMN(name, event)                                                                   \
	{                                                                                          \
		name, offsetof(struct repeat, perf[event]), 0, true                                \
	}

const struct result_column result_columns[RESULT_N_COLUMNS] = {
	COLUMN(cpu, 0, false),
	COLUMN(node, 0, true),
	/* An offset from the announced start, not a count: before it is negative. */
	COLUMN(start_ns, INT64_MIN, false),
	COLUMN(wall_ns, 0, false),
	COLUMN(map_ns, 0, false),
	COLUMN(unmap_ns, 0, false),
	COLUMN(user_ns, 0, false),
	COLUMN(sys_ns, 0, false),
	COLUMN(minflt, 0, false),
	COLUMN(majflt, 0, false),
	COLUMN(nvcsw, 0, false),
	COLUMN(nivcsw, 0, false),
	COLUMN(run_delay_ns, 0, false),
	COLUMN(end_cpu, 0, false),
	COLUMN(freq_khz, 0, true),
	PERF_COLUMN("perf_page_faults", PERF_PAGE_FAULTS),
	PERF_COLUMN("perf_cycles_user", PERF_CYCLES_USER),
	PERF_COLUMN("perf_cycles_kernel", PERF_CYCLES_KERNEL),
	PERF_COLUMN("perf_instructions_user", PERF_INSTRUCTIONS_USER),
	PERF_COLUMN("perf_instructions_kernel", PERF_INSTRUCTIONS_KERNEL),
	PERF_COLUMN("perf_dtlb_misses_user", PERF_DTLB_MISSES_USER),
	PERF_COLUMN("perf_dtlb_misses_kernel", PERF_DTLB_MISSES_KERNEL),
};

#define SINGLE(member)                                                                             \
	{                                                                                          \
#member, offsetof(struct repeat, member)                                           \
	}

const struct result_single result_singles[RESULT_N_SINGLES] = {
	SINGLE(shared_map_ns), SINGLE(shared_unmap_ns), SINGLE(lived_ns),	 SINGLE(steal_ns),
	SINGLE(foreign_ns),    SINGLE(throttles),	SINGLE(quota_throttles),
};

#define FIELD(member, integer, optional)                                                           \
	{                                                                                          \
#member, offsetof(struct summary, member), integer, optional                       \
	}

const struct result_field result_fields[RESULT_N_FIELDS] = {
	FIELD(max_wall_s, false, false),
	FIELD(min_wall_s, false, false),
	FIELD(sys_s, false, false),
	FIELD(user_s, false, false),
	/* The first files of this version have none. */
	FIELD(totcpu_s, false, true),
	FIELD(totcpu_per_cpu_s, false, true),
	FIELD(faults, true, false),
	FIELD(faults_per_wall_s, false, false),
	FIELD(faults_per_sys_s, false, false),
	FIELD(faults_per_wall_s_per_cpu, false, false),
	{ "faults_per_wall_s_per_cpu_low", offsetof(struct summary, rate_low), false, true },
	{ "faults_per_wall_s_per_cpu_high", offsetof(struct summary, rate_high), false, true },
	FIELD(nodes, true, false),
};

struct result *result_new(void)
{
	struct result *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->label = strdup("");
	r->created = strdup("");
	r->command = json_array();
	r->tool = json_object();
	r->system = json_object();
	r->plan = json_object();
	r->canary = json_array();
	if (r->label && r->created && r->command && r->tool && r->system && r->plan && r->canary)
		return r;
	result_free(r);
	return NULL;
}

json_t *result_command_line(int argc, char *const *argv)
{
	json_t *words = json_array();
	int bad = json_array_append_new(words, json_string(PACKAGE_NAME));

	for (int i = 0; i < argc && !bad; i++)
		bad = json_array_append_new(words, result_json_text(argv[i]));
	if (!bad)
		return words;
	json_decref(words);
	return NULL;
}

int result_stamp(struct result *r, time_t when)
{
	char text[sizeof("-2147481748-01-01T00:00:00Z")];
	struct tm tm;

	if (when == -1 || !gmtime_r(&when, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		text[0] = '\0';
	free(r->created);
	r->created = strdup(text);
	if (!r->created || json_object_set_new(r->tool, "name", json_string(PACKAGE_NAME)) ||
	    json_object_set_new(r->tool, "version", json_string(PACKAGE_VERSION)))
		return -ENOMEM;
	return 0;
}

static void free_point(struct point *p)
{
	free(p->type);
	free(p->model);
	free(p->object);
	free(p->touch);
	free(p->reason);
	for (size_t i = 0; i < p->n_repeats; i++)
		repeat_free_columns(&p->repeats[i]);
	free(p->repeats);
}

void result_free(struct result *r)
{
	if (!r)
		return;
	free(r->label);
	free(r->created);
	json_decref(r->command);
	json_decref(r->tool);
	json_decref(r->system);
	json_decref(r->plan);
	json_decref(r->canary);
	for (size_t i = 0; i < r->n_warnings; i++)
		free(r->warnings[i]);
	free(r->warnings);
	for (size_t i = 0; i < r->n_points; i++)
		free_point(&r->points[i]);
	free(r->points);
	free(r->path);
	free(r);
}

/*
 * Room for one element more in an array of n that keeps no count of what is allocated: that is
 * always the next power of two.
 */
static void *grow(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	if (n > SIZE_MAX / 2 / size)
		return NULL;
	return realloc(array, (n ? 2 * n : 1) * size);
}

struct point *result_add_point(struct result *r, const char *type, const char *model,
			       const char *object, const char *touch, bool shared, unsigned workers,
			       uint64_t pages)
{
	struct point *points = grow(r->points, r->n_points, sizeof(*points)), *p;

	if (!points)
		return NULL;
	r->points = points;
	p = &points[r->n_points];
	*p = (struct point){ .shared = shared, .workers = workers, .pages = pages };
	p->type = strdup(type);
	p->model = strdup(model);
	p->object = strdup(object);
	p->touch = strdup(touch);
	if (!p->type || !p->model || !p->object || !p->touch) {
		free_point(p);
		return NULL;
	}
	r->n_points++;
	return p;
}

struct repeat *point_add_bare_repeat(struct point *p)
{
	struct repeat *r;

	if (p->n_repeats == p->max_repeats) {
		size_t max = p->max_repeats ? 2 * p->max_repeats : 8;

		if (max > SIZE_MAX / sizeof(*r))
			return NULL;
		r = realloc(p->repeats, max * sizeof(*r));
		if (!r)
			return NULL;
		p->repeats = r;
		p->max_repeats = max;
	}
	r = &p->repeats[p->n_repeats++];
	*r = (struct repeat){ 0 };
	for (size_t i = 0; i < RESULT_N_SINGLES; i++)
		*repeat_single(r, &result_singles[i]) = -1;
	return r;
}

struct repeat *point_add_repeat(struct point *p)
{
	struct repeat *r = point_add_bare_repeat(p);

	if (!r)
		return NULL;
	if (repeat_alloc_columns(r, p->workers)) {
		p->n_repeats--;
		return NULL;
	}
	return r;
}

void point_drop_repeat(struct point *p)
{
	repeat_free_columns(&p->repeats[--p->n_repeats]);
}

int point_set_status(struct point *p, enum point_status status, const char *reason)
{
	char *copy = NULL;

	if (status != POINT_OK) {
		/* A file that gives no reason would be refused. */
		copy = strdup(reason && *reason ? reason : "for an unknown reason");
		if (!copy)
			return -ENOMEM;
		p->has_summary = false;
	}
	free(p->reason);
	p->reason = copy;
	p->status = status;
	return 0;
}

int result_push_warning(struct result *r, const char *text)
{
	char **warnings = grow(r->warnings, r->n_warnings, sizeof(*warnings));

	if (!warnings)
		return -ENOMEM;
	r->warnings = warnings;
	warnings[r->n_warnings] = strdup(text);
	if (!warnings[r->n_warnings])
		return -ENOMEM;
	r->n_warnings++;
	return 0;
}

int result_add_warning(struct result *r, const char *text)
{
	for (size_t i = 0; i < r->n_warnings; i++)
		if (!strcmp(r->warnings[i], text))
			return 0;
	return result_push_warning(r, text);
}

const char *point_status_name(enum point_status status)
{
	static const char *const names[] = {
		[POINT_OK] = "ok",
		[POINT_FAILED] = "failed",
		[POINT_SKIPPED] = "skipped",
	};

	return names[status];
}

const char *point_stop_name(enum point_stop stopped)
{
	static const char *const names[POINT_N_STOPS] = {
		[POINT_STOP_PRECISION] = "precision",	  [POINT_STOP_REPEATS] = "repeats",
		[POINT_STOP_TIME] = "time limit",	  [POINT_STOP_NO_RATE] = "no rate",
		[POINT_STOP_INTERRUPTED] = "interrupted",
	};

	return names[stopped];
}

static const json_t *look_up(const json_t *object, const char *path)
{
	for (;;) {
		char name[128];
		size_t len = strcspn(path, ".");

		if (len >= sizeof(name))
			return NULL;
		memcpy(name, path, len);
		name[len] = '\0';
		object = json_object_get(object, name);
		if (!object || !path[len])
			return object;
		path += len + 1;
	}
}

const char *result_system_string(const struct result *r, const char *path)
{
	return json_string_value(look_up(r->system, path));
}

int64_t result_system_int(const struct result *r, const char *path)
{
	const json_t *value = look_up(r->system, path);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}
