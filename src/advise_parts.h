/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advise_parts: the checks that advise() makes; for advise*.c alone. */
#ifndef PFSCALE_ADVISE_PARTS_H
#define PFSCALE_ADVISE_PARTS_H

#include "advise.h"

/* What the checks look at. */
struct advice {
	struct result *r;
	const struct place *places; /* of the largest team */
	unsigned n_places;
	unsigned workers; /* the most of any point that will be measured */
	uint64_t bytes;	  /* that the largest team touches; 0 = not known */
};

/* Each adds its warnings, and returns 0 or -ENOMEM. */
typedef int (*advise_check)(const struct advice *a);

int advise_debug_kernel(const struct advice *a);
int advise_governor(const struct advice *a);
int advise_clock(const struct advice *a);
int advise_load(const struct advice *a);
int advise_huge_pages(const struct advice *a);
int advise_numa_balancing(const struct advice *a);
int advise_swap(const struct advice *a);
int advise_malloc(const struct advice *a);
int advise_oversubscription(const struct advice *a);
int advise_quota(const struct advice *a);
int advise_nodes(const struct advice *a);

/* Add a warning, made by fmt. */
int advise_add(const struct advice *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A text of r->system, "" where it is absent, unknown or no text. */
const char *advise_text(const struct advice *a, const char *path);

/* Whether any point with that object will be measured. */
bool advise_measures(const struct advice *a, const char *object);

#endif
