/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe_plan: what was asked for, for the result file. */
#ifndef PFSCALE_DESCRIBE_PLAN_H
#define PFSCALE_DESCRIBE_PLAN_H

#include "plan.h"
#include "run_options.h"

#include <jansson.h>
#include <stdio.h>

/*
 * The result file's "plan" (results/README.md lists its members). With --perf it is tried out what
 * can be counted; what cannot is also told on `notes`, unless that is NULL. A new reference, or
 * NULL when memory ran out.
 */
json_t *describe_plan(const struct plan *plan, const struct run_options *o, FILE *notes);

#endif
