/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object: the table of kinds, and the only caller of their hooks. */
#include "config.h"

#include "object.h"

#include "guard.h"
#include "util.h"

#include <string.h>

extern const struct object_ops malloc_ops, zero_ops, shmem_ops, tmpfs_ops;

const struct object_ops *const objects[] = { &malloc_ops, &zero_ops, &shmem_ops, &tmpfs_ops };
const size_t n_objects = ARRAY_SIZE(objects);

const struct object_ops *object_find(const char *name)
{
	for (size_t i = 0; i < n_objects; i++) {
		if (!strcmp(objects[i]->name, name))
			return objects[i];
	}
	return NULL;
}

int object_check(const struct object_ops *ops, const struct object_env *env, struct err *err)
{
	return ops->check ? ops->check(env, err) : 0;
}

int object_preflight(const struct object_ops *ops, const struct object_env *env,
		     const struct object_need *need, struct err *err)
{
	return ops->preflight ? ops->preflight(env, need, err) : 0;
}

int object_map(struct object *o, const struct object_ops *ops, const struct object_env *env,
	       size_t bytes, struct err *err)
{
	int ret;

	memset(o, 0, sizeof(*o));
	o->ops = ops;
	o->env = env;
	o->bytes = bytes;
	guard_begin();
	ret = ops->map(o, err);
	guard_end();
	if (ret)
		o->base = NULL;
	return ret;
}

int object_unmap(struct object *o, struct err *err)
{
	int ret;

	if (!o->base)
		return 0;
	ret = o->ops->unmap(o, err);
	o->base = NULL;
	return ret;
}

void object_explain_sigbus(const struct object_ops *ops, const struct object_env *env,
			   struct err *err)
{
	if (ops->explain_sigbus)
		ops->explain_sigbus(env, err);
}

void object_sweep(const struct object_ops *ops, const struct object_env *env, pid_t creator)
{
	if (ops->sweep)
		ops->sweep(env, creator);
}
