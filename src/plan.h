/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan: options → the ordered list of points and repeats (pure). */
#ifndef PFSCALE_PLAN_H
#define PFSCALE_PLAN_H

#include "err.h"
#include "type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the command line asks for. Zero means the default where 0 is no value. */
struct plan_options {
	const char *cpus;    /* --cpus LIST; NULL = "pow2" */
	uint64_t size_bytes; /* --size, per worker; 0 = 100,000,000 */
	unsigned repeats;    /* --repeats, timed ones; 0 = auto */
	double precision;    /* --precision, as a part of the median; 0 = 0.01 */
	int64_t limit_ns;    /* --time-limit; -1 = 2 minutes */
	bool perf;	     /* --perf */
	int warmup;	     /* --warmup; -1 = 1 */
	uint64_t seed;	     /* --seed */
	bool oversubscribe;  /* --oversubscribe */
	size_t page_size;
	unsigned allowed_cpus; /* how many CPUs workers may use */
};

struct plan_point {
	const struct type *type; /* within plan.types */
	unsigned workers;
	bool oversubscribed; /* more workers than allowed CPUs */
};

struct plan {
	struct type *types;
	size_t n_types;
	unsigned *counts; /* worker counts, rising, each once */
	size_t n_counts;
	struct plan_point *points; /* in report order: by type, then by workers */
	size_t n_points;
	bool adaptive;	      /* --repeats auto: more until the precision is reached */
	unsigned repeats;     /* timed ones of each point; with `adaptive`, the least */
	unsigned max_repeats; /* the most; the same as repeats where not adaptive */
	unsigned warmup;
	double precision;
	int64_t limit_ns; /* of the whole run; bounds what goes beyond the first `repeats` */
	bool perf;
	uint64_t seed;
	uint64_t size_bytes;
	uint64_t pages; /* per worker: ceil(size_bytes / page_size) */
	size_t page_size;
};

enum { PLAN_MAX_WORKERS = 1000000 };

/* --repeats auto: the least and the most repeats that count. */
enum { PLAN_AUTO_LEAST = 5, PLAN_AUTO_MOST = 50 };

/*
 * Read a list of worker counts: "pow2" (1, 2, 4 … below max, and max), "max", numbers, ranges
 * "8-12", separated by commas. Duplicates and disorder are put right. max: the number of allowed
 * CPUs; counts above it are refused unless oversubscribe. *out is malloc'd. Returns 0 or -EINVAL,
 * -ENOMEM.
 */
int plan_parse_cpus(const char *text, unsigned max, bool oversubscribe, unsigned **out,
		    size_t *n_out, struct err *err);

/*
 * Make the plan. Takes over `types` (from type_select()), also when it fails. Refuses sizes whose
 * workers × pages × page size cannot be mapped by any process of this kind (overflow of size_t).
 * Returns 0 or a negative errno; plan_free() frees what it holds.
 */
int plan_make(struct plan *plan, const struct plan_options *options, struct type *types,
	      size_t n_types, struct err *err);
void plan_free(struct plan *plan);

/*
 * Rounds that are sure to come: the warm-ups first, then the timed ones. Each runs every point
 * once. More may follow, of points that need more.
 */
unsigned plan_rounds(const struct plan *plan);

/*
 * The order of one round: a permutation of 0 … n_points - 1, shuffled from the seed and the round's
 * number, the same on every machine.
 */
void plan_round_order(const struct plan *plan, unsigned round, size_t *order);

/* Bytes that a point touches at once: workers × pages × page size. */
uint64_t plan_point_bytes(const struct plan *plan, const struct plan_point *point);

#endif
