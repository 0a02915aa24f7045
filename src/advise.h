/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advise: what of the system will spoil or skew the numbers, and what to do about it (pure). */
#ifndef PFSCALE_ADVISE_H
#define PFSCALE_ADVISE_H

#include "place.h"
#include "result.h"

/*
 * Look at r->system, r->plan and r->points (which have not been run; those that were skipped or
 * have failed already do not count) and add warnings to the result, each with what to do, each at
 * most once and in one line: a debugging kernel, a governor other than performance, huge pages for
 * an object that is measured, NUMA balancing, swap in use, an unstable or slow clock source, load
 * from others, more workers than CPUs, memory from one node only with half of the workers on
 * others, a cgroup that allows less CPU time than the workers want, another malloc or a debugging
 * one. What is unknown is not warned of. places: of the largest team, `workers` of them. Returns 0
 * or -ENOMEM.
 */
int advise(struct result *r, const struct place *places, unsigned workers);

#endif
