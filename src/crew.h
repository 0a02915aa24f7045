/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crew: the team's side of one repeat: its process, its workers, and what they tell main. */
#ifndef PFSCALE_CREW_H
#define PFSCALE_CREW_H

#include "aside.h"
#include "gate.h"
#include "run.h"
#include "timed.h"

#include <signal.h>
#include <sys/types.h>

/* What one worker tells main; on cache lines of its own. Written after the timed loop. */
struct crew_slot {
	_Alignas(GATE_LINE_BYTES) pid_t pid; /* process that the worker runs in; 0 = not begun */
	int64_t map_ns, unmap_ns;
	struct timed_sample sample;
	bool done; /* the worker has come to its end, and all of this holds */
};

/* Values of crew_shared.failed. */
enum { CREW_OK, CREW_ERR_CLAIMED, CREW_ERR_WRITTEN };

/* What main and the team share; MAP_SHARED memory, zeroed before use. */
struct crew_shared {
	struct gate gate;
	int failed;
	int killed_by;		  /* the signal that killed a worker, as in struct team */
	struct err err;		  /* of the first that failed; valid with CREW_ERR_WRITTEN */
	int64_t map_ns, unmap_ns; /* of the shared object */
	struct crew_slot slots[];
};

/* Neither a worker's slot nor the gate shares a line with what somebody else writes. */
_Static_assert(sizeof(struct crew_slot) % GATE_LINE_BYTES == 0 &&
		       offsetof(struct crew_shared, slots) % GATE_LINE_BYTES == 0 &&
		       offsetof(struct crew_shared, failed) % GATE_LINE_BYTES == 0,
	       "each on cache lines of its own");

struct crew {
	struct run_job job;
	struct crew_shared *shared;
	struct aside aside;
	/* In the team's process only: */
	struct object object; /* the shared one */
	unsigned worker_fds;  /* how many descriptors each worker may hold while it is timed */
};

/*
 * Be the team's process, just forked by process `parent`: make the object if it is shared, run the
 * team, tear down, exit. mask: the signal mask to work with. Does not return.
 */
void crew_lead(struct crew *crew, pid_t parent, const sigset_t *mask) __attribute__((noreturn));

#endif
