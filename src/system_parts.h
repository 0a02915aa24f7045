/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_parts: the pieces that the description of a system is made of; for system*.c alone. */
#ifndef PFSCALE_SYSTEM_PARTS_H
#define PFSCALE_SYSTEM_PARTS_H

#include "topology.h"

#include <jansson.h>
#include <stdio.h>

/*
 * Each returns a new reference, or NULL when memory ran out; what cannot be read becomes the string
 * "unknown".
 */
json_t *system_unknown(void);
json_t *system_text_file(const char *path);
json_t *system_int_file(const char *path);
/* The word in brackets of a file such as "always [madvise] never"; the whole text without any. */
json_t *system_choice_file(const char *path);
json_t *system_choice(const char *text);

/* Set key to a new reference. Returns whether that failed, also where value is NULL. */
bool system_put(json_t *object, const char *key, json_t *value);

/* The whole object if nothing failed, else NULL and the object is gone. */
json_t *system_finish(json_t *object, bool failed);

/* The parts in system_memory.c. */
json_t *system_memory(void);
json_t *system_numa(const struct topology *t);
json_t *system_thp(void);
json_t *system_limits(void);
json_t *system_cgroup(void);
json_t *system_tmpfs(const char *dir);

/*
 * What /proc/cpuinfo says, whose form differs between architectures. model is "" where there is
 * none; hypervisor: 1 = the CPU says that it is a virtual one, 0 = that it is not, -1 = it does
 * not tell.
 */
struct system_cpuinfo {
	char model[200];
	int hypervisor;
};
void system_read_cpuinfo(FILE *in, struct system_cpuinfo *out);

/*
 * From a text like /proc/self/mountinfo, the type and superblock options of device major:minor.
 * *options is malloc'd. Returns 0, -ENOENT or -ENOMEM.
 */
int system_mount_options(FILE *in, unsigned major, unsigned minor, char **options);

#endif
