/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result_points: from the points of a result file to structs, refusing what is not right. */
#include "config.h"

#include "result_internal.h"

#include <stdlib.h>
#include <string.h>

static int load_column(const struct place_in_file *in, const json_t *o,
		       const struct result_column *c, unsigned workers, int64_t **out)
{
	char member[64];
	json_t *array, *value;
	size_t i;
	int ret = member_optional_array(in, o, c->name, &array);

	if (ret || !array)
		return ret;
	/* Before anything is allocated: the array is as long in the file as it will be here. */
	if (json_array_size(array) != workers)
		return member_refuse(in, c->name, "%zu entries for %u workers",
				     json_array_size(array), workers);
	*out = malloc(workers * sizeof(**out));
	if (!*out)
		return member_no_memory(in);
	json_array_foreach(array, i, value)
	{
		if (json_is_integer(value) && json_integer_value(value) >= c->min) {
			(*out)[i] = json_integer_value(value);
			continue;
		}
		if (c->has_unknown && json_is_null(value)) {
			(*out)[i] = -1;
			continue;
		}
		snprintf(member, sizeof(member), "%s[%zu]", c->name, i);
		return member_check_int(in, member, value, c->min, INT64_MAX, &(*out)[i]);
	}
	return 0;
}

/* The causes; a repeat with one that is not known here is disturbed all the same. */
static int load_disturbed(const struct place_in_file *in, const json_t *o, struct repeat *r)
{
	json_t *array, *name;
	size_t i;
	int ret = member_optional_array(in, o, "disturbed", &array);

	if (!ret && array)
		ret = member_check_strings(in, "disturbed", array);
	if (ret)
		return ret;
	json_array_foreach(array, i, name)
		r->disturbed |= 1u << disturbance_find(json_string_value(name));
	return 0;
}

static int load_repeat(struct place_in_file *in, const json_t *o, struct point *p)
{
	struct repeat *r = point_add_bare_repeat(p);
	int ret;

	if (!r)
		return member_no_memory(in);
	if (!json_is_object(o))
		return member_refuse_kind(in, NULL, "an object", o);
	ret = member_int(in, o, "order", 0, INT64_MAX, &r->order);
	if (!ret)
		ret = member_bool(in, o, "warmup", &r->warmup);
	if (!ret)
		ret = load_disturbed(in, o, r);
	for (size_t i = 0; i < RESULT_N_SINGLES && !ret; i++) {
		const struct result_single *s = &result_singles[i];

		ret = member_optional_count(in, o, s->name, repeat_single(r, s));
	}
	for (size_t i = 0; i < RESULT_N_COLUMNS && !ret; i++) {
		const struct result_column *c = &result_columns[i];

		ret = load_column(in, o, c, p->workers, repeat_column(r, c));
	}
	return ret;
}

static int load_summary(struct place_in_file *in, const json_t *o, struct point *p)
{
	int ret = 0;

	if (!json_is_object(o))
		return member_refuse_kind(in, NULL, "an object", o);
	for (size_t i = 0; i < RESULT_N_FIELDS && !ret; i++) {
		const struct result_field *f = &result_fields[i];
		void *to = summary_field(&p->summary, f);

		ret = f->integer ? member_optional_count(in, o, f->name, to)
				 : member_optional_real(in, o, f->name, to);
	}
	p->has_summary = true;
	return ret;
}

static int load_status(const struct place_in_file *in, const json_t *o, struct point *p)
{
	const json_t *value = member_get(o, "status");

	if (!json_is_string(value))
		return member_refuse_kind(in, "status", "a string", value);
	for (int status = POINT_OK; status <= POINT_SKIPPED; status++) {
		if (strcmp(json_string_value(value), point_status_name(status)))
			continue;
		p->status = status;
		return member_optional_string(in, o, "reason", &p->reason);
	}
	return member_refuse(in, "status", "'%.40s' is none of ok, failed and skipped",
			     json_string_value(value));
}

/* A reason to stop that a later version may add is as good as none. */
static int load_stopped(const struct place_in_file *in, const json_t *o, struct point *p)
{
	const json_t *value = member_get(o, "stopped");

	if (value && !json_is_string(value))
		return member_refuse_kind(in, "stopped", "a string", value);
	for (int stop = POINT_STOP_NONE + 1; value && stop < POINT_N_STOPS; stop++) {
		if (!strcmp(json_string_value(value), point_stop_name(stop)))
			p->stopped = stop;
	}
	return 0;
}

/* Whether what a point says of itself agrees. */
static int check_point(const struct place_in_file *in, const struct result *r,
		       const struct point *p)
{
	bool timed = false;

	for (size_t i = 0; i < p->n_repeats; i++)
		timed = timed || !p->repeats[i].warmup;
	if (p->status == POINT_OK) {
		if (p->reason)
			return member_refuse(in, "reason", "the status is ok");
		/* Numbers of no repeat would be taken for imported ones. */
		if (p->has_summary && p->n_repeats && !timed)
			return member_refuse(in, "summary", "there are only warm-ups");
		if (p->has_summary || (!r->complete && !timed))
			return 0;
		return member_refuse(in, "summary", "missing, but the status is ok");
	}
	if (!p->reason || !p->reason[0])
		return member_refuse(in, "reason", "missing, but the status is %s",
				     point_status_name(p->status));
	if (p->has_summary)
		return member_refuse(in, "summary", "the status is %s",
				     point_status_name(p->status));
	return 0;
}

/*
 * A type is one word: tables have it in a column of its own, and it goes to the terminal as it is.
 * So no blanks and no control characters, U+0080 to U+00A0 included.
 */
static int check_type(const struct place_in_file *in, const char *type)
{
	for (const unsigned char *c = (const unsigned char *)type; *c; c++) {
		if (*c <= 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] <= 0xa0))
			return member_refuse(in, "type",
					     "'%.60s' has a blank or a control character", type);
	}
	return *type ? 0 : member_refuse(in, "type", "empty");
}

static int load_identity(const struct place_in_file *in, const json_t *o, struct point *p)
{
	int64_t workers = 0, pages = 0;
	int ret = member_string(in, o, "type", &p->type);

	if (!ret)
		ret = check_type(in, p->type);
	if (!ret)
		ret = member_string(in, o, "model", &p->model);
	if (!ret)
		ret = member_string(in, o, "object", &p->object);
	if (!ret)
		ret = member_string(in, o, "touch", &p->touch);
	if (!ret)
		ret = member_bool(in, o, "shared", &p->shared);
	if (!ret)
		ret = member_int(in, o, "workers", 1, RESULT_MAX_WORKERS, &workers);
	if (!ret)
		ret = member_optional_count(in, o, "pages", &pages);
	p->workers = (unsigned)workers;
	p->pages = pages > 0 ? (uint64_t)pages : 0;
	return ret;
}

static int load_point(struct place_in_file *in, const json_t *o, size_t index, struct result *r)
{
	struct point *p = result_add_point(r, "", "", "", "", false, 0, 0);
	json_t *repeats, *repeat, *summary;
	size_t i;
	int ret;

	if (!p)
		return member_no_memory(in);
	if (!json_is_object(o))
		return member_refuse_kind(in, NULL, "an object", o);
	ret = load_identity(in, o, p);
	if (!ret)
		ret = load_status(in, o, p);
	if (!ret)
		ret = load_stopped(in, o, p);
	if (!ret)
		ret = member_optional_array(in, o, "repeats", &repeats);
	if (ret)
		return ret;
	json_array_foreach(repeats, i, repeat)
	{
		snprintf(in->at, sizeof(in->at), "points[%zu].repeats[%zu]", index, i);
		ret = load_repeat(in, repeat, p);
		if (ret)
			return ret;
	}
	summary = member_get(o, "summary");
	snprintf(in->at, sizeof(in->at), "points[%zu].summary", index);
	ret = summary ? load_summary(in, summary, p) : 0;
	snprintf(in->at, sizeof(in->at), "points[%zu]", index);
	return ret ? ret : check_point(in, r, p);
}

/* Refuse a type and number of workers that were there before; `seen` maps them to points. */
static int check_new(const struct place_in_file *in, json_t *seen, const struct point *p, size_t i)
{
	char workers[16];
	const json_t *before;
	json_t *by_type;

	snprintf(workers, sizeof(workers), "%u", p->workers);
	by_type = json_object_get(seen, p->type);
	if (!by_type) {
		by_type = json_object();
		if (json_object_set_new(seen, p->type, by_type))
			return member_no_memory(in);
	}
	before = json_object_get(by_type, workers);
	if (before)
		return member_refuse(in, NULL, "'%.60s' with %u workers is points[%lld] already",
				     p->type, p->workers, (long long)json_integer_value(before));
	return json_object_set_new(by_type, workers, json_integer((json_int_t)i))
		       ? member_no_memory(in)
		       : 0;
}

int result_load_points(struct place_in_file *in, const json_t *root, struct result *r)
{
	const json_t *points = member_get(root, "points"), *point;
	json_t *seen;
	size_t i;
	int ret = 0;

	if (!json_is_array(points))
		return member_refuse_kind(in, "points", "an array", points);
	seen = json_object();
	if (!seen)
		return member_no_memory(in);
	json_array_foreach(points, i, point)
	{
		snprintf(in->at, sizeof(in->at), "points[%zu]", i);
		ret = load_point(in, point, i, r);
		if (!ret)
			ret = check_new(in, seen, &r->points[i], i);
		if (ret)
			break;
	}
	in->at[0] = '\0';
	json_decref(seen);
	return ret;
}
