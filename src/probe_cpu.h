/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_cpu: how fast the CPU that the calling thread is bound to stores, calls and computes. */
#ifndef PFSCALE_PROBE_CPU_H
#define PFSCALE_PROBE_CPU_H

#include "canary.h"
#include "err.h"

#include <stdint.h>

/*
 * The version of the work that is timed, kept with the rates: those of different work are never
 * compared. It rises when anything changes that the rates depend on.
 */
enum { PROBE_CPU_WORK = 1 };

/* The memory that is stored into. */
enum { PROBE_CPU_BUFFER_BYTES = 128 * 1024 };

/* That memory, resident, in pages of the base size. NULL and a filled *err where there is none. */
unsigned long *probe_cpu_buffer(struct err *err);

/*
 * Measure this CPU into rates, by enum canary_kind, per second; NAN where the best batch was too
 * short for a clock of this step (see clock_step_ns()). It takes 2 to 3 ms on a CPU of 4 GHz that
 * nobody else uses; where its speed changes meanwhile, or others disturb it, up to 20 ms.
 */
void probe_cpu_measure(unsigned long *buffer, int64_t clock_step_ns, double rates[CANARY_N_KINDS]);

#endif
