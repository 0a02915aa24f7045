/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result_text: from a result to the text of its file. jansson can indent everything or nothing:
 * here, objects and arrays of them get a line for each member, while an array of plain values, as
 * the samples are, stays on one line.
 */
#include "config.h"

#include "result_internal.h"

#include <errno.h>
#include <stdlib.h>

static int stream_error(void)
{
	return errno ? -errno : -EIO;
}

static int put_text(FILE *out, const char *text)
{
	return fputs_unlocked(text, out) < 0 ? stream_error() : 0;
}

/* What jansson writes for a value that has no parts. */
static int put_encoded(FILE *out, const json_t *value, size_t flags)
{
	char *text = value ? json_dumps(value, flags | JSON_ENCODE_ANY) : NULL;
	int ret = text ? put_text(out, text) : -ENOMEM;

	free(text);
	return ret;
}

/* printf() would take most of the time that it takes to write a large result. */
static int put_integer(FILE *out, json_int_t value)
{
	unsigned long long rest = value < 0 ? -(unsigned long long)value
					    : (unsigned long long)value;
	char buf[24], *p = buf + sizeof(buf);

	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--p = '-';
	return fwrite_unlocked(p, (size_t)(buf + sizeof(buf) - p), 1, out) == 1 ? 0
										: stream_error();
}

/* The shortest decimal that reads back as the same double. */
static int put_real(FILE *out, const json_t *value)
{
	for (size_t digits = 15; digits < 17; digits++) {
		size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits);
		char text[64];
		size_t len = json_dumpb(value, text, sizeof(text), flags);
		json_t *back = len && len < sizeof(text)
				       ? json_loadb(text, len, JSON_DECODE_ANY, NULL)
				       : NULL;
		bool same = back && json_real_value(back) == json_real_value(value);

		json_decref(back);
		if (same)
			return put_encoded(out, value, flags);
	}
	return put_encoded(out, value, JSON_REAL_PRECISION(17));
}

static bool is_flat(const json_t *value)
{
	return !json_is_array(value) && !json_is_object(value);
}

static int put_line_break(FILE *out, unsigned depth)
{
	int ret = put_text(out, "\n");

	while (depth-- && !ret)
		ret = put_text(out, "  ");
	return ret;
}

static int put_value(FILE *out, const json_t *value, unsigned depth);

static int put_member(FILE *out, const char *name, const json_t *value, unsigned depth)
{
	json_t *key = json_string(name);
	int ret = put_line_break(out, depth);

	if (!ret)
		ret = put_encoded(out, key, 0);
	if (!ret)
		ret = put_text(out, ": ");
	if (!ret)
		ret = put_value(out, value, depth);
	json_decref(key);
	return ret;
}

static int put_object(FILE *out, const json_t *object, unsigned depth)
{
	const char *name, *comma = "";
	json_t *value;
	int ret = put_text(out, "{");

	json_object_foreach((json_t *)object, name, value)
	{
		if (!ret)
			ret = put_text(out, comma);
		if (!ret)
			ret = put_member(out, name, value, depth + 1);
		comma = ",";
	}
	if (!ret && *comma)
		ret = put_line_break(out, depth);
	return ret ? ret : put_text(out, "}");
}

static int put_array(FILE *out, const json_t *array, unsigned depth)
{
	int ret = put_text(out, "[");
	bool flat = true;
	json_t *value;
	size_t i;

	json_array_foreach(array, i, value) flat = flat && is_flat(value);
	json_array_foreach(array, i, value)
	{
		if (!ret && i)
			ret = put_text(out, flat ? ", " : ",");
		if (!ret && !flat)
			ret = put_line_break(out, depth + 1);
		if (!ret)
			ret = put_value(out, value, depth + 1);
	}
	if (!ret && !flat)
		ret = put_line_break(out, depth);
	return ret ? ret : put_text(out, "]");
}

static int put_value(FILE *out, const json_t *value, unsigned depth)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return put_object(out, value, depth);
	case JSON_ARRAY:
		return put_array(out, value, depth);
	case JSON_INTEGER:
		return put_integer(out, json_integer_value(value));
	case JSON_REAL:
		return put_real(out, value);
	default:
		return put_encoded(out, value, 0);
	}
}

/* One point at a time: as JSON values, the samples take several times their room in memory. */
static int put_points(FILE *out, const struct result *r)
{
	int ret = put_text(out, "[");

	for (size_t i = 0; i < r->n_points && !ret; i++) {
		json_t *point = result_point_json(&r->points[i]);

		ret = point ? put_text(out, i ? ",\n    " : "\n    ") : -ENOMEM;
		if (!ret)
			ret = put_value(out, point, 2);
		json_decref(point);
	}
	if (!ret && r->n_points)
		ret = put_line_break(out, 1);
	return ret ? ret : put_text(out, "]");
}

int result_write(FILE *out, const struct result *r)
{
	json_t *head = result_head_json(r), *value;
	const char *name, *before = "{";
	int ret = head ? 0 : -ENOMEM;

	errno = 0;
	json_object_foreach(head, name, value)
	{
		if (!ret)
			ret = put_text(out, before);
		if (!ret)
			ret = put_member(out, name, value, 1);
		before = ",";
	}
	json_decref(head);
	if (!ret)
		ret = put_text(out, ",\n  \"points\": ");
	if (!ret)
		ret = put_points(out, r);
	return ret ? ret : put_text(out, "\n}\n");
}
