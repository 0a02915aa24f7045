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
 * Why a point's counted faults differ from its pages, in words, by the system's settings: the
 * likely cause for this object (THP, huge tmpfs, recycled malloc memory …). system: what
 * system_describe() gave. "not known" where no setting explains it. The text is valid until the
 * next call.
 */
const char *system_explain_faults(const json_t *system, const char *object, int64_t faults,
				  int64_t pages);

#endif
