/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup: the control groups, v1 and v2, that this process is in. */
#include "config.h"

#include "cgroup.h"

#include "util.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Paths longer than this are treated as if they did not exist. */
enum { PATH_LEN = 2 * PATH_MAX };

/* memory.stat, the longest file that is read, has some 3 KB. */
enum { FILE_LEN = 16384 };

/* One walk: which hierarchy, and where the process's group lies in the mount found for it. */
struct walk {
	const char *root, *controller;
	bool v2;
	char path[PATH_LEN]; /* of the process's group, from /proc/self/cgroup */
	bool found;	     /* a mount of the hierarchy */
	bool visible;	     /* the group lies below it */
	char dir[PATH_LEN];  /* the mount point, then the group's directory */
	size_t mount_len;    /* of dir: the mount point */
	char name[PATH_LEN]; /* what the mount shows of the hierarchy, then the group */
	size_t top_len;	     /* of name: the former */
};

static FILE *open_below(const char *root, const char *path)
{
	char full[PATH_LEN];

	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return NULL;
	return fopen(full, "re");
}

/* Whether a list with commas has the word. */
static bool list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (;; list++) {
		if (!strncmp(list, word, len) && (list[len] == ',' || !list[len]))
			return true;
		list = strchr(list, ',');
		if (!list)
			return false;
	}
}

/* The process's group in w's hierarchy: the row "ID:CONTROLLERS:PATH" (v2: "0::PATH"). */
static bool find_group(struct walk *w)
{
	FILE *f = open_below(w->root, "/proc/self/cgroup");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*controllers++ = *path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		found = w->v2 ? !strcmp(line, "0") && !*controllers
			      : list_has(controllers, w->controller);
		if (found && snprintf(w->path, sizeof(w->path), "%s", path) >= (int)sizeof(w->path))
			found = false;
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* mountinfo writes blanks and backslashes as \040; undo that in place. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
		    text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/*
 * What follows `top` in path, or NULL if path does not lie below it. "/" is "". A path that climbs
 * (a group outside of the cgroup namespace) must not be followed out of the mount.
 */
static const char *below(const char *path, const char *top)
{
	size_t len = strcmp(top, "/") ? strlen(top) : 0;

	if (strncmp(path, top, len) || (path[len] && path[len] != '/'))
		return NULL;
	path += len;
	for (const char *p = path; (p = strstr(p, "/..")); p += 3) {
		if (!p[3] || p[3] == '/')
			return NULL;
	}
	return strcmp(path, "/") ? path : "";
}

/* Take a mount of the hierarchy, that shows it from `top` on, unless a better one is known. */
static void take_mount(struct walk *w, const char *top, const char *point)
{
	const char *rest = below(w->path, top);
	char dir[PATH_LEN];

	if (w->visible || (w->found && !rest))
		return;
	if (rest &&
	    (snprintf(dir, sizeof(dir), "%s%s%s", w->root, point, rest) >= (int)sizeof(dir) ||
	     access(dir, F_OK)))
		rest = NULL;
	if (w->found && !rest)
		return;
	w->found = true;
	w->visible = rest;
	w->mount_len = strlen(w->root) + strlen(point);
	w->top_len = strcmp(top, "/") ? strlen(top) : 0;
	if (snprintf(w->dir, sizeof(w->dir), "%s%s%s", w->root, point, rest ? rest : "") >=
		    (int)sizeof(w->dir) ||
	    snprintf(w->name, sizeof(w->name), "%.*s%s", (int)w->top_len, top, rest ? rest : "") >=
		    (int)sizeof(w->name))
		w->found = w->visible = false;
}

/*
 * One row of mountinfo, as proc(5) has it: ID PARENT DEVICE ROOT POINT OPTIONS [TAG…] - TYPE SOURCE
 * SUPER_OPTIONS. A v1 hierarchy names its controllers among the last.
 */
static void read_mount(struct walk *w, char *line)
{
	char *fields[6], *type, *super, *rest = line, *save;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		fields[i] = strtok_r(i ? NULL : rest, " \n", &save);
		if (!fields[i])
			return;
	}
	do
		type = strtok_r(NULL, " \n", &save);
	while (type && strcmp(type, "-"));
	type = type ? strtok_r(NULL, " \n", &save) : NULL;
	super = type && strtok_r(NULL, " \n", &save) ? strtok_r(NULL, " \n", &save) : NULL;
	if (!super || strcmp(type, w->v2 ? "cgroup2" : "cgroup") ||
	    (!w->v2 && !list_has(super, w->controller)))
		return;
	unescape(fields[3]);
	unescape(fields[4]);
	take_mount(w, fields[3], fields[4]);
}

static void find_mount(struct walk *w)
{
	FILE *f = open_below(w->root, "/proc/self/mountinfo");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		read_mount(w, line);
	free(line);
	if (f)
		fclose(f);
}

/* Visit the group that was found and those above it. Returns whether a visit ended the walk. */
static bool climb(struct walk *w, cgroup_visit visit, void *arg)
{
	struct cgroup group = { .dir = w->dir, .v2 = w->v2 };

	for (;; group.level++) {
		char *slash;

		group.name = w->name[0] ? w->name : "/";
		if (visit(&group, arg))
			return true;
		if (strlen(w->dir) <= w->mount_len)
			return false;
		slash = strrchr(w->dir + w->mount_len, '/');
		if (!slash)
			return false;
		*slash = '\0';
		w->name[w->top_len + (size_t)(slash - w->dir) - w->mount_len] = '\0';
	}
}

void cgroup_walk(const char *root, const char *controller, cgroup_visit visit, void *arg)
{
	struct walk *w = malloc(sizeof(*w));

	for (int v2 = 0; w && v2 < 2; v2++) {
		memset(w, 0, sizeof(*w));
		w->root = root;
		w->controller = controller;
		w->v2 = v2;
		if (!find_group(w))
			continue;
		find_mount(w);
		if (w->found && climb(w, visit, arg))
			break;
	}
	free(w);
}

static int read_file(const struct cgroup *group, const char *file, char *buf, size_t len)
{
	char path[PATH_LEN + 64];

	snprintf(path, sizeof(path), "%s/%s", group->dir, file);
	return util_read_file(path, buf, len);
}

static int parse_number(const char *text, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno || (*end && !isspace((unsigned char)*end)) ? -EINVAL : 0;
}

int cgroup_read(const struct cgroup *group, const char *file, uint64_t *out)
{
	char buf[64];
	int ret = read_file(group, file, buf, sizeof(buf));

	if (ret < 0)
		return ret;
	if (strcmp(buf, "max")) {
		ret = parse_number(buf, out);
		if (ret)
			return ret;
		/* v1 rounds LONG_MAX down to whole pages, whose size differs. */
		if (*out < UINT64_C(1) << 62)
			return 0;
	}
	*out = CGROUP_UNLIMITED;
	return 0;
}

int cgroup_read_row(const struct cgroup *group, const char *file, const char *key, uint64_t *out)
{
	char buf[FILE_LEN];
	const char *value;
	int ret = read_file(group, file, buf, sizeof(buf));

	if (ret < 0)
		return ret;
	value = util_find_row(buf, key);
	return value ? parse_number(value, out) : -ENOENT;
}
