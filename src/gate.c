/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate: the start and the finish line of a team, in memory that its processes share; breakable. */
#include "config.h"

#include "gate.h"

#include "clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In this order: a team only moves forward, and BROKEN is final. */
enum { STATE_CLOSED, STATE_OPEN, STATE_DONE, STATE_BROKEN };

/*
 * How far ahead the start time lies: long enough for a CPU to leave a deep idle state (some 100
 * µs), for the kernel to wake the workers one after the other (some µs each), and for each of them
 * to read what must be read before the start (see timed.c).
 */
enum { LEAD_NS = 300000, LEAD_PER_WORKER_NS = 10000 };

/* 32-bit architectures of late have no other; without a timeout, the two are the same. */
#ifndef SYS_futex
#define SYS_futex SYS_futex_time64
#endif

static void futex_wait(const uint32_t *word, uint32_t seen)
{
	/* Not FUTEX_PRIVATE_FLAG: the workers may be processes. */
	syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void futex_wake_all(const uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Move on to `next`, unless somebody has moved further already. */
static void advance(struct gate *g, uint32_t next)
{
	uint32_t seen = __atomic_load_n(&g->state, __ATOMIC_RELAXED);

	while (seen < next && !__atomic_compare_exchange_n(&g->state, &seen, next, false,
							   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	futex_wake_all(&g->state);
}

static int wait_for(struct gate *g, uint32_t wanted)
{
	uint32_t seen;

	while ((seen = __atomic_load_n(&g->state, __ATOMIC_ACQUIRE)) < wanted)
		futex_wait(&g->state, seen);
	return seen == STATE_BROKEN ? -ECANCELED : 0;
}

void gate_init(struct gate *g, unsigned workers, bool spin)
{
	memset(g, 0, sizeof(*g));
	g->workers = workers;
	g->spin = spin;
}

int gate_wait_open(struct gate *g)
{
	if (__atomic_add_fetch(&g->started, 1, __ATOMIC_ACQ_REL) == g->workers) {
		g->start_ns = clock_now_ns();
		if (g->spin)
			g->start_ns += LEAD_NS + (int64_t)LEAD_PER_WORKER_NS * g->workers;
		advance(g, STATE_OPEN);
	}
	return wait_for(g, STATE_OPEN);
}

void gate_wait_start(const struct gate *g, int64_t ahead_ns)
{
	while (g->spin && clock_now_ns() < g->start_ns - ahead_ns)
		;
}

int gate_wait_finish(struct gate *g)
{
	if (__atomic_add_fetch(&g->finished, 1, __ATOMIC_ACQ_REL) == g->workers)
		advance(g, STATE_DONE);
	return wait_for(g, STATE_DONE);
}

void gate_break(struct gate *g)
{
	int saved = errno; /* a signal handler must leave it as it was */

	advance(g, STATE_BROKEN);
	errno = saved;
}

bool gate_broken(const struct gate *g)
{
	return __atomic_load_n(&g->state, __ATOMIC_ACQUIRE) == STATE_BROKEN;
}
