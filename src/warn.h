/* SPDX-License-Identifier: GPL-2.0-or-later */
/* warn: what in the samples says that a rate is not what it seems. */
#ifndef PFSCALE_WARN_H
#define PFSCALE_WARN_H

#include "result.h"

/*
 * Look at every measured point and add a warning to the result where faults and pages differ by
 * more than 1 % in a timed repeat, where the interval is too short for the clock, where workers did
 * not run at the same time, and where disturbed repeats were all that there was, could not be
 * replaced, or were over a quarter. Returns 0 or -ENOMEM.
 */
int warn_of_points(struct result *r);

#endif
