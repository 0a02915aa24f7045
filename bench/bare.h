/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bare: the same mapping, touching and unmapping as pfscale's, by hand and with nothing around it.
 */
#ifndef PFSCALE_BARE_H
#define PFSCALE_BARE_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bare_object { BARE_ANONYMOUS, BARE_ZERO, BARE_SHMEM, BARE_TMPFS, BARE_N_OBJECTS };

/* One repeat of a point. */
struct bare {
	bool threads; /* else processes */
	enum bare_object object;
	bool shared; /* one object for all workers */
	unsigned workers;
	size_t pages; /* per worker */
	size_t page_size;
	const int *cpus; /* one per worker, to pin it to */
};

/*
 * Make the workers, let them map, start together, touch and unmap, and wait for all. Returns 0 or a
 * negative errno; after an error from threads the process is of no more use.
 */
int bare_run(const struct bare *b, struct err *err);

/*
 * The time that one touch loop over fresh private anonymous memory takes in a new process on a CPU,
 * in nanoseconds. Returns 0 or a negative errno.
 */
int bare_touch(int cpu, size_t pages, size_t page_size, int64_t *wall_ns, struct err *err);

/*
 * The CPUs that pfscale would place workers on by default, one per worker. Returns them, to be
 * freed, or NULL with *err filled.
 */
int *bare_cpus(unsigned workers, struct err *err);

/* How many CPUs there are for workers, or a negative errno. */
int bare_allowed_cpus(struct err *err);

#endif
