/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crew: the team's side of one repeat: its process, its workers, and what they tell main. */
#include "config.h"

#include "crew.h"

#include "clock.h"
#include "guard.h"
#include "limit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Record the first failure of a worker, and break the gate: in this order, and by the first alone,
 * because workers that are processes are killed once it is broken, also in the middle of this.
 */
static void fail(struct crew *crew, const struct err *err, unsigned worker)
{
	struct crew_shared *s = crew->shared;
	int free_to_claim = CREW_OK;

	if (!__atomic_compare_exchange_n(&s->failed, &free_to_claim, CREW_ERR_CLAIMED, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	s->err = *err;
	snprintf(s->err.detail, sizeof(s->err.detail), "%.300s%sworker %u of %u", err->detail,
		 err->detail[0] ? ", " : "", worker, crew->job.workers);
	__atomic_store_n(&s->failed, CREW_ERR_WRITTEN, __ATOMIC_RELEASE);
	gate_break(&s->gate);
}

/* The team's process failed, or saw a worker die. No worker is left, nor will be: none interferes.
 */
static void fail_team(struct crew *crew, const struct err *err)
{
	struct crew_shared *s = crew->shared;

	/* What is merely claimed was claimed by one that has died since. */
	if (__atomic_load_n(&s->failed, __ATOMIC_ACQUIRE) == CREW_ERR_WRITTEN)
		return;
	s->err = *err;
	__atomic_store_n(&s->failed, CREW_ERR_WRITTEN, __ATOMIC_RELEASE);
}

/* From the object, mapped, to the finish line. Returns 0, or a negative errno (-ECANCELED: broken).
 */
static int touch_together(struct crew *crew, char *base, struct crew_slot *slot, struct err *err)
{
	struct gate *gate = &crew->shared->gate;
	struct timed timed;
	int ret;

	timed_open(&timed, &crew->job, gate, crew->worker_fds);
	ret = timed_touch(&timed, base, &slot->sample, err);
	if (!ret)
		ret = gate_wait_finish(gate);
	if (!ret)
		timed_after_finish(&slot->sample);
	timed_close(&timed);
	return ret;
}

static int work(struct crew *crew, unsigned worker, struct crew_slot *slot, struct err *err)
{
	const struct run_job *job = &crew->job;
	size_t bytes = (size_t)job->pages * job->page_size;
	struct object own = { 0 };
	struct err ignored;
	int64_t begun;
	int ret;

	ret = topology_bind_thread(job->topology, job->places[worker].cpu, err);
	if (ret)
		return ret;
	if (job->type->shared) {
		if (!job->type->model->one_process)
			guard_parent_at_once();
		return touch_together(crew, crew->object.base + worker * bytes, slot, err);
	}

	begun = clock_now_ns();
	ret = object_map(&own, job->type->object, job->env, bytes, err);
	if (ret)
		return ret;
	slot->map_ns = clock_now_ns() - begun;
	if (!job->type->model->one_process)
		guard_parent_at_once();
	ret = touch_together(crew, own.base, slot, err);
	begun = clock_now_ns();
	if (ret)
		object_unmap(&own, &ignored);
	else
		ret = object_unmap(&own, err);
	slot->unmap_ns = clock_now_ns() - begun;
	return ret;
}

static void worker_main(void *arg, unsigned worker)
{
	struct crew *crew = arg;
	struct crew_slot *slot = &crew->shared->slots[worker];
	struct err err = { 0 };
	int ret;

	slot->pid = getpid();
	ret = work(crew, worker, slot, &err);
	if (!ret)
		__atomic_store_n(&slot->done, true, __ATOMIC_RELEASE);
	else if (ret != -ECANCELED)
		fail(crew, &err, worker);
}

/* Where memory runs out, the team is to be killed and nobody else. Best effort. */
static void volunteer_for_oom(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0) {
		/* An older or stranger system: the kernel chooses then. */
	}
	close(fd);
}

/* Signals of the team: these end it, so that it never outlives main or ignores it. */
static void set_signals(const sigset_t *mask)
{
	timed_catch_sigbus();
	guard_signals();
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/*
 * How many descriptors each worker may hold, for all to have some left to map their objects with.
 * Workers that are threads share one table of them: it is made large enough now, since the kernel
 * lets a process with several threads wait some 10 ms each time that it has to make it larger.
 */
static unsigned share_of_fds(const struct run_job *job)
{
	enum { OURS = 16 }; /* that the team's process has already, at most */
	uint64_t workers = job->type->model->one_process ? job->workers : 1;
	uint64_t wanted = OURS + workers * (timed_most_fds(job) + 1);
	struct rlimit limit;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur < wanted) {
		limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	wanted = limit.rlim_cur < wanted ? limit.rlim_cur : wanted;
	fd = workers > 1 ? open("/", O_PATH | O_CLOEXEC) : -1;
	if (fd >= 0) {
		close(fcntl(fd, F_DUPFD_CLOEXEC, (int)wanted - 1));
		close(fd);
	}
	return wanted < OURS + workers ? 0 : (unsigned)((wanted - OURS - workers) / workers);
}

static void stand_aside(void *arg)
{
	const struct crew *crew = arg;

	aside_step(&crew->aside);
}

static int lead(struct crew *crew, struct err *err)
{
	const struct run_job *job = &crew->job;
	struct crew_shared *s = crew->shared;
	struct team team = {
		.model = job->type->model,
		.workers = job->workers,
		.gate = &s->gate,
		.body = worker_main,
		.all_made = stand_aside,
		.arg = crew,
	};
	int64_t begun = clock_now_ns();
	int ret;

	if (job->type->shared) {
		ret = object_map(&crew->object, job->type->object, job->env,
				 (size_t)job->pages * job->page_size * job->workers, err);
		if (ret)
			return ret;
		s->map_ns = clock_now_ns() - begun;
	}
	if (job->type->shared || !job->type->model->one_process)
		guard_parent_at_once();
	ret = team_run(&team, err);
	s->killed_by = team.killed_by;
	begun = clock_now_ns();
	if (!ret)
		ret = object_unmap(&crew->object, err);
	s->unmap_ns = clock_now_ns() - begun;
	return ret;
}

void crew_lead(struct crew *crew, pid_t parent, const sigset_t *mask)
{
	struct err err = { 0 };

	/* A group of its own: what is sent to main's group at once does not take us unprepared. */
	setpgid(0, 0);
	set_signals(mask);
	if (!guard_parent(parent))
		_exit(1);
	volunteer_for_oom();
	crew->worker_fds = share_of_fds(&crew->job);
	/* Main stands aside, and who makes the workers is to do so only when they are made. */
	aside_return(&crew->aside);
	if (lead(crew, &err))
		fail_team(crew, &err);
	_exit(0);
}
