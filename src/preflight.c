/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preflight: whether a point can be expected to fit, before anything is run. */
#include "config.h"

#include "preflight.h"

#include "limit.h"

int preflight_point(const struct plan *plan, const struct plan_point *point,
		    const struct object_env *env, struct err *err)
{
	uint64_t bytes = plan_point_bytes(plan, point);
	struct object_need need = {
		.objects = point->type->shared ? 1 : point->workers,
		.bytes_per_object = point->type->shared ? bytes : bytes / point->workers,
	};
	int ret = object_preflight(point->type->object, env, &need, err);

	return ret ? ret : limit_check_memory(bytes, err);
}
