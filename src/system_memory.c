/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_memory: memory, nodes, huge pages and limits, for the description of a system. */
#include "config.h"

#include "system_parts.h"

#include "limit.h"
#include "result.h"
#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define THP_DIR "/sys/kernel/mm/transparent_hugepage"

/* A field of /proc/meminfo in bytes, or -1. */
static int64_t meminfo(const char *text, const char *field)
{
	const char *value = util_find_row(text, field);

	return value ? strtoll(value, NULL, 10) * 1024 : -1;
}

static json_t *bytes_or_unknown(int64_t bytes)
{
	return bytes < 0 ? system_unknown() : json_integer(bytes);
}

json_t *system_memory(void)
{
	char text[16384];
	json_t *o = json_object();
	int64_t swap, swap_free;
	bool bad;

	util_read_file("/proc/meminfo", text, sizeof(text));
	swap = meminfo(text, "SwapTotal");
	swap_free = meminfo(text, "SwapFree");
	bad = system_put(o, "total_bytes", bytes_or_unknown(meminfo(text, "MemTotal")));
	bad |= system_put(o, "available_bytes", bytes_or_unknown(meminfo(text, "MemAvailable")));
	bad |= system_put(o, "swap_total_bytes", bytes_or_unknown(swap));
	bad |= system_put(o, "swap_used_bytes",
			  bytes_or_unknown(swap < 0 || swap_free < 0 ? -1 : swap - swap_free));
	return system_finish(o, bad);
}

static json_t *node(const struct topology_node *n)
{
	json_t *o = json_object();
	bool bad = system_put(o, "index", json_integer(n->os_index));

	bad |= system_put(o, "memory_bytes", json_integer((json_int_t)n->memory_bytes));
	bad |= system_put(o, "cpus", json_integer(n->cpus));
	bad |= system_put(o, "allowed", json_boolean(n->allowed));
	return system_finish(o, bad);
}

/* One array per node, in the order of nodes. */
static json_t *distances(const struct topology *t)
{
	json_t *rows = t->distances ? json_array() : system_unknown();
	bool bad = !rows;

	for (unsigned i = 0; t->distances && i < t->n_nodes; i++) {
		json_t *row = json_array();

		for (unsigned j = 0; j < t->n_nodes; j++) {
			uint64_t d = t->distances[(size_t)i * t->n_nodes + j];

			bad |= json_array_append_new(row, json_integer((json_int_t)d)) != 0;
		}
		bad |= json_array_append_new(rows, row) != 0;
	}
	return system_finish(rows, bad);
}

json_t *system_numa(const struct topology *t)
{
	json_t *o = json_object(), *nodes = json_array();
	bool bad = false;

	for (unsigned i = 0; i < t->n_nodes; i++)
		bad |= json_array_append_new(nodes, node(&t->nodes[i])) != 0;
	bad |= system_put(o, "nodes", nodes);
	bad |= system_put(o, "distances", distances(t));
	return system_finish(o, bad);
}

/* Some sizes can be had for one kind of memory alone, and lack the file of the other. */
static bool put_thp_size(json_t *o, const char *size, const char *key)
{
	char path[400];

	snprintf(path, sizeof(path), THP_DIR "/%s/%s", size, key);
	return !access(path, F_OK) && system_put(o, key, system_choice_file(path));
}

static json_t *thp_size(const char *name)
{
	json_t *o = json_object();
	bool bad = put_thp_size(o, name, "enabled");

	bad |= put_thp_size(o, name, "shmem_enabled");
	return system_finish(o, bad || !o);
}

/* The sizes of pages that can be set apart; none before Linux 6.8. */
static json_t *thp_sizes(void)
{
	struct dirent **names = NULL;
	int n = scandir(THP_DIR, &names, NULL, versionsort);
	json_t *o = json_object();
	bool bad = !o;

	for (int i = 0; i < n; i++) {
		if (!strncmp(names[i]->d_name, "hugepages-", 10))
			bad |= system_put(o, names[i]->d_name, thp_size(names[i]->d_name));
		free(names[i]);
	}
	free(names);
	return system_finish(o, bad);
}

json_t *system_thp(void)
{
	json_t *o = json_object();
	bool bad = system_put(o, "enabled", system_choice_file(THP_DIR "/enabled"));

	bad |= system_put(o, "shmem_enabled", system_choice_file(THP_DIR "/shmem_enabled"));
	bad |= system_put(o, "defrag", system_choice_file(THP_DIR "/defrag"));
	bad |= system_put(o, "sizes", thp_sizes());
	return system_finish(o, bad);
}

/* A limit that no int64_t holds is none: null. */
static json_t *limit_value(uint64_t value)
{
	return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

static json_t *limit_file(const char *path)
{
	char text[64], *end;
	unsigned long long value;

	if (util_read_file(path, text, sizeof(text)) <= 0)
		return system_unknown();
	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text || (*end && !strchr(" \t\n", *end)))
		return system_unknown();
	return limit_value(errno || text[0] == '-' ? UINT64_MAX : value);
}

json_t *system_limits(void)
{
	static const struct {
		const char *name;
		int resource;
	} rlimits[] = {
		{ "as", RLIMIT_AS },	       { "data", RLIMIT_DATA },
		{ "memlock", RLIMIT_MEMLOCK }, { "nproc", RLIMIT_NPROC },
		{ "nofile", RLIMIT_NOFILE },   { "fsize", RLIMIT_FSIZE },
		{ "stack", RLIMIT_STACK },
	};
	static const struct {
		const char *name, *path;
	} files[] = {
		{ "shmmax", "/proc/sys/kernel/shmmax" },
		{ "shmall", "/proc/sys/kernel/shmall" },
		{ "shmmni", "/proc/sys/kernel/shmmni" },
		{ "max_map_count", "/proc/sys/vm/max_map_count" },
		{ "threads_max", "/proc/sys/kernel/threads-max" },
		{ "pid_max", "/proc/sys/kernel/pid_max" },
	};
	json_t *o = json_object();
	bool bad = !o;

	for (size_t i = 0; i < ARRAY_SIZE(rlimits); i++) {
		struct rlimit r;

		bad |= system_put(o, rlimits[i].name,
				  getrlimit(rlimits[i].resource, &r)
					  ? system_unknown()
					  : limit_value(r.rlim_cur == RLIM_INFINITY ? UINT64_MAX
										    : r.rlim_cur));
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		bad |= system_put(o, files[i].name, limit_file(files[i].path));
	return system_finish(o, bad);
}

json_t *system_cgroup(void)
{
	struct limit l;
	json_t *o = json_object();
	bool bad;

	limit_memory(&l);
	bad = system_put(o, "limit", result_json_text(l.name));
	bad |= system_put(o, "limit_bytes", limit_value(l.value));
	bad |= system_put(o, "available_bytes", limit_value(l.available));
	return system_finish(o, bad);
}

/* A line: ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS [TAG…] - TYPE SOURCE SUPEROPTIONS. */
int system_mount_options(FILE *in, unsigned major, unsigned minor, char **options)
{
	char *line = NULL;
	size_t size = 0;
	int ret = -ENOENT;

	while (ret == -ENOENT && getline(&line, &size, in) > 0) {
		unsigned line_major, line_minor;
		const char *rest = strstr(line, " - ");

		if (!rest || sscanf(line, "%*d %*d %u:%u ", &line_major, &line_minor) != 2 ||
		    line_major != major || line_minor != minor)
			continue;
		rest = strchr(rest + 3, ' ');
		rest = rest ? strchr(rest + 1, ' ') : NULL;
		if (!rest)
			continue;
		*options = strndup(rest + 1, strcspn(rest + 1, "\n"));
		ret = *options ? 0 : -ENOMEM;
	}
	free(line);
	return ret;
}

/* The options of the file system that dir lies on. It may be mounted in many places: they agree. */
static json_t *options_of(const struct stat *st)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	char *options = NULL;
	json_t *json;
	int ret;

	if (!in)
		return system_unknown();
	ret = system_mount_options(in, major(st->st_dev), minor(st->st_dev), &options);
	fclose(in);
	if (ret)
		return ret == -ENOMEM ? NULL : system_unknown();
	json = result_json_text(options);
	free(options);
	return json;
}

json_t *system_tmpfs(const char *dir)
{
	struct stat st;
	struct statvfs fs;
	json_t *o = json_object();
	bool bad = system_put(o, "dir", dir ? result_json_text(dir) : system_unknown());

	bad |= system_put(o, "options",
			  dir && !stat(dir, &st) ? options_of(&st) : system_unknown());
	bad |= system_put(o, "size_bytes",
			  dir && !statvfs(dir, &fs)
				  ? limit_value((uint64_t)fs.f_blocks * fs.f_frsize)
				  : system_unknown());
	return system_finish(o, bad);
}
