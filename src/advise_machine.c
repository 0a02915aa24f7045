/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advise_machine: advice on the kernel, its clock, the processors, and what else they do. */
#include "config.h"

#include "advise_parts.h"
#include "system.h"
#include "util.h"

#include <stdio.h>
#include <string.h>

/*
 * What makes kernels check themselves on the way of a page fault, from the dearest down. setting:
 * where the system says that it is active ("on"); else the option is enough.
 */
static const struct {
	const char *name, *option, *setting;
} aids[] = {
	{ "CONFIG_KASAN", "KASAN", "kernel.debug.kasan" },
	{ "CONFIG_KMSAN", "KMSAN", NULL },
	{ "CONFIG_KCSAN", "KCSAN", NULL },
	{ "CONFIG_PROVE_LOCKING", "PROVE_LOCKING", NULL },
	{ "debug_pagealloc", NULL, "kernel.debug.debug_pagealloc" },
	{ "page_poison", NULL, "kernel.debug.page_poison" },
	{ "page_owner", NULL, "kernel.debug.page_owner" },
	{ "mem_profiling", NULL, "kernel.debug.mem_profiling" },
	{ "page_table_check", NULL, "kernel.debug.page_table_check" },
	{ "kmemleak", NULL, "kernel.debug.kmemleak" },
	{ "slub_debug", NULL, "kernel.debug.slub_debug" },
	{ "lockdep", NULL, "kernel.debug.lockdep" },
	{ "CONFIG_LOCK_STAT", "LOCK_STAT", NULL },
	{ "CONFIG_KCOV", "KCOV", NULL },
	{ "CONFIG_GCOV_KERNEL", "GCOV_KERNEL", NULL },
	{ "CONFIG_DEBUG_VM", "DEBUG_VM", NULL },
	{ "CONFIG_DEBUG_VM_PGFLAGS", "DEBUG_VM_PGFLAGS", NULL },
	{ "CONFIG_DEBUG_OBJECTS", "DEBUG_OBJECTS", NULL },
	{ "CONFIG_DEBUG_PAGE_REF", "DEBUG_PAGE_REF", NULL },
	{ "CONFIG_DEBUG_SPINLOCK", "DEBUG_SPINLOCK", NULL },
	{ "CONFIG_DEBUG_MUTEXES", "DEBUG_MUTEXES", NULL },
	{ "CONFIG_DEBUG_RWSEMS", "DEBUG_RWSEMS", NULL },
	{ "CONFIG_DEBUG_ATOMIC_SLEEP", "DEBUG_ATOMIC_SLEEP", NULL },
	{ "CONFIG_DEBUG_PREEMPT", "DEBUG_PREEMPT", NULL },
};

static bool is_active(const struct advice *a, size_t i)
{
	char path[100];
	const char *setting = aids[i].setting ? advise_text(a, aids[i].setting) : "";

	if (*setting)
		return !strcmp(setting, "on");
	if (!aids[i].option)
		return false;
	snprintf(path, sizeof(path), "kernel.config.options.%s", aids[i].option);
	return !strcmp(advise_text(a, path), "y");
}

int advise_debug_kernel(const struct advice *a)
{
	enum { SHOWN = 3 };
	char names[200] = "";
	size_t used = 0, n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(aids); i++) {
		if (!is_active(a, i) || n++ >= SHOWN)
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", aids[i].name);
	}
	if (n > SHOWN)
		snprintf(names + used, sizeof(names) - used, " and %zu more", n - SHOWN);
	if (!n)
		return 0;
	return advise_add(a,
			  "the kernel debugs itself (%s), which makes faults dearer; measure one "
			  "built and started without that",
			  names);
}

/*
 * Drivers whose governor "powersave" does not hold the CPUs at the lowest frequency, but lets the
 * hardware choose.
 */
static bool chooses_itself(const char *driver)
{
	return !strcmp(driver, "intel_pstate") || !strcmp(driver, "amd-pstate-epp") ||
	       !strcmp(driver, "amd_pstate_epp");
}

int advise_governor(const struct advice *a)
{
	static const char fix[] = "cpupower frequency-set -g performance";
	const char *governor = advise_text(a, "governor");
	const char *driver = advise_text(a, "cpufreq.driver"), *effect;
	int64_t max_khz = result_system_int(a->r, "cpufreq.max_khz");

	/* No governor has a choice where there is one frequency. */
	if (!*governor || !strcmp(governor, "performance") ||
	    (max_khz > 0 && result_system_int(a->r, "cpufreq.min_khz") == max_khz))
		return 0;
	if (!strcmp(governor, "mixed"))
		return advise_add(a, "CPUs have different frequency governors; %s", fix);
	effect = "their speed follows the load, and lags behind it";
	if (!strcmp(governor, "powersave") && *driver && !chooses_itself(driver))
		effect = "they run as slow as they can";
	if (!strcmp(governor, "userspace"))
		effect = "their speed is what a program asked for";
	return advise_add(a, "the governor of CPUs is %.30s%s%.40s%s: %s; %s", governor,
			  *driver ? " (driver " : "", driver, *driver ? ")" : "", effect, fix);
}

/* Sources that are slow to read, by a system call, or coarse: pfscale times with them. */
static bool is_bad_source(const char *source)
{
	static const char *const bad[] = { "hpet",    "acpi_pm",	 "pit",
					   "jiffies", "refined-jiffies", "hyperv_clocksource_msr" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!strcmp(source, bad[i]))
			return true;
	}
	return false;
}

/* Sources that do without the kernel's own judgement of the TSC. */
static bool is_virtual_source(const char *source)
{
	return !strcmp(source, "kvm-clock") || !strcmp(source, "xen") ||
	       !strcmp(source, "hyperv_clocksource_tsc_page");
}

int advise_clock(const struct advice *a)
{
	const char *source = advise_text(a, "clock.source"), *tsc = advise_text(a, "clock.tsc");
	bool told = system_has_parameter(advise_text(a, "kernel.cmdline"), "tsc", "unstable");

	if (is_bad_source(source) && !strcmp(tsc, "usable"))
		return advise_add(
			a,
			"the clock source is %s, slow to read; echo tsc > "
			"/sys/devices/system/clocksource/clocksource0/current_clocksource",
			source);
	if (told && !is_virtual_source(source) && strcmp(source, "tsc") != 0)
		return advise_add(a, "the kernel was told that the TSC is unstable, so times are "
				     "read from a slower clock; boot without tsc=unstable");
	if (is_bad_source(source))
		return advise_add(a,
				  "the clock source is %s, slow to read%s; see why in dmesg "
				  "(grep -i -e tsc -e clocksource)",
				  source,
				  strcmp(tsc, "unusable") ? "" : ", since the TSC is unstable");
	return 0;
}

/*
 * A load average says how many ran or waited, over the last minute or so, and on the whole machine:
 * it knows no cpuset and no container. So it is held against all CPUs that are online. Half a CPU's
 * worth is what an idle machine does not have; with many CPUs it is a twentieth of them, since most
 * workers then still have theirs for themselves. It also remembers what has ended since, a run of
 * this program's own for one; so it takes somebody who runs now as well, if that can be told.
 */
static double bearable_load(int64_t cpus)
{
	double share = 0.05 * (double)cpus;

	return share > 0.5 ? share : 0.5;
}

int advise_load(const struct advice *a)
{
	json_t *load = json_array_get(json_object_get(a->r->system, "load"), 0);
	int64_t cpus = result_system_int(a->r, "cpu.online");
	int64_t running = result_system_int(a->r, "running");
	double limit = bearable_load(cpus);

	if (!running || !json_is_number(load) || cpus <= 0 || json_number_value(load) <= limit)
		return 0;
	return advise_add(
		a,
		"the load average is %.2f on the machine's %lld CPU%s, and others run now; stop "
		"them, or wait until it is below %.2f",
		json_number_value(load), (long long)cpus, cpus == 1 ? "" : "s", limit);
}
