/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * t-perf-fake: hardware events, on a PMU that is made of page faults (see perf-fake.c) and lacks
 * this or that: what cannot be counted is absent, never 0, and explained.
 */
#include "config.h"

#include "perf.h"
#include "repeat.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 50, ABSENT = -1 };

static void fake(const char *words)
{
	setenv("PERF_FAKE", words, 1);
}

/* Fault in n pages, once each. */
static void touch_pages(size_t n)
{
	size_t page = util_page_size();
	char *p = mmap(NULL, (n + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		exit(99);
	madvise(p, (n + 1) * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		*(volatile char *)(p + i * page) = 1;
	munmap(p, (n + 1) * page);
}

static void count(struct perf_set *set, size_t pages, int64_t values[PERF_N_EVENTS])
{
	perf_enable(set);
	touch_pages(pages);
	perf_disable(set);
	perf_read(set, values);
}

/* Compare with what page faults make of each event, or with ABSENT. */
static void are(const int64_t got[PERF_N_EVENTS], const int64_t want[PERF_N_EVENTS],
		const char *what)
{
	if (ok(!memcmp(got, want, PERF_N_EVENTS * sizeof(*got)), "%s", what))
		return;
	for (int i = 0; i < PERF_N_EVENTS; i++)
		printf("# %s: got %lld, want %lld\n", perf_event_names[i], (long long)got[i],
		       (long long)want[i]);
}

static unsigned open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 200; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* With these words, each of the events gives that when n pages are touched. */
static void counts(const char *words, unsigned max_fds, const int64_t want[PERF_N_EVENTS],
		   const char *what)
{
	unsigned before = open_files();
	int64_t got[PERF_N_EVENTS];
	struct perf_set set;

	fake(words);
	touch_pages(1);
	perf_open(&set, max_fds);
	ok(open_files() <= before + max_fds, "%s: at most %u descriptors", what, max_fds);
	count(&set, PAGES, got); /* sanitizers have shadows of their own to touch, once */
	touch_pages(3);
	count(&set, PAGES, got);
	are(got, want, what);
	perf_close(&set);
	is_int(open_files(), before, "… all descriptors are given back");
	perf_close(&set);
	count(&set, 1, got);
	ok(got[0] == ABSENT && got[1] == ABSENT, "… and nothing is counted any more");
}

static void test_whole(void)
{
	static const int64_t twice[] = { 2, 2, 0, 2, 0, 4, 0 };
	static const int64_t nothing[] = { 0, 0, 0, 0, 0, 0, 0 };
	int64_t got[PERF_N_EVENTS];
	struct perf_set set;

	counts("faults", PERF_MAX_FDS, (int64_t[]){ 50, 50, 0, 50, 0, 100, 0 },
	       "all of it: what is 0 is 0");
	fake("faults");
	perf_open(&set, PERF_MAX_FDS);
	count(&set, PAGES, got);
	touch_pages(5);
	count(&set, 2, got);
	are(got, twice, "only what was counted since the last time");
	count(&set, 0, got);
	are(got, nothing, "nothing is 0, not absent");
	perf_read(&set, got);
	is_int(got[PERF_PAGE_FAULTS], ABSENT, "not enabled is absent");
	is_int(got[PERF_CYCLES_KERNEL], ABSENT, "also in the PMU");
	perf_close(&set);
}

static void test_partial(void)
{
	char words[80];

	counts("hardware=2", PERF_MAX_FDS, (int64_t[]){ 50, -1, -1, -1, -1, -1, -1 },
	       "no PMU: page faults");
	snprintf(words, sizeof(words), "faults,kernel=%d", EACCES);
	counts(words, PERF_MAX_FDS, (int64_t[]){ 50, 50, -1, 50, -1, 100, -1 },
	       "no right to count in the kernel: user space alone");
	snprintf(words, sizeof(words), "faults,software=%d", EACCES);
	counts(words, PERF_MAX_FDS, (int64_t[]){ -1, 50, 0, 50, 0, 100, 0 },
	       "no software event: the PMU's");
	counts("faults,stores=2", PERF_MAX_FDS, (int64_t[]){ 50, 50, 0, 50, 0, 50, 0 },
	       "a PMU that has TLB misses of one kind");
	snprintf(words, sizeof(words), "faults,stores=%d", EINVAL);
	counts(words, PERF_MAX_FDS, (int64_t[]){ 50, 50, 0, 50, 0, 50, 0 }, "… and says EINVAL");
	snprintf(words, sizeof(words), "faults,stores=%d", EMFILE);
	counts(words, PERF_MAX_FDS, (int64_t[]){ 50, 50, 0, 50, 0, -1, -1 },
	       "one kind of two is not the whole");
	counts("faults", 3, (int64_t[]){ 50, 50, 0, -1, -1, -1, -1 }, "three descriptors");
	counts("faults", 6, (int64_t[]){ 50, 50, 0, 50, 0, -1, -1 }, "half of an event is none");
	counts("faults", 0, (int64_t[]){ -1, -1, -1, -1, -1, -1, -1 }, "no descriptor");
	counts("faults,shared", PERF_MAX_FDS, (int64_t[]){ 50, -1, -1, -1, -1, -1, -1 },
	       "a PMU that is shared from the start");
}

static void test_room(void)
{
	counts("faults,room=6", PERF_MAX_FDS, (int64_t[]){ 50, 50, 0, 50, 0, 100, -1 },
	       "room for six: the last event is out");
	counts("faults,room=5", PERF_MAX_FDS, (int64_t[]){ 50, 50, 0, 50, 0, -1, -1 },
	       "room for five: not half of an event");
	counts("faults,room=1", PERF_MAX_FDS, (int64_t[]){ 50, 50, -1, -1, -1, -1, -1 },
	       "room for one");
	counts("faults,room=0", PERF_MAX_FDS, (int64_t[]){ 50, -1, -1, -1, -1, -1, -1 },
	       "room for none");
	counts("faults,full=4", PERF_MAX_FDS, (int64_t[]){ 50, 50, 0, 50, 0, -1, -1 },
	       "refused at once, as unknown events are: still not half of an event");
}

static void test_multiplexed(void)
{
	static const int64_t want[] = { PAGES, -1, -1, -1, -1, -1, -1 };
	static const int64_t again[] = { PAGES, PAGES, 0, PAGES, 0, 2 * PAGES, 0 };
	int64_t got[PERF_N_EVENTS];
	struct perf_set set;

	fake("faults");
	perf_open(&set, PERF_MAX_FDS);
	fake("faults,shared");
	count(&set, PAGES, got);
	are(got, want, "shared out while it counted: absent, not scaled");
	fake("faults");
	perf_read(&set, got);
	count(&set, PAGES, got);
	are(got, again, "counted again when it has the PMU for itself");
	perf_close(&set);
}

static void explains(const char *words, enum perf_event event, int num, const char *part)
{
	struct err err = { 0 };
	char text[800];
	int ret;

	fake(words);
	ret = perf_check(event, &err);
	err_text(&err, text, sizeof(text));
	if (!ok(ret == -num && (!num || strstr(text, part)), "%s: %s: %s", words,
		perf_event_names[event], num ? part : "can be counted"))
		printf("# %d: %s\n", ret, text);
}

static void test_explained(void)
{
	char denied[80], words[80];
	int64_t paranoid;

	explains("faults", PERF_CYCLES_USER, 0, "");
	explains("faults", PERF_DTLB_MISSES_KERNEL, 0, "");
	explains("faults,stores=2", PERF_DTLB_MISSES_USER, 0, "");
	explains("hardware=2", PERF_CYCLES_USER, ENOENT, "perf_event_open: ENOENT");
	explains("hardware=2", PERF_CYCLES_USER, ENOENT, "no PMU that the kernel");
	explains("hardware=95", PERF_DTLB_MISSES_USER, EOPNOTSUPP, "no PMU that the kernel");
	explains("software=38", PERF_PAGE_FAULTS, ENOSYS, "CONFIG_PERF_EVENTS");
	explains("faults,room=4", PERF_INSTRUCTIONS_KERNEL, 0, "");
	explains("faults,room=4", PERF_DTLB_MISSES_USER, EBUSY, "no counter left");
	explains("faults,full=4", PERF_DTLB_MISSES_USER, EBUSY, "no counter left");

	if (util_read_int("/proc/sys/kernel/perf_event_paranoid", &paranoid))
		snprintf(denied, sizeof(denied), "kernel.perf_event_paranoid is unknown");
	else
		snprintf(denied, sizeof(denied), "kernel.perf_event_paranoid is %d", (int)paranoid);
	snprintf(words, sizeof(words), "faults,kernel=%d", EACCES);
	explains(words, PERF_CYCLES_KERNEL, EACCES, denied);
	explains(words, PERF_CYCLES_USER, 0, "");
	snprintf(words, sizeof(words), "faults,hardware=%d", EPERM);
	explains(words, PERF_INSTRUCTIONS_USER, EPERM, denied);
}

static void test_no_descriptor(void)
{
	struct rlimit limit, none;
	struct err err = { 0 };
	char text[800], want[80];
	int ret, fd = dup(1);

	fake("faults");
	getrlimit(RLIMIT_NOFILE, &limit);
	close(fd);
	none = (struct rlimit){ (rlim_t)fd, limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	ret = perf_check(PERF_PAGE_FAULTS, &err);
	setrlimit(RLIMIT_NOFILE, &limit);
	err_text(&err, text, sizeof(text));
	is_int(ret, -EMFILE, "no descriptor left");
	snprintf(want, sizeof(want), "RLIMIT_NOFILE is %d descriptors", fd);
	has_str(text, want, "is explained by its limit");
}

/* In whole repeats: a column that no worker could fill is not there. */
static void columns(const struct repeat_test *t, const char *words, bool faults, bool user,
		    bool kernel, const char *what)
{
	struct point p;
	struct err err;
	struct repeat *r;
	bool fine;

	fake(words);
	r = repeat_run(t, &p, &err);
	if (!ok(r, "%s, %u: %s", t->type.model->name, t->workers, what)) {
		char text[800];

		err_text(&err, text, sizeof(text));
		printf("# %s\n", text);
		repeat_forget(&p);
		return;
	}
	fine = !r->perf[PERF_PAGE_FAULTS] == !faults && !r->perf[PERF_CYCLES_USER] == !user &&
	       !r->perf[PERF_DTLB_MISSES_USER] == !user &&
	       !r->perf[PERF_INSTRUCTIONS_KERNEL] == !kernel;
	ok(fine, "… what was counted is there, and nothing else");
	fine = true;
	for (unsigned i = 0; i < t->workers; i++) {
		int64_t n = r->minflt[i] + r->majflt[i];

		fine &= !faults || r->perf[PERF_PAGE_FAULTS][i] == n;
		fine &= !user || (r->perf[PERF_CYCLES_USER][i] == n &&
				  r->perf[PERF_DTLB_MISSES_USER][i] == 2 * n);
		fine &= !kernel || r->perf[PERF_CYCLES_KERNEL][i] == 0;
	}
	ok(fine, "… and right for each worker");
	repeat_forget(&p);
}

static void test_repeats(struct repeat_test *t)
{
	char denied[80];

	snprintf(denied, sizeof(denied), "faults,kernel=%d", EACCES);
	columns(t, "faults", true, true, true, "all events");
	columns(t, "hardware=2", true, false, false, "no PMU");
	columns(t, "faults,shared", true, false, false, "a shared PMU");
	columns(t, denied, true, true, false, "no right to count in the kernel");
	columns(t, "software=1,hardware=1", false, false, false, "no right at all");
	t->perf = false;
	columns(t, "faults", false, false, false, "nothing asked for");
	t->perf = true;
}

/* Threads share their descriptors: where there are few, they count less, and nobody fails. */
static void test_few_descriptors(struct repeat_test *t)
{
	struct rlimit limit = { 252, 252 };
	int status;
	pid_t child;

	t->type.object = objects[1]; /* one that opens a file to map it */
	t->workers = 40;
	fflush(stdout);
	child = fork();
	if (!child) {
		struct point p;
		struct err err;
		struct repeat *r;

		setrlimit(RLIMIT_NOFILE, &limit);
		fake("faults");
		r = repeat_run(t, &p, &err);
		if (!r)
			_exit(1);
		/* (252 - 16 - 40) / 40 = 4 each: the delay, page faults, cycles. */
		_exit(r->perf[PERF_PAGE_FAULTS] && r->perf[PERF_CYCLES_KERNEL] &&
				      !r->perf[PERF_INSTRUCTIONS_USER]
			      ? 0
			      : 2);
	}
	waitpid(child, &status, 0);
	is_int(status, 0, "threads with few descriptors count some of it");
}

/* Whether this process may count at all. */
static bool can_count(void)
{
	struct err err = { 0 };
	char text[800];

	fake("faults");
	if (!perf_check(PERF_PAGE_FAULTS, &err))
		return true;
	err_text(&err, text, sizeof(text));
	skip("a PMU made of page faults", text);
	return false;
}

int main(void)
{
	struct repeat_test t = { .pages = PAGES, .perf = true };
	struct topology *topology;
	struct err err;

	test_explained();
	if (!can_count())
		return tap_done();
	test_whole();
	test_partial();
	test_room();
	test_multiplexed();
	test_no_descriptor();
	if (topology_load(&topology, &err) || run_init(&err)) {
		ok(false, "set up");
		return tap_done();
	}
	t.topology = topology;
	t.type.touch = touches[0];
	for (size_t i = 0; i < n_models; i++) {
		t.type.model = models[i];
		t.type.object = objects[0];
		t.workers = 3;
		test_repeats(&t);
		if (models[i]->one_process)
			test_few_descriptors(&t);
	}
	run_end();
	topology_free(topology);
	return tap_done();
}
