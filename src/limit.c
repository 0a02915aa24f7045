/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limit: what stands between a point and its memory or its workers, with names and values. */
#include "config.h"

#include "limit.h"

#include "cgroup.h"
#include "util.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest of the /proc files that are read whole is vmstat, with some 5 KB. */
enum { FILE_LEN = 16384 };

/* Bits of CapEff that free a process from RLIMIT_NPROC, as in <linux/capability.h>. */
enum { CAPS_NPROC = 1 << 21 /* CAP_SYS_ADMIN */ | 1 << 24 /* CAP_SYS_RESOURCE */ };

static const char *limit_root = "";

void limit_set_root(const char *path)
{
	limit_root = path;
}

/* Read a file of /proc. Returns its length or a negative errno. */
static int read_proc(const char *name, char *buf, size_t len)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/proc/%s", limit_root, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return util_read_file(path, buf, len);
}

/* The number in row `key` of a /proc file; rows in kB come out in bytes. Returns 0 or -errno. */
static int read_row(const char *name, const char *key, uint64_t *out)
{
	char buf[FILE_LEN], *end;
	const char *value;
	int ret = read_proc(name, buf, sizeof(buf));

	if (ret < 0)
		return ret;
	value = util_find_row(buf, key);
	if (!value)
		return -ENOENT;
	if (!isdigit((unsigned char)*value))
		return -EINVAL;
	*out = strtoull(value, &end, 10);
	if (!strncmp(end, " kB", 3))
		*out *= 1024;
	return 0;
}

static int read_sysctl(const char *name, uint64_t *out)
{
	char buf[64];
	int ret = read_proc(name, buf, sizeof(buf));

	if (ret < 0)
		return ret;
	if (!isdigit((unsigned char)buf[0]))
		return -EINVAL;
	*out = strtoull(buf, NULL, 10);
	return 0;
}

/* The soft limit in a row of /proc/self/limits. Returns whether there is one. */
static bool read_rlimit(const char *row, uint64_t *out)
{
	return !read_row("self/limits", row, out); /* "unlimited" is no number */
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* "FILE of GROUP". What does not fit is cut at the left, where groups of one machine are alike. */
static void name_limit(char *buf, size_t len, const char *file, const char *group)
{
	size_t room = len - strlen(file) - sizeof(" of …");

	if (strlen(group) <= room)
		snprintf(buf, len, "%s of %s", file, group);
	else
		snprintf(buf, len, "%s of …%s", file, group + strlen(group) - room);
}

static void take_tighter(struct limit *tightest, const char *file, const struct cgroup *group,
			 uint64_t value, uint64_t used)
{
	uint64_t available = value > used ? value - used : 0;

	if (available >= tightest->available)
		return;
	tightest->value = value;
	tightest->available = available;
	name_limit(tightest->name, sizeof(tightest->name), file, group->name);
}

static bool visit_memory(const struct cgroup *group, void *arg)
{
	static const char *const files[2][2] = { { "memory.limit_in_bytes" },
						 { "memory.max", "memory.high" } };
	uint64_t value, used, hierarchy, droppable = 0;

	/* Without use_hierarchy, groups of v1 do not answer for what those below them use. */
	if (!group->v2 && group->level && !cgroup_read(group, "memory.use_hierarchy", &hierarchy) &&
	    !hierarchy)
		return false;
	if (cgroup_read(group, group->v2 ? "memory.current" : "memory.usage_in_bytes", &used))
		return false;
	cgroup_read_row(group, "memory.stat", group->v2 ? "inactive_file" : "total_inactive_file",
			&droppable);
	used = used > droppable ? used - droppable : 0;
	/* Above memory.high nothing fails, but a process without swap comes to a standstill. */
	for (int i = 0; i < 2 && files[group->v2][i]; i++) {
		if (!cgroup_read(group, files[group->v2][i], &value) && value != CGROUP_UNLIMITED)
			take_tighter(arg, files[group->v2][i], group, value, used);
	}
	return false;
}

void limit_memory(struct limit *out)
{
	uint64_t bytes;

	*out = (struct limit){ .name = "unknown", .value = UINT64_MAX, .available = UINT64_MAX };
	if (!read_row("meminfo", "MemAvailable", &bytes))
		*out = (struct limit){ .name = "MemAvailable", .value = bytes, .available = bytes };
	cgroup_walk(limit_root, "memory", visit_memory, out);
}

int limit_check_memory(uint64_t bytes, struct err *err)
{
	struct limit tightest;
	int ret;

	limit_memory(&tightest);
	if (bytes <= tightest.available)
		return 0;
	ret = err_set(err, ENOMEM, "preflight", "%" PRIu64 " bytes needed, %" PRIu64 " available",
		      bytes, tightest.available);
	err_limit(err, tightest.name, "%" PRIu64 " bytes", tightest.value);
	return ret;
}

/* Whether `bytes` more of what row `usage` of /proc/self/status counts would exceed an rlimit. */
static bool explain_rlimit(struct err *err, uint64_t bytes, const char *row, const char *usage,
			   const char *name)
{
	uint64_t limit, used;

	if (!read_rlimit(row, &limit) || read_row("self/status", usage, &used) ||
	    sum(used, bytes) <= limit)
		return false;
	err_limit(err, name, "%" PRIu64 " bytes, %" PRIu64 " of them in use", limit, used);
	return true;
}

static bool explain_overcommit(struct err *err, uint64_t bytes)
{
	uint64_t mode, limit, used, user = 0, admin = 0, memory, swap;

	if (read_sysctl("sys/vm/overcommit_memory", &mode))
		return false;
	if (mode == 2 && !read_row("meminfo", "CommitLimit", &limit) &&
	    !read_row("meminfo", "Committed_AS", &used)) {
		/* These come off the limit; their unit is kB, and they are at most what is set. */
		read_sysctl("sys/vm/user_reserve_kbytes", &user);
		read_sysctl("sys/vm/admin_reserve_kbytes", &admin);
		if (sum(sum(used, bytes), (user + admin) * 1024) <= limit)
			return false;
		err_limit(err, "CommitLimit (vm.overcommit_memory 2)",
			  "%" PRIu64 " bytes, %" PRIu64 " of them committed", limit, used);
		return true;
	}
	if (mode == 0 && !read_row("meminfo", "MemTotal", &memory) &&
	    !read_row("meminfo", "SwapTotal", &swap) && bytes > memory + swap) {
		err_limit(err, "MemTotal + SwapTotal (vm.overcommit_memory 0)", "%" PRIu64 " bytes",
			  memory + swap);
		return true;
	}
	return false;
}

static bool explain_map_count(struct err *err)
{
	enum { NEAR = 8 }; /* one call can need a few mappings, and frees none when it fails */
	char path[PATH_MAX];
	uint64_t limit, used = 0;
	FILE *f;

	if (read_sysctl("sys/vm/max_map_count", &limit) ||
	    snprintf(path, sizeof(path), "%s/proc/self/maps", limit_root) >= (int)sizeof(path))
		return false;
	f = fopen(path, "re");
	if (!f)
		return false;
	for (int c; (c = getc_unlocked(f)) != EOF;)
		used += c == '\n';
	fclose(f);
	if (used + NEAR < limit)
		return false;
	err_limit(err, "vm.max_map_count", "%" PRIu64 ", %" PRIu64 " in use", limit, used);
	return true;
}

/* The limits on mappings, which are hit without any memory being short. */
static bool explain_mapping(struct err *err, uint64_t bytes)
{
	return explain_rlimit(err, bytes, "Max address space", "VmSize", "RLIMIT_AS") ||
	       explain_rlimit(err, bytes, "Max data size", "VmData", "RLIMIT_DATA") ||
	       explain_overcommit(err, bytes) || explain_map_count(err);
}

void limit_explain_nomem(struct err *err, uint64_t bytes)
{
	struct limit tightest;

	/* A mapping can be refused for other reasons, such as a device that knows none. */
	if (err->num != ENOMEM && err->num != EAGAIN)
		return;
	if (explain_mapping(err, bytes))
		return;
	limit_memory(&tightest);
	if (tightest.available != UINT64_MAX)
		err_limit(err, tightest.name, "%" PRIu64 " bytes, %" PRIu64 " available",
			  tightest.value, tightest.available);
}

/* Others come and go between the failure and its explanation: a sixteenth may be missing. */
static bool is_full(uint64_t used, uint64_t limit)
{
	return sum(used, limit / 16 + 1) > limit;
}

struct pids_visit {
	struct err *err;
	bool explained;
};

static bool visit_pids(const struct cgroup *group, void *arg)
{
	struct pids_visit *visit = arg;
	char name[sizeof(visit->err->limit)];
	uint64_t limit, used;

	if (cgroup_read(group, "pids.max", &limit) || limit == CGROUP_UNLIMITED ||
	    cgroup_read(group, "pids.current", &used) || !is_full(used, limit))
		return false;
	name_limit(name, sizeof(name), "pids.max", group->name);
	err_limit(visit->err, name, "%" PRIu64 " tasks", limit);
	visit->explained = true;
	return true;
}

static bool explain_pids(struct err *err)
{
	struct pids_visit visit = { .err = err };

	cgroup_walk(limit_root, "pids", visit_pids, &visit);
	return visit.explained;
}

/* Tasks of the whole system: loadavg's fourth field is RUNNABLE/ALL. */
static bool explain_sysctl(struct err *err, const char *file, const char *name)
{
	char buf[128], *slash;
	uint64_t limit;

	if (read_sysctl(file, &limit) || read_proc("loadavg", buf, sizeof(buf)) < 0)
		return false;
	slash = strchr(buf, '/');
	if (!slash || !is_full(strtoull(slash + 1, NULL, 10), limit))
		return false;
	err_limit(err, name, "%" PRIu64, limit);
	return true;
}

/* Whether RLIMIT_NPROC does not hold for this process: root or capable, on the host. */
static bool free_of_nproc(uint64_t uid)
{
	char buf[FILE_LEN];
	const char *caps;
	uint64_t inside = 1, outside = 1, count = 0;

	if (read_proc("self/uid_map", buf, sizeof(buf)) < 0 ||
	    sscanf(buf, "%" SCNu64 " %" SCNu64 " %" SCNu64, &inside, &outside, &count) != 3 ||
	    inside || outside || count != UINT32_MAX)
		return false;
	if (!uid)
		return true;
	if (read_proc("self/status", buf, sizeof(buf)) < 0)
		return false;
	caps = util_find_row(buf, "CapEff");
	return caps && strtoull(caps, NULL, 16) & CAPS_NPROC;
}

/* How many threads in all processes that can be seen belong to the user. */
static uint64_t count_tasks(uint64_t uid)
{
	char path[PATH_MAX], name[300];
	uint64_t owner, threads, tasks = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc", limit_root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(name, sizeof(name), "%s/status", entry->d_name);
		if (!read_row(name, "Uid", &owner) && owner == uid &&
		    !read_row(name, "Threads", &threads))
			tasks += threads;
	}
	if (dir)
		closedir(dir);
	return tasks;
}

static bool explain_rlimit_nproc(struct err *err)
{
	uint64_t limit, uid;

	if (!read_rlimit("Max processes", &limit) || read_row("self/status", "Uid", &uid) ||
	    free_of_nproc(uid) || !is_full(count_tasks(uid), limit))
		return false;
	err_limit(err, "RLIMIT_NPROC", "%" PRIu64 " tasks of user %" PRIu64, limit, uid);
	return true;
}

void limit_explain_nproc(struct err *err)
{
	uint64_t stack;

	if (explain_pids(err) || explain_rlimit_nproc(err) ||
	    explain_sysctl(err, "sys/kernel/threads-max", "kernel.threads-max") ||
	    explain_sysctl(err, "sys/kernel/pid_max", "kernel.pid_max"))
		return;
	if (!read_rlimit("Max stack size", &stack))
		stack = 0;
	if (!explain_mapping(err, stack) && err->num == ENOMEM)
		limit_explain_nomem(err, stack);
}

static bool visit_oom(const struct cgroup *group, void *arg)
{
	int64_t *kills = arg;
	uint64_t count;

	if (!cgroup_read_row(group, group->v2 ? "memory.events" : "memory.oom_control", "oom_kill",
			     &count))
		*kills = (int64_t)count;
	return *kills >= 0;
}

int64_t limit_oom_kills(void)
{
	uint64_t count;
	int64_t kills = -1;

	if (!read_row("vmstat", "oom_kill", &count))
		return (int64_t)count;
	cgroup_walk(limit_root, "memory", visit_oom, &kills);
	return kills;
}
