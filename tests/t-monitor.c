/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-monitor: what others did on the CPUs, from recorded files and from this machine. */
#include "config.h"

#include "monitor_help.h"

static void is_got(int64_t steal_ns, int64_t foreign_ns, const char *what)
{
	is_int(got.steal_ns, steal_ns, what);
	is_int(got.foreign_ns, foreign_ns, "… foreign load");
}

static void test_nothing(void)
{
	static char long_path[PATH_MAX + 10];

	new_machine(2, NULL);
	begin(2, NULL);
	is_int(monitor_step_ns(m), step_ns, "an empty tree: the step of /proc/stat");
	monitor_end(m, &got);
	ok(got.lived_ns >= 0, "… the time is known");
	is_got(-1, -1, "… nothing else is: steal");
	is_int(got.throttles, -1, "… throttles");
	is_int(got.quota_throttles, -1, "… quota");
	monitor_free(m);
	put("/proc/stat", "garbage\n\ncpu\ncpux 1 2\ncpu0\ncpu1 a b c\ncpu99999999999 1\ncpu");
	put("/proc/schedstat", "\n");
	begin(2, NULL);
	end(SECOND, 0);
	is_got(-1, -1, "garbage: steal");
	monitor_free(m);
	memset(long_path, 'x', sizeof(long_path) - 1);
	monitor_set_root(long_path);
	begin(2, NULL);
	end(SECOND, 0);
	is_got(-1, -1, "an endless root: steal");
	monitor_free(m);
	monitor_free(NULL);
}

static void test_stat(void)
{
	static const int os[] = { 7, 0, 2, 5 }, used[] = { 5, 0, 5, 0 };

	new_machine(4, os);
	put("/proc/stat", "cpu  9 9 9 9 9 9 9 9 9 9\n"
			  "cpu0 100 10 200 5000 60 7 8 20 90 9\ncpu2 1 1 1 1 1 1 1 1 0 0\n"
			  "cpu5 300 0 400 6000 0 0 0 2 0 0\ncpu7 0 0 0 0 0 0 0 0 0 0\nintr 5 5\n");
	begin(4, used);
	put("/proc/stat",
	    "cpu  9 9 9 9 9 9 9 9 9 9\n"
	    "cpu0 101 12 204 5999 99 15 24 21 97 77\ncpu2 9 9 9 9 9 9 9 9 9 9\n"
	    "cpu5 300 0 432 6000 0 0 0 5 0 0\ncpu7 99 0 0 0 0 0 0 99 0 0\nintr 6 6\n");
	end(1000 * step_ns, 10 * step_ns);
	is_int(monitor_step_ns(m), step_ns, "/proc/stat alone: its step");
	is_got(4 * step_ns, (1 + 2 + 4 + 8 + 16 + 32 - 10) * step_ns,
	       "… the CPUs used, each once: steal");
	end(1000 * step_ns, 63 * step_ns);
	is_int(got.foreign_ns, 0, "… all busy time was ours");
	end(1000 * step_ns, 64 * step_ns);
	is_int(got.foreign_ns, 0, "… we ran elsewhere, too");
	end(20 * step_ns, 0);
	is_int(got.foreign_ns, 40 * step_ns, "… no CPU was busy for longer than there was time");
	monitor_begin(m, places, 1);
	put("/proc/stat", "cpu0 1 1 1 1 1 1 1 1 1 1\ncpu5 301 0 432 6000 0 0 0 6 0 0\n");
	end(1000 * step_ns, 0);
	is_got(step_ns, step_ns, "a second team, on one of the CPUs: steal");
	put("/proc/stat", "cpu0 1 1 1 1 1 1 1 1 1 1\n");
	end(1000 * step_ns, 0);
	is_got(-1, -1, "the CPU has gone: steal");
	monitor_begin(m, places, 1);
	put("/proc/stat", "cpu0 1 1 1 1 1 1 1 1 1 1\ncpu5 301 0 432 6000 0 0 0 6 0 0\n");
	end(1000 * step_ns, 0);
	is_got(-1, -1, "the CPU has come: steal");
	places[0].cpu = 6;
	monitor_begin(m, places, 2);
	end(1000 * step_ns, 0);
	is_got(-1, -1, "a CPU that the machine has not: steal");
	places[0].cpu = -1;
	monitor_begin(m, places, 1);
	end(1000 * step_ns, 0);
	is_got(-1, -1, "no CPU at all: steal");
	monitor_free(m);
}

static void stat_pair(const char *before, const char *after, int64_t steal, int64_t foreign,
		      const char *what)
{
	new_machine(2, NULL);
	put("/proc/stat", "%s", before);
	begin(2, NULL);
	put("/proc/stat", "%s", after);
	end(100 * step_ns, 0);
	is_got(steal < 0 ? -1 : steal * step_ns, foreign < 0 ? -1 : foreign * step_ns, what);
	monitor_free(m);
}

static void test_stat_odd(void)
{
	char most[100], nearly[100];

	stat_pair("cpu0 1 1 1 1\ncpu1 1 1 1 1\n", "cpu0 2 2 2 9\ncpu1 1 1 1 1\n", -1, 3,
		  "four columns, of Linux 2.4: steal");
	stat_pair("cpu0 1 1 1 1 0 1 1\ncpu1 1 1 1 1 0 1 1\n",
		  "cpu0 1 1 1 1 9 1 2\ncpu1 1 1 1 1 0 2 1\n", -1, 2,
		  "no column of steal, of Linux 2.6.10: steal");
	stat_pair("cpu0 5 0 5 5 0 0 0 50 0 0\ncpu1 5 0 5 5 0 0 0 50 0 0\n",
		  "cpu0 5 0 4 5 0 0 0 10 0 0\ncpu1 6 0 5 5 0 0 0 53 0 0\n", 3, 1,
		  "counters of one CPU go back: steal");
	stat_pair("cpu0 5 0 5 5 0 0 0 50 0 0\ncpu1 5 0 5 5 0 0 0 50 0 0\n",
		  "cpu0 0 0 0 5 0 0 0 0 0 0\ncpu1 0 0 0 5 0 0 0 0 0 0\n", 0, 0,
		  "all go back: steal");
	stat_pair("cpu0 1 1\ncpu1 1 1 1 1 1 1 1 1\n", "cpu0 1 1\ncpu1 1 1 1 1 1 1 1 1\n", -1, -1,
		  "a line that is cut: steal");
	stat_pair("cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0",
		  "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 3 4", 4, 3,
		  "no newline at the end: steal");
	stat_pair("cpu1 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\n",
		  "cpu0 1 0 0 0 0 0 0 2\ncpu1 0 0 0 0 0 0 0 0\n", 2, 1, "in another order: steal");
	snprintf(most, sizeof(most), "cpu0 0 0 0 0 0 0 0 %" PRId64 "\ncpu1 0 0 0 0 0 0 0 1\n",
		 INT64_MAX);
	snprintf(nearly, sizeof(nearly), "cpu0 %" PRId64 " 0 1 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n",
		 INT64_MAX);
	stat_pair("cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n", nearly, 0, -1,
		  "busy times whose sum is too large: steal");
	stat_pair("cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n",
		  "cpu0 0 0 0 0 0 0 0 9223372036854775808\ncpu1 0 0 0 0 0 0 0 0\n", -1, 0,
		  "a number that no integer holds: steal");
	new_machine(2, NULL);
	put("/proc/stat", "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n");
	begin(2, NULL);
	put("/proc/stat", "%s", most);
	end(100 * step_ns, 0);
	is_got(INT64_MAX, 0, "the most steal that there can be");
	monitor_free(m);
}

/* /proc/schedstat as version 14 … 17 have it, with these times on the CPUs 0 and 1. */
static void put_schedstat(int version, int64_t busy0, int64_t busy1)
{
	const char *more = version == 14 ? " 1 2 3" : "";

	put("/proc/schedstat",
	    "version %d\ntimestamp 4297299139\n"
	    "cpu0%s 6 0 1041 8 512 %d %" PRId64 " 1000000009 77\n"
	    "domain0 00000003 44 42 1 1032 1 0 0 42 4 4 0 0 0 0 0 4\n"
	    "domain1 MC 00000003 44 42 1 1032 1 0 0 42 4 4 0 0 0 0 0 4\n"
	    "cpu1%s 0 0 2041 9 512 %d %" PRId64 " 3000000009 99\n"
	    "domain0 00000003 44 42 1 1032 1 0 0 42 4 4 0 0 0 0 0 4\n",
	    version, more, 11, busy0, more, 12, busy1);
}

static void test_schedstat(void)
{
	char what[80];

	for (int version = 13; version <= 18; version++) {
		bool known = version >= 14 && version <= 17;

		new_machine(2, NULL);
		put("/proc/stat", "cpu0 0 0 0 0 0 0 0 5 0 0\ncpu1 0 0 0 0 0 0 0 5 0 0\n");
		put_schedstat(version, 5000, 70000);
		begin(2, NULL);
		put("/proc/stat", "cpu0 0 0 2 0 0 0 0 5 0 0\ncpu1 0 0 3 0 0 0 0 5 0 0\n");
		put_schedstat(version, 6000, 90000);
		end(SECOND, 500);
		snprintf(what, sizeof(what), "/proc/schedstat version %d: the step", version);
		is_int(monitor_step_ns(m), known ? 1 : step_ns, what);
		is_got(0, known ? 20500 : 5 * step_ns - 500, "… steal");
		monitor_free(m);
	}
}

static void test_schedstat_odd(void)
{
	new_machine(2, NULL);
	put_schedstat(15, 5000, 70000);
	put("/proc/stat", "cpu0 0 0 0 0 0 0 0 5 0 0\ncpu1 0 0 0 0 0 0 0 5 0 0\n");
	begin(2, NULL);
	put_schedstat(15, 5000 + 3 * step_ns, 70000);
	put("/proc/stat", "cpu0 0 0 9 0 0 0 0 6 0 0\ncpu1 0 0 9 0 0 0 0 5 0 0\n");
	end(SECOND, 1);
	is_got(step_ns, 2 * step_ns - 1, "its times have steal in them: steal");
	end(2 * step_ns, 1);
	is_int(got.foreign_ns, step_ns - 1, "… what was counted late");
	put("/proc/stat", "cpu0 0 0 9 0 0 0 0 100 0 0\ncpu1 0 0 9 0 0 0 0 5 0 0\n");
	end(SECOND, 1);
	is_int(got.foreign_ns, 0, "… more steal than it was busy");
	put_schedstat(15, 0, 70001);
	put("/proc/stat", "cpu0 0 0 9 0\ncpu1 0 0 9 0\n");
	end(SECOND, 0);
	is_got(-1, 1, "a counter goes back, steal is not known");
	put("/proc/schedstat", "version 15\ntimestamp 1\ncpu0 6 0 1041 8 512 11\ncpu1 1\n");
	end(SECOND, 0);
	is_int(got.foreign_ns, -1, "lines that are cut");
	put("/proc/schedstat", "cpu0 6 0 1 8 5 1 5 1 7\ncpu1 6 0 1 8 5 1 5 1 7\n");
	end(SECOND, 0);
	is_int(got.foreign_ns, -1, "no version");
	put("/proc/schedstat", "%s", "");
	end(SECOND, 0);
	is_int(got.foreign_ns, -1, "nothing");
	monitor_free(m);
}

#define CPUACCT_MOUNT "36 31 0:33 / /cg/acct rw shared:9 - cgroup cgroup rw,cpuacct\n"

static void new_cpuacct(const char *group, const char *possible)
{
	new_machine(4, NULL);
	put("/proc/stat", "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n"
			  "cpu2 0 0 0 0 0 0 0 0\ncpu3 0 0 0 0 0 0 0 0\n");
	put("/proc/self/cgroup", "2:cpuacct:%s\n", group);
	put("/proc/self/mountinfo", CPUACCT_MOUNT);
	put("/sys/devices/system/cpu/possible", "%s\n", possible);
	put("/cg/acct/cpuacct.usage_percpu", "1000 2000 3000 4000 \n");
	put("/cg/acct/a/b/cpuacct.usage_percpu", "0 0 0 0 \n");
	put("/cg/acct/a/release_agentx", "\n");
}

static void test_cpuacct(void)
{
	static const int used[] = { 3, 1 };

	new_cpuacct("/a/b", "0-3");
	put("/cg/acct/release_agent", "\n");
	begin(2, used);
	put("/cg/acct/cpuacct.usage_percpu", "9999 2010 9999 4300 \n");
	end(SECOND, 9);
	is_int(monitor_step_ns(m), 1, "cpuacct, of the root, from a group far below: the step");
	is_got(0, 301, "… steal");
	put("/cg/acct/cpuacct.usage_percpu", "9999 2010 9999\n");
	end(SECOND, 9);
	is_got(0, -1, "… a CPU is missing: steal");
	monitor_free(m);
	put_schedstat(17, 5000, 70000);
	begin(1, NULL);
	put_schedstat(17, 5001, 70000);
	end(SECOND, 0);
	is_got(0, 1, "/proc/schedstat is better: steal");
	monitor_free(m);

	new_cpuacct("/a/b", "0-3");
	begin(2, used);
	is_int(monitor_step_ns(m), step_ns, "a container's group is not the root");
	monitor_free(m);
	new_cpuacct("/", "0-1,4-5");
	put("/cg/acct/release_agent", "\n");
	begin(2, used);
	is_int(monitor_step_ns(m), step_ns, "possible CPUs with a hole: which is whose?");
	monitor_free(m);
	new_cpuacct("/", "1-4");
	put("/cg/acct/release_agent", "\n");
	begin(2, used);
	is_int(monitor_step_ns(m), step_ns, "possible CPUs without the first");
	monitor_free(m);
	new_cpuacct("/", "0-3");
	put("/cg/acct/release_agent", "\n");
	put("/cg/acct/cpuacct.usage_percpu", "\n");
	begin(2, used);
	is_int(monitor_step_ns(m), step_ns, "no numbers");
	end(SECOND, 0);
	is_got(0, 0, "… but those of /proc/stat: steal");
	monitor_free(m);
}

/* Only every second of 600 CPUs is online, and each number stands on a line of its own. */
static void put_half(int64_t busy, int64_t steal, int64_t steal_of_last)
{
	static char text[100000];
	size_t used = 0;

	for (int i = 0; i < 600; i += 2) {
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "cpu%d 0 0 %" PRId64 " 7 7 0 0 %" PRId64 " 0 0\n", i, busy,
					 i == 598 ? steal_of_last : steal);
	}
	put("/proc/stat", "cpu 9 9 9 9 9 9 9 9\n%sintr 77\n", text);
}

static void test_stat_many(void)
{
	static int os[300], last[] = { 598 }, offline[] = { 598, 599 };

	for (int i = 0; i < 300; i++)
		os[i] = 598 - 2 * i;
	new_machine(300, os);
	put_half(0, 0, 0);
	begin(300, os);
	put_half(2, 1, 5);
	end(SECOND, 0);
	is_got(304 * step_ns, 600 * step_ns, "300 CPUs online of 600: steal");
	monitor_free(m);
	begin(1, last);
	put_half(3, 9, 6);
	end(SECOND, 0);
	is_got(step_ns, step_ns, "… the last one alone: steal");
	monitor_free(m);
	begin(2, offline);
	end(SECOND, 0);
	is_got(-1, -1, "… with one that is offline: steal");
	monitor_free(m);
}

/* One line of 80 KB, longer than any buffer is at first. */
static void put_usage(int64_t each, int64_t last)
{
	static char text[MANY * 21];
	size_t used = 0;

	for (int i = 0; i < MANY; i++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%" PRId64 " ",
					 1000000000000000000 + (i == MANY - 1 ? last : each));
	}
	put("/cg/acct/cpuacct.usage_percpu", "%s\n", text);
}

static void test_cpuacct_many(void)
{
	static const int last[] = { MANY - 1 };

	new_cpuacct("/", "0-4095");
	topology.n_cpus = MANY;
	for (int i = 0; i < MANY; i++)
		cpus[i].os_index = i;
	put("/cg/acct/release_agent", "\n");
	put_usage(0, 0);
	begin(MANY, NULL);
	put_usage(1, 5);
	end(SECOND, 0);
	is_got(-1, MANY + 4, "4096 CPUs: steal");
	monitor_free(m);
	begin(1, last);
	put_usage(99, 12);
	end(SECOND, 0);
	is_got(-1, 7, "… the last one alone: steal");
	monitor_free(m);
}

static void tests(void)
{
	test_nothing();
	test_stat();
	test_stat_odd();
	test_schedstat();
	test_schedstat_odd();
	test_cpuacct();
	test_stat_many();
	test_cpuacct_many();
}

int main(void)
{
	return with_monitor(tests);
}
