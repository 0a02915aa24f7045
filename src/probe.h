/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe: measure the canary: what each CPU does in user space, apart from page faults. */
#ifndef PFSCALE_PROBE_H
#define PFSCALE_PROBE_H

#include "err.h"
#include "place.h"
#include "topology.h"

#include <jansson.h>
#include <stdint.h>

/*
 * Probe the CPUs at `places` (n, each CPU once, though it may stand there several times), in a
 * process of its own, one CPU after the other, some milliseconds each. when: "before", "during" or
 * "after"; order: how many repeats were done before; at_ns: since the run began. *out is a new
 * object for the array "canary" (see results/README.md). A CPU that a process cannot be bound to
 * (it went offline) has null for numbers. To be called after run_init(), when no team lives.
 * Returns 0; -EINTR when a signal asked for the end of the run; or a negative errno with *err
 * saying what failed, also when it was so for each of the CPUs. The process has ended then.
 */
int probe_run(const struct topology *t, const struct place *places, unsigned n, const char *when,
	      int64_t order, int64_t at_ns, json_t **out, struct err *err);

#endif
