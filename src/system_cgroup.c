/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_cgroup: what control groups allow this process, for the description of a system. */
#include "config.h"

#include "cgroup.h"
#include "limit.h"
#include "result.h"
#include "system_parts.h"
#include "util.h"

#include <inttypes.h>
#include <string.h>

/* A file of a group; buf is "" where it cannot be read. */
static void read_file(const struct cgroup *group, const char *file, char *buf, size_t len)
{
	char path[SYSTEM_PATH_LEN];

	buf[0] = '\0';
	if (snprintf(path, sizeof(path), "%s/%s", group->dir, file) < (int)sizeof(path))
		util_read_file(path, buf, len);
}

/* The tightest limit on CPU time; quota_us -1 = none. */
struct quota {
	bool seen; /* a group that could have one */
	int64_t quota_us, period_us;
};

static bool visit_cpu(const struct cgroup *group, void *arg)
{
	struct quota *q = arg;
	char text[100], period_text[40];
	int64_t quota = -1, period = -1;

	q->seen = true;
	read_file(group, group->v2 ? "cpu.max" : "cpu.cfs_quota_us", text, sizeof(text));
	if (group->v2) {
		/* "max PERIOD" has no number first. */
		sscanf(text, "%" SCNd64 " %" SCNd64, &quota, &period);
	} else {
		read_file(group, "cpu.cfs_period_us", period_text, sizeof(period_text));
		sscanf(text, "%" SCNd64, &quota);
		sscanf(period_text, "%" SCNd64, &period);
	}
	if (quota <= 0 || period <= 0)
		return false;
	if (q->quota_us < 0 ||
	    (double)quota / (double)period < (double)q->quota_us / (double)q->period_us) {
		q->quota_us = quota;
		q->period_us = period;
	}
	return false;
}

/* The group with the fewest tasks left; UINT64_MAX = no limit. */
struct pids {
	bool seen;
	uint64_t max, available;
};

static bool visit_pids(const struct cgroup *group, void *arg)
{
	struct pids *p = arg;
	uint64_t max, used, available;

	p->seen = true;
	if (cgroup_read(group, "pids.max", &max) || max == CGROUP_UNLIMITED ||
	    cgroup_read(group, "pids.current", &used))
		return false;
	available = max > used ? max - used : 0;
	if (p->max == UINT64_MAX || available < p->available) {
		p->max = max;
		p->available = available;
	}
	return false;
}

struct cpuset {
	char cpus[4096], mems[4096];
};

static bool visit_cpuset(const struct cgroup *group, void *arg)
{
	struct cpuset *s = arg;

	read_file(group, group->v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus", s->cpus,
		  sizeof(s->cpus));
	read_file(group, group->v2 ? "cpuset.mems.effective" : "cpuset.effective_mems", s->mems,
		  sizeof(s->mems));
	/* A group without the files is ruled by the nearest above it that has them. */
	return s->cpus[0] || s->mems[0];
}

/* A number where a group was seen; -1 there: no limit, null. */
static json_t *number(bool seen, int64_t n)
{
	if (!seen)
		return system_unknown();
	return n < 0 ? json_null() : json_integer(n);
}

static json_t *unsigned_number(bool seen, uint64_t n)
{
	return seen ? system_limit(n) : system_unknown();
}

json_t *system_cgroup(void)
{
	struct limit l;
	struct quota quota = { .quota_us = -1, .period_us = -1 };
	struct pids pids = { .max = UINT64_MAX, .available = UINT64_MAX };
	struct cpuset cpuset = { .cpus = "" };
	json_t *o = json_object();
	bool bad;

	limit_memory(&l);
	cgroup_walk(system_root(), "cpu", visit_cpu, &quota);
	cgroup_walk(system_root(), "pids", visit_pids, &pids);
	cgroup_walk(system_root(), "cpuset", visit_cpuset, &cpuset);
	bad = system_put(o, "limit", result_json_text(l.name));
	bad |= system_put(o, "limit_bytes", system_limit(l.value));
	bad |= system_put(o, "available_bytes", system_limit(l.available));
	bad |= system_put(o, "cpu_quota_us", number(quota.seen, quota.quota_us));
	bad |= system_put(o, "cpu_period_us", number(quota.seen, quota.period_us));
	bad |= system_put(o, "pids_max", unsigned_number(pids.seen, pids.max));
	bad |= system_put(o, "pids_available", unsigned_number(pids.seen, pids.available));
	bad |= system_put(o, "cpus", system_text(cpuset.cpus));
	bad |= system_put(o, "mems", system_text(cpuset.mems));
	return system_finish(o, bad);
}
