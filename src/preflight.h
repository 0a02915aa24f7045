/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preflight: whether a point can be expected to fit, before anything is run. */
#ifndef PFSCALE_PREFLIGHT_H
#define PFSCALE_PREFLIGHT_H

#include "err.h"
#include "object.h"
#include "plan.h"

/*
 * Compare what a point needs at once with the object's own limits (a tmpfs's size, SHMMAX …) and
 * with the memory that is left. Returns 0, or a negative errno with the limit, its value, what is
 * needed and what is available in *err.
 */
int preflight_point(const struct plan *plan, const struct plan_point *point,
		    const struct object_env *env, struct err *err);

#endif
