/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system: which machine, kernel and settings samples were taken on. */
#include "config.h"

#include "system.h"

#include "result.h"
#include "system_parts.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* uname(2); of a recorded system, what it would have said there. */
static void read_names(struct utsname *name)
{
	if (uname(name))
		memset(name, 0, sizeof(*name));
	if (!*system_root())
		return;
	system_read("/proc/sys/kernel/osrelease", name->release, sizeof(name->release));
	system_read("/proc/sys/kernel/version", name->version, sizeof(name->version));
}

static json_t *overcommit(void)
{
	json_t *o = json_object();
	bool bad = system_put(o, "memory", system_int_file("/proc/sys/vm/overcommit_memory"));

	bad |= system_put(o, "ratio", system_int_file("/proc/sys/vm/overcommit_ratio"));
	bad |= system_put(o, "kbytes", system_int_file("/proc/sys/vm/overcommit_kbytes"));
	return system_finish(o, bad);
}

enum { RUNNING_READINGS = 20 };

/* What else was running: the load averages over 1, 5 and 15 minutes. */
static json_t *load(void)
{
	double averages[3];
	char text[100];
	json_t *a;
	bool bad = false;

	system_read("/proc/loadavg", text, sizeof(text));
	if (sscanf(text, "%lf %lf %lf", &averages[0], &averages[1], &averages[2]) != 3)
		return system_unknown();
	a = json_array();
	for (int i = 0; i < 3; i++)
		bad |= json_array_append_new(a, json_real(averages[i])) != 0;
	return system_finish(a, bad);
}

/*
 * How many tasks are running or ready to, now, besides the one that asks: the least of several
 * readings, since a kernel thread that runs for some microseconds is nobody to wait for.
 */
static json_t *running(void)
{
	long long n, least = -1;
	char text[100];

	for (int i = 0; i < RUNNING_READINGS; i++) {
		system_read("/proc/loadavg", text, sizeof(text));
		if (sscanf(text, "%*f %*f %*f %lld/", &n) == 1 && n > 0 && (least < 0 || n < least))
			least = n;
	}
	return least > 0 ? json_integer(least - 1) : system_unknown();
}

static json_t *uptime(void)
{
	char text[100];
	double seconds;

	system_read("/proc/uptime", text, sizeof(text));
	return sscanf(text, "%lf", &seconds) == 1 ? json_real(seconds) : system_unknown();
}

/* Set key to an environment variable's value, if it has one. */
static bool put_env(json_t *o, const char *key, const char *variable)
{
	const char *value = getenv(variable);

	return value && *value && system_put(o, key, result_json_text(value));
}

/* The variables that glibc's malloc heeds: MALLOC_PERTURB_, MALLOC_ARENA_MAX … */
static bool put_malloc_env(json_t *o)
{
	static const char prefix[] = "MALLOC_";
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	json_t *found = NULL;
	bool bad = false;

	for (char **e = environ; e && *e; e++) {
		size_t len = strspn(*e, letters);
		char name[60];

		if (strncmp(*e, prefix, strlen(prefix)) || (*e)[len] != '=' || len >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)len, *e);
		found = found ? found : json_object();
		bad |= system_put(found, name, result_json_text(*e + len + 1));
	}
	if (found)
		bad |= system_put(o, "malloc_env", found);
	return bad;
}

static bool put_environment(json_t *o)
{
	bool bad = put_env(o, "glibc_tunables", "GLIBC_TUNABLES");

	bad |= put_env(o, "ld_preload", "LD_PRELOAD");
	return bad | put_malloc_env(o);
}

static bool put_kernel_and_cpu(json_t *o, const struct topology *t)
{
	json_t *kernel, *cpufreq, *governor;
	struct system_cpuinfo info;
	struct utsname name;
	bool bad;

	read_names(&name);
	system_cpuinfo(&info);
	kernel = system_kernel(&name);
	cpufreq = system_cpufreq(&governor);
	bad = system_put(o, "hostname", system_text(name.nodename));
	bad |= system_put(o, "cpu", system_cpu(t, &name, &info));
	bad |= system_put(o, "cpufreq", cpufreq);
	bad |= system_put(o, "governor", governor);
	bad |= system_put(o, "hypervisor", system_hypervisor(&info));
	bad |= system_put(o, "mitigations", system_mitigations());
	bad |= system_put(o, "clock", system_clock(&info, kernel));
	return bad | system_put(o, "kernel", kernel);
}

static bool put_memory(json_t *o, const struct topology *t)
{
	bool bad = system_put(o, "page_size", json_integer((json_int_t)util_page_size()));

	bad |= system_put(o, "memory", system_memory());
	bad |= system_put(o, "swap", system_swap());
	bad |= system_put(o, "numa", system_numa(t));
	bad |= system_put(o, "numa_balancing", system_int_file("/proc/sys/kernel/numa_balancing"));
	bad |= system_put(o, "mempolicy", system_mempolicy());
	bad |= system_put(o, "scheduling", system_scheduling());
	bad |= system_put(o, "thp", system_thp());
	bad |= system_put(o, "fault_around_bytes",
			  system_int_file("/sys/kernel/debug/fault_around_bytes"));
	bad |= system_put(o, "ksm", system_int_file("/sys/kernel/mm/ksm/run"));
	bad |= system_put(o, "lru_gen", system_text_file("/sys/kernel/mm/lru_gen/enabled"));
	return bad | system_put(o, "overcommit", overcommit());
}

json_t *system_describe(const struct topology *t, const struct object_env *env)
{
	json_t *o = json_object();
	bool bad = system_put(o, "boot_id", system_text_file("/proc/sys/kernel/random/boot_id"));

	bad |= system_put(o, "uptime_s", uptime());
	bad |= system_put(o, "load", load());
	bad |= system_put(o, "running", running());
	bad |= put_kernel_and_cpu(o, t);
	bad |= put_memory(o, t);
	bad |= system_put(o, "limits", system_limits());
	bad |= system_put(o, "cgroup", system_cgroup());
	bad |= system_put(o, "allowed", system_allowed());
	bad |= system_put(o, "tmpfs", system_tmpfs(env->tmpfs_dir));
	bad |= system_put(o, "perf_event_paranoid",
			  system_int_file("/proc/sys/kernel/perf_event_paranoid"));
	bad |= put_environment(o);
	return system_finish(o, bad);
}
