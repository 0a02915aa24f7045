/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_cpu: processors, what they are virtual to, and their frequencies. */
#include "config.h"

#include "result.h"
#include "system_parts.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

#define CPU_DIR "/sys/devices/system/cpu"

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

/* Copy the value of a line if its key is that, and it has one. */
static bool take(const char *line, const char *key, char *buf, size_t len)
{
	const char *value = value_of(line, key);

	return value && *value && snprintf(buf, len, "%s", value) >= 0;
}

bool system_has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; *list; list += strspn(list, " ")) {
		if (!strncmp(list, word, len) && (!list[len] || list[len] == ' '))
			return true;
		list += strcspn(list, " ");
	}
	return false;
}

void system_read_cpuinfo(FILE *in, struct system_cpuinfo *out)
{
	/* From the best to the last resort. "Model" is the board of small ARM machines. */
	static const char *const keys[] = { "model name", "cpu model", "cpu",
					    "Model Name", "uarch",     "Model" };
	size_t best = ARRAY_SIZE(keys), size = 0;
	char implementer[40] = "", part[40] = "", *line = NULL;
	const char *value;

	*out = (struct system_cpuinfo){ .hypervisor = -1, .tsc = -1 };
	while ((best || out->hypervisor < 0) && getline(&line, &size, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < best; i++) {
			if (take(line, keys[i], out->model, sizeof(out->model)))
				best = i;
		}
		value = value_of(line, "flags");
		if (value) {
			out->hypervisor = system_has_word(value, "hypervisor");
			out->tsc = system_has_word(value, "tsc");
		}
		take(line, "microcode", out->microcode, sizeof(out->microcode));
		take(line, "CPU implementer", implementer, sizeof(implementer));
		take(line, "CPU part", part, sizeof(part));
	}
	free(line);
	if (!out->model[0] && implementer[0])
		snprintf(out->model, sizeof(out->model), "implementer %s part %s", implementer,
			 part[0] ? part : "unknown");
}

void system_cpuinfo(struct system_cpuinfo *out)
{
	FILE *in = system_open("/proc/cpuinfo");

	*out = (struct system_cpuinfo){ .hypervisor = -1, .tsc = -1 };
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

static bool put_counts(json_t *o, const struct topology *t)
{
	int core = -1, package = -1, l3 = -1, smt = -1;
	json_int_t total = hwloc_get_nbobjs_by_type(t->hwloc, HWLOC_OBJ_PU);
	bool bad;

	for (unsigned i = 0; i < t->n_cpus; i++) {
		const struct topology_cpu *c = &t->cpus[i];

		core = c->core > core ? c->core : core;
		package = c->package > package ? c->package : package;
		l3 = c->l3 > l3 ? c->l3 : l3;
		smt = c->core >= 0 && c->smt > smt ? c->smt : smt;
	}
	bad = system_put(o, "online", json_integer(total > t->n_cpus ? total : t->n_cpus));
	bad |= system_put(o, "allowed", json_integer(t->n_cpus));
	bad |= system_put(o, "packages", count(package));
	bad |= system_put(o, "l3", count(l3));
	bad |= system_put(o, "cores", count(core));
	return bad | system_put(o, "threads_per_core", count(smt));
}

json_t *system_cpu(const struct topology *t, const struct utsname *name,
		   const struct system_cpuinfo *info)
{
	json_t *o = json_object();
	bool bad =
		system_put(o, "model", system_text(info->model[0] ? info->model : name->machine));

	bad |= system_put(o, "microcode",
			  info->microcode[0] ? result_json_text(info->microcode)
					     : system_text_file(CPU_DIR "/cpu0/microcode/version"));
	bad |= put_counts(o, t);
	bad |= system_put(o, "smt", system_text_file(CPU_DIR "/smt/control"));
	bad |= system_put(o, "isolated", system_list_file(CPU_DIR "/isolated"));
	bad |= system_put(o, "nohz_full", system_list_file(CPU_DIR "/nohz_full"));
	return system_finish(o, bad);
}

json_t *system_hypervisor(const struct system_cpuinfo *info)
{
	char text[200];

	if (system_read("/sys/hypervisor/type", text, sizeof(text)) > 0)
		return result_json_text(text);
	if (!info->hypervisor)
		return json_string("none");
	if (info->hypervisor < 0)
		return system_text_file("/proc/device-tree/hypervisor/compatible");
	if (system_read("/sys/class/dmi/id/sys_vendor", text, sizeof(text)) > 0)
		return result_json_text(text);
	return json_string("yes");
}

json_t *system_mitigations(void)
{
	static const char dir[] = CPU_DIR "/vulnerabilities";
	struct dirent **names;
	int n = system_list(dir, &names);
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

/* A setting that every policy has: the first value seen, and whether another one was. */
struct setting {
	char value[64];
	bool seen, mixed;
};

struct cpufreq {
	struct setting governor, driver, epp, boost;
	int64_t min_khz, max_khz, hardware_max_khz; /* over all policies; -1 = not known */
};

/* Read a file of a policy. What is empty was not to be read. */
static void take_setting(struct setting *s, const char *policy, const char *file)
{
	char path[400], text[64];

	snprintf(path, sizeof(path), CPU_DIR "/cpufreq/%s/%s", policy, file);
	if (system_read(path, text, sizeof(text)) <= 0)
		return;
	s->mixed |= s->seen && strcmp(s->value, text);
	s->seen = true;
	memcpy(s->value, text, sizeof(s->value));
}

static void take_khz(int64_t *khz, bool least, const char *policy, const char *file)
{
	char path[400];
	int64_t n;

	snprintf(path, sizeof(path), CPU_DIR "/cpufreq/%s/%s", policy, file);
	if (!system_read_int(path, &n) && (*khz < 0 || (least ? n < *khz : n > *khz)))
		*khz = n;
}

/*
 * A policy is a CPU or a few, and a machine has hundreds: one driver is in charge of all, and what
 * the first has no file for, none has.
 */
static void take_policy(struct cpufreq *c, const char *policy, bool first)
{
	take_setting(&c->governor, policy, "scaling_governor");
	take_khz(&c->min_khz, true, policy, "scaling_min_freq");
	take_khz(&c->max_khz, false, policy, "scaling_max_freq");
	take_khz(&c->hardware_max_khz, false, policy, "cpuinfo_max_freq");
	if (first)
		take_setting(&c->driver, policy, "scaling_driver");
	if (first || c->epp.seen)
		take_setting(&c->epp, policy, "energy_performance_preference");
	if (first || c->boost.seen)
		take_setting(&c->boost, policy, "boost");
}

static json_t *setting_value(const struct setting *s)
{
	return s->seen ? result_json_text(s->mixed ? "mixed" : s->value) : system_unknown();
}

static json_t *khz_value(int64_t khz)
{
	return khz < 0 ? system_unknown() : json_integer(khz);
}

/* Whether CPUs may run above their nominal frequency. */
static json_t *turbo(const struct setting *boost)
{
	int64_t value;

	if (!system_read_int(CPU_DIR "/intel_pstate/no_turbo", &value))
		return json_string(value ? "off" : "on");
	if (!system_read_int(CPU_DIR "/cpufreq/boost", &value))
		return json_string(value ? "on" : "off");
	if (!boost->seen || boost->mixed)
		return setting_value(boost);
	return json_string(strcmp(boost->value, "0") ? "on" : "off");
}

json_t *system_cpufreq(json_t **governor)
{
	struct cpufreq c = { .min_khz = -1, .max_khz = -1, .hardware_max_khz = -1 };
	struct dirent **names;
	int n = system_list(CPU_DIR "/cpufreq", &names);
	json_t *o = json_object();
	bool bad, first = true;

	for (int i = 0; i < n; i++) {
		if (!strncmp(names[i]->d_name, "policy", 6)) {
			take_policy(&c, names[i]->d_name, first);
			first = false;
		}
		free(names[i]);
	}
	free(names);
	*governor = setting_value(&c.governor);
	bad = system_put(o, "driver", setting_value(&c.driver));
	bad |= system_put(o, "min_khz", khz_value(c.min_khz));
	bad |= system_put(o, "max_khz", khz_value(c.max_khz));
	bad |= system_put(o, "hardware_max_khz", khz_value(c.hardware_max_khz));
	bad |= system_put(o, "turbo", turbo(&c.boost));
	bad |= system_put(o, "energy_preference", setting_value(&c.epp));
	return system_finish(o, bad);
}
