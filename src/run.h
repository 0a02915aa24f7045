/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run: one repeat of a point → samples. */
#ifndef PFSCALE_RUN_H
#define PFSCALE_RUN_H

#include "err.h"
#include "object.h"
#include "place.h"
#include "result.h"
#include "topology.h"
#include "type.h"

#include <stdbool.h>
#include <stdint.h>

/* One repeat to be done. */
struct run_job {
	const struct type *type;
	const struct topology *topology;
	const struct object_env *env;
	const struct place *places; /* one per worker */
	unsigned workers;
	bool oversubscribed;
	bool perf;	/* count the events of perf_event.h, as far as they can be counted */
	uint64_t pages; /* per worker */
	size_t page_size;
};

/*
 * Catch INT, TERM and HUP from now on, so that a run can be ended in order, and adopt orphans if
 * allowed. Call once, before the first run_repeat(). Returns 0 or a negative errno.
 */
int run_init(struct err *err);

/* The signal that asked for the end of the run, or 0. */
int run_stop_signal(void);

/*
 * The last repeat is done, or the run is at its end: signals do again what they did before
 * run_init(), at once, also those that have come since the last repeat. The calling process may run
 * on all CPUs of the topology again.
 */
void run_end(void);

/*
 * Do one repeat in a process group of its own and fill the columns of *out (allocated for
 * job->workers, see point_add_repeat()); those that no worker could measure are freed and NULL.
 * Meanwhile, and until a repeat on other CPUs or run_end(), the calling process runs on CPUs that
 * no worker has, if there are any. When it returns, every process of the team has ended and
 * nothing of it is left. Returns 0; -EINTR when a signal asked for the end; or a negative errno
 * with *err saying what failed, in which worker.
 */
int run_repeat(const struct run_job *job, struct repeat *out, struct err *err);

#endif
