/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place: policy and number of workers → the CPU and node of each worker (pure). */
#include "config.h"

#include "place.h"

#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * hwloc's logical order goes node by node, core by core, and thread by thread within a core. So the
 * first threads of all cores are taken in that order; each further level is made of the ones that
 * come right after those of the level before, where the core has another.
 */
static void cores_order(const struct topology *t, unsigned *order)
{
	unsigned done = 0, level_start = 0;

	for (unsigned i = 0; i < t->n_cpus; i++) {
		if (t->cpus[i].smt == 0)
			order[done++] = i;
	}
	for (int smt = 1; done < t->n_cpus && level_start < done; smt++) {
		unsigned level_end = done;

		for (unsigned j = level_start; j < level_end; j++) {
			unsigned next = order[j] + 1;

			if (next < t->n_cpus && t->cpus[next].smt == smt)
				order[done++] = next;
		}
		level_start = level_end;
	}
}

static const struct place_policy cores = {
	.name = "cores",
	.summary = "one worker a core before SMT siblings, node by node",
	.order = cores_order,
};

const struct place_policy *const place_policies[] = { &cores };
const size_t n_place_policies = ARRAY_SIZE(place_policies);

const struct place_policy *place_find(const char *name)
{
	for (size_t i = 0; i < n_place_policies; i++) {
		if (!strcmp(place_policies[i]->name, name))
			return place_policies[i];
	}
	return NULL;
}

int place_workers(const struct topology *t, const struct place_policy *policy, unsigned workers,
		  struct place *out, struct err *err)
{
	unsigned *order = calloc(t->n_cpus, sizeof(*order));

	if (!order)
		return err_set(err, ENOMEM, "malloc", "the order of %u CPUs", t->n_cpus);
	policy->order(t, order);
	for (unsigned i = 0; i < workers; i++) {
		const struct topology_cpu *c = &t->cpus[order[i % t->n_cpus]];

		out[i] = (struct place){ .cpu = c->os_index, .node = c->os_node };
	}
	free(order);
	return 0;
}
