/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result_json: from the structs of a result to JSON values. */
#include "config.h"

#include "result_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The length of the UTF-8 sequence that s begins with, or 0: no valid one. */
static size_t utf8_len(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t code;

	if (len < 2)
		return len;
	if (s[0] >= 0xf8)
		return 0;
	code = s[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return len;
}

json_t *result_json_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	const unsigned char *s = (const unsigned char *)text;
	json_t *json = json_string(text);
	char *copy, *to;

	if (json)
		return json;
	copy = malloc(3 * strlen(text) + 1);
	if (!copy)
		return NULL;
	for (to = copy; *s;) {
		size_t len = utf8_len(s);

		memcpy(to, len ? (const char *)s : replacement, len ? len : 3);
		to += len ? len : 3;
		s += len ? len : 1;
	}
	*to = '\0';
	json = json_string(copy);
	free(copy);
	return json;
}

static json_t *column_json(const struct result_column *c, const int64_t *values, unsigned n)
{
	json_t *array = json_array();
	int bad = !array;

	for (unsigned i = 0; i < n && !bad; i++) {
		bool unknown = c->has_unknown && values[i] < 0;

		bad = json_array_append_new(array, unknown ? json_null() : json_integer(values[i]));
	}
	if (!bad)
		return array;
	json_decref(array);
	return NULL;
}

/* The causes' names, or none. */
static json_t *disturbed_json(unsigned set)
{
	json_t *array = json_array();
	int bad = !array;

	for (int i = 0; i < DISTURBED_N && !bad; i++) {
		if (set & 1u << i)
			bad = json_array_append_new(array, json_string(disturbance_causes[i].name));
	}
	if (!bad)
		return array;
	json_decref(array);
	return NULL;
}

static json_t *repeat_json(const struct point *p, const struct repeat *r)
{
	json_t *o = json_object();
	int bad = json_object_set_new(o, "order", json_integer(r->order));

	bad |= json_object_set_new(o, "warmup", json_boolean(r->warmup));
	if (r->disturbed)
		bad |= json_object_set_new(o, "disturbed", disturbed_json(r->disturbed));
	for (size_t i = 0; i < RESULT_N_SINGLES && !bad; i++) {
		int64_t value = *repeat_single(r, &result_singles[i]);

		if (value >= 0)
			bad = json_object_set_new(o, result_singles[i].name, json_integer(value));
	}
	for (size_t i = 0; i < RESULT_N_COLUMNS && !bad; i++) {
		const struct result_column *c = &result_columns[i];
		const int64_t *values = *repeat_column(r, c);

		if (values)
			bad = json_object_set_new(o, c->name, column_json(c, values, p->workers));
	}
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *summary_json(const struct summary *s)
{
	json_t *o = json_object();
	int bad = !o;

	for (size_t i = 0; i < RESULT_N_FIELDS && !bad; i++) {
		const struct result_field *f = &result_fields[i];
		const void *value = summary_field(s, f);
		json_t *number;

		if (f->optional && !isfinite(*(const double *)value))
			continue;
		if (f->integer) {
			int64_t n = *(const int64_t *)value;

			number = n < 0 ? json_null() : json_integer(n);
		} else {
			double d = *(const double *)value;

			number = isfinite(d) ? json_real(d) : json_null();
		}
		bad = json_object_set_new(o, f->name, number);
	}
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

/* The repeats of a point, or none. */
static json_t *repeats_json(const struct point *p)
{
	json_t *array = json_array();
	int bad = !array;

	for (size_t i = 0; i < p->n_repeats && !bad; i++)
		bad = json_array_append_new(array, repeat_json(p, &p->repeats[i]));
	if (!bad)
		return array;
	json_decref(array);
	return NULL;
}

json_t *result_point_json(const struct point *p)
{
	json_t *o = json_object();
	int bad = json_object_set_new(o, "type", result_json_text(p->type));

	bad |= json_object_set_new(o, "model", result_json_text(p->model));
	bad |= json_object_set_new(o, "object", result_json_text(p->object));
	bad |= json_object_set_new(o, "touch", result_json_text(p->touch));
	bad |= json_object_set_new(o, "shared", json_boolean(p->shared));
	bad |= json_object_set_new(o, "workers", json_integer(p->workers));
	bad |= json_object_set_new(o, "pages",
				   p->pages ? json_integer((json_int_t)p->pages) : json_null());
	bad |= json_object_set_new(o, "status", json_string(point_status_name(p->status)));
	if (p->reason)
		bad |= json_object_set_new(o, "reason", result_json_text(p->reason));
	if (point_stop_name(p->stopped))
		bad |= json_object_set_new(o, "stopped", json_string(point_stop_name(p->stopped)));
	bad |= json_object_set_new(o, "repeats", repeats_json(p));
	if (p->has_summary)
		bad |= json_object_set_new(o, "summary", summary_json(&p->summary));
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *warnings_json(const struct result *r)
{
	json_t *array = json_array();
	int bad = !array;

	for (size_t i = 0; i < r->n_warnings && !bad; i++)
		bad = json_array_append_new(array, result_json_text(r->warnings[i]));
	if (!bad)
		return array;
	json_decref(array);
	return NULL;
}

json_t *result_head_json(const struct result *r)
{
	json_t *o = json_object();
	int bad = json_object_set_new(o, "format", json_string("pfscale"));

	bad |= json_object_set_new(o, "format_version", json_integer(RESULT_FORMAT_VERSION));
	bad |= json_object_set_new(o, "complete", json_boolean(r->complete));
	bad |= json_object_set_new(o, "label", result_json_text(r->label));
	bad |= json_object_set_new(o, "created", result_json_text(r->created));
	bad |= json_object_set(o, "command", r->command);
	bad |= json_object_set(o, "tool", r->tool);
	bad |= json_object_set(o, "system", r->system);
	bad |= json_object_set(o, "plan", r->plan);
	bad |= json_object_set_new(o, "warnings", warnings_json(r));
	if (json_array_size(r->canary))
		bad |= json_object_set(o, "canary", r->canary);
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

json_t *result_to_json(const struct result *r)
{
	json_t *o = result_head_json(r), *points = json_array();
	int bad = !o || !points;

	for (size_t i = 0; i < r->n_points && !bad; i++)
		bad = json_array_append_new(points, result_point_json(&r->points[i]));
	/* Takes over `points`, also when it fails. */
	bad |= json_object_set_new(o, "points", points);
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}
