/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system: which machine, kernel and settings samples were taken on. */
#ifndef PFSCALE_SYSTEM_H
#define PFSCALE_SYSTEM_H

#include "object.h"
#include "topology.h"

#include <jansson.h>

/*
 * Describe this system for the result file's "system" member (results/README.md lists its members).
 * What cannot be read is "unknown"; a limit that is unlimited is null. A new reference, or NULL
 * when memory ran out.
 */
json_t *system_describe(const struct topology *t, const struct object_env *env);

/*
 * For tests: from now on, take /proc, /sys and the configuration of the kernel from below this
 * directory, and limits (limit.h) as well. "" = this machine. The string must stay.
 */
void system_set_root(const char *path);

/*
 * Whether any such parameter on a kernel's command line has exactly that value: for those of which
 * a later one does not take back what an earlier one did.
 */
bool system_has_parameter(const char *cmdline, const char *name, const char *value);

/*
 * Bytes that lie in swap, where they are more than 1 % of all memory or that is not known; else 0.
 * Most machines keep a little there that nobody asks for.
 */
int64_t system_swapped(const json_t *system);

/*
 * What makes faults on this object take in huge pages, in words and, in *fix, what to do about it;
 * NULL where nothing does, or nothing is known of it. bytes: how large an object is at most; 0 =
 * not known. Both texts are valid until the next call.
 */
const char *system_huge_pages(const json_t *system, const char *object, uint64_t bytes,
			      const char **fix);

/*
 * Why a point's counted faults differ from its pages, in words, by the system's settings: the
 * likely cause for this object (THP, huge tmpfs, recycled malloc memory …). system: what
 * system_describe() gave. "not known" where no setting explains it. The text is valid until the
 * next call.
 */
const char *system_explain_faults(const json_t *system, const char *object, int64_t faults,
				  int64_t pages);

#endif
