/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_tmpfs: the file system of tmpfs objects, for the description of a system. */
#include "config.h"

#include "result.h"
#include "system_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

/* A line: ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS [TAG…] - TYPE SOURCE SUPEROPTIONS. */
int system_mount_options(FILE *in, unsigned major, unsigned minor, char **type, char **options)
{
	char *line = NULL;
	size_t size = 0;
	int ret = -ENOENT;

	while (ret == -ENOENT && getline(&line, &size, in) > 0) {
		unsigned line_major, line_minor;
		const char *rest = strstr(line, " - "), *name = rest;

		if (!rest || sscanf(line, "%*d %*d %u:%u ", &line_major, &line_minor) != 2 ||
		    line_major != major || line_minor != minor)
			continue;
		rest = strchr(rest + 3, ' ');
		rest = rest ? strchr(rest + 1, ' ') : NULL;
		if (!rest)
			continue;
		*type = strndup(name + 3, strcspn(name + 3, " "));
		*options = strndup(rest + 1, strcspn(rest + 1, "\n"));
		ret = *type && *options ? 0 : -ENOMEM;
	}
	free(line);
	return ret;
}

/* What the directory lies on. It may be mounted in many places: they agree. */
static int find_mount(const char *dir, char **type, char **options)
{
	FILE *in;
	struct stat st;
	int ret;

	if (!dir || stat(dir, &st))
		return -ENOENT;
	in = system_open("/proc/self/mountinfo");
	if (!in)
		return -ENOENT;
	ret = system_mount_options(in, major(st.st_dev), minor(st.st_dev), type, options);
	fclose(in);
	return ret;
}

/* A tmpfs that is mounted without a limit (size=0) says that it has no blocks; so do others. */
static json_t *size_of(const char *dir, const char *type)
{
	struct statvfs fs;

	if (!dir || statvfs(dir, &fs))
		return system_unknown();
	if (fs.f_blocks)
		return system_limit((uint64_t)fs.f_blocks * fs.f_frsize);
	return type && !strcmp(type, "tmpfs") ? json_null() : system_unknown();
}

json_t *system_tmpfs(const char *dir)
{
	char *type = NULL, *options = NULL;
	json_t *o = json_object();
	bool bad = system_put(o, "dir", dir ? result_json_text(dir) : system_unknown());

	bad |= find_mount(dir, &type, &options) == -ENOMEM;
	bad |= system_put(o, "type", system_text(type ? type : ""));
	bad |= system_put(o, "options", system_text(options ? options : ""));
	bad |= system_put(o, "size_bytes", size_of(dir, type));
	free(type);
	free(options);
	return system_finish(o, bad);
}
