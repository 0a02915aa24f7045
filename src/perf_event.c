/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event: the events that --perf counts: their order and names in result files. */
#include "config.h"

#include "perf_event.h"

const char *const perf_event_names[PERF_N_EVENTS] = {
	[PERF_PAGE_FAULTS] = "page_faults",
	[PERF_CYCLES_USER] = "cycles_user",
	[PERF_CYCLES_KERNEL] = "cycles_kernel",
	[PERF_INSTRUCTIONS_USER] = "instructions_user",
	[PERF_INSTRUCTIONS_KERNEL] = "instructions_kernel",
	[PERF_DTLB_MISSES_USER] = "dtlb_misses_user",
	[PERF_DTLB_MISSES_KERNEL] = "dtlb_misses_kernel",
};
