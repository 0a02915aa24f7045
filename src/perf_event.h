/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event: the events that --perf counts: their order and names in result files. */
#ifndef PFSCALE_PERF_EVENT_H
#define PFSCALE_PERF_EVENT_H

enum perf_event {
	PERF_PAGE_FAULTS,
	PERF_CYCLES_USER,
	PERF_CYCLES_KERNEL,
	PERF_INSTRUCTIONS_USER,
	PERF_INSTRUCTIONS_KERNEL,
	PERF_DTLB_MISSES_USER, /* of loads and stores, as far as the PMU tells them */
	PERF_DTLB_MISSES_KERNEL,
	PERF_N_EVENTS
};

/* "page_faults", "cycles_user" …: the column of event E is "perf_" and this. */
extern const char *const perf_event_names[PERF_N_EVENTS];

#endif
