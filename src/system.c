/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system: which machine, kernel and settings samples were taken on. */
#include "config.h"

#include "system.h"

#include "clock.h"
#include "result.h"
#include "system_parts.h"
#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define CPU_DIR "/sys/devices/system/cpu"

/* The longest file of settings that is read whole: a kernel's command line has at most 4 KiB. */
enum { TEXT_MAX = 16384 };

json_t *system_unknown(void)
{
	return json_string("unknown");
}

json_t *system_text_file(const char *path)
{
	char text[TEXT_MAX];

	return util_read_file(path, text, sizeof(text)) > 0 ? result_json_text(text)
							    : system_unknown();
}

json_t *system_int_file(const char *path)
{
	int64_t n;

	return util_read_int(path, &n) ? system_unknown() : json_integer(n);
}

json_t *system_choice(const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	char *word;
	json_t *json;

	if (!close)
		return *text ? result_json_text(text) : system_unknown();
	word = strndup(open + 1, (size_t)(close - open - 1));
	json = word ? result_json_text(word) : NULL;
	free(word);
	return json;
}

json_t *system_choice_file(const char *path)
{
	char text[400];

	util_read_file(path, text, sizeof(text));
	return system_choice(text);
}

bool system_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) != 0;
}

json_t *system_finish(json_t *object, bool failed)
{
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *kernel(const struct utsname *name)
{
	json_t *o = json_object();
	bool bad = system_put(o, "release", result_json_text(name->release));

	bad |= system_put(o, "version", result_json_text(name->version));
	bad |= system_put(o, "machine", result_json_text(name->machine));
	bad |= system_put(o, "cmdline", system_text_file("/proc/cmdline"));
	return system_finish(o, bad);
}

/* The value of a line "key : value" if its key is that, else NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);
	const char *colon;

	if (strncmp(line, key, len))
		return NULL;
	colon = line + len + strspn(line + len, " \t");
	return *colon == ':' ? colon + 1 + strspn(colon + 1, " \t") : NULL;
}

void system_read_cpuinfo(FILE *in, struct system_cpuinfo *out)
{
	/* From the best to the last resort. "Model" is the board of small ARM machines. */
	static const char *const keys[] = { "model name", "cpu model", "cpu",
					    "Model Name", "uarch",     "Model" };
	size_t best = ARRAY_SIZE(keys), size = 0;
	char implementer[40] = "", part[40] = "", *line = NULL;
	const char *value;

	*out = (struct system_cpuinfo){ .hypervisor = -1 };
	while ((best || out->hypervisor < 0) && getline(&line, &size, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < best; i++) {
			value = value_of(line, keys[i]);
			if (!value || !*value)
				continue;
			snprintf(out->model, sizeof(out->model), "%s", value);
			best = i;
		}
		value = value_of(line, "flags");
		if (value)
			out->hypervisor = strstr(value, "hypervisor") != NULL;
		value = value_of(line, "CPU implementer");
		if (value)
			snprintf(implementer, sizeof(implementer), "%s", value);
		value = value_of(line, "CPU part");
		if (value)
			snprintf(part, sizeof(part), "%s", value);
	}
	free(line);
	if (!out->model[0] && implementer[0])
		snprintf(out->model, sizeof(out->model), "implementer %s part %s", implementer,
			 part[0] ? part : "unknown");
}

static void read_cpuinfo(struct system_cpuinfo *out)
{
	FILE *in = fopen("/proc/cpuinfo", "re");

	*out = (struct system_cpuinfo){ .hypervisor = -1 };
	if (in) {
		system_read_cpuinfo(in, out);
		fclose(in);
	}
}

/* How many different objects the CPUs lie on, by their highest number; "unknown" without any. */
static json_t *count(int highest)
{
	return highest < 0 ? system_unknown() : json_integer(highest + 1);
}

static json_t *cpu(const struct topology *t, const struct utsname *name,
		   const struct system_cpuinfo *info)
{
	int core = -1, package = -1, l3 = -1, smt = -1;
	json_int_t total;
	json_t *o = json_object();
	bool bad;

	for (unsigned i = 0; i < t->n_cpus; i++) {
		const struct topology_cpu *c = &t->cpus[i];

		core = c->core > core ? c->core : core;
		package = c->package > package ? c->package : package;
		l3 = c->l3 > l3 ? c->l3 : l3;
		smt = c->core >= 0 && c->smt > smt ? c->smt : smt;
	}
	total = hwloc_get_nbobjs_by_type(t->hwloc, HWLOC_OBJ_PU);
	bad = system_put(o, "model",
			 result_json_text(info->model[0] ? info->model : name->machine));
	bad |= system_put(o, "online", json_integer(total > t->n_cpus ? total : t->n_cpus));
	bad |= system_put(o, "allowed", json_integer(t->n_cpus));
	bad |= system_put(o, "packages", count(package));
	bad |= system_put(o, "l3", count(l3));
	bad |= system_put(o, "cores", count(core));
	bad |= system_put(o, "threads_per_core", count(smt));
	bad |= system_put(o, "smt", system_text_file(CPU_DIR "/smt/control"));
	return system_finish(o, bad);
}

static json_t *hypervisor(const struct system_cpuinfo *info)
{
	char text[200];

	if (util_read_file("/sys/hypervisor/type", text, sizeof(text)) > 0)
		return result_json_text(text);
	if (!info->hypervisor)
		return json_string("none");
	if (info->hypervisor < 0)
		return system_text_file("/proc/device-tree/hypervisor/compatible");
	if (util_read_file("/sys/class/dmi/id/sys_vendor", text, sizeof(text)) > 0)
		return result_json_text(text);
	return json_string("yes");
}

/* The governor of all CPUs, "mixed" where they differ. */
static json_t *governor(void)
{
	DIR *dir = opendir(CPU_DIR "/cpufreq");
	char path[400], first[64] = "", text[64];
	const struct dirent *entry;
	bool mixed = false;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "policy", 6))
			continue;
		snprintf(path, sizeof(path), CPU_DIR "/cpufreq/%s/scaling_governor", entry->d_name);
		if (util_read_file(path, text, sizeof(text)) <= 0)
			continue;
		mixed |= first[0] && strcmp(first, text);
		memcpy(first, text, sizeof(first));
	}
	if (dir)
		closedir(dir);
	if (!first[0])
		return system_unknown();
	return result_json_text(mixed ? "mixed" : first);
}

static json_t *mitigations(void)
{
	static const char dir[] = CPU_DIR "/vulnerabilities";
	struct dirent **names = NULL;
	int n = scandir(dir, &names, NULL, alphasort);
	json_t *o = n < 0 ? system_unknown() : json_object();
	bool bad = !o;

	for (int i = 0; i < n; i++) {
		char path[400];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			bad |= system_put(o, names[i]->d_name, system_text_file(path));
		free(names[i]);
	}
	free(names);
	return system_finish(o, bad);
}

static json_t *clock_part(void)
{
	json_t *o = json_object();
	bool bad = system_put(
		o, "source",
		system_text_file(
			"/sys/devices/system/clocksource/clocksource0/current_clocksource"));

	bad |= system_put(o, "step_ns", json_integer(clock_step_ns()));
	return system_finish(o, bad);
}

static json_t *overcommit(void)
{
	json_t *o = json_object();
	bool bad = system_put(o, "memory", system_int_file("/proc/sys/vm/overcommit_memory"));

	bad |= system_put(o, "ratio", system_int_file("/proc/sys/vm/overcommit_ratio"));
	bad |= system_put(o, "kbytes", system_int_file("/proc/sys/vm/overcommit_kbytes"));
	return system_finish(o, bad);
}

/* What else was running: the load averages over 1, 5 and 15 minutes. */
static json_t *load(void)
{
	double averages[3];
	json_t *a;

	if (getloadavg(averages, 3) != 3)
		return system_unknown();
	a = json_array();
	for (int i = 0; i < 3; i++) {
		if (json_array_append_new(a, json_real(averages[i]))) {
			json_decref(a);
			return NULL;
		}
	}
	return a;
}

/* Set key to an environment variable's value, if it has one. */
static bool put_env(json_t *o, const char *key, const char *variable)
{
	const char *value = getenv(variable);

	return value && *value && system_put(o, key, result_json_text(value));
}

json_t *system_describe(const struct topology *t, const struct object_env *env)
{
	struct system_cpuinfo info;
	struct utsname name;
	json_t *o = json_object();
	bool bad;

	if (uname(&name))
		memset(&name, 0, sizeof(name));
	read_cpuinfo(&info);
	bad = system_put(o, "hostname", result_json_text(name.nodename));
	bad |= system_put(o, "boot_id", system_text_file("/proc/sys/kernel/random/boot_id"));
	bad |= system_put(o, "kernel", kernel(&name));
	bad |= system_put(o, "cpu", cpu(t, &name, &info));
	bad |= system_put(o, "hypervisor", hypervisor(&info));
	bad |= system_put(o, "governor", governor());
	bad |= system_put(o, "memory", system_memory());
	bad |= system_put(o, "page_size", json_integer((json_int_t)util_page_size()));
	bad |= system_put(o, "numa", system_numa(t));
	bad |= system_put(o, "numa_balancing", system_int_file("/proc/sys/kernel/numa_balancing"));
	bad |= system_put(o, "thp", system_thp());
	bad |= system_put(o, "ksm", system_int_file("/sys/kernel/mm/ksm/run"));
	bad |= system_put(o, "overcommit", overcommit());
	bad |= system_put(o, "mitigations", mitigations());
	bad |= system_put(o, "clock", clock_part());
	bad |= system_put(o, "limits", system_limits());
	bad |= system_put(o, "cgroup", system_cgroup());
	bad |= system_put(o, "tmpfs", system_tmpfs(env->tmpfs_dir));
	bad |= system_put(o, "load", load());
	bad |= put_env(o, "glibc_tunables", "GLIBC_TUNABLES");
	bad |= put_env(o, "ld_preload", "LD_PRELOAD");
	return system_finish(o, bad);
}
