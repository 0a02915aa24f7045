/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result_member: reading members of JSON objects, and saying which of them is wrong. */
#include "config.h"

#include "result_internal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int member_refuse(const struct place_in_file *in, const char *member, const char *fmt, ...)
{
	char what[240];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(in->err, EINVAL, "", "%s: %s%s%s: %s", in->file, in->at,
		       in->at[0] && member ? "." : "", member ? member : "", what);
}

int member_no_memory(const struct place_in_file *in)
{
	return err_set(in->err, ENOMEM, "malloc", "%s: %s", in->file, in->at);
}

static const char *kind_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",	  [JSON_ARRAY] = "an array",
		[JSON_STRING] = "a string",	  [JSON_INTEGER] = "a whole number",
		[JSON_REAL] = "a decimal number", [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",		  [JSON_NULL] = "null",
	};

	return names[json_typeof(value)];
}

int member_refuse_kind(const struct place_in_file *in, const char *member, const char *wanted,
		       const json_t *value)
{
	if (!value)
		return member_refuse(in, member, "missing; %s is wanted here", wanted);
	return member_refuse(in, member, "%s is wanted here, not %s", wanted, kind_name(value));
}

json_t *member_get(const json_t *o, const char *name)
{
	json_t *value = json_object_get(o, name);

	return json_is_null(value) ? NULL : value;
}

int member_string(const struct place_in_file *in, const json_t *o, const char *name, char **out)
{
	const json_t *value = member_get(o, name);

	if (!json_is_string(value))
		return member_refuse_kind(in, name, "a string", value);
	free(*out);
	*out = strdup(json_string_value(value));
	return *out ? 0 : member_no_memory(in);
}

int member_optional_string(const struct place_in_file *in, const json_t *o, const char *name,
			   char **out)
{
	return member_get(o, name) ? member_string(in, o, name, out) : 0;
}

int member_bool(const struct place_in_file *in, const json_t *o, const char *name, bool *out)
{
	const json_t *value = member_get(o, name);

	if (!json_is_boolean(value))
		return member_refuse_kind(in, name, "true or false", value);
	*out = json_is_true(value);
	return 0;
}

int member_check_int(const struct place_in_file *in, const char *name, const json_t *value,
		     int64_t min, int64_t max, int64_t *out)
{
	if (!json_is_integer(value))
		return member_refuse_kind(in, name, "a whole number", value);
	*out = json_integer_value(value);
	if (*out < min)
		return member_refuse(in, name, "%lld is less than %lld", (long long)*out,
				     (long long)min);
	if (*out > max)
		return member_refuse(in, name, "%lld is more than %lld", (long long)*out,
				     (long long)max);
	return 0;
}

int member_int(const struct place_in_file *in, const json_t *o, const char *name, int64_t min,
	       int64_t max, int64_t *out)
{
	return member_check_int(in, name, member_get(o, name), min, max, out);
}

int member_optional_count(const struct place_in_file *in, const json_t *o, const char *name,
			  int64_t *out)
{
	*out = -1;
	return member_get(o, name) ? member_int(in, o, name, 0, INT64_MAX, out) : 0;
}

int member_optional_real(const struct place_in_file *in, const json_t *o, const char *name,
			 double *out)
{
	const json_t *value = member_get(o, name);

	*out = NAN;
	if (!value)
		return 0;
	if (!json_is_number(value))
		return member_refuse_kind(in, name, "a number", value);
	*out = json_number_value(value);
	return *out < 0 ? member_refuse(in, name, "%g is negative", *out) : 0;
}

int member_json(const struct place_in_file *in, const json_t *o, const char *name, json_type kind,
		json_t **out)
{
	json_t *value = member_get(o, name);

	if (!value)
		return 0;
	if (json_typeof(value) != kind)
		return member_refuse_kind(in, name, kind == JSON_ARRAY ? "an array" : "an object",
					  value);
	json_decref(*out);
	*out = json_incref(value);
	return 0;
}

int member_optional_array(const struct place_in_file *in, const json_t *o, const char *name,
			  json_t **out)
{
	*out = member_get(o, name);
	if (*out && !json_is_array(*out))
		return member_refuse_kind(in, name, "an array", *out);
	return 0;
}

int member_check_strings(const struct place_in_file *in, const char *name, const json_t *array)
{
	char member[64];
	json_t *value;
	size_t i;

	json_array_foreach(array, i, value)
	{
		if (json_is_string(value))
			continue;
		snprintf(member, sizeof(member), "%s[%zu]", name, i);
		return member_refuse_kind(in, member, "a string", value);
	}
	return 0;
}
