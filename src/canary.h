/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * canary: how fast the machine itself was before, in and after a run, as the result file keeps it:
 * the array "canary" with an object for each time that the probe ran (see results/README.md).
 */
#ifndef PFSCALE_CANARY_H
#define PFSCALE_CANARY_H

#include "result.h"

/* What the probe measures on each CPU; all are rates per second, so that more is faster. */
enum canary_kind { CANARY_STORES, CANARY_SYSCALLS, CANARY_SPINS, CANARY_N_KINDS };

struct canary_quantity {
	const char *name;    /* member of each object: an array with one number per CPU */
	const char *summary; /* for people: "store bandwidth into resident memory" */
};

extern const struct canary_quantity canary_quantities[CANARY_N_KINDS];

/* A drift over this is warned of. */
#define CANARY_MOST_DRIFT 0.05

/*
 * The largest drift of a quantity in a result, against the first time that it was measured, at the
 * time where it differs most: -0.07 = 7 % slower. The drift between two times is the median, over
 * the CPUs that have a number at both, of the change of each; of two CPUs, the change that is
 * nearer to 0, and 0 where one became faster and the other slower. *when, if wanted, is the time's
 * index in the array. NAN where no CPU has two numbers (or memory ran out). The array may hold
 * anything: what is no number of a CPU, above 0, is passed over, and so is a time whose work is not
 * that of the first.
 */
double canary_drift(const struct result *r, enum canary_kind kind, size_t *when);

/* Add a warning of the quantities that drifted by more than that. Returns 0 or -ENOMEM. */
int canary_warn(struct result *r);

#endif
