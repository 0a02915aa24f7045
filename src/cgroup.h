/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup: the control groups, v1 and v2, that this process is in. */
#ifndef PFSCALE_CGROUP_H
#define PFSCALE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* One group, while it is being visited. */
struct cgroup {
	const char *dir;  /* where its files are */
	const char *name; /* as /proc/self/cgroup has it: "/a/b"; "/" for the root */
	bool v2;
	unsigned level; /* 0 = the process's own, 1 = its parent, … */
};

/* Returns whether the walk shall end. */
typedef bool (*cgroup_visit)(const struct cgroup *group, void *arg);

/*
 * Visit the groups of the process that may have files of a controller ("memory", "pids"), from its
 * own up to the highest that is mounted: those of the v1 hierarchy with that controller, then those
 * of v2. Where the process's group cannot be seen below the mount (containers), the mount point
 * stands for it. root: put before every path that is opened; "" but in tests.
 */
void cgroup_walk(const char *root, const char *controller, cgroup_visit visit, void *arg);

/* No limit: "max" in v2, the page counter's largest number in v1. */
#define CGROUP_UNLIMITED UINT64_MAX

/* Read a number or "max" from a file of the group. Returns 0 or a negative errno. */
int cgroup_read(const struct cgroup *group, const char *file, uint64_t *out);

/* Read one row "KEY NUMBER" of a file of the group. Returns 0 or a negative errno. */
int cgroup_read_row(const struct cgroup *group, const char *file, const char *key, uint64_t *out);

#endif
