/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_limits: the limits of this process and of the kernel, for the description of a system. */
#include "config.h"

#include "system_parts.h"
#include "util.h"

#include <errno.h>
#include <numaif.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* A limit that no int64_t holds is none: null. */
json_t *system_limit(uint64_t value)
{
	return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

static json_t *limit_file(const char *path)
{
	char text[64], *end;
	unsigned long long value;

	if (system_read(path, text, sizeof(text)) <= 0)
		return system_unknown();
	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text || (*end && !strchr(" \t\n", *end)))
		return system_unknown();
	return system_limit(errno || text[0] == '-' ? UINT64_MAX : value);
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
					  : system_limit(r.rlim_cur == RLIM_INFINITY ? UINT64_MAX
										     : r.rlim_cur));
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		bad |= system_put(o, files[i].name, limit_file(files[i].path));
	return system_finish(o, bad);
}

/* What this process may run on and take memory from: its affinity, and its cpuset's nodes. */
json_t *system_allowed(void)
{
	json_t *o = json_object();
	bool bad = system_put(o, "cpus", system_status_row("Cpus_allowed_list"));

	bad |= system_put(o, "mems", system_status_row("Mems_allowed_list"));
	return system_finish(o, bad);
}

/* By number, as in <linux/sched.h>: C libraries lack some. 4 was never used. */
static const char *policy_name(int policy)
{
	static const char *const names[] = { "other", "fifo", "rr",	  "batch",
					     NULL,    "idle", "deadline", "ext" };

	return policy >= 0 && (size_t)policy < ARRAY_SIZE(names) ? names[policy] : NULL;
}

/*
 * How the process, and so its workers, is scheduled: by a priority, or by its nice value. What a
 * process with the flag forks has no such priority, and no nice value below 0.
 */
json_t *system_scheduling(void)
{
	int policy = sched_getscheduler(0);
	const char *name = policy < 0 ? NULL : policy_name(policy & ~SCHED_RESET_ON_FORK);
	struct sched_param param;
	json_t *o = json_object();
	bool bad = system_put(o, "policy", name ? json_string(name) : system_unknown());

	bad |= system_put(o, "priority",
			  sched_getparam(0, &param) ? system_unknown()
						    : json_integer(param.sched_priority));
	bad |= system_put(o, "nice", json_integer(getpriority(PRIO_PROCESS, 0)));
	bad |= system_put(o, "reset_on_fork",
			  policy < 0 ? system_unknown()
				     : json_boolean(policy & SCHED_RESET_ON_FORK));
	return system_finish(o, bad);
}

/* The most nodes that the kernel takes a mask for: a page of 4 KiB. */
enum { MAX_NODES = 32768, WORD = 8 * (int)sizeof(unsigned long) };

static bool has_node(const unsigned long *mask, int node)
{
	return node < MAX_NODES && mask[node / WORD] >> (node % WORD) & 1;
}

/* A set as the kernel writes it: "0-3,8". What does not fit is cut. */
static void write_nodes(const unsigned long *mask, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int first = 0, last; first < MAX_NODES && used < len; first = last + 1) {
		last = first;
		if (!has_node(mask, first))
			continue;
		while (has_node(mask, last + 1))
			last++;
		used += (size_t)snprintf(buf + used, len - used, "%s%d", used ? "," : "", first);
		if (last > first && used < len)
			used += (size_t)snprintf(buf + used, len - used, "-%d", last);
	}
}

/* The policy that this thread takes memory by, and its workers after it. */
json_t *system_mempolicy(void)
{
	/* By number, as in <linux/mempolicy.h>; libnuma's headers may be older than the kernel. */
	static const char *const modes[] = {
		"default",	  "preferred",		"bind", "interleave", "local",
		"preferred many", "weighted interleave"
	};
	enum { FLAGS = 7 << 13 };
	unsigned long mask[MAX_NODES / WORD] = { 0 };
	char nodes[400] = "";
	json_t *o = json_object();
	int mode = -1;
	bool bad, known = !get_mempolicy(&mode, mask, MAX_NODES, NULL, 0);

	mode &= ~FLAGS;
	if (known)
		write_nodes(mask, nodes, sizeof(nodes));
	bad = system_put(o, "mode",
			 known && mode >= 0 && mode < (int)ARRAY_SIZE(modes)
				 ? json_string(modes[mode])
				 : system_unknown());
	bad |= system_put(o, "nodes", known ? json_string(nodes) : system_unknown());
	return system_finish(o, bad);
}
