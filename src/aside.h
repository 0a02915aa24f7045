/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aside: keep those who only wait off the CPUs that workers are timed on. */
#ifndef PFSCALE_ASIDE_H
#define PFSCALE_ASIDE_H

#include "place.h"
#include "topology.h"

#include <sched.h>
#include <stdbool.h>

/* Sets of CPUs. The masks are as long as the machine's CPUs need. */
struct aside {
	cpu_set_t *allowed; /* all that the topology has */
	cpu_set_t *spare;   /* of these, the ones that no worker has; all, where each has one */
	cpu_set_t *current; /* where the main process was put last; nothing = not yet */
	size_t bytes;	    /* of each mask */
	bool apart;	    /* spare is fewer than allowed */
};

/*
 * All of it is best effort: where a mask cannot be set (a cpuset has changed) or there is no
 * memory, everybody stays where they are.
 */

/* Find who is to be where with these workers, and put the calling main process aside, if needed. */
void aside_begin(struct aside *a, const struct topology *t, const struct place *places,
		 unsigned workers);

/* Put the calling thread aside, or back to all allowed CPUs. Nothing where none is spare. */
void aside_step(const struct aside *a);
void aside_return(const struct aside *a);

/* Let the main process use all allowed CPUs again, and free the masks; *a is empty then. */
void aside_end(struct aside *a);

#endif
