/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-advise: what is warned of before measuring, on made-up, recorded and this system. */
#include "config.h"

#include "recorded.h"

#include "advise.h"
#include "rounds.h"
#include "util.h"

/* What is to be measured: types as in "malloc,zero", up to so many workers. */
struct measured {
	const char *objects;
	unsigned workers;
	const char *plan; /* NULL = 100 MB each */
};

static const struct measured usual = { "malloc,zero,shmem,tmpfs", 2, NULL };

static void add_points(struct result *r, const struct measured *m)
{
	char object[40];

	for (const char *at = m->objects; *at; at += strlen(object), at += *at == ',') {
		snprintf(object, sizeof(object), "%.*s", (int)strcspn(at, ","), at);
		for (unsigned workers = 1;; workers = m->workers) {
			struct point *p = result_add_point(r, object, "fork", object, "write",
							   false, workers, 100);

			if (!p || point_set_status(p, POINT_SKIPPED, ROUNDS_NOT_RUN))
				exit(99);
			if (workers >= m->workers)
				break;
		}
	}
}

/* A result with this system, not yet advised. Takes over `system`. */
static struct result *result_of(json_t *system, const struct measured *m)
{
	struct result *r = result_new();

	if (!r || !system)
		exit(99);
	json_decref(r->system);
	r->system = system;
	json_decref(r->plan);
	r->plan = json_loads(m->plan ? m->plan : "{\"size_bytes\": 100000000}", 0, NULL);
	add_points(r, m);
	return r;
}

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *o = json_loads(text, 0, &error);

	if (!o)
		printf("Bail out! %s in %s\n", error.text, text);
	return o;
}

/* Whether all warnings are one line each, of no more than some 200 characters, and plain. */
static bool well_formed(const struct result *r)
{
	for (size_t i = 0; i < r->n_warnings; i++) {
		const char *text = r->warnings[i];

		if (strlen(text) > 210 || strchr(text, '\n') || !strchr(text, ';') ||
		    strstr(text, "unknown") || strstr(text, "(null)") || strstr(text, "  "))
			return false;
	}
	return true;
}

static void show(const struct result *r)
{
	for (size_t i = 0; i < r->n_warnings; i++)
		printf("# %zu: %s\n", strlen(r->warnings[i]), r->warnings[i]);
}

/* One warning that contains `want`, or none where that is NULL. */
static void expect(struct result *r, const struct place *places, unsigned n, const char *want,
		   const char *what)
{
	bool right;

	if (advise(r, places, n))
		exit(99);
	right = want ? r->n_warnings == 1 && strstr(r->warnings[0], want) : !r->n_warnings;
	if (!ok(right && well_formed(r), "%s: %s", what, want ? want : "nothing"))
		show(r);
	result_free(r);
}

static void advised(const char *system, const struct measured *m, const char *want)
{
	expect(result_of(parse(system), m), NULL, 0, want, system);
}

static void test_kernel(void)
{
#define OPTIONS(list) "{\"kernel\": {\"config\": {\"options\": {" list "}}}}"
#define DEBUG(list)   "{\"kernel\": {\"debug\": {" list "}}}"
	advised(OPTIONS("\"KASAN\": \"y\""), &usual, "(CONFIG_KASAN)");
	advised(OPTIONS("\"PROVE_LOCKING\": \"y\", \"KASAN\": \"n\""), &usual,
		"(CONFIG_PROVE_LOCKING)");
	advised(OPTIONS("\"DEBUG_VM\": \"y\""), &usual, "CONFIG_DEBUG_VM");
	advised(OPTIONS("\"KCSAN\": \"y\", \"LOCK_STAT\": \"y\", \"KMSAN\": \"y\", \"KCOV\": \"y\","
			"\"DEBUG_PREEMPT\": \"y\""),
		&usual, "(CONFIG_KMSAN, CONFIG_KCSAN, CONFIG_LOCK_STAT and 2 more)");
	advised(OPTIONS("\"KASAN\": \"n\", \"DEBUG_VM\": \"n\", \"DEBUG_PAGEALLOC\": \"y\","
			"\"PAGE_OWNER\": \"y\", \"MEMCG\": \"y\", \"KFENCE\": \"y\","
			"\"INIT_ON_ALLOC_DEFAULT_ON\": \"y\", \"HZ\": 250"),
		&usual, NULL);
	advised(OPTIONS("\"KASAN\": 1"), &usual, NULL);
	advised("{\"kernel\": {\"config\": {\"options\": \"unknown\"}}}", &usual, NULL);
	advised(DEBUG("\"debug_pagealloc\": \"on\""), &usual, "(debug_pagealloc)");
	advised(DEBUG("\"page_owner\": \"on\", \"page_poison\": \"on\""), &usual,
		"(page_poison, page_owner)");
	advised(DEBUG("\"lockdep\": \"on\""), &usual, "(lockdep)");
	advised(DEBUG("\"mem_profiling\": \"on\""), &usual, "(mem_profiling)");
	advised(DEBUG("\"mem_profiling\": \"off\""), &usual, NULL);
	advised(OPTIONS("\"MEM_ALLOC_PROFILING\": \"y\""), &usual, NULL);
	advised(DEBUG("\"page_owner\": \"off\", \"page_poison\": \"unknown\","
		      "\"init_on_alloc\": \"on\""),
		&usual, NULL);
	advised("{\"kernel\": {\"config\": {\"options\": {\"KASAN\": \"y\"}},"
		"\"debug\": {\"kasan\": \"off\"}}}",
		&usual, NULL);
	advised("{\"kernel\": {\"config\": {\"options\": {\"KASAN\": \"y\"}},"
		"\"debug\": {\"kasan\": \"unknown\"}}}",
		&usual, "CONFIG_KASAN");
}

static void test_governor(void)
{
	advised("{\"governor\": \"performance\"}", &usual, NULL);
	advised("{\"governor\": \"unknown\"}", &usual, NULL);
	advised("{\"governor\": \"\"}", &usual, NULL);
	advised("{\"governor\": 3}", &usual, NULL);
	advised("{\"governor\": \"mixed\"}", &usual, "different frequency governors");
	advised("{\"governor\": \"schedutil\"}", &usual, "is schedutil: their speed follows");
	advised("{\"governor\": \"ondemand\", \"cpufreq\": {\"driver\": \"unknown\"}}", &usual,
		"is ondemand: ");
	advised("{\"governor\": \"userspace\"}", &usual, "is userspace: their speed is what");
	advised("{\"governor\": \"powersave\", \"cpufreq\": {\"driver\": \"intel_pstate\"}}",
		&usual, "is powersave (driver intel_pstate): their speed follows");
	advised("{\"governor\": \"powersave\", \"cpufreq\": {\"driver\": \"acpi-cpufreq\"}}",
		&usual, "(driver acpi-cpufreq): they run as slow as they can");
	advised("{\"governor\": \"powersave\"}", &usual, "cpupower frequency-set -g performance");
	advised("{\"governor\": \"powersave\", \"cpufreq\": {\"min_khz\": 2000, \"max_khz\": "
		"2000}}",
		&usual, NULL);
	advised("{\"governor\": \"powersave\", \"cpufreq\": {\"min_khz\": 2000, \"max_khz\": "
		"2001}}",
		&usual, "powersave");
	advised("{\"governor\": \"powersave\", \"cpufreq\": {\"min_khz\": \"unknown\","
		"\"max_khz\": \"unknown\"}}",
		&usual, "powersave");
}

static void test_clock(void)
{
#define CLOCK(source, tsc) "{\"clock\": {\"source\": \"" source "\", \"tsc\": \"" tsc "\"}}"
#define UNSTABLE(source)                                                                           \
	"{\"clock\": {\"source\": \"" source "\"}, \"kernel\": {\"cmdline\": \"ro "                \
	"tsc=unstable\"}}"
	static const char *const good[] = { "tsc",	"kvm-clock", "arch_sys_counter",
					    "timebase", "tsc-early", "hyperv_clocksource_tsc_page",
					    "tod",	"unknown" };
	static const char *const bad[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies" };
	char json[200];

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		snprintf(json, sizeof(json), "{\"clock\": {\"source\": \"%s\"}}", good[i]);
		advised(json, &usual, NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(json, sizeof(json), "{\"clock\": {\"source\": \"%s\"}}", bad[i]);
		advised(json, &usual, bad[i]);
	}
	advised(CLOCK("hpet", "unusable"), &usual, "slow to read, since the TSC is unstable");
	advised(CLOCK("hpet", "usable"), &usual, "echo tsc > /sys/devices");
	advised(CLOCK("kvm-clock", "unusable"), &usual, NULL);
	advised(UNSTABLE("hpet"), &usual, "boot without tsc=unstable");
	advised(UNSTABLE("kvm-clock"), &usual, NULL);
	advised("{\"kernel\": {\"cmdline\": \"notsc=unstable xtsc=unstable tsc=unstablex\"}}",
		&usual, NULL);
	advised("{\"clock\": {\"source\": \"arch\"}, \"kernel\": {\"cmdline\": \"tsc=unstable\"}}",
		&usual, "boot without tsc=unstable");
	advised("{\"clock\": {\"source\": \"arch\"}, \"kernel\": {\"cmdline\": \"-- "
		"tsc=unstable\"}}",
		&usual, NULL);
}

static void test_load(void)
{
#define LOAD(load, cpus) "{\"load\": [" load ", 9, 9], \"cpu\": {\"online\": " cpus "}}"
	advised(LOAD("0.5", "2"), &usual, NULL);
	advised(LOAD("0.51", "2"), &usual, "load average is 0.51 on the machine's 2 CPUs");
	advised(LOAD("0.6", "1"), &usual, "the machine's 1 CPU, and");
	advised(LOAD("1", "10"), &usual, "wait until it is below 0.50");
	advised(LOAD("5", "100"), &usual, NULL);
	advised(LOAD("5.1", "100"), &usual, "wait until it is below 5.00");
	advised(LOAD("0", "2"), &usual, NULL);
#define RUNNING(n) "{\"load\": [2, 9, 9], \"running\": " n ", \"cpu\": {\"online\": 2}}"
	advised(RUNNING("1"), &usual, "is 2.00 on the machine's 2 CPUs, and others run now");
	advised(RUNNING("0"), &usual, NULL);
	advised(RUNNING("\"unknown\""), &usual, "is 2.00 on the machine's 2 CPUs");
	advised("{\"load\": \"unknown\", \"cpu\": {\"online\": 2}}", &usual, NULL);
	advised("{\"load\": [], \"cpu\": {\"online\": 2}}", &usual, NULL);
	advised(LOAD("7", "\"unknown\""), &usual, NULL);
	/* The load is that of the machine, however few of its CPUs may be used. */
#define FEW(load) "{\"load\": [" load "], \"cpu\": {\"online\": 100, \"allowed\": 2}}"
	advised(FEW("4.9"), &usual, NULL);
	advised(FEW("5.1"), &usual,
		"is 5.10 on the machine's 100 CPUs, and others run now; stop "
		"them, or wait until it is below 5.00");
	advised("{\"load\": [7], \"cpu\": {\"allowed\": 2}}", &usual, NULL);
}

static void test_memory(void)
{
#define BALANCING(mode, nodes) "{\"numa_balancing\": " mode ", \"numa\": {\"nodes\": " nodes "}}"
	advised(BALANCING("1", "[{}, {}]"), &usual, "echo 0 > /proc/sys/kernel/numa_balancing");
	advised(BALANCING("2", "[{}, {}, {}]"), &usual, "NUMA balancing is on (2)");
	advised(BALANCING("0", "[{}, {}]"), &usual, NULL);
	advised(BALANCING("1", "[{}]"), &usual, NULL);
	advised(BALANCING("1", "\"unknown\""), &usual, NULL);
	advised(BALANCING("\"unknown\"", "[{}, {}]"), &usual, NULL);
	advised("{\"numa_balancing\": 1}", &usual, NULL);
	advised("{\"memory\": {\"swap_used_bytes\": 0}}", &usual, NULL);
	advised("{\"memory\": {\"swap_used_bytes\": \"unknown\"}}", &usual, NULL);
	advised("{\"memory\": {\"swap_used_bytes\": 3145728}}", &usual, "3.0 MiB");
	advised("{\"memory\": {\"swap_used_bytes\": 4096}}", &usual,
		"swap is in use (0.0 MiB): what is swapped in or out while measuring disturbs it; "
		"see that enough memory is free");
	advised("{\"memory\": {\"swap_used_bytes\": 4096, \"total_bytes\": \"unknown\"}}", &usual,
		"swap is in use");
	advised("{\"memory\": {\"swap_used_bytes\": 10000, \"total_bytes\": 1000000}}", &usual,
		NULL);
	advised("{\"memory\": {\"swap_used_bytes\": 10001, \"total_bytes\": 1000000}}", &usual,
		"swap is in use");
	advised("{\"memory\": {\"swap_used_bytes\": 0, \"total_bytes\": 0}}", &usual, NULL);
}

static void test_huge_pages(void)
{
	static const struct measured malloc_only = { "malloc", 2, NULL };
	static const struct measured zero = { "zero", 1, NULL }, shmem = { "shmem", 1, NULL };
	static const struct measured tmpfs = { "tmpfs", 2, NULL };
	static const struct measured small = { "malloc", 2, "{\"size_bytes\": 1000000}" };
	static const struct measured small_4 = { "malloc", 4, "{\"size_bytes\": 1000000}" };
	static const char always[] = "{\"thp\": {\"enabled\": \"always\"}}";
	static const char pmd[] = "{\"thp\": {\"enabled\": \"always\", \"pmd_size_bytes\": 2097152,"
				  "\"sizes\": {\"hugepages-64kB\": {\"enabled\": \"never\"},"
				  "\"hugepages-2048kB\": {\"enabled\": \"inherit\"}}}}";
	static const char within[] = "{\"thp\": {\"shmem_enabled\": \"within_size\"}}";
	static const char of_size[] = "{\"thp\": {\"shmem_enabled\": \"never\", \"sizes\": "
				      "{\"hugepages-64kB\": {\"shmem_enabled\": \"always\"}}}}";
	static const char only_sysv[] = "{\"thp\": {\"shmem_enabled\": \"always\", \"sizes\": "
					"{\"hugepages-64kB\": {\"shmem_enabled\": \"never\"}}}}";
	static const char mount[] = "{\"tmpfs\": {\"options\": \"rw,huge=always\"}}";

	advised(always, &usual, "malloc gets transparent huge pages (thp enabled is always)");
	advised(always, &malloc_only, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
	advised(always, &zero, NULL);
	advised(always, &tmpfs, NULL);
	advised("{\"thp\": {\"enabled\": \"always\", \"process\": \"disabled\"}}", &usual, NULL);
	advised("{\"thp\": {\"enabled\": \"madvise\"}}", &usual, NULL);
	advised("{\"thp\": {\"enabled\": \"never\"}}", &usual, NULL);
	advised("{\"thp\": {\"enabled\": \"unknown\", \"sizes\": {}}}", &usual, NULL);
	advised("{\"thp\": {\"enabled\": \"madvise\"}, \"glibc_tunables\": "
		"\"glibc.malloc.hugetlb=1\"}",
		&usual, "unset GLIBC_TUNABLES");
	advised("{\"glibc_tunables\": \"glibc.malloc.hugetlb=2\"}", &zero, NULL);
	advised("{\"thp\": {\"enabled\": \"never\", \"sizes\": {\"hugepages-64kB\": {\"enabled\": "
		"\"always\"}}}}",
		&usual, "echo never > /sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled");
	advised(pmd, &small, NULL);
	advised(pmd, &small_4, "malloc gets");
	advised(always, &small, "malloc gets");
	advised(within, &usual, "zero and shmem get huge pages of shared memory");
	advised(within, &zero, "zero gets");
	advised(within, &shmem, "shmem gets");
	advised(within, &malloc_only, NULL);
	advised(of_size, &usual, "zero gets huge pages of shared memory (hugepages-64kB");
	advised(of_size, &shmem, NULL);
	advised(only_sysv, &usual, "shmem gets huge pages of shared memory (thp shmem_enabled");
	advised(only_sysv, &shmem,
		"echo never > /sys/kernel/mm/transparent_hugepage/shmem_enabled");
	advised(only_sysv, &zero, NULL);
	advised("{\"thp\": {\"shmem_enabled\": \"advise\"}}", &usual, NULL);
	advised(mount, &usual, "tmpfs gets huge pages");
	advised(mount, &tmpfs, "remount it with huge=never");
	advised(mount, &zero, NULL);
}

/* Two causes, and so two warnings. */
static void test_two_causes(void)
{
	struct result *r =
		result_of(parse("{\"thp\": {\"shmem_enabled\": \"within_size\", \"sizes\": "
				"{\"hugepages-64kB\": {\"shmem_enabled\": \"always\"}}}}"),
			  &usual);

	is_int(advise(r, NULL, 0), 0, "zero and shmem get huge pages for two reasons");
	is_int((int64_t)r->n_warnings, 2, "each is told");
	if (r->n_warnings == 2) {
		has_str(r->warnings[0], "zero gets huge pages of shared memory (hugepages-64kB",
			"of zero");
		has_str(r->warnings[0], "hugepages-64kB/shmem_enabled", "with what to do");
		has_str(r->warnings[1], "shmem gets huge pages of shared memory (thp shmem_enabled",
			"of shmem");
	}
	ok(well_formed(r), "in one short line each");
	result_free(r);
}

static void test_malloc(void)
{
	static const struct measured zero = { "zero", 1, NULL };

	advised("{\"ld_preload\": \"/usr/lib/libjemalloc.so.2\"}", &usual,
		"that of libjemalloc.so.2 (LD_PRELOAD)");
	advised("{\"ld_preload\": \"libx.so:/a b/libASan.so\"}", &usual, "libASan.so");
	advised("{\"ld_preload\": \"libjemalloc.so\"}", &zero, NULL);
	advised("{\"ld_preload\": \"/opt/jemalloc/lib/libfake.so libother.so\"}", &usual, NULL);
	advised("{\"ld_preload\": \"unknown\"}", &usual, NULL);
	advised("{\"glibc_tunables\": \"glibc.malloc.perturb=165\"}", &usual,
		"(glibc.malloc.perturb), and so may touch pages first; unset GLIBC_TUNABLES");
	advised("{\"glibc_tunables\": \"a=1:glibc.malloc.check=3\"}", &usual,
		"(glibc.malloc.check)");
	advised("{\"glibc_tunables\": \"glibc.malloc.check=0\"}", &usual, NULL);
	advised("{\"glibc_tunables\": \"glibc.malloc.perturb=5\"}", &zero, NULL);
	advised("{\"malloc_env\": {\"MALLOC_PERTURB_\": \"0xaa\"}}", &usual,
		"unset MALLOC_PERTURB_");
	advised("{\"malloc_env\": {\"MALLOC_CHECK_\": \"3\"}}", &usual, "unset MALLOC_CHECK_");
	advised("{\"malloc_env\": {\"MALLOC_CHECK_\": \"0\", \"MALLOC_ARENA_MAX\": \"1\"}}", &usual,
		NULL);
	advised("{\"malloc_env\": {\"MALLOC_CHECK_\": \"3\"}, \"ld_preload\": "
		"\"libc_malloc_debug.so\"}",
		&usual, "LD_PRELOAD");
}

static void test_team(void)
{
	static const struct measured two = { "zero", 2, NULL }, four = { "zero", 4, NULL };
#define QUOTA(quota, period, cpus)                                                                 \
	"{\"cgroup\": {\"cpu_quota_us\": " quota ", \"cpu_period_us\": " period                    \
	"}, \"cpu\": {\"allowed\": " cpus "}}"

	advised("{\"cpu\": {\"allowed\": 2}}", &two, NULL);
	advised("{\"cpu\": {\"allowed\": 2}}", &four, "up to 4 workers share 2 CPUs");
	advised("{\"cpu\": {\"allowed\": 1}}", &two, "share 1 CPU and");
	advised("{\"cpu\": {\"allowed\": \"unknown\"}}", &four, NULL);
	advised(QUOTA("150000", "100000", "8"), &two, "CPU time for 1.50 CPUs, and up to 2");
	advised(QUOTA("200000", "100000", "8"), &two, NULL);
	advised(QUOTA("400000", "100000", "8"), &four, NULL);
	advised(QUOTA("399999", "100000", "8"), &four, "up to 4 workers run at once");
	advised(QUOTA("100000", "100000", "\"unknown\""), &two, "for 1.00 CPUs");
	advised(QUOTA("null", "null", "8"), &four, NULL);
	advised(QUOTA("\"unknown\"", "\"unknown\"", "8"), &four, NULL);
	advised(QUOTA("100000", "0", "8"), &four, NULL);
}

static void nodes(const char *system, const int *on, unsigned n, const char *want)
{
	static const struct measured zero = { "zero", 4, NULL };
	struct place places[8];

	for (unsigned i = 0; i < n; i++)
		places[i] = (struct place){ .cpu = (int)i, .node = on[i] };
	expect(result_of(parse(system), &zero), places, n, want, system);
}

static void test_nodes(void)
{
#define NODE(index, bytes, allowed)                                                                \
	"{\"index\": " index ", \"memory_bytes\": " bytes ", \"allowed\": " allowed "}"
#define NODES(a, b) "{\"numa\": {\"nodes\": [" a ", " b "]}}"
#define POLICY(mode, list)                                                                         \
	"{\"numa\": {\"nodes\": [" NODE("0", "9", "true") ", " NODE(                               \
		"8", "9", "true") "]}, \"mempolicy\": {\"mode\": \"" mode "\", \"nodes\": \"" list \
				  "\"}}"
	static const char only_0[] = NODES(NODE("0", "9", "true"), NODE("1", "9", "false"));
	static const char no_memory[] = NODES(NODE("0", "0", "true"), NODE("1", "9", "true"));
	static const int half[] = { 0, 1, 0, 1 }, few[] = { 0, 0, 0, 1 }, all[] = { 1, 1, 1, 1 };
	static const int hidden[] = { -1, -1, -1, 0 }, far[] = { 8, 8, 8, 0 };

	nodes(only_0, half, 4, "from node 0 alone (cpuset.mems), and 2 of 4 workers");
	nodes(only_0, all, 4, "numactl -N 0");
	nodes(only_0, few, 4, NULL);
	nodes(only_0, half, 3, NULL);
	nodes(only_0, half, 1, NULL);
	nodes(only_0, hidden, 4, NULL);
	nodes(only_0, NULL, 0, NULL);
	nodes(no_memory, half, 4, "from node 1 alone (others have none), and 2 of 4");
	nodes(no_memory, all, 4, NULL);
	nodes(NODES(NODE("0", "9", "true"), NODE("1", "9", "true")), half, 4, NULL);
	nodes(NODES(NODE("0", "9", "false"), NODE("1", "9", "false")), half, 4, NULL);
	nodes("{\"numa\": {\"nodes\": [" NODE("0", "9", "true") "]}}", half, 4, NULL);
	nodes("{\"numa\": {\"nodes\": \"unknown\"}}", half, 4, NULL);
	nodes(POLICY("bind", "0"), far, 4, "from node 0 alone (memory policy), and 3 of 4");
	nodes(POLICY("bind", "8"), far, 4, NULL);
	nodes(POLICY("bind", "0-8"), far, 4, NULL);
	nodes(POLICY("bind", "0,8"), far, 4, NULL);
	nodes(POLICY("preferred", "0-3"), far, 4, "from node 0 alone");
	nodes(POLICY("default", ""), far, 4, NULL);
	nodes(POLICY("default", "unknown"), far, 4, NULL);
	nodes(POLICY("bind", "junk"), far, 4, NULL);
}

/* Points that will not be run do not count. */
static void test_not_run(void)
{
	static const struct measured both = { "malloc,zero", 4, NULL };
	static const char system[] = "{\"thp\": {\"enabled\": \"always\"}, \"governor\": "
				     "\"powersave\", \"cpu\": {\"allowed\": 2}}";
	struct result *r = result_of(parse(system), &both);

	for (size_t i = 0; i < r->n_points; i++)
		point_set_status(&r->points[i], i % 2 ? POINT_FAILED : POINT_SKIPPED, "no room");
	expect(r, NULL, 0, NULL, "nothing is measured");
	r = result_of(parse(system), &both);
	for (size_t i = 0; i < r->n_points; i++) {
		if (strcmp(r->points[i].object, "zero") != 0 || r->points[i].workers > 1)
			point_set_status(&r->points[i], POINT_FAILED, "no room");
	}
	expect(r, NULL, 0, "powersave", "one worker, and no malloc");
}

/* Once each, in one order, and again the same when asked twice. */
static void test_order(void)
{
	static const char *const want[] = { "CONFIG_KASAN", "load average",   "take turns",
					    "CPU time for", "governor",	      "hpet",
					    "node 0 alone", "NUMA balancing", "swap",
					    "malloc gets",  "zero and shmem", "tmpfs gets",
					    "MALLOC_CHECK_" };
	static const struct measured four = { "tmpfs,shmem,zero,malloc", 4, NULL };
	struct place places[4] = { { 0, 1 }, { 1, 1 }, { 0, 1 }, { 1, 1 } };
	struct result *r = result_of(
		parse("{\"kernel\": {\"config\": {\"options\": {\"KASAN\": \"y\"}}},"
		      "\"load\": [3, 3, 3], \"cpu\": {\"online\": 2, \"allowed\": 2}, \"cgroup\": "
		      "{\"cpu_quota_us\": 1, \"cpu_period_us\": 2}, \"governor\": \"ondemand\","
		      "\"clock\": {\"source\": \"hpet\"}, \"numa\": {\"nodes\": ["
		      "{\"index\": 0, \"memory_bytes\": 1, \"allowed\": true}, {\"index\": 1}]},"
		      "\"numa_balancing\": 1, \"memory\": {\"swap_used_bytes\": 1},"
		      "\"thp\": {\"enabled\": \"always\", \"shmem_enabled\": \"force\"},"
		      "\"malloc_env\": {\"MALLOC_CHECK_\": \"1\"}}"),
		&four);

	is_int(advise(r, places, 4), 0, "much is wrong");
	is_int(advise(r, places, 4), 0, "and is looked at twice");
	if (!is_int((int64_t)r->n_warnings, ARRAY_SIZE(want), "each is told once"))
		show(r);
	for (size_t i = 0; i < ARRAY_SIZE(want) && i < r->n_warnings; i++)
		has_str(r->warnings[i], want[i], "in order");
	ok(well_formed(r), "and in one short line");
	result_free(r);
}

/* Every text becomes "unknown", and so does every number and list. */
static void forget(json_t *o)
{
	const char *key;
	json_t *value;

	json_object_foreach(o, key, value)
	{
		if (json_is_object(value))
			forget(value);
		else
			json_object_set_new(o, key, json_string("unknown"));
	}
}

static void test_unknown(void)
{
	static const char *const systems[] = { "laptop", "server", "container", "debug" };
	struct place places[2] = { { 0, -1 }, { 1, 0 } };

	advised("{}", &usual, NULL);
	advised("[]", &usual, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		json_t *o;

		record(systems[i]);
		o = described("pack:1 core:8 pu:1");
		forget(o);
		expect(result_of(o, &usual), places, 2, NULL, systems[i]);
	}
	record_nothing();
	expect(result_of(described("pack:1 core:2 pu:1"), &usual), places, 2, NULL,
	       "a system of which nothing can be read");
}

static void recorded_is(const char *name, const char *topology, const char *const *want)
{
	struct place places[2] = { { 0, 0 }, { 1, 0 } };
	struct result *r;
	size_t n = 0;

	record(name);
	r = result_of(described(topology), &usual);
	is_int(advise(r, places, 2), 0, name);
	while (want[n])
		n++;
	if (!is_int((int64_t)r->n_warnings, (int64_t)n, "so many warnings"))
		show(r);
	for (size_t i = 0; i < n && i < r->n_warnings; i++)
		has_str(r->warnings[i], want[i], "a recorded system's");
	ok(well_formed(r), "in one short line each");
	result_free(r);
}

static void test_recorded(void)
{
	static const char *const laptop[] = {
		"the governor of CPUs is powersave (driver intel_pstate)",
		"malloc gets transparent huge pages", NULL
	};
	static const char *const server[] = { "is 9.50 on the machine's 4 CPUs", "tsc=unstable",
					      "NUMA balancing is on (1)", NULL };
	static const char *const container[] = { "CPU time for 1.50 CPUs", NULL };
	static const char *const debug[] = { "slub_debug", "different frequency governors", NULL };

	recorded_is("laptop", "pack:1 core:4 pu:2", laptop);
	/* With one node, nothing is said of balancing. */
	recorded_is("server", "pack:1 numa:2 core:2 pu:1", server);
	recorded_is("container", "pack:1 core:2 pu:1", container);
	recorded_is("debug", "pack:1 core:8 pu:1", debug);
}

/* What it says here depends on the machine, and so is shown. */
static void test_here(void)
{
	struct object_env env = { .tmpfs_dir = "/dev/shm" };
	struct topology *t = NULL;
	struct err err = { 0 };
	struct result *r;

	system_set_root("");
	if (!ok(!topology_load(&t, &err), "this system's topology"))
		return;
	r = result_of(system_describe(t, &env), &usual);
	is_int(advise(r, NULL, 0), 0, "this system");
	ok(well_formed(r), "has sensible warnings, or none");
	show(r);
	result_free(r);
	topology_free(t);
}

int main(void)
{
	tree_begin();
	test_kernel();
	test_governor();
	test_clock();
	test_load();
	test_memory();
	test_huge_pages();
	test_two_causes();
	test_malloc();
	test_team();
	test_nodes();
	test_not_run();
	test_order();
	test_unknown();
	test_recorded();
	test_here();
	tree_end();
	return tap_done();
}
