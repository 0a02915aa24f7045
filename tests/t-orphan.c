/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A team ends with its main process, also one whose workers do not listen to signals. */
#include "config.h"

#include "run.h"
#include "tap.h"
#include "util.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 2, HANG_S = 30 };

static int pipe_ends[2]; /* every process of the team holds the second one */

/* As a worker that was stopped: signals but KILL come to nothing. */
static void deaf_touch(char *base, size_t pages, size_t page_size)
{
	sigset_t all;

	(void)base;
	(void)page_size;
	if (!pages) /* the rehearsal */
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	while (write(pipe_ends[1], "x", 1) < 0)
		;
	for (;;)
		pause();
}

static const struct touch_ops deaf = { .name = "deaf", .run = deaf_touch };

/* Be the main process of a run; does not return. */
static void run(struct topology *topology, const struct type *type)
{
	static const struct object_env env = { .tmpfs_dir = "/dev/shm" };
	struct place places[WORKERS];
	struct point p = { .workers = WORKERS };
	struct err err = { 0 };
	struct run_job job = {
		.type = type,
		.topology = topology,
		.env = &env,
		.places = places,
		.workers = WORKERS,
		.oversubscribed = true,
		.pages = 1,
		.page_size = util_page_size(),
	};

	if (!run_init(&err) && !place_workers(topology, place_policies[0], WORKERS, places, &err))
		run_repeat(&job, point_add_repeat(&p), &err);
	_exit(1);
}

/* Read n bytes; returns whether they came. */
static bool read_bytes(size_t n)
{
	char buf[WORKERS];

	while (n) {
		ssize_t got = read(pipe_ends[0], buf, n);

		if (got <= 0)
			return false;
		n -= (size_t)got;
	}
	return true;
}

static void try(struct topology *topology, const struct type *type)
{
	const char *kind = type->shared ? ", shared" : "";
	pid_t main_process;
	char byte;

	if (pipe(pipe_ends)) {
		ok(false, "pipe");
		return;
	}
	main_process = fork();
	if (!main_process)
		run(topology, type);
	close(pipe_ends[1]);
	ok(read_bytes(WORKERS), "fork%s: all workers are at it", kind);
	kill(main_process, SIGKILL);
	waitpid(main_process, NULL, 0);
	/* A worker that stays would keep us here: the alarm ends the test. */
	alarm(HANG_S);
	is_int(read(pipe_ends[0], &byte, 1), 0, "… and none outlives the main process");
	alarm(0);
	close(pipe_ends[0]);
}

int main(void)
{
	struct topology *topology;
	struct err err = { 0 };
	struct type type = { .model = model_find("fork"), .touch = &deaf, .label = "fork:deaf" };

	if (topology_load(&topology, &err)) {
		ok(false, "set up");
		return tap_done();
	}
	for (size_t i = 0; i < n_objects; i++) {
		type.object = objects[i];
		for (int shared = 0; shared < 2; shared++) {
			type.shared = shared;
			try(topology, &type);
		}
	}
	topology_free(topology);
	return tap_done();
}
