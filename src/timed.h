/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timed: the timed touch of one worker, and what is read around it. */
#ifndef PFSCALE_TIMED_H
#define PFSCALE_TIMED_H

#include "err.h"
#include "gate.h"
#include "perf.h"
#include "run.h"

#include <stdint.h>

/* What one worker measured. -1 = not known, from run_delay_ns on. */
struct timed_sample {
	int64_t start_ns; /* clock_now_ns() */
	int64_t wall_ns, user_ns, sys_ns, minflt, majflt, nvcsw, nivcsw;
	int64_t run_delay_ns, end_cpu, freq_khz;
	int64_t perf[PERF_N_EVENTS];
};

/* What a worker holds open to measure with. */
struct timed {
	const struct run_job *job;
	struct gate *gate;
	int run_delay_fd; /* see counters.h; -1 = none */
	struct perf_set perf;
};

/* How many descriptors a worker holds at most. */
unsigned timed_most_fds(const struct run_job *job);

/*
 * Open what the calling thread is to be measured with, with at most max_fds descriptors: what
 * cannot be had is not measured. timed_close() closes it, and must wait until nobody of the team is
 * timed any more.
 */
void timed_open(struct timed *t, const struct run_job *job, struct gate *gate, unsigned max_fds);
void timed_close(struct timed *t);

/* SIGBUS in a touch is from now on an error of timed_touch(); elsewhere it kills, as it should. */
void timed_catch_sigbus(void);

/*
 * Rehearse, wait at the gate's start line for all, touch the worker's pages from base on, and fill
 * *out. Returns 0; -ECANCELED when the gate was broken; or -EFAULT, after a SIGBUS, with *err
 * saying where and by which limit.
 */
int timed_touch(struct timed *t, char *base, struct timed_sample *out, struct err *err);

/*
 * Nobody of the team is timed any more: read what could disturb them, the frequency of the CPU that
 * this worker was on (reading it may interrupt another CPU).
 */
void timed_after_finish(struct timed_sample *out);

#endif
