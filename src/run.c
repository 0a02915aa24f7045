/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run: one repeat of a point → samples; the main process's side. */
#include "config.h"

#include "run.h"

#include "aside.h"
#include "clock.h"
#include "crew.h"
#include "limit.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a team may take to end by itself when it is told to. */
enum { GRACE_MS = 1000 };

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t stop_signal;
static sigset_t normal_mask; /* the one that lets the stop signals in */
static struct aside aside;

static void note_signal(int sig)
{
	if (!stop_signal)
		stop_signal = sig;
}

int run_init(struct err *err)
{
	struct sigaction act = { .sa_handler = note_signal }, old;
	sigset_t held;

	sigemptyset(&held);
	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(stop_signals); i++) {
		if (sigaction(stop_signals[i], NULL, &old))
			return err_set(err, errno, "sigaction", "signal %d", stop_signals[i]);
		/* What nohup or a shell's & has told us to ignore stays ignored. */
		if (old.sa_handler == SIG_IGN)
			continue;
		sigaction(stop_signals[i], &act, NULL);
		sigaddset(&held, stop_signals[i]);
	}
	/* Ignored by whoever started us, the kernel would throw away how our children ended. */
	signal(SIGCHLD, SIG_DFL);
	/* What exceeds RLIMIT_FSIZE then gives EFBIG, here and in the team, instead of a death. */
	signal(SIGXFSZ, SIG_IGN);
	/* They come in only while we wait for a team: there is then no moment to miss one in. */
	sigprocmask(SIG_BLOCK, &held, &normal_mask);
	for (size_t i = 0; i < ARRAY_SIZE(stop_signals); i++)
		sigdelset(&normal_mask, stop_signals[i]);
	/*
	 * Workers whose team process was killed become our children, so that none of them is left
	 * to init. Where that is forbidden, the pipe still tells when the last of them has ended.
	 */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	return 0;
}

void run_end(void)
{
	struct sigaction act;

	aside_end(&aside);
	for (size_t i = 0; i < ARRAY_SIZE(stop_signals); i++) {
		if (!sigaction(stop_signals[i], NULL, &act) && act.sa_handler == note_signal)
			signal(stop_signals[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, &normal_mask, NULL);
}

int run_stop_signal(void)
{
	return stop_signal;
}

/*
 * Wait until every process that holds the pipe's other end has ended. timeout_ms -1: no limit.
 * Returns 1 when all have, 0 after the timeout, -EINTR after a signal.
 */
static int wait_for_end(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct timespec timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	int ret = ppoll(&p, 1, timeout_ms < 0 ? NULL : &timeout, &normal_mask);

	if (ret < 0)
		return errno == EINTR ? -EINTR : 1;
	return ret;
}

/* Wait for the team to end, or end it when a signal asks us to. Returns 0 or -EINTR. */
static int wait_for_crew(pid_t leader, int fd)
{
	int64_t until_ms;
	int ended;

	do
		ended = wait_for_end(fd, -1);
	while (ended == -EINTR && !stop_signal);
	if (ended == 1)
		return 0;
	kill(-leader, SIGTERM);
	/* More signals do not make it longer. */
	until_ms = clock_now_ns() / 1000000 + GRACE_MS;
	do {
		int64_t left_ms = until_ms - clock_now_ns() / 1000000;

		ended = wait_for_end(fd, left_ms > 0 ? (int)left_ms : 0);
	} while (ended == -EINTR);
	if (!ended)
		kill(-leader, SIGKILL);
	return -EINTR;
}

/* Take the exit statuses of the team's process and of orphans; the former goes into *status. */
static void reap(pid_t leader, int *status)
{
	*status = 0;
	for (;;) {
		int s;
		pid_t pid = waitpid(-leader, &s, 0);

		if (pid == leader)
			*status = s;
		if (pid < 0 && errno != EINTR)
			return;
	}
}

/* The team's process, or a worker, was killed: was it the OOM killer, or a limit on CPU time? */
static void explain_kill(int sig, int64_t oom_kills_before, struct err *err)
{
	int64_t now = limit_oom_kills();
	struct rlimit cpu;
	struct limit l;

	if (sig == SIGKILL && oom_kills_before >= 0 && now > oom_kills_before) {
		limit_memory(&l);
		err_limit(err, l.name, "%llu bytes; the OOM killer has struck meanwhile",
			  (unsigned long long)l.value);
	} else if ((sig == SIGKILL || sig == SIGXCPU) && !getrlimit(RLIMIT_CPU, &cpu) &&
		   cpu.rlim_cur != RLIM_INFINITY) {
		err_limit(err, "RLIMIT_CPU", "%llu s", (unsigned long long)cpu.rlim_cur);
	}
}

/* What went wrong in the team, if anything: 0 or a negative errno. */
static int verdict(const struct crew *crew, pid_t leader, int status, int64_t oom_kills_before,
		   struct err *err)
{
	const struct crew_shared *s = crew->shared;

	if (__atomic_load_n(&s->failed, __ATOMIC_ACQUIRE) == CREW_ERR_WRITTEN) {
		*err = s->err;
		explain_kill(s->killed_by, oom_kills_before, err);
		return -err->num;
	}
	if (WIFSIGNALED(status)) {
		err_set(err, ECHILD, "", "the workers' process %d was killed by signal %d (%s)",
			(int)leader, WTERMSIG(status), strsignal(WTERMSIG(status)));
		explain_kill(WTERMSIG(status), oom_kills_before, err);
		return -ECHILD;
	}
	if (status)
		return err_set(err, ECHILD, "", "the workers' process %d ended with status %d",
			       (int)leader, WEXITSTATUS(status));
	/* Nobody complained; but only who says so has measured. */
	for (unsigned i = 0; i < crew->job.workers; i++) {
		if (!s->slots[i].done)
			return err_set(err, ECHILD, "", "worker %u ended before it was done", i);
	}
	return 0;
}

static void collect_worker(const struct crew *crew, unsigned i, struct repeat *out)
{
	const struct crew_slot *slot = &crew->shared->slots[i];
	const struct timed_sample *s = &slot->sample;

	out->cpu[i] = crew->job.places[i].cpu;
	out->node[i] = crew->job.places[i].node;
	out->start_ns[i] = s->start_ns - crew->shared->gate.start_ns;
	out->wall_ns[i] = s->wall_ns;
	out->map_ns[i] = slot->map_ns;
	out->unmap_ns[i] = slot->unmap_ns;
	out->user_ns[i] = s->user_ns;
	out->sys_ns[i] = s->sys_ns;
	out->minflt[i] = s->minflt;
	out->majflt[i] = s->majflt;
	out->nvcsw[i] = s->nvcsw;
	out->nivcsw[i] = s->nivcsw;
	out->run_delay_ns[i] = s->run_delay_ns;
	out->end_cpu[i] = s->end_cpu;
	out->freq_khz[i] = s->freq_khz;
	for (int e = 0; e < PERF_N_EVENTS; e++)
		out->perf[e][i] = s->perf[e];
}

/* Drop a column in which at least `most` entries are not known. */
static void drop_unknown(const struct repeat *r, int64_t **column, unsigned workers, unsigned most)
{
	unsigned unknown = 0;

	for (unsigned i = 0; i < workers; i++)
		unknown += (*column)[i] < 0;
	if (unknown >= most)
		repeat_drop_column(r, column);
}

static void collect(const struct crew *crew, struct repeat *out)
{
	const struct crew_shared *s = crew->shared;
	bool shared = crew->job.type->shared;
	unsigned n = crew->job.workers;

	for (unsigned i = 0; i < n; i++)
		collect_worker(crew, i, out);
	out->shared_map_ns = shared ? s->map_ns : -1;
	out->shared_unmap_ns = shared ? s->unmap_ns : -1;
	if (shared) { /* the team's object is mapped once, for all */
		repeat_drop_column(out, &out->map_ns);
		repeat_drop_column(out, &out->unmap_ns);
	}
	/* In files, an entry of these two cannot be unknown. */
	drop_unknown(out, &out->run_delay_ns, n, 1);
	drop_unknown(out, &out->end_cpu, n, 1);
	drop_unknown(out, &out->freq_khz, n, n);
	for (int e = 0; e < PERF_N_EVENTS; e++)
		drop_unknown(out, &out->perf[e], n, n);
}

/* What a killed process may have left in the moment between making and unlinking an object. */
static void sweep(const struct crew *crew, pid_t leader)
{
	const struct run_job *job = &crew->job;

	object_sweep(job->type->object, job->env, leader);
	for (unsigned i = 0; i < job->workers && !job->type->shared; i++) {
		if (crew->shared->slots[i].pid > 0 && crew->shared->slots[i].pid != leader)
			object_sweep(job->type->object, job->env, crew->shared->slots[i].pid);
	}
}

/* Start the team's process; its pipe end in *fd closes when the last of the team has ended. */
static pid_t start_leader(struct crew *crew, int *fd, struct err *err)
{
	pid_t parent = getpid(), leader;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC)) {
		leader = err_set(err, errno, "pipe2", "a pipe to the workers");
		err_explain_file(err);
		return leader;
	}
	leader = fork();
	if (!leader) {
		close(ends[0]);
		crew_lead(crew, parent, &normal_mask);
	}
	if (leader < 0) {
		leader = err_set(err, errno, "fork", "the workers' process");
		limit_explain_nproc(err);
		close(ends[0]);
	} else {
		setpgid(leader, leader); /* it does the same; whoever comes first */
		*fd = ends[0];
	}
	close(ends[1]);
	return leader;
}

int run_repeat(const struct run_job *job, struct repeat *out, struct err *err)
{
	size_t bytes = sizeof(struct crew_shared) + job->workers * sizeof(struct crew_slot);
	struct crew crew = { .job = *job };
	int64_t oom_kills = limit_oom_kills();
	int ret, fd = -1, status;
	pid_t leader;

	crew.shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (crew.shared == MAP_FAILED) {
		ret = err_set(err, errno, "mmap", "%zu bytes for %u samples", bytes, job->workers);
		limit_explain_nomem(err, bytes);
		return ret;
	}
	aside_begin(&aside, job->topology, job->places, job->workers);
	crew.aside = aside;
	gate_init(&crew.shared->gate, job->workers, !job->oversubscribed);
	leader = start_leader(&crew, &fd, err);
	ret = leader;
	if (leader > 0) {
		ret = wait_for_crew(leader, fd);
		reap(leader, &status);
		close(fd);
		if (!ret)
			ret = verdict(&crew, leader, status, oom_kills, err);
		if (ret)
			sweep(&crew, leader);
	}
	if (!ret)
		collect(&crew, out);
	munmap(crew.shared, bytes);
	return ret;
}
