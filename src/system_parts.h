/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_parts: the pieces that the description of a system is made of; for system*.c alone. */
#ifndef PFSCALE_SYSTEM_PARTS_H
#define PFSCALE_SYSTEM_PARTS_H

#include "topology.h"

#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <sys/utsname.h>

/*
 * Longest name of a file. Longest text of one that is read whole: a kernel's command line has at
 * most 4 KiB, /proc/self/status some 8 KiB where masks have many bits.
 */
enum { SYSTEM_PATH_LEN = PATH_MAX + 300, SYSTEM_TEXT_MAX = 16384 };

/*
 * Reading below the root that system_set_root() set ("" = this machine). The first four return 0
 * (system_read: the length; system_list: how many) or a negative errno; after a failed
 * system_read() buf is "". system_list() gives the names in natural order, as scandir(3).
 */
int system_path(char *buf, size_t len, const char *path);
int system_read(const char *path, char *buf, size_t len);
int system_read_int(const char *path, int64_t *out);
int system_list(const char *dir, struct dirent ***names);
FILE *system_open(const char *path);
const char *system_root(void);

/*
 * Each returns a new reference, or NULL when memory ran out; what cannot be read, or is empty,
 * becomes the string "unknown".
 */
json_t *system_unknown(void);
json_t *system_text(const char *text);
json_t *system_text_file(const char *path);
json_t *system_int_file(const char *path);
/* A list of CPUs or nodes: an empty file is an empty list, "". */
json_t *system_list_file(const char *path);
/* The word in brackets of a file such as "always [madvise] never"; the whole text without any. */
json_t *system_choice_file(const char *path);
json_t *system_choice(const char *text);
/* A row of /proc/self/status. */
json_t *system_status_row(const char *row);
/* A limit: one that no int64_t holds is none, null. */
json_t *system_limit(uint64_t value);

/* Set key to a new reference. Returns whether that failed, also where value is NULL. */
bool system_put(json_t *object, const char *key, json_t *value);

/* The whole object if nothing failed, else NULL and the object is gone. */
json_t *system_finish(json_t *object, bool failed);

/*
 * What /proc/cpuinfo says, whose form differs between architectures. model and microcode are ""
 * where there is none. hypervisor, tsc: 1 = the CPU says that it is a virtual one, has a time
 * stamp counter; 0 = that it is not, has none; -1 = it does not tell.
 */
struct system_cpuinfo {
	char model[200], microcode[40];
	int hypervisor, tsc;
};
void system_read_cpuinfo(FILE *in, struct system_cpuinfo *out);

/* The parts in system_kernel.c and system_config.c. */
json_t *system_kernel(const struct utsname *name);
/* The configuration that the running kernel was built with: "file", "options", see there. */
json_t *system_config(const char *release);
/* An option's value in that: "y", "m", "n", a text; NULL where the configuration is not known. */
const char *system_config_get(const json_t *config, const char *option);
/* A number there, or -1. */
int64_t system_config_int(const json_t *config, const char *option);
/* How the kernel is preempted: "none", "voluntary", "full", "lazy", "rt"; "" = not known. */
const char *system_preempt(const char *version, const char *cmdline, const json_t *config,
			   const char *debugfs);

/*
 * The part in system_cmdline.c. A parameter of a kernel's command line; the texts do not end with a
 * '\0', and the quotes around them are no part of them. value_len is 0 where it has none.
 */
struct system_parameter {
	const char *name, *value;
	size_t name_len, value_len;
};
/* Take the next one, and leave *cmdline behind it. Returns whether there was one. */
bool system_parameter(const char **cmdline, struct system_parameter *p);
/* Whether that is its name; '-' and '_' are the same, as the kernel has it. */
bool system_parameter_is(const struct system_parameter *p, const char *name);
/* Look for one; the last counts. Returns whether it is there; value is "" where it has none. */
bool system_cmdline(const char *cmdline, const char *name, char *value, size_t len);

/* Whether a list of words, blanks between, has this one. */
bool system_has_word(const char *list, const char *word);

/* The parts in system_cpu.c and system_clock.c. kernel: what system_kernel() gave. */
void system_cpuinfo(struct system_cpuinfo *out);
json_t *system_cpu(const struct topology *t, const struct utsname *name,
		   const struct system_cpuinfo *info);
json_t *system_hypervisor(const struct system_cpuinfo *info);
json_t *system_mitigations(void);
/* "cpufreq", and the governor, which has its own place. */
json_t *system_cpufreq(json_t **governor);
json_t *system_clock(const struct system_cpuinfo *info, const json_t *kernel);

/* The parts in system_memory.c and system_thp.c. */
json_t *system_memory(void);
json_t *system_swap(void);
json_t *system_numa(const struct topology *t);
json_t *system_thp(void);

/* The parts in system_limits.c, system_cgroup.c and system_tmpfs.c. */
json_t *system_limits(void);
json_t *system_cgroup(void);
json_t *system_allowed(void);
json_t *system_mempolicy(void);
json_t *system_scheduling(void);
json_t *system_tmpfs(const char *dir);

/*
 * From a text like /proc/self/mountinfo, the type and superblock options of device major:minor,
 * malloc'd. Returns 0, -ENOENT or -ENOMEM.
 */
int system_mount_options(FILE *in, unsigned major, unsigned minor, char **type, char **options);

#endif
