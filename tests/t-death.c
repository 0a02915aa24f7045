/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker that dies or fails, at any moment, ends its point with an error naming it. */
#include "config.h"

#include "run.h"
#include "tap.h"
#include "util.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 3, PAGES = 16, EVERY_CALL = -1 };

enum moment { IN_MAP, IN_TOUCH, IN_UNMAP };
enum way { BY_KILL, BY_EXIT, BY_SEGV, BY_BUS, BY_SENT_BUS, BY_ERROR };

/* Which call of a hook is to go wrong, and how. In memory that all processes share. */
static struct {
	enum moment moment;
	enum way way;
	int nth, calls; /* nth may be EVERY_CALL */
} * trap;

/* A store that there is no memory for: a page behind the end of its file. */
static void take_sigbus(void)
{
	int fd = memfd_create("t-death", 0);
	char *p = mmap(NULL, util_page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED)
		*(volatile char *)p = 1;
}

/* Ends the worker, or returns an error, when it is this call's turn. */
static int spring(enum moment moment, struct err *err)
{
	int call;

	if (moment != trap->moment)
		return 0;
	call = __atomic_add_fetch(&trap->calls, 1, __ATOMIC_SEQ_CST);
	if (trap->nth != EVERY_CALL && call != trap->nth)
		return 0;
	switch (trap->way) {
	case BY_KILL:
		raise(SIGKILL);
		break;
	case BY_EXIT:
		_exit(7);
	case BY_SEGV:
		signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler of its own */
		raise(SIGSEGV);
		break;
	case BY_BUS:
		take_sigbus();
		break;
	case BY_SENT_BUS:
		raise(SIGBUS);
		break;
	case BY_ERROR:
		return err_set(err, ENOSPC, "sprung", "on purpose");
	}
	return 0;
}

static int trap_map(struct object *o, struct err *err)
{
	int ret = spring(IN_MAP, err);

	if (ret)
		return ret;
	o->base = mmap(NULL, o->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return o->base == MAP_FAILED ? err_set(err, errno, "mmap", "test") : 0;
}

static int trap_unmap(struct object *o, struct err *err)
{
	munmap(o->base, o->bytes);
	return spring(IN_UNMAP, err);
}

static const struct object_ops trap_object = { .name = "trap",
					       .map = trap_map,
					       .unmap = trap_unmap };

static void trap_touch(char *base, size_t pages, size_t page_size)
{
	struct err err;

	if (!pages) /* the rehearsal */
		return;
	for (size_t i = 0; i < pages; i++)
		*(volatile char *)(base + i * page_size) = 1;
	spring(IN_TOUCH, &err);
}

static const struct touch_ops trap_touches = { .name = "trap", .run = trap_touch };

static int run(struct topology *topology, const struct type *type, struct err *err)
{
	static const struct object_env env = { .tmpfs_dir = "/dev/shm" };
	struct place places[WORKERS];
	struct point p = { .workers = WORKERS };
	struct run_job job = {
		.type = type,
		.topology = topology,
		.env = &env,
		.places = places,
		.workers = WORKERS,
		.oversubscribed = WORKERS > topology->n_cpus,
		.pages = PAGES,
		.page_size = util_page_size(),
	};
	int ret;

	memset(err, 0, sizeof(*err));
	place_workers(topology, place_policies[0], WORKERS, places, err);
	ret = run_repeat(&job, point_add_repeat(&p), err);
	point_drop_repeat(&p);
	free(p.repeats);
	return ret;
}

static void try(struct topology *topology, const struct type *type, enum moment moment,
		enum way way, const char *want, const char *what)
{
	struct err err;
	char text[800];
	int ret;

	trap->moment = moment;
	trap->way = way;
	trap->nth = type->shared && moment != IN_TOUCH ? 1 : 2;
	trap->calls = 0;
	ret = run(topology, type, &err);
	err_text(&err, text, sizeof(text));
	if (!ok(ret < 0 && strstr(text, want), "%s%s: %s", type->model->name,
		type->shared ? ", shared" : "", what))
		printf("# returned %d: %s\n# wants: %s\n", ret, text, want);
	if (!ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "… and leaves no child"))
		printf("# %d\n", errno);
}

static void try_all(struct topology *topology, const struct type *type)
{
	bool fork = !strcmp(type->model->name, "fork");
	/* A thread takes its process along; so does whoever makes the shared object. */
	const char *killed = fork ? "was killed by signal 9" : "the workers' process";
	const char *objects_killed = fork && !type->shared ? killed : "the workers' process";

	try(topology, type, IN_TOUCH, BY_KILL, killed, "killed while touching");
	try(topology, type, IN_TOUCH, BY_SEGV, "was killed by signal 11", "crashed while touching");
	try(topology, type, IN_TOUCH, BY_EXIT, "ended with status 7", "exits while touching");
	try(topology, type, IN_TOUCH, BY_BUS, "SIGBUS", "SIGBUS while touching");
	try(topology, type, IN_TOUCH, BY_SENT_BUS, "was killed by signal 7",
	    "SIGBUS sent while touching");
	try(topology, type, IN_MAP, BY_KILL, objects_killed, "killed while mapping");
	try(topology, type, IN_MAP, BY_ERROR, "sprung: ENOSPC", "an error while mapping");
	try(topology, type, IN_UNMAP, BY_KILL, objects_killed, "killed while unmapping");
	try(topology, type, IN_UNMAP, BY_ERROR, "sprung: ENOSPC", "an error while unmapping");
}

/* The first to fail is who tells; the others, and whoever ends them, must not get in its way. */
static void try_together(struct topology *topology, const struct type *type)
{
	enum { TRIES = 100 };
	int told = 0;

	trap->moment = IN_MAP;
	trap->way = BY_ERROR;
	trap->nth = EVERY_CALL;
	for (int i = 0; i < TRIES; i++) {
		struct err err;

		told += run(topology, type, &err) == -ENOSPC && !strcmp(err.call, "sprung");
	}
	is_int(told, TRIES, "all workers fail at once");
}

int main(void)
{
	struct topology *topology;
	struct err err;
	struct type type = { .object = &trap_object, .touch = &trap_touches };

	trap = mmap(NULL, sizeof(*trap), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* As it is left by some that start programs: nobody is told how children end. */
	signal(SIGCHLD, SIG_IGN);
	if (trap == MAP_FAILED || topology_load(&topology, &err) || run_init(&err)) {
		ok(false, "set up");
		return tap_done();
	}
	for (size_t i = 0; i < n_models; i++) {
		type.model = models[i];
		snprintf(type.label, sizeof(type.label), "%s:trap", models[i]->name);
		for (int shared = 0; shared < 2; shared++) {
			type.shared = shared;
			trap->nth = 0;
			trap->calls = 0;
			ok(!run(topology, &type, &err), "%s%s: no trap, no error", models[i]->name,
			   shared ? ", shared" : "");
			try_all(topology, &type);
			try_together(topology, &type);
		}
	}
	topology_free(topology);
	return tap_done();
}
