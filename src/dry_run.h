/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dry_run: tell what a plan would do, its memory need and about how long it takes. */
#ifndef PFSCALE_DRY_RUN_H
#define PFSCALE_DRY_RUN_H

#include "object.h"
#include "plan.h"

#include <stdio.h>

/*
 * Print the plan. The time is estimated from probes that fault in a few MB of each type's object
 * here and now. allowed_cpus: how many CPUs there are for the workers.
 */
void dry_run_print(FILE *out, const struct plan *plan, const struct object_env *env,
		   unsigned allowed_cpus);

#endif
