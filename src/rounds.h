/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rounds: a plan, carried out round by round into a result. */
#ifndef PFSCALE_ROUNDS_H
#define PFSCALE_ROUNDS_H

#include "err.h"
#include "object.h"
#include "place.h"
#include "plan.h"
#include "progress.h"
#include "result.h"
#include "save.h"
#include "topology.h"

#include <stdbool.h>
#include <stdio.h>

/* The reason of a point whose turn has not come yet. */
#define ROUNDS_NOT_RUN "not run yet"

struct rounds {
	const struct plan *plan;
	const struct topology *topology;
	const struct place_policy *policy;
	const struct object_env *env;
	struct result *result; /* rounds_prepare() adds the points, in the plan's order */
	struct save *save;
	bool force;    /* run also what the preflight advises against */
	FILE *verbose; /* a line per repeat, or NULL */
	FILE *notes;   /* what failed, as it happens */
	bool quiet;    /* no progress */
};

/*
 * Add the plan's points to the result: as skipped where a kind cannot be used here, as failed where
 * the preflight finds no room, else as not run yet. Returns 0 or a negative errno.
 */
int rounds_prepare(struct rounds *r, struct err *err);

/*
 * Run all rounds that the plan is sure of, then more of the points that stop_judge() wants more of;
 * probe the machine's own speed before, after and every two minutes. Each point is left with the
 * reason why it has no more repeats. A point that fails is marked, and the others go on. The file
 * is saved after each round (where saving takes long for the rounds, after some of them), and when
 * 30 s have passed since the last time. Returns 0 (see the points' statuses), -EINTR when a signal
 * asked for the end (see run_stop_signal()), or another negative errno when it cannot go on (the
 * file cannot be written, memory ran out).
 */
int rounds_run(struct rounds *r, struct err *err);

#endif
