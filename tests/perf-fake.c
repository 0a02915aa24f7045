/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-fake: a library to preload, or to link with, which stands between a program and
 * perf_event_open(2): a PMU where there is none, or one with something wrong. $PERF_FAKE holds any
 * of these words, with commas between them:
 *
 *   faults           every hardware counter counts page faults, with its own exclusions
 *   shared           they ran but half of the time
 *   room=N           the PMU runs groups of at most N counters
 *   full=N           it refuses larger ones at once
 *   hardware=ERRNO   hardware counters cannot be opened; kernel=, those of the kernel; stores=,
 * those of TLB misses by stores; software=, those of software events
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FDS = 1 << 16 };

/* Which descriptors are faked counters, and how many there are of these. */
static bool faked[MOST_FDS];
static int n_faked;

/* The word's number, 0 if it has none; -1: the word is not there. */
static int word(const char *name)
{
	const char *at = getenv("PERF_FAKE");
	size_t len = strlen(name);

	for (; at && *at; at += strcspn(at, ","), at += *at == ',') {
		if (!strncmp(at, name, len) && strchr("=,", at[len]))
			return at[len] == '=' ? atoi(at + len + 1) : 0;
	}
	return -1;
}

static long real_syscall(long number, const long a[6])
{
	static long (*next)(long, ...);

	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int refusal(const struct perf_event_attr *attr)
{
	bool stores = attr->type == PERF_TYPE_HW_CACHE &&
		      (attr->config >> 8 & 0xff) == PERF_COUNT_HW_CACHE_OP_WRITE;

	if (attr->type == PERF_TYPE_SOFTWARE)
		return word("software");
	if (word("hardware") > 0)
		return word("hardware");
	if (!attr->exclude_kernel && word("kernel") > 0)
		return word("kernel");
	return stores ? word("stores") : 0;
}

static long fake_open(long a[6])
{
	struct perf_event_attr attr = *(struct perf_event_attr *)a[0];
	int refused = refusal(&attr), full = word("full");
	bool hardware = attr.type != PERF_TYPE_SOFTWARE;
	long fd;

	if (!refused || refused < 0)
		refused = hardware && (int)a[3] >= 0 && full >= 0 && n_faked >= full ? EINVAL : 0;
	if (refused) {
		errno = refused;
		return -1;
	}
	if (hardware && word("faults") >= 0) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_PAGE_FAULTS;
		a[0] = (long)&attr;
	}
	fd = real_syscall(SYS_perf_event_open, a);
	if (fd >= 0 && fd < MOST_FDS && hardware) {
		faked[fd] = true;
		__atomic_add_fetch(&n_faked, 1, __ATOMIC_SEQ_CST);
	}
	return fd;
}

/* Whoever calls it with fewer arguments has some of them made up, as in the C library. */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
	va_list ap;
	long a[6];

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return number == SYS_perf_event_open ? fake_open(a) : real_syscall(number, a);
}

ssize_t read(int fd, void *buf, size_t bytes)
{
	long a[6] = { fd, (long)buf, (long)bytes };
	ssize_t n = real_syscall(SYS_read, a);
	uint64_t *reading = buf; /* value, time enabled, time running */
	int room = word("room");

	if (fd < 0 || fd >= MOST_FDS || !faked[fd] || n < (ssize_t)(3 * sizeof(*reading)))
		return n;
	if (word("shared") >= 0)
		reading[2] /= 2;
	if (room >= 0 && __atomic_load_n(&n_faked, __ATOMIC_SEQ_CST) > room)
		reading[2] = 0;
	return n;
}

int close(int fd)
{
	long a[6] = { fd };

	if (fd >= 0 && fd < MOST_FDS && faked[fd]) {
		faked[fd] = false;
		__atomic_sub_fetch(&n_faked, 1, __ATOMIC_SEQ_CST);
	}
	return (int)real_syscall(SYS_close, a);
}
