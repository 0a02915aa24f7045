/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-system-record: recorded systems, described as if they were this one; and the table of members.
 */
#include "config.h"

#include "recorded.h"

#include "system_parts.h"
#include "util.h"

#include <numaif.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void test_laptop(void)
{
	json_t *o;

	record("laptop");
	o = described("pack:1 core:4 pu:2");
	has_value(o, "kernel.release", "6.12.9-amd64");
	has_value(o, "kernel.version", "#1 SMP PREEMPT_DYNAMIC Debian 6.12.9-1 (2025-01-10)");
	has_str(json_string_value(member(o, "kernel.build")), "gcc-14", "the compiler");
	has_value(o, "kernel.tainted", "4096");
	has_value(o, "kernel.preempt", "voluntary");
	has_value(o, "kernel.config.file", "/boot/config-6.12.9-amd64");
	has_value(o, "kernel.config.options.HZ", "250");
	has_value(o, "kernel.config.options.MEMCG", "y");
	has_value(o, "kernel.config.options.KASAN", "n");
	has_value(o, "kernel.config.options.PROVE_LOCKING", "n");
	has_value(o, "kernel.debug.init_on_alloc", "off");
	has_value(o, "kernel.debug.init_on_free", "on");
	has_value(o, "kernel.debug.kasan", "off");
	has_value(o, "kernel.debug.lockdep", "off");
	has_value(o, "cpu.model", "Intel(R) Core(TM) i7-8565U CPU @ 1.80GHz");
	has_value(o, "cpu.microcode", "0xf8");
	has_value(o, "cpu.smt", "on");
	has_value(o, "cpu.isolated", "");
	has_value(o, "cpu.nohz_full", "");
	has_value(o, "cpu.threads_per_core", "2");
	has_value(o, "governor", "powersave");
	has_value(o, "cpufreq.driver", "intel_pstate");
	has_value(o, "cpufreq.min_khz", "400000");
	has_value(o, "cpufreq.max_khz", "4600000");
	has_value(o, "cpufreq.hardware_max_khz", "4600000");
	has_value(o, "cpufreq.turbo", "on");
	has_value(o, "cpufreq.energy_preference", "mixed");
	has_value(o, "hypervisor", "none");
	has_value(o, "mitigations", "{\"meltdown\":\"Not affected\"}");
	has_value(o, "clock.source", "tsc");
	has_value(o, "clock.available", "tsc hpet acpi_pm");
	has_value(o, "clock.tsc", "used");
	has_value(o, "clock.cpu_split", "ticks of 4 ms");
	json_decref(o);
}

static void test_laptop_memory(void)
{
	json_t *o;

	record("laptop");
	o = described("pack:1 core:4 pu:2");
	has_value(o, "memory.swap_used_bytes", "2097152");
	has_value(o, "swap.areas",
		  "[{\"name\":\"/dev/zram0\",\"type\":\"partition\",\"size_bytes\":8192000000,"
		  "\"priority\":100},{\"name\":\"/swap\\\\040file\",\"type\":\"file\","
		  "\"size_bytes\":4493930496,\"priority\":-2}]");
	has_value(o, "swap.swappiness", "180");
	has_value(o, "swap.zswap", "Y");
	has_value(o, "swap.zswap_compressor", "zstd");
	has_value(o, "thp.enabled", "always");
	has_value(o, "thp.shmem_enabled", "never");
	has_value(o, "thp.defrag", "madvise");
	has_value(o, "thp.process", "enabled");
	has_value(o, "thp.pmd_size_bytes", "2097152");
	has_value(o, "thp.khugepaged.pages_to_scan", "4096");
	has_value(o, "thp.khugepaged.max_ptes_none", "unknown");
	has_value(o, "thp.sizes",
		  "{\"hugepages-64kB\":{\"enabled\":\"never\",\"shmem_enabled\":\"never\"},"
		  "\"hugepages-2048kB\":{\"enabled\":\"inherit\"}}");
	has_value(o, "fault_around_bytes", "65536");
	has_value(o, "lru_gen", "0x0007");
	has_value(o, "ksm", "0");
	has_value(o, "numa_balancing", "0");
	has_value(o, "perf_event_paranoid", "-1");
	has_value(o, "uptime_s", "86461.27");
	has_value(o, "load", "[0.42,0.35,0.3]");
	has_value(o, "running", "0");
	has_value(o, "allowed.cpus", "0-7");
	has_value(o, "allowed.mems", "0");
	has_value(o, "cgroup.cpu_quota_us", "350000");
	has_value(o, "cgroup.cpu_period_us", "100000");
	has_value(o, "cgroup.pids_max", "1000");
	has_value(o, "cgroup.pids_available", "10");
	has_value(o, "cgroup.cpus", "0-7");
	has_value(o, "cgroup.mems", "0");
	json_decref(o);
}

/* No cpufreq at all, as on many servers and most virtual machines. */
static void test_server(void)
{
	json_t *o;

	record("server");
	o = described("pack:1 numa:2 core:2 pu:1");
	has_value(o, "governor", "unknown");
	has_value(o, "cpufreq",
		  "{\"driver\":\"unknown\",\"min_khz\":\"unknown\",\"max_khz\":\"unknown\","
		  "\"hardware_max_khz\":\"unknown\",\"turbo\":\"unknown\","
		  "\"energy_preference\":\"unknown\"}");
	has_value(o, "numa_balancing", "1");
	has_value(o, "cpu.microcode", "0xb000040");
	has_value(o, "cpu.isolated", "2-3");
	has_value(o, "cpu.nohz_full", "2-3");
	has_value(o, "kernel.config.file", "/lib/modules/5.14.0-503.el9.x86_64/config");
	has_value(o, "kernel.preempt", "full");
	has_value(o, "clock.source", "hpet");
	has_value(o, "clock.tsc", "unusable");
	has_value(o, "clock.cpu_split", "context tracking on nohz_full CPUs, else ticks of 1 ms");
	json_decref(o);
}

/* What is not to be seen is unknown: never 0, and never "". */
static void test_container(void)
{
	static const char *const unknown[] = {
		"boot_id",
		"uptime_s",
		"load",
		"governor",
		"cpufreq.min_khz",
		"cpufreq.driver",
		"cpufreq.turbo",
		"mitigations",
		"clock.source",
		"clock.available",
		"clock.tsc",
		"clock.cpu_split",
		"kernel.build",
		"kernel.tainted",
		"kernel.preempt",
		"kernel.config.file",
		"kernel.config.options",
		"kernel.debug.init_on_alloc",
		"kernel.debug.kasan",

		"kernel.debug.lockdep",
		"cpu.microcode",
		"cpu.smt",
		"cpu.isolated",
		"cpu.nohz_full",
		"hypervisor",
		"memory.swap_total_bytes",
		"memory.swap_used_bytes",
		"memory.available_bytes",
		"swap.swappiness",
		"swap.zswap",
		"thp.enabled",
		"thp.process",
		"thp.pmd_size_bytes",
		"fault_around_bytes",
		"lru_gen",
		"ksm",
		"numa_balancing",
		"overcommit.memory",
		"allowed.cpus",
		"allowed.mems",
		"perf_event_paranoid",
		"limits.shmmax",
		"limits.max_map_count",
		"tmpfs.type",
		"tmpfs.options",
	};
	json_t *o;

	record("container");
	o = described("pack:1 core:2 pu:1");
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		has_value(o, unknown[i], "unknown");
	has_value(o, "kernel.config", "{\"file\":\"unknown\",\"options\":\"unknown\"}");
	has_value(o, "kernel.cmdline", "");
	has_value(o, "kernel.debug.slub_debug", "unknown");
	has_value(o, "memory.total_bytes", "16384000000");
	has_value(o, "swap.areas", "[]");
	has_value(o, "thp.sizes", "{}");
	has_value(o, "cgroup.cpu_quota_us", "150000");
	has_value(o, "cgroup.cpu_period_us", "100000");
	has_value(o, "cgroup.cpus", "4-5,9");
	has_value(o, "cgroup.mems", "1");
	has_value(o, "cgroup.pids_max", "100");
	has_value(o, "cgroup.pids_available", "0");
	json_decref(o);
}

static void test_debug(void)
{
	char *config = read_data("systems/debug-config.txt");
	json_t *o;

	record("debug");
	put("/boot/config-6.18.0-rc3-debug", "%s", config);
	o = described("pack:1 core:8 pu:1");
	has_value(o, "kernel.preempt", "full");
	has_value(o, "kernel.debug",
		  "{\"kmemleak\":\"off\",\"page_table_check\":\"off\",\"page_owner\":\"on\","
		  "\"page_poison\":\"on\",\"debug_pagealloc\":\"on\",\"init_on_free\":\"off\","
		  "\"init_on_alloc\":\"off\",\"mem_profiling\":\"off\",\"lockdep\":\"on\","
		  "\"kasan\":\"on\","
		  "\"slub_debug\":\"on\"}");
	has_value(o, "kernel.config.options.KSM", "m");
	has_value(o, "kernel.config.options.MEM_ALLOC_PROFILING", "n");
	has_value(o, "kernel.config.options.KFENCE_SAMPLE_INTERVAL", "100");
	has_value(o, "governor", "mixed");
	has_value(o, "cpufreq.turbo", "mixed");
	has_value(o, "clock.tsc", "unknown");
	has_value(o, "clock.cpu_split", "ticks of 3.333 ms");
	has_value(o, "cpu.model", "implementer 0x41 part 0xd0c");
	has_value(o, "cpu.microcode", "unknown");
	json_decref(o);
	put("/boot/config-6.18.0-rc3-debug", "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y\n");
	put("/sys/devices/system/cpu/cpufreq/policy4/scaling_governor", "schedutil");
	put("/sys/devices/system/cpu/cpufreq/policy4/boost", "1");
	o = described("pack:1 core:8 pu:1");
	has_value(o, "governor", "schedutil");
	has_value(o, "cpufreq.turbo", "on");
	has_value(o, "clock.cpu_split", "native");
	json_decref(o);
	put("/boot/config-6.18.0-rc3-debug",
	    "CONFIG_VIRT_CPU_ACCOUNTING_GEN=y\nCONFIG_CONTEXT_TRACKING_USER_FORCE=y\n");
	put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	o = described("pack:1 core:8 pu:1");
	has_value(o, "clock.cpu_split", "context tracking");
	has_value(o, "cpufreq.turbo", "off");
	json_decref(o);
	free(config);
}

static void test_many_policies(void)
{
	char path[200];
	json_t *o;

	record_nothing();
	for (int i = 0; i < 600; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpufreq/policy%d/scaling_governor", i);
		put(path, "%s\n", i == 599 ? "ondemand" : "performance");
	}
	o = described("pack:1 core:600 pu:1");
	has_value(o, "governor", "mixed");
	has_value(o, "cpu.allowed", "600");
	json_decref(o);
}

/* What a process was told about its own memory, which is not in any file that can be recorded. */
static bool is_policy(const char *mode, const char *nodes)
{
	json_t *o = system_mempolicy();
	bool right = !strcmp(json_string_value(member(o, "mode")), mode) &&
		     !strcmp(json_string_value(member(o, "nodes")), nodes);

	json_decref(o);
	return right;
}

static int own_settings(void)
{
	unsigned long node0 = 1;
	json_t *o;
	int wrong = 0;

	if (set_mempolicy(MPOL_BIND, &node0, 8 * sizeof(node0)))
		return 77;
	wrong |= !is_policy("bind", "0");
	set_mempolicy(MPOL_PREFERRED, &node0, 8 * sizeof(node0));
	wrong |= !is_policy("preferred", "0") << 1;
	set_mempolicy(MPOL_DEFAULT, NULL, 0);
	wrong |= !is_policy("default", "") << 2;
	system_set_root("");
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	o = system_thp();
	if (strcmp(json_string_value(member(o, "process")), "unknown") != 0)
		wrong |= !!strcmp(json_string_value(member(o, "process")), "disabled") << 3;
	json_decref(o);
	return wrong;
}

static bool is_scheduled(const char *policy, json_int_t priority, json_int_t nice, bool reset)
{
	json_t *o = system_scheduling();
	bool right = !strcmp(json_string_value(member(o, "policy")), policy) &&
		     json_integer_value(member(o, "priority")) == priority &&
		     json_integer_value(member(o, "nice")) == nice &&
		     (reset ? json_is_true(member(o, "reset_on_fork"))
			    : json_is_false(member(o, "reset_on_fork")));

	json_decref(o);
	return right;
}

enum { CHILD_CANNOT = 77, DEADLINE = 6, EXT = 7 };

static int scheduled(int policy, int priority, const char *name)
{
	struct sched_param param = { .sched_priority = priority };
	int flag = SCHED_RESET_ON_FORK, nice = getpriority(PRIO_PROCESS, 0);

	if (sched_setscheduler(0, policy, &param))
		return CHILD_CANNOT;
	if (!is_scheduled(name, priority, nice, false))
		return 1;
	if (sched_setscheduler(0, policy | flag, &param))
		return 2;
	return is_scheduled(name, priority, nice, true) ? 0 : 3;
}

/* Anybody may make it worse. */
static int as_nice(void)
{
	struct sched_param none = { 0 };

	if (setpriority(PRIO_PROCESS, 0, 19) || sched_setscheduler(0, SCHED_BATCH, &none))
		return CHILD_CANNOT;
	return is_scheduled("batch", 0, 19, false) ? 0 : 1;
}

static int as_other(void)
{
	return scheduled(SCHED_OTHER, 0, "other");
}

static int as_batch(void)
{
	return scheduled(SCHED_BATCH, 0, "batch");
}

static int as_idle(void)
{
	return scheduled(SCHED_IDLE, 0, "idle");
}

static int as_fifo(void)
{
	return scheduled(SCHED_FIFO, 3, "fifo");
}

static int as_rr(void)
{
	return scheduled(SCHED_RR, 1, "rr");
}

static int as_ext(void)
{
	return scheduled(EXT, 0, "ext");
}

/* The C library has no function for this. */
static int as_deadline(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { .size = 48,
		   .policy = DEADLINE,
		   .runtime = 50000000,
		   .deadline = 100000000,
		   .period = 100000000 };

	if (syscall(SYS_sched_setattr, 0, &attr, 0))
		return CHILD_CANNOT;
	return is_scheduled("deadline", 0, getpriority(PRIO_PROCESS, 0), false) ? 0 : 1;
}

/* A child is scheduled so, if it may be, and finds it out. */
static void scheduled_as(int (*body)(void), const char *what)
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(body());
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_CANNOT)
		skip(what, "not for this process, or not with this kernel");
	else
		is_int(status, 0, what);
}

static void test_scheduling(void)
{
	scheduled_as(as_nice, "a process that is nice");
	scheduled_as(as_other, "SCHED_OTHER, and with reset on fork");
	scheduled_as(as_batch, "SCHED_BATCH, and with reset on fork");
	scheduled_as(as_idle, "SCHED_IDLE, and with reset on fork");
	scheduled_as(as_fifo, "SCHED_FIFO, and with reset on fork");
	scheduled_as(as_rr, "SCHED_RR, and with reset on fork");
	scheduled_as(as_ext, "SCHED_EXT, and with reset on fork");
	scheduled_as(as_deadline, "SCHED_DEADLINE");
}

static void test_process(void)
{
	static const char what[] = "memory policy and huge pages of the process";
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(own_settings());
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip(what, "memory policies are not for this process");
	else
		is_int(status, 0, what);
}

/* Objects whose members come from the system: the table has them as a whole. */
static bool is_whole(const char *path)
{
	static const char *const whole[] = { "mitigations",    "thp.sizes",
					     "thp.khugepaged", "kernel.config.options",
					     "kernel.debug",   "malloc_env" };

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		if (!strcmp(path, whole[i]))
			return true;
	}
	return false;
}

/* Add the paths of all members, one a line. */
static void list_members(json_t *o, const char *prefix, FILE *out)
{
	const char *key;
	json_t *value;

	json_object_foreach(o, key, value)
	{
		char path[200];

		snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
		if (json_is_object(value) && !is_whole(path))
			list_members(value, path, out);
		else
			fprintf(out, "%s\n", path);
	}
}

/*
 * The members that the section "The system" of results/README.md has: the first column's names in
 * `code`. ".name" stands for a member of the same object as the one before it.
 */
static void list_table(const char *text, FILE *out)
{
	const char *row = strstr(text, "\n## The system\n");
	const char *end = row ? strstr(row + 1, "\n## ") : NULL;
	char path[200] = "", *dot;

	while (row && (row = strstr(row, "\n| `")) && (!end || row < end)) {
		const char *stop = strstr(row + 3, " | ");

		while (stop && (row = strchr(row, '`')) && row < stop) {
			size_t len = strcspn(++row, "`");

			dot = *row == '.' ? strrchr(path, '.') : path;
			snprintf(dot ? dot : path, sizeof(path) - (size_t)(dot ? dot - path : 0),
				 "%.*s", (int)len, row);
			fprintf(out, "%s\n", path);
			row += len + 1;
		}
		row = stop;
	}
}

static bool has_line(const char *text, const char *line, size_t len)
{
	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, line, len) && text[len] == '\n')
			return true;
	}
	return false;
}

static void lines_are_in(const char *lines, const char *text, const char *what)
{
	bool all = true;

	for (size_t len; (len = strcspn(lines, "\n")); lines += len + 1) {
		if (has_line(text, lines, len))
			continue;
		printf("# %.*s\n", (int)len, lines);
		all = false;
	}
	ok(all, "%s", what);
}

static void test_table(void)
{
	char *members = NULL, *table = NULL, *text = read_data("../../results/README.md");
	size_t size;
	FILE *out = open_memstream(&members, &size);
	json_t *o;

	setenv("GLIBC_TUNABLES", "glibc.malloc.check=0", 1);
	setenv("MALLOC_ARENA_MAX", "1", 1);
	/* That this is set is enough; by now no library is loaded for it. */
	setenv("LD_PRELOAD", "/none", 1);
	record("laptop");
	o = described("pack:1 core:4 pu:2");
	has_value(o, "malloc_env.MALLOC_ARENA_MAX", "1");
	list_members(o, "", out);
	fclose(out);
	out = open_memstream(&table, &size);
	list_table(text, out);
	fclose(out);
	unsetenv("GLIBC_TUNABLES");
	unsetenv("MALLOC_ARENA_MAX");
	unsetenv("LD_PRELOAD");
	ok(*members && *table, "there are members, and a table of them");
	lines_are_in(members, table, "results/README.md has every member of the system");
	lines_are_in(table, members, "every member that results/README.md has is there");
	json_decref(o);
	free(members);
	free(table);
	free(text);
}

int main(void)
{
	tree_begin();
	test_laptop();
	test_laptop_memory();
	test_server();
	test_container();
	test_debug();
	test_many_policies();
	test_process();
	test_scheduling();
	test_table();
	tree_end();
	return tap_done();
}
