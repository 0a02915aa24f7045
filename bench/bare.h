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

/* 2 models × the objects × private and shared. */
enum { BARE_N_TYPES = 2 * BARE_N_OBJECTS * 2 };

/* Make *b of the type with that number, from 0, in the order of pfscale's report. */
void bare_set_type(struct bare *b, unsigned number);

/* What pfscale calls that type. Returns buf; 40 bytes are enough. */
const char *bare_label(const struct bare *b, char *buf, size_t len);

/*
 * Make the workers, let them map, start together, touch and unmap, and wait for all. *wall_ns, if
 * wanted (else NULL), is the longest time that a worker took to touch, in nanoseconds; none then
 * unmaps before all have touched. Returns 0 or a negative errno; after an error from threads the
 * process is of no more use.
 */
int bare_run(const struct bare *b, int64_t *wall_ns, struct err *err);

/*
 * The CPUs that pfscale would place workers on by default, one per worker. Returns them, to be
 * freed, or NULL with *err filled.
 */
int *bare_cpus(unsigned workers, struct err *err);

/* Let the calling thread run on that CPU alone. Returns 0, or -1 with errno set. */
int bare_pin(int cpu);

/* How many CPUs there are for workers, or a negative errno. */
int bare_allowed_cpus(struct err *err);

#endif
