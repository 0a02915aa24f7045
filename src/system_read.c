/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_read: files of /proc and /sys, as pieces of the description of a system. */
#include "config.h"

#include "limit.h"
#include "result.h"
#include "system.h"
#include "system_parts.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *root = "";

void system_set_root(const char *path)
{
	root = path;
	limit_set_root(path);
}

const char *system_root(void)
{
	return root;
}

int system_path(char *buf, size_t len, const char *path)
{
	return snprintf(buf, len, "%s%s", root, path) < (int)len ? 0 : -ENAMETOOLONG;
}

int system_read(const char *path, char *buf, size_t len)
{
	char full[SYSTEM_PATH_LEN];

	buf[0] = '\0';
	return system_path(full, sizeof(full), path) ? -ENAMETOOLONG
						     : util_read_file(full, buf, len);
}

int system_read_int(const char *path, int64_t *out)
{
	char full[SYSTEM_PATH_LEN];

	return system_path(full, sizeof(full), path) ? -ENAMETOOLONG : util_read_int(full, out);
}

FILE *system_open(const char *path)
{
	char full[SYSTEM_PATH_LEN];

	return system_path(full, sizeof(full), path) ? NULL : fopen(full, "re");
}

int system_list(const char *dir, struct dirent ***names)
{
	char full[SYSTEM_PATH_LEN];

	*names = NULL;
	return system_path(full, sizeof(full), dir) ? -ENAMETOOLONG
						    : scandir(full, names, NULL, versionsort);
}

json_t *system_unknown(void)
{
	return json_string("unknown");
}

json_t *system_text(const char *text)
{
	return *text ? result_json_text(text) : system_unknown();
}

json_t *system_text_file(const char *path)
{
	char text[SYSTEM_TEXT_MAX];

	system_read(path, text, sizeof(text));
	return system_text(text);
}

json_t *system_list_file(const char *path)
{
	char text[SYSTEM_TEXT_MAX];

	if (system_read(path, text, sizeof(text)) < 0)
		return system_unknown();
	/* What nohz_full says before Linux 5.3 where there are none. */
	return result_json_text(strcmp(text, "(null)") ? text : "");
}

json_t *system_int_file(const char *path)
{
	int64_t n;

	return system_read_int(path, &n) ? system_unknown() : json_integer(n);
}

json_t *system_choice(const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	char *word;
	json_t *json;

	if (!close)
		return system_text(text);
	word = strndup(open + 1, (size_t)(close - open - 1));
	json = word ? result_json_text(word) : NULL;
	free(word);
	return json;
}

json_t *system_choice_file(const char *path)
{
	char text[400];

	system_read(path, text, sizeof(text));
	return system_choice(text);
}

json_t *system_status_row(const char *row)
{
	char text[SYSTEM_TEXT_MAX], *value;

	system_read("/proc/self/status", text, sizeof(text));
	/* It is this buffer that the row lies in. */
	value = (char *)util_find_row(text, row);
	if (!value)
		return system_unknown();
	value[strcspn(value, "\n")] = '\0';
	return result_json_text(value);
}

bool system_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) != 0;
}

json_t *system_finish(json_t *object, bool failed)
{
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}
