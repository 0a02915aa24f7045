/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dry_run: tell what a plan would do, its memory need, about how long it takes, and what change
 * it can show.
 */
#ifndef PFSCALE_DRY_RUN_H
#define PFSCALE_DRY_RUN_H

#include "object.h"
#include "plan.h"

#include <stdio.h>

/*
 * Print the plan. The time, and the smallest change that a fixed number of repeats can show, are
 * estimated from probes that fault in a few MB of each type's object here and now; where repeats
 * go on until a precision is reached, that tells the change. allowed_cpus: how many CPUs there are
 * for the workers.
 */
void dry_run_print(FILE *out, const struct plan *plan, const struct object_env *env,
		   unsigned allowed_cpus);

#endif
