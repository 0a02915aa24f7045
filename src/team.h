/* SPDX-License-Identifier: GPL-2.0-or-later */
/* team: how workers are made. One file per model in team/, one row each in team.c. */
#ifndef PFSCALE_TEAM_H
#define PFSCALE_TEAM_H

#include "err.h"
#include "gate.h"

#include <stdbool.h>
#include <stddef.h>

/* What a worker does; worker counts from 0. What fails in it, it records itself. */
typedef void (*team_body)(void *arg, unsigned worker);

struct team {
	const struct model_ops *model;
	unsigned workers;
	struct gate *gate; /* broken when a worker cannot start or dies */
	team_body body;
	void (*all_made)(void *arg); /* once all workers were started; NULL = nothing to do */
	void *arg;
	void *handles; /* the model's own, one per worker */
	unsigned made; /* how many of them were started */
	int killed_by; /* after join: the signal that killed a worker first, 0 = none */
};

struct model_ops {
	const char *name;    /* as in labels */
	const char *summary; /* one line for `list` and the man page */
	size_t handle_size;
	bool one_process; /* the workers share one address space */

	/* Start worker number team->made. Returns 0 or a negative errno with *err filled. */
	int (*start)(struct team *team, struct err *err);

	/*
	 * Wait for the workers that were started. Where one ends other than by returning from
	 * its body, breaks the gate, ends the others and returns -ECHILD with *err naming the
	 * worker.
	 */
	int (*join)(struct team *team, struct err *err);
};

extern const struct model_ops *const models[];
extern const size_t n_models;

/* The model called name, or NULL. */
const struct model_ops *model_find(const char *name);

/*
 * Make the team, let each worker run its body, and wait for all of them. The caller is the team's
 * own process, which has nothing else to do (see run.h). When a worker cannot be made, the gate is
 * broken, the others are waited for, and the error names the worker and the limit. Returns 0 or a
 * negative errno.
 */
int team_run(struct team *team, struct err *err);

#endif
