/* SPDX-License-Identifier: GPL-2.0-or-later */
/* monitor_read: where the kernel tells of CPUs: /proc/stat, /proc/schedstat, cgroups, throttling.
 */
#include "config.h"

#include "monitor_internal.h"

#include "cgroup.h"
#include "clock.h"
#include "util.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A file that is being read: into which reading, and how many CPUs of the team are yet to come. */
struct visit {
	const struct monitor *m;
	struct monitor_reading *to;
	unsigned left;
	int field; /* of /proc/schedstat: which number is wanted; 0 = not known yet */
};

/* Where the counters of an OS CPU go, or NULL if the team does not use it. */
static struct monitor_cpu *find_used(const struct visit *v, int cpu)
{
	int slot = (size_t)cpu < v->m->n_slots ? v->m->slots[cpu] : -1;

	return slot >= 0 && v->m->is_used[slot] ? &v->to->cpus[slot] : NULL;
}

/*
 * "cpuN USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL GUEST GUEST_NICE" in steps of USER_HZ
 * (proc(5)); GUEST is in USER already. The line ends earlier in kernels of old: before 2.6.11, it
 * has no STEAL, before 2.6.0 nothing after IDLE.
 */
static bool stat_line(const char *line, void *arg)
{
	enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N };
	struct visit *v = arg;
	struct monitor_cpu *to;
	int64_t fields[N], busy = 0;
	int cpu;

	if (!monitor_file_cpu(line, &cpu, &line))
		return true;
	to = find_used(v, cpu);
	if (!to)
		return true;
	for (int i = 0; i < N; i++) {
		fields[i] = monitor_file_number(&line);
		if (i == IDLE || i == IOWAIT || i == STEAL || busy < 0)
			continue;
		if (fields[i] > INT64_MAX - busy || (fields[i] < 0 && i < IDLE))
			busy = -1;
		else if (fields[i] > 0)
			busy += fields[i];
	}
	to->steal = fields[STEAL];
	if (v->m->source == MONITOR_STAT)
		to->busy = busy;
	return --v->left;
}

/*
 * Which number of "cpuN …" in /proc/schedstat is the time that tasks ran on the CPU, in nanoseconds
 * (Documentation/scheduler/sched-stats.rst in the kernel). Version 14 has three more before it than
 * 15; 16 and 17 changed other lines. Of later ones, nothing is known: 0.
 */
static int schedstat_field(int64_t version)
{
	if (version == 14)
		return 10;
	return version >= 15 && version <= 17 ? 7 : 0;
}

static bool schedstat_line(const char *line, void *arg)
{
	struct visit *v = arg;
	struct monitor_cpu *to;
	int cpu;

	if (!v->field) {
		if (strncmp(line, "version ", 8))
			return false;
		line += 8;
		v->field = schedstat_field(monitor_file_number(&line));
		return v->field;
	}
	if (!monitor_file_cpu(line, &cpu, &line))
		return true;
	to = find_used(v, cpu);
	if (!to)
		return true;
	for (int i = 0; i < v->field; i++)
		to->busy = monitor_file_number(&line);
	return --v->left;
}

/* cpuacct.usage_percpu: a number for each possible CPU, which are 0, 1, 2 … (see use_cpuacct()). */
static bool percpu_line(const char *line, void *arg)
{
	struct visit *v = arg;

	for (int cpu = 0; v->left; cpu++) {
		int64_t value = monitor_file_number(&line);
		struct monitor_cpu *to = find_used(v, cpu);

		if (value < 0)
			break;
		if (!to)
			continue;
		to->busy = value;
		v->left--;
	}
	return false;
}

static void read_stat(struct monitor *m, struct monitor_reading *to)
{
	struct visit v = { m, to, m->n_used, 0 };

	if (m->stat.fd >= 0)
		monitor_file_lines(&m->stat, stat_line, &v);
}

static void read_busy(struct monitor *m, struct monitor_reading *to)
{
	struct visit v = { m, to, m->n_used, 0 };

	if (m->source == MONITOR_STAT)
		read_stat(m, to);
	else if (m->source == MONITOR_CPUACCT)
		monitor_file_lines(&m->busy, percpu_line, &v);
	else
		monitor_file_lines(&m->busy, schedstat_line, &v);
}

/*
 * The files are opened anew each time. Descriptors that stay would be thousands on a large machine:
 * more than RLIMIT_NOFILE allows by default, and each process of a team would inherit them.
 */
static int64_t read_count(const struct monitor *m, int cpu, const char *name)
{
	char path[PATH_MAX];
	int64_t value;

	if (snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/thermal_throttle/%s",
		     m->root, cpu, name) >= (int)sizeof(path) ||
	    util_read_int(path, &value) || value < 0)
		return -1;
	return value;
}

/* Of the core, and of the package, which slows down all of its cores. */
static int64_t read_throttle(const struct monitor *m, int cpu)
{
	int64_t core = read_count(m, cpu, "core_throttle_count");
	int64_t package = read_count(m, cpu, "package_throttle_count"), sum;

	if (core < 0 || package < 0)
		return core < 0 ? package : core;
	return __builtin_add_overflow(core, package, &sum) ? -1 : sum;
}

static void read_throttles(const struct monitor *m, struct monitor_reading *to)
{
	for (unsigned i = 0; m->has_throttles && i < m->n_used; i++)
		to->cpus[m->used[i]].throttles = read_throttle(m, m->os_cpus[m->used[i]]);
}

/* The number in a line of cpu.stat, added up over the cgroups. */
static bool quota_line(const char *line, void *arg)
{
	static const char key[] = "nr_throttled ";
	int64_t *value = arg;

	if (strncmp(line, key, sizeof(key) - 1))
		return true;
	line += sizeof(key) - 1;
	*value = monitor_file_number(&line);
	return false;
}

static void read_quotas(struct monitor *m, struct monitor_reading *to)
{
	to->quota = m->n_quotas ? 0 : -1;
	for (size_t i = 0; i < m->n_quotas && to->quota >= 0; i++) {
		int64_t value = -1;

		monitor_file_lines(&m->quotas[i], quota_line, &value);
		if (value < 0 || value > INT64_MAX - to->quota)
			to->quota = -1;
		else
			to->quota += value;
	}
}

/* Exact also for the thread that asks: the kernel then counts up to the moment. */
static int64_t read_own(void)
{
	struct rusage children;
	struct timespec self;

	getrusage(RUSAGE_CHILDREN, &children);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &self);
	return (int64_t)self.tv_sec * 1000000000 + self.tv_nsec +
	       util_timeval_ns(&children.ru_utime) + util_timeval_ns(&children.ru_stime);
}

/*
 * /proc/schedstat learns how long a task ran only when it leaves the CPU. So leave it: else all
 * that we have run for since we last slept would come up within the team's life. Any sleep does;
 * this one takes some 50 µs, the timer slack.
 */
static void leave_cpu(void)
{
	const struct timespec shortly = { 0, 1 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &shortly, NULL);
}

static void forget(const struct monitor *m, struct monitor_reading *to)
{
	for (unsigned i = 0; i < m->n_used; i++)
		to->cpus[m->used[i]] = (struct monitor_cpu){ -1, -1, -1 };
}

void monitor_read_begin(struct monitor *m)
{
	struct monitor_reading *to = &m->begin;

	forget(m, to);
	read_throttles(m, to);
	read_quotas(m, to);
	if (m->source != MONITOR_STAT)
		read_stat(m, to);
	if (m->source == MONITOR_SCHEDSTAT)
		leave_cpu();
	to->own_ns = read_own();
	read_busy(m, to);
	to->at_ns = clock_now_ns();
}

void monitor_read_end(struct monitor *m)
{
	struct monitor_reading *to = &m->end;

	to->at_ns = clock_now_ns();
	forget(m, to);
	read_busy(m, to);
	to->own_ns = read_own();
	if (m->source != MONITOR_STAT)
		read_stat(m, to);
	read_quotas(m, to);
	read_throttles(m, to);
}

static bool open_below(const struct monitor *m, struct monitor_file *f, const char *path)
{
	char full[PATH_MAX];

	return snprintf(full, sizeof(full), "%s%s", m->root, path) < (int)sizeof(full) &&
	       monitor_file_open(f, full);
}

/* Take a source of busy times if it tells of any CPU of the topology. */
static bool try_source(struct monitor *m, enum monitor_source source, monitor_line visit)
{
	struct visit v = { m, &m->begin, 1, 0 };

	if (!m->n_cpus)
		return false;
	m->source = source;
	m->is_used[0] = true;
	m->begin.cpus[0].busy = -1;
	monitor_file_lines(&m->busy, visit, &v);
	m->is_used[0] = false;
	if (m->begin.cpus[0].busy >= 0)
		return true;
	monitor_file_close(&m->busy);
	return false;
}

static bool use_schedstat(struct monitor *m)
{
	return open_below(m, &m->busy, "/proc/schedstat") &&
	       try_source(m, MONITOR_SCHEDSTAT, schedstat_line);
}

/* v1: the root group, and no other, has a release agent. In a container it may not be visible. */
static bool visit_cpuacct(const struct cgroup *group, void *arg)
{
	struct monitor *m = arg;
	char path[PATH_MAX];

	if (group->v2 ||
	    snprintf(path, sizeof(path), "%s/release_agent", group->dir) >= (int)sizeof(path) ||
	    access(path, F_OK))
		return false;
	if (snprintf(path, sizeof(path), "%s/cpuacct.usage_percpu", group->dir) < (int)sizeof(path))
		monitor_file_open(&m->busy, path);
	return true;
}

/*
 * The usage of the root cpuacct group is that of all tasks. Its numbers are those of the possible
 * CPUs, without their names: only where these have no holes is it certain which is whose.
 */
static bool use_cpuacct(struct monitor *m)
{
	char path[PATH_MAX], possible[64];

	if (snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/possible", m->root) >=
		    (int)sizeof(path) ||
	    util_read_file(path, possible, sizeof(possible)) <= 0 || possible[0] != '0' ||
	    strchr(possible, ','))
		return false;
	cgroup_walk(m->root, "cpuacct", visit_cpuacct, m);
	return m->busy.fd >= 0 && try_source(m, MONITOR_CPUACCT, percpu_line);
}

/* Keep the cpu.stat of each group that counts throttling; the root group does not. */
static bool visit_quota(const struct cgroup *group, void *arg)
{
	struct monitor *m = arg;
	struct monitor_file f, *more;
	char path[PATH_MAX];
	int64_t value = -1;

	if (snprintf(path, sizeof(path), "%s/cpu.stat", group->dir) >= (int)sizeof(path) ||
	    !monitor_file_open(&f, path))
		return false;
	monitor_file_lines(&f, quota_line, &value);
	more = value < 0 ? NULL : realloc(m->quotas, (m->n_quotas + 1) * sizeof(*more));
	if (!more) {
		monitor_file_close(&f);
		return false;
	}
	m->quotas = more;
	m->quotas[m->n_quotas++] = f;
	return false;
}

void monitor_read_open(struct monitor *m)
{
	m->stat_step_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	m->busy.fd = -1;
	open_below(m, &m->stat, "/proc/stat");
	cgroup_walk(m->root, "cpu", visit_quota, m);
	m->has_throttles = m->n_cpus && read_throttle(m, m->os_cpus[0]) >= 0;
	if (!use_schedstat(m) && !use_cpuacct(m))
		m->source = MONITOR_STAT;
}

void monitor_read_close(struct monitor *m)
{
	monitor_file_close(&m->stat);
	monitor_file_close(&m->busy);
	for (size_t i = 0; i < m->n_quotas; i++)
		monitor_file_close(&m->quotas[i]);
	free(m->quotas);
}
