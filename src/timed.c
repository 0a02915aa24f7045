/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timed: the timed touch of one worker, and what is read around it. */
#include "config.h"

#include "timed.h"

#include "clock.h"
#include "counters.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

/*
 * So long before the start time, what stands in /proc is read: long enough for the reading not to
 * delay the start, and short, for the run delay to be that of the touch and of little else.
 */
enum { AHEAD_NS = 50000 };

/* Where a SIGBUS in the touch leads back to; per worker, whether it is a thread or a process. */
static __thread sigjmp_buf touch_escape;
static __thread volatile sig_atomic_t touching;
static __thread char *volatile sigbus_address;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	(void)context;
	/* Not of the touch, or sent by somebody: it kills, as it would without us. */
	if (!touching || info->si_code <= 0) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	sigbus_address = info->si_addr;
	siglongjmp(touch_escape, 1);
}

void timed_catch_sigbus(void)
{
	struct sigaction bus = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigemptyset(&bus.sa_mask);
	sigaction(SIGBUS, &bus, NULL);
}

unsigned timed_most_fds(const struct run_job *job)
{
	return 1 + (job->perf ? PERF_MAX_FDS : 0);
}

void timed_open(struct timed *t, const struct run_job *job, struct gate *gate, unsigned max_fds)
{
	t->job = job;
	t->gate = gate;
	t->run_delay_fd = max_fds ? counters_open_run_delay() : -1;
	if (job->perf && max_fds)
		perf_open(&t->perf, max_fds - 1);
	else
		perf_none(&t->perf);
}

void timed_close(struct timed *t)
{
	if (t->run_delay_fd >= 0)
		close(t->run_delay_fd);
	perf_close(&t->perf);
}

static int explain_sigbus(const struct run_job *job, const char *base, struct err *err)
{
	err_set(err, EFAULT, "touch", "SIGBUS at byte %llu of %llu",
		(unsigned long long)(sigbus_address - base),
		(unsigned long long)(job->pages * job->page_size));
	object_explain_sigbus(job->type->object, job->env, err);
	return -err->num;
}

/*
 * Touch `pages` pages at the start time, and fill *out. Between the two readings of the clock there
 * is nothing but the touch; next to them is the thread's CPU time, so that it covers the same
 * interval but for the two calls that read it; then come the counters of --perf, whose system calls
 * cost more than they count of the former.
 */
static int measure(struct timed *t, char *base, uint64_t pages, struct timed_sample *out,
		   struct err *err)
{
	const struct run_job *job = t->job;
	struct counters before, after, during;
	int64_t start, end, cpu_end, delay;

	gate_wait_start(t->gate, AHEAD_NS);
	delay = counters_run_delay_ns(t->run_delay_fd);
	gate_wait_start(t->gate, 0);
	if (sigsetjmp(touch_escape, 0)) {
		touching = 0;
		return explain_sigbus(job, base, err);
	}
	touching = 1;
	counters_read(&before);
	perf_enable(&t->perf);
	before.cpu_ns = counters_cpu_ns();
	start = clock_now_ns();
	job->type->touch->run(base, pages, job->page_size);
	end = clock_now_ns();
	cpu_end = counters_cpu_ns();
	perf_disable(&t->perf);
	out->end_cpu = sched_getcpu();
	counters_read(&after);
	touching = 0;

	out->run_delay_ns = counters_run_delay_ns(t->run_delay_fd);
	out->run_delay_ns = delay < 0 || out->run_delay_ns < 0 ? -1 : out->run_delay_ns - delay;
	out->freq_khz = -1;
	perf_read(&t->perf, out->perf);
	after.cpu_ns = cpu_end;
	counters_between(&before, &after, &during);
	out->start_ns = start;
	out->wall_ns = end - start;
	out->user_ns = during.user_ns;
	out->sys_ns = during.sys_ns;
	out->minflt = during.minflt;
	out->majflt = during.majflt;
	out->nvcsw = during.nvcsw;
	out->nivcsw = during.nivcsw;
	return 0;
}

void timed_after_finish(struct timed_sample *out)
{
	out->freq_khz = counters_freq_khz(COUNTERS_SYS_CPU, (int)out->end_cpu);
}

int timed_touch(struct timed *t, char *base, struct timed_sample *out, struct err *err)
{
	int ret;

	/* A rehearsal without pages: all code and stack that it needs is resident after that. */
	measure(t, base, 0, out, err);
	ret = gate_wait_open(t->gate);
	return ret ? ret : measure(t, base, t->job->pages, out, err);
}
