/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object: the memory that is faulted in. One file per kind in object/, one row each in object.c. */
#ifndef PFSCALE_OBJECT_H
#define PFSCALE_OBJECT_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where tmpfs objects are made when nothing else is said. */
#define OBJECT_TMPFS_DIR "/dev/shm"

/* What objects need to know of the run. */
struct object_env {
	const char *tmpfs_dir; /* a directory on a tmpfs */
};

/* What a point asks of a kind, for its preflight. */
struct object_need {
	uint64_t objects;	   /* how many exist at once */
	uint64_t bytes_per_object; /* each, a multiple of the page size */
};

/* One object, mapped: `bytes` at `base`, page-aligned, no page of it present. */
struct object {
	const struct object_ops *ops;
	const struct object_env *env;
	char *base;
	size_t bytes;
	void *mapping; /* the kind's own: what map got and unmap gives back */
};

/*
 * A kind of object. Hooks return 0 or a negative errno with *err filled; only the functions below
 * call them. NULL hooks do nothing and succeed.
 */
struct object_ops {
	const char *name;    /* as in labels */
	const char *summary; /* one line for `list` and the man page */

	/* Whether this kind can be used here: 0, or -EOPNOTSUPP with the reason in *err. */
	int (*check)(const struct object_env *env, struct err *err);

	/*
	 * Whether the kind's own limits (not memory in general) leave room for what a point needs;
	 * an error names the limit, what is needed and what is available.
	 */
	int (*preflight)(const struct object_env *env, const struct object_need *need,
			 struct err *err);

	/* Create and map o->bytes; set o->base. What fails leaves nothing behind. */
	int (*map)(struct object *o, struct err *err);

	/* Undo map. Must succeed as often as map did. */
	int (*unmap)(struct object *o, struct err *err);

	/* Explain a SIGBUS taken while touching: put the limit that was hit into *err. */
	void (*explain_sigbus)(const struct object_env *env, struct err *err);

	/* Remove what a process that was killed within map could have left. */
	void (*sweep)(const struct object_env *env, pid_t creator);
};

extern const struct object_ops *const objects[];
extern const size_t n_objects;

/* The kind called name, or NULL. */
const struct object_ops *object_find(const char *name);

int object_check(const struct object_ops *ops, const struct object_env *env, struct err *err);
int object_preflight(const struct object_ops *ops, const struct object_env *env,
		     const struct object_need *need, struct err *err);

/*
 * Map a new object of `bytes` (a multiple of the page size), guarded against signals (guard.h),
 * which so leave nothing half-made behind. Returns 0 or a negative errno; on success object_unmap()
 * must follow.
 */
int object_map(struct object *o, const struct object_ops *ops, const struct object_env *env,
	       size_t bytes, struct err *err);

/* Undo object_map(). May be called again, or on a zeroed object: it then does nothing. */
int object_unmap(struct object *o, struct err *err);

void object_explain_sigbus(const struct object_ops *ops, const struct object_env *env,
			   struct err *err);

/* Remove what dead process `creator` could have left in the moment between creating and unlinking.
 */
void object_sweep(const struct object_ops *ops, const struct object_env *env, pid_t creator);

#endif
