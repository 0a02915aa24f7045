/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place: policy and number of workers → the CPU and node of each worker (pure). */
#ifndef PFSCALE_PLACE_H
#define PFSCALE_PLACE_H

#include "err.h"
#include "topology.h"

#include <stddef.h>

/* Where one worker runs: OS indices; node -1 = not known. */
struct place {
	int cpu, node;
};

struct place_policy {
	const char *name;
	const char *summary; /* one line for `list` and the man page */
	/* Fill order[0 … t->n_cpus - 1] with indices into t->cpus: the order in which CPUs are
	 * used. */
	void (*order)(const struct topology *t, unsigned *order);
};

extern const struct place_policy *const place_policies[];
extern const size_t n_place_policies;

/* The policy called name, or NULL. The first row of the table is the default. */
const struct place_policy *place_find(const char *name);

/*
 * Give each of `workers` workers its place. Beyond t->n_cpus workers (oversubscription), the order
 * starts again. Returns 0 or -ENOMEM.
 */
int place_workers(const struct topology *t, const struct place_policy *policy, unsigned workers,
		  struct place *out, struct err *err);

#endif
