/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals and the parent's death end a process, but not while a thread of it makes an object. */
#include "config.h"

#include "guard.h"
#include "object.h"
#include "tap.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAKERS = 3 };

/* In memory that the process and its parent share. */
static struct {
	int begun;    /* makers that are within the hook */
	int go_on;    /* how many of them may leave it */
	int finished; /* how many have */
	int late;     /* makers that have begun after the signal */
	int survived; /* the signal has come, and the process was there yet */
} * seen;

static int get(const int *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void wait_for(const int *word, int least)
{
	while (get(word) < least)
		sched_yield();
}

static int slow_map(struct object *o, struct err *err)
{
	int me;

	(void)err;
	if (get(&seen->survived)) {
		__atomic_add_fetch(&seen->late, 1, __ATOMIC_SEQ_CST);
		return 0;
	}
	me = __atomic_add_fetch(&seen->begun, 1, __ATOMIC_SEQ_CST);
	wait_for(&seen->go_on, me);
	o->base = (char *)o;
	__atomic_add_fetch(&seen->finished, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static const struct object_ops slow = { .name = "slow", .map = slow_map };

static void *make(void *arg)
{
	struct object o;
	struct err err;

	(void)arg;
	object_map(&o, &slow, NULL, 4096, &err);
	return NULL;
}

/* A process with so many makers is sent the signal by itself; then they finish, one by one. */
static void struck(int sig, int makers)
{
	pthread_t thread;

	alarm(20);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
	guard_signals();
	for (int i = 0; i < makers; i++)
		pthread_create(&thread, NULL, make, NULL);
	wait_for(&seen->begun, makers);
	kill(getpid(), sig);
	__atomic_store_n(&seen->survived, 1, __ATOMIC_SEQ_CST);
	pthread_create(&thread, NULL, make, NULL);
	for (int i = 1; i <= makers; i++) {
		__atomic_store_n(&seen->go_on, i, __ATOMIC_SEQ_CST);
		if (i < makers)
			wait_for(&seen->finished, i);
	}
	for (;;)
		pause();
}

static void try(int sig, int makers, const char *name)
{
	int status = 0;
	pid_t pid;

	memset(seen, 0, sizeof(*seen));
	fflush(stdout);
	pid = fork();
	if (!pid)
		struck(sig, makers);
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == sig, "%s, %d makers: it ends the process",
	   name, makers);
	is_int(get(&seen->finished), makers, "… when all that was begun is finished");
	is_int(get(&seen->late), 0, "… and nothing was begun after it");
}

/* A worker is a process that was forked by one that is guarded. */
static void try_child(void)
{
	int status = 0;
	pid_t pid;

	memset(seen, 0, sizeof(*seen));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		guard_signals();
		pid = fork();
		if (!pid)
			struck(SIGTERM, 1);
		waitpid(pid, &status, 0);
		_exit(WIFSIGNALED(status) ? WTERMSIG(status) : 99);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == SIGTERM, "a forked child is guarded, too");
	is_int(get(&seen->finished), 1, "… and finishes what it has begun");
}

/* A process whose parent is killed, while it is stopped itself or not, ends. */
static void try_orphan(bool stopped)
{
	int status = 0, ends[2];
	pid_t pid, child = 0;
	char c;

	fflush(stdout);
	if (pipe(ends)) {
		ok(false, "pipe");
		return;
	}
	memset(seen, 0, sizeof(*seen));
	pid = fork();
	if (!pid) {
		alarm(20);
		child = fork();
		if (!child) {
			alarm(20);
			close(ends[0]);
			setpgid(0, 0);
			guard_signals();
			if (guard_parent(getppid()))
				seen->begun = getpid();
			for (;;)
				pause();
		}
		close(ends[1]);
		wait_for(&seen->begun, 1);
		/* Resumed, it goes on as before. */
		kill(child, SIGSTOP);
		waitpid(child, &status, WUNTRACED);
		kill(child, SIGCONT);
		waitpid(child, &status, WCONTINUED);
		seen->survived = WIFCONTINUED(status) && !kill(child, 0);
		if (stopped) {
			kill(child, SIGSTOP);
			waitpid(child, &status, WUNTRACED);
		}
		raise(SIGKILL);
	}
	close(ends[1]);
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && seen->survived,
	   "stopping and resuming alone does not end it");
	ok(!read(ends[0], &c, 1), "%s, it ends with its parent", stopped ? "stopped" : "running");
	close(ends[0]);
}

int main(void)
{
	static const struct {
		int number;
		const char *name;
	} signals[] = {
		{ SIGTERM, "TERM" }, { SIGINT, "INT" }, { SIGHUP, "HUP" }, { SIGQUIT, "QUIT" }
	};

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED) {
		ok(false, "set up");
		return tap_done();
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		for (int makers = 0; makers <= MAKERS; makers++)
			try(signals[i].number, makers, signals[i].name);
	}
	try_child();
	try_orphan(false);
	try_orphan(true);
	return tap_done();
}
