/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-aside: who only waits stays off the CPUs that workers are timed on, where there are others. */
#include "config.h"

#include "aside.h"
#include "clock.h"
#include "repeat.h"
#include "tap.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LIST_LEN = 2000 };

/* What a worker saw while it touched, in memory that all share. */
static struct {
	pid_t main, leader;
	char of_main[LIST_LEN], of_leader[LIST_LEN];
} * seen;

/* Cpus_allowed_list of a process. */
static void cpus_of(pid_t pid, char list[LIST_LEN])
{
	char path[60], text[4096];
	const char *row;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	list[0] = '\0';
	if (util_read_file(path, text, sizeof(text)) < 0)
		return;
	row = util_find_row(text, "Cpus_allowed_list");
	if (row)
		snprintf(list, LIST_LEN, "%.*s", (int)strcspn(row, "\n"), row);
}

static bool list_has(const char *list, int cpu)
{
	while (*list) {
		char *end;
		long from = strtol(list, &end, 10), to = from;

		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		if (cpu >= from && cpu <= to)
			return true;
		list = end + (*end == ',');
	}
	return false;
}

/* One worker looks, while all are within their touch or at the lines around it. */
static void look(char *base, size_t pages, size_t page_size)
{
	for (size_t i = 0; i < pages; i++)
		*(volatile char *)(base + i * page_size) = 1;
	if (!pages)
		return;
	/* A thread's process is the leader; a process's parent is. */
	seen->leader = getppid() == seen->main ? getpid() : getppid();
	cpus_of(seen->main, seen->of_main);
	/* The leader may have just made the last worker: until it has stood aside, it runs. */
	for (int64_t until = clock_now_ns() + 10000000000; clock_now_ns() < until;) {
		cpus_of(seen->leader, seen->of_leader);
		if (!strcmp(seen->of_leader, seen->of_main))
			break;
		sched_yield();
	}
}

static const struct touch_ops looking = { .name = "look", .run = look };

static void test_team(struct repeat_test *t, const char *before)
{
	bool all = t->workers >= t->topology->n_cpus;
	const char *model = t->type.model->name;
	char after[LIST_LEN];
	struct err err;
	struct point p;
	struct repeat *r;
	unsigned bad = 0;

	memset(seen->of_main, 0, LIST_LEN);
	memset(seen->of_leader, 0, LIST_LEN);
	r = repeat_run(t, &p, &err);
	if (!ok(r, "%s, %u workers", model, t->workers)) {
		repeat_forget(&p);
		return;
	}
	if (all) {
		is_str(seen->of_main, before, "… all CPUs have workers: main may use all");
	} else {
		for (unsigned i = 0; i < t->workers; i++)
			bad += list_has(seen->of_main, (int)r->cpu[i]);
		is_int(bad, 0, "… main is off the workers' CPUs");
		for (unsigned i = 0; i < t->topology->n_cpus; i++)
			bad += !list_has(before, t->topology->cpus[i].os_index);
		is_int(bad, 0, "… among those that it was allowed");
		ok(seen->of_main[0], "… on some");
	}
	is_str(seen->of_leader, seen->of_main, "… and so is the team's process");
	cpus_of(getpid(), after);
	is_str(after, seen->of_main, "… main stays there for the next repeat");
	repeat_forget(&p);
}

static void test_masks(void)
{
	struct place places[] = { { 1, 0 }, { 3, 0 }, { 9, 0 } };
	struct topology_cpu cpus[] = { { .os_index = 9 }, { .os_index = 1 }, { .os_index = 2000 } };
	struct topology t = { .cpus = cpus, .n_cpus = 3 };
	struct aside a = { 0 };

	aside_begin(&a, &t, places, 3);
	ok(!a.allowed && !a.bytes, "another machine's CPUs are nothing to stand on");
	aside_step(&a);
	aside_return(&a);
	aside_end(&a);
	t.is_this_machine = true;
	aside_begin(&a, &t, places, 1);
	ok(a.apart && CPU_COUNT_S(a.bytes, a.allowed) == 3, "all that the topology has");
	ok(CPU_COUNT_S(a.bytes, a.spare) == 2 && CPU_ISSET_S(9, a.bytes, a.spare) &&
		   CPU_ISSET_S(2000, a.bytes, a.spare),
	   "without the worker's, beyond 1024 CPUs too");
	aside_begin(&a, &t, places, 3);
	ok(a.apart && CPU_COUNT_S(a.bytes, a.spare) == 1, "one is left");
	t.n_cpus = 2;
	aside_begin(&a, &t, places, 3);
	ok(!a.apart && CPU_COUNT_S(a.bytes, a.spare) == 2, "none is left: all");
	aside_end(&a);
	aside_end(&a);
	ok(!a.allowed, "the masks are freed, once");
}

int main(void)
{
	struct repeat_test t = { .pages = 16, .type = { .object = objects[0], .touch = &looking } };
	char before[LIST_LEN], after[LIST_LEN];
	struct topology *topology;
	struct err err;

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED || topology_load(&topology, &err) || run_init(&err)) {
		ok(false, "set up");
		return tap_done();
	}
	seen->main = getpid();
	cpus_of(getpid(), before);
	t.topology = topology;
	for (size_t i = 0; i < n_models; i++) {
		t.type.model = models[i];
		for (unsigned n = 1; n <= 3; n++) {
			t.workers = n;
			test_team(&t, before);
		}
		if (topology->n_cpus > 4) {
			t.workers = topology->n_cpus - 1;
			test_team(&t, before);
		}
		t.workers = 1;
		test_team(&t, before);
	}
	if (topology->n_cpus == 1)
		skip("off the workers' CPUs", "there is but one CPU");
	run_end();
	cpus_of(getpid(), after);
	is_str(after, before, "at the end of the run, main may use all CPUs again");
	run_end();
	topology_free(topology);
	test_masks();
	return tap_done();
}
