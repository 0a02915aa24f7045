/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-counters: CPU time is exact and divided as the kernel does, and what is unknown stays so. */
#include "config.h"

#include "counters.h"
#include "repeat.h"
#include "tap.h"
#include "tree.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

static void divides(int64_t cpu, int64_t user, int64_t sys, int64_t want_user, const char *what)
{
	struct counters before = { .cpu_ns = 7000, .user_ns = 3000, .sys_ns = 9000 };
	struct counters after = { .cpu_ns = 7000 + cpu,
				  .user_ns = 3000 + user,
				  .sys_ns = 9000 + sys };
	struct counters d;

	counters_between(&before, &after, &d);
	if (!ok(d.cpu_ns == cpu && d.user_ns == want_user && d.sys_ns == cpu - want_user, "%s",
		what))
		printf("# user %lld, sys %lld\n", (long long)d.user_ns, (long long)d.sys_ns);
}

static void test_division(void)
{
	static const struct counters zero;
	struct counters d,
		after = { .cpu_ns = 900, .minflt = 5, .majflt = 4, .nvcsw = 3, .nivcsw = 2 };
	int64_t year = 31536000000000000;

	divides(1000000, 250000, 750000, 250000, "sums that agree stay as they are");
	divides(1000400, 250000, 750000, 250100,
		"what getrusage() cuts off is divided like the rest");
	divides(999, 1000, 0, 999, "all of it in user space");
	divides(999, 0, 1000, 0, "all of it in the kernel");
	divides(800, 0, 0, 200, "less than a microsecond: as in all of the thread's life");
	divides(0, 0, 0, 0, "no time at all");
	divides(0, 1000, 3000, 0, "no time, but microseconds");
	divides(year, year / 4, year / 4 * 3, year / 4, "a year");
	counters_between(&zero, &after, &d);
	ok(d.user_ns == 0 && d.sys_ns == 900, "a thread's first microsecond is the kernel's");
	ok(d.minflt == 5 && d.majflt == 4 && d.nvcsw == 3 && d.nivcsw == 2,
	   "counts are differences");
	counters_between(&after, &after, &d);
	ok(!d.minflt && !d.majflt && !d.nvcsw && !d.nivcsw && !d.cpu_ns, "of what came before");
}

static void test_run_delay(void)
{
	static const struct {
		const char *text;
		int64_t want;
	} cases[] = {
		{ "492289 78417 2\n", 78417 },
		{ "492289 0 2\n", 0 },
		{ "1 9223372036854775807 1\n", INT64_MAX },
		{ "1 9223372036854775808 1\n", -1 },
		{ "0 0 0\n", -1 }, /* the kernel does not account it */
		{ "5 0 0\n", -1 },
		{ "492289 78417", -1 },
		{ "", -1 },
		{ "none of it\n", -1 },
	};
	int64_t first, second;
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ok(counters_parse_run_delay(cases[i].text) == cases[i].want, "'%.*s': %s",
		   (int)strcspn(cases[i].text, "\n"), cases[i].text,
		   cases[i].want < 0 ? "not known" : "a delay");
	is_int(counters_run_delay_ns(-1), -1, "no descriptor, no delay");
	fd = open("/dev/null", O_WRONLY);
	is_int(counters_run_delay_ns(fd), -1, "one that cannot be read");
	close(fd);
	fd = open("/dev/null", O_RDONLY);
	is_int(counters_run_delay_ns(fd), -1, "one with nothing in it");
	close(fd);

	fd = counters_open_run_delay();
	first = counters_run_delay_ns(fd);
	if (first < 0) {
		skip("the thread's own delay", "this kernel does not account it");
	} else {
		sched_yield();
		second = counters_run_delay_ns(fd);
		ok(second >= first, "the thread's own delay, read twice, only grows");
	}
	if (fd >= 0)
		close(fd);
}

static void test_frequency(void)
{
	tree_begin();
	new_tree();
	put("/cpu3/cpufreq/scaling_cur_freq", "2400000\n");
	put("/cpu4/cpufreq/scaling_cur_freq", "<unknown>\n");
	put("/cpu5/cpufreq/scaling_cur_freq", "0\n");
	is_int(counters_freq_khz(tree, 3), 2400000, "a frequency");
	is_int(counters_freq_khz(tree, 4), -1, "one that the driver does not know");
	is_int(counters_freq_khz(tree, 5), -1, "none is that of no CPU");
	is_int(counters_freq_khz(tree, 6), -1, "a CPU without cpufreq");
	is_int(counters_freq_khz(tree, -1), -1, "no CPU");
	tree_end();
}

static void test_reading(void)
{
	struct counters before, after, d;
	size_t page = util_page_size();
	char *block =
		mmap(NULL, 64 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED)
		exit(99);
	madvise(block, 64 * page, MADV_NOHUGEPAGE);
	counters_read(&before);
	for (size_t i = 0; i < 64; i++)
		*(volatile char *)(block + i * page) = 1;
	while (counters_cpu_ns() < before.cpu_ns + 2000000)
		;
	counters_read(&after);
	counters_between(&before, &after, &d);
	ok(d.cpu_ns >= 2000000, "CPU time goes by");
	is_int(d.user_ns + d.sys_ns, d.cpu_ns, "user and system time are all of it");
	ok(d.user_ns >= 0 && d.sys_ns >= 0, "neither is negative");
	ok(d.minflt >= 64, "faults are counted");
	munmap(block, 64 * page);
}

/*
 * TOTCPU is at most N x WALL: CPU time is read right around the clock, so it can exceed it by the
 * system calls that read it, no more; on a virtual machine also by what is stolen within these
 * calls, which can hit one repeat, but not all.
 */
static bool within_wall(const struct repeat *r, unsigned workers)
{
	int64_t total = 0, most = 0;

	for (unsigned i = 0; i < workers; i++) {
		total += r->user_ns[i] + r->sys_ns[i];
		most = r->wall_ns[i] > most ? r->wall_ns[i] : most;
	}
	if (total > 0 && total <= workers * (most + most / 1000 + 100000))
		return true;
	printf("# CPU time %lld ns, %u times %lld ns\n", (long long)total, workers,
	       (long long)most);
	return false;
}

static void test_samples(const struct repeat_test *t, const char *what)
{
	enum { REPEATS = 3 };
	bool within = false, there = true, bound = true, delays;
	int fd = counters_open_run_delay();
	struct point p;
	struct err err;

	delays = counters_run_delay_ns(fd) >= 0;
	if (fd >= 0)
		close(fd);
	for (int i = 0; i < REPEATS; i++) {
		struct repeat *r = repeat_run(t, &p, &err);

		if (!r) {
			char text[800];

			err_text(&err, text, sizeof(text));
			ok(false, "%s: %s", what, text);
			repeat_forget(&p);
			return;
		}
		within |= within_wall(r, t->workers);
		there &= r->nvcsw && r->nivcsw && !r->run_delay_ns == !delays;
		for (unsigned w = 0; w < t->workers; w++) {
			bound &= r->end_cpu && r->end_cpu[w] == r->cpu[w];
			there &= r->nvcsw[w] >= 0 && r->nivcsw[w] >= 0;
			there &= !r->run_delay_ns || r->run_delay_ns[w] >= 0;
			there &= !r->freq_khz || r->freq_khz[w] > 0 || r->freq_khz[w] == -1;
		}
		for (int e = 0; e < PERF_N_EVENTS; e++)
			there &= !r->perf[e];
		repeat_forget(&p);
	}
	ok(within, "%s: no more CPU time than wall time", what);
	ok(there, "%s: what can be measured here is there, and nothing else", what);
	ok(bound, "%s: each is still on its CPU", what);
}

int main(void)
{
	struct repeat_test t = { .pages = 5000, .type.object = objects[0] };
	struct topology *topology;
	struct err err;

	test_division();
	test_run_delay();
	test_frequency();
	test_reading();
	if (topology_load(&topology, &err) || run_init(&err)) {
		ok(false, "set up");
		return tap_done();
	}
	t.topology = topology;
	t.type.touch = touches[0];
	for (size_t i = 0; i < n_models; i++) {
		unsigned counts[] = { 1, topology->n_cpus, topology->n_cpus + 1 };

		t.type.model = models[i];
		for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
			char what[80];

			t.workers = counts[k];
			snprintf(what, sizeof(what), "%s, %u", models[i]->name, t.workers);
			test_samples(&t, what);
		}
	}
	run_end();
	topology_free(topology);
	return tap_done();
}
