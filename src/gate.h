/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate: the start and the finish line of a team, in memory that its processes share; breakable. */
#ifndef PFSCALE_GATE_H
#define PFSCALE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words that different workers write stand on cache lines of their own. */
enum { GATE_LINE_BYTES = 128 };

/*
 * Workers arrive at the start line and sleep (a futex, so that nobody starves the creation of the
 * others). The last to arrive names a start time a little ahead, for all to be awake and ready by
 * then, and opens the gate; each spins until that time, or, where workers outnumber CPUs, just
 * goes. At the finish line everybody sleeps until the last has come, so that nobody tears memory
 * down while another is still timed.
 */
struct gate {
	uint32_t workers; /* this line is only read once there are workers */
	bool spin;	  /* false: more workers than CPUs, do not wait for the start time */
	_Alignas(GATE_LINE_BYTES) uint32_t started;  /* how many have arrived at the start line */
	_Alignas(GATE_LINE_BYTES) uint32_t finished; /* … at the finish line */
	_Alignas(GATE_LINE_BYTES) uint32_t state;    /* enum in gate.c; the futex word */
	int64_t start_ns; /* clock_now_ns(); valid once the gate is open */
};

/* Arrivals at one line, and at the other, do not slow down those who wait for the state. */
_Static_assert(offsetof(struct gate, started) % GATE_LINE_BYTES == 0 &&
		       offsetof(struct gate, finished) % GATE_LINE_BYTES == 0 &&
		       offsetof(struct gate, state) % GATE_LINE_BYTES == 0 &&
		       sizeof(struct gate) == 4 * GATE_LINE_BYTES,
	       "each on a cache line of its own");

/* Make ready for a team. The gate must lie in MAP_SHARED memory when workers are processes. */
void gate_init(struct gate *g, unsigned workers, bool spin);

/*
 * Arrive at the start line and sleep until all have. Returns 0 when the gate has opened, with some
 * 300 µs left until the start time, which is then in g->start_ns; or -ECANCELED when the gate was
 * broken.
 */
int gate_wait_open(struct gate *g);

/*
 * After that: spin until ahead_ns before the start time; return at once where workers outnumber
 * CPUs. Before the gate has opened, it returns at once, too: for a rehearsal.
 */
void gate_wait_start(const struct gate *g, int64_t ahead_ns);

/* Arrive at the finish line and wait until all have. Returns 0 or -ECANCELED. */
int gate_wait_finish(struct gate *g);

/* Somebody cannot go on: release everybody, for good. Safe in signal handlers. */
void gate_break(struct gate *g);

/* Whether the gate was broken. */
bool gate_broken(const struct gate *g);

#endif
