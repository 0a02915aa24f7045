/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf: hardware and software events of one thread, by perf_event_open(2). */
#include "config.h"

#include "perf.h"

#include "util.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of which counters an event is the sum, and where they count. */
struct counted {
	uint32_t type;
	unsigned n_parts;
	uint64_t configs[PERF_MAX_PARTS];
	bool user, kernel;
};

/* Misses in the data TLB by accesses of one kind; perf_event_open(2) has the formula. */
#define DTLB_MISSES(access)                                                                        \
	(PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_##access << 8 |                         \
	 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

#define DTLB                                                                                       \
	.type = PERF_TYPE_HW_CACHE, .n_parts = 2,                                                  \
	.configs = { DTLB_MISSES(READ), DTLB_MISSES(WRITE) }
#define HARDWARE(name) .type = PERF_TYPE_HARDWARE, .n_parts = 1, .configs = { PERF_COUNT_HW_##name }

static const struct counted counted[PERF_N_EVENTS] = {
	[PERF_PAGE_FAULTS] = { .type = PERF_TYPE_SOFTWARE,
			       .n_parts = 1,
			       .configs = { PERF_COUNT_SW_PAGE_FAULTS },
			       .user = true,
			       .kernel = true },
	[PERF_CYCLES_USER] = { HARDWARE(CPU_CYCLES), .user = true },
	[PERF_CYCLES_KERNEL] = { HARDWARE(CPU_CYCLES), .kernel = true },
	[PERF_INSTRUCTIONS_USER] = { HARDWARE(INSTRUCTIONS), .user = true },
	[PERF_INSTRUCTIONS_KERNEL] = { HARDWARE(INSTRUCTIONS), .kernel = true },
	[PERF_DTLB_MISSES_USER] = { DTLB, .user = true },
	[PERF_DTLB_MISSES_KERNEL] = { DTLB, .kernel = true },
};

/* Counted in user space and in the kernel together; if need be, in user space alone. */
static bool is_for_all(const struct counted *c)
{
	return c->user && c->kernel;
}

/*
 * Open one counter. A group's members are not disabled: its leader is, and starts and stops all of
 * them in one go. Returns the descriptor or a negative errno.
 */
static int open_counter(const struct counted *c, unsigned part, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = c->type,
		.config = c->configs[part],
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader < 0,
		.exclude_user = !c->user,
		.exclude_kernel = !c->kernel,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0L, -1L, (long)leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EACCES && is_for_all(c)) {
		attr.exclude_kernel = 1;
		fd = syscall(SYS_perf_event_open, &attr, 0L, -1L, (long)leader,
			     PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : (int)fd;
}

/* The PMU does not have it: which errno says so depends on the PMU. */
static bool is_unknown_event(int ret)
{
	return ret == -ENOENT || ret == -EOPNOTSUPP || ret == -ENODEV || ret == -EINVAL;
}

/* Whether a counter can be opened by itself. Returns 0 or a negative errno. */
static int try_counter(const struct counted *c, unsigned part)
{
	int fd = open_counter(c, part, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int *leader_of(struct perf_set *set, int event)
{
	return counted[event].type == PERF_TYPE_SOFTWARE ? &set->software_leader
							 : &set->hardware_leader;
}

static void close_event(struct perf_set *set, int event)
{
	int *leader = leader_of(set, event);

	for (unsigned part = 0; part < PERF_MAX_PARTS; part++) {
		int *fd = &set->fds[event][part];

		if (*fd < 0)
			continue;
		if (*fd == *leader)
			*leader = -1;
		close(*fd);
		*fd = -1;
	}
}

/* Open all of an event that the PMU knows, or nothing. Returns how many descriptors it took. */
static unsigned open_event(struct perf_set *set, int event, unsigned max_fds)
{
	const struct counted *c = &counted[event];
	int *leader = leader_of(set, event), first = -1;
	unsigned used = 0;

	for (unsigned part = 0; part < c->n_parts; part++) {
		int group = *leader >= 0 ? *leader : first;
		int fd = used < max_fds ? open_counter(c, part, group) : -EMFILE;

		/* In a group, EINVAL also means that there is no room for it beside the others. */
		if (fd < 0 && is_unknown_event(fd) && is_unknown_event(try_counter(c, part)))
			continue;
		if (fd < 0) {
			close_event(set, event);
			return 0;
		}
		set->fds[event][part] = fd;
		first = first < 0 ? fd : first;
		used++;
	}
	if (*leader < 0)
		*leader = first;
	return used;
}

static bool read_counter(int fd, struct perf_reading *out)
{
	return read(fd, out, sizeof(*out)) == (ssize_t)sizeof(*out);
}

/*
 * Whether the PMU takes the group as it is. perf_event_open() does not tell: a counter may be taken
 * by somebody else, such as the NMI watchdog.
 */
static bool group_runs(const struct perf_set *set)
{
	struct perf_reading before, after;

	if (!read_counter(set->hardware_leader, &before))
		return false;
	ioctl(set->hardware_leader, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(set->hardware_leader, PERF_EVENT_IOC_DISABLE, 0);
	if (!read_counter(set->hardware_leader, &after))
		return false;
	return after.running_ns > before.running_ns &&
	       after.running_ns - before.running_ns == after.enabled_ns - before.enabled_ns;
}

void perf_none(struct perf_set *set)
{
	memset(set, 0, sizeof(*set));
	memset(set->fds, -1, sizeof(set->fds));
	set->hardware_leader = set->software_leader = -1;
}

void perf_open(struct perf_set *set, unsigned max_fds)
{
	int64_t ignored[PERF_N_EVENTS];
	int last = PERF_N_EVENTS;

	perf_none(set);
	for (int i = 0; i < PERF_N_EVENTS; i++)
		max_fds -= open_event(set, i, max_fds);
	while (set->hardware_leader >= 0 && !group_runs(set)) {
		/* The leader is the first that is open, and so the last to go. */
		while (set->fds[last - 1][0] < 0 && set->fds[last - 1][1] < 0)
			last--;
		close_event(set, --last);
	}
	perf_read(set, ignored);
}

void perf_close(struct perf_set *set)
{
	/* Members first: without a leader, they would go on by themselves. */
	for (int i = PERF_N_EVENTS - 1; i >= 0; i--)
		close_event(set, i);
}

void perf_enable(const struct perf_set *set)
{
	if (set->software_leader >= 0)
		ioctl(set->software_leader, PERF_EVENT_IOC_ENABLE, 0);
	if (set->hardware_leader >= 0)
		ioctl(set->hardware_leader, PERF_EVENT_IOC_ENABLE, 0);
}

void perf_disable(const struct perf_set *set)
{
	if (set->hardware_leader >= 0)
		ioctl(set->hardware_leader, PERF_EVENT_IOC_DISABLE, 0);
	if (set->software_leader >= 0)
		ioctl(set->software_leader, PERF_EVENT_IOC_DISABLE, 0);
}

/* One counter since it was read last; -1 unless it ran all the time, and for some time. */
static int64_t take_counter(int fd, struct perf_reading *last)
{
	struct perf_reading now, before = *last;

	if (!read_counter(fd, &now))
		return -1;
	*last = now;
	if (now.enabled_ns == before.enabled_ns ||
	    now.enabled_ns - before.enabled_ns != now.running_ns - before.running_ns)
		return -1;
	return (int64_t)(now.value - before.value);
}

void perf_read(struct perf_set *set, int64_t values[PERF_N_EVENTS])
{
	for (int i = 0; i < PERF_N_EVENTS; i++) {
		bool any = false, all = true;
		int64_t sum = 0;

		for (unsigned part = 0; part < PERF_MAX_PARTS; part++) {
			int64_t n;

			if (set->fds[i][part] < 0)
				continue;
			n = take_counter(set->fds[i][part], &set->last[i][part]);
			any = true;
			all &= n >= 0;
			sum += n;
		}
		values[i] = any && all ? sum : -1;
	}
}

/* perf_event_open() was refused for want of a right. */
static void explain_denial(const struct counted *c, struct err *err)
{
	/* What an unprivileged thread may count of itself: sysctl/kernel.rst of the kernel. */
	int most = c->kernel && !is_for_all(c) ? 1 : 2;
	int64_t paranoid;

	if (util_read_int("/proc/sys/kernel/perf_event_paranoid", &paranoid))
		err_limit(err, "kernel.perf_event_paranoid", "unknown");
	else if (paranoid > most)
		err_limit(err, "kernel.perf_event_paranoid",
			  "%lld (it takes %d or less, or CAP_PERFMON)", (long long)paranoid, most);
	else
		err_limit(err, "what forbids it", "a seccomp filter or security module, as %s %lld",
			  "kernel.perf_event_paranoid is", (long long)paranoid);
}

static int explain(enum perf_event event, int ret, struct err *err)
{
	if (is_unknown_event(ret))
		return err_set(err, -ret, "perf_event_open",
			       "no PMU that the kernel can use, or none that counts this");
	err_set(err, -ret, "perf_event_open", "an event of this thread");
	if (ret == -EACCES || ret == -EPERM)
		explain_denial(&counted[event], err);
	else if (ret == -ENOSYS)
		err_limit(err, "the kernel", "built without CONFIG_PERF_EVENTS");
	else
		err_explain_file(err);
	return ret;
}

/* By itself it could be counted, beside the others not. */
static int explain_no_room(struct err *err)
{
	int64_t watchdog;

	err_set(err, EBUSY, "perf_event_open", "the PMU has no counter left beside the others");
	if (!util_read_int("/proc/sys/kernel/nmi_watchdog", &watchdog) && watchdog)
		err_limit(err, "kernel.nmi_watchdog", "%lld, which takes one", (long long)watchdog);
	return -EBUSY;
}

int perf_check(enum perf_event event, struct err *err)
{
	const struct counted *c = &counted[event];
	int unknown = 0, known = 0;
	struct perf_set set;
	bool counts;

	for (unsigned part = 0; part < c->n_parts; part++) {
		int ret = try_counter(c, part);

		if (ret && !is_unknown_event(ret))
			return explain(event, ret, err);
		known += !ret;
		unknown = ret ? ret : unknown;
	}
	if (!known)
		return explain(event, unknown, err);
	perf_open(&set, PERF_MAX_FDS);
	counts = set.fds[event][0] >= 0 || set.fds[event][1] >= 0;
	perf_close(&set);
	return counts ? 0 : explain_no_room(err);
}
