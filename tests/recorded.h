/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded: systems recorded in tests/data/systems, described as if they were this one. */
#ifndef PFSCALE_TEST_RECORDED_H
#define PFSCALE_TEST_RECORDED_H

#include "tree.h"

#include "text.h"

#include "system.h"

/*
 * Start a tree and put the files of tests/data/systems/NAME.txt there: each begins with a line
 * "@@ PATH", and goes on to the next of these. The system is read from there.
 */
__attribute__((unused)) static void record(const char *name)
{
	char path[300], *text, *file, *next;

	snprintf(path, sizeof(path), "systems/%s.txt", name);
	text = read_data(path);
	new_tree();
	for (file = strstr(text, "@@ /"); file; file = next) {
		char *body = strchr(file, '\n');

		*body++ = '\0';
		next = strstr(body, "\n@@ /"); /* an empty file has an empty line */
		if (next)
			*next++ = '\0';
		put(file + 3, "%s%s", body, next && *body ? "\n" : "");
	}
	free(text);
	system_set_root(tree);
}

/* A tree without any file. */
__attribute__((unused)) static void record_nothing(void)
{
	new_tree();
	system_set_root(tree);
}

__attribute__((unused)) static json_t *described(const char *synthetic)
{
	struct object_env env = { .tmpfs_dir = "/dev/shm" };
	struct topology *t = NULL;
	struct err err = { 0 };
	json_t *o = topology_load_synthetic(&t, synthetic, &err) ? NULL : system_describe(t, &env);

	topology_free(t);
	return o;
}

/* A member by its path, "thp.enabled". */
__attribute__((unused)) static json_t *member(json_t *o, const char *path)
{
	char name[100];

	for (size_t len; *path; path += len + (path[len] == '.')) {
		len = strcspn(path, ".");
		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		o = json_object_get(o, name);
	}
	return o;
}

/* Whether a member has this value, written as JSON; text without quotes. */
__attribute__((unused)) static void has_value(json_t *o, const char *path, const char *want)
{
	json_t *m = member(o, path);
	char *got = json_is_string(m) ? strdup(json_string_value(m))
				      : json_dumps(m, JSON_ENCODE_ANY | JSON_COMPACT |
							      JSON_REAL_PRECISION(12));

	is_str(got, want, path);
	free(got);
}

#endif
