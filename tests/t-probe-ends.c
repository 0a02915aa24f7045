/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-probe-ends: whatever ends the probe's process, or the main process while it works. */
#include "config.h"

#include "probe.h"

#include "probe_cpu.h"
#include "run.h"
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HANG_S = 30 };

/* What the probe's process does in place of measuring. */
static enum {
	MEASURE,
	KNOW_NOTHING,
	HANG,
	SIGNAL_MAIN_AND_HANG,
	SIGNAL_SELF,
	BE_KILLED,
	EXIT,
	MOVE,
	NO_BUFFER
} act;
static int signal_to_send;
static int pipe_ends[2] = { -1, -1 }; /* the probe's process holds the second one */

static void hang(void)
{
	if (pipe_ends[1] >= 0 && write(pipe_ends[1], "x", 1) != 1)
		_exit(9);
	for (;;)
		pause();
}

/* In place of the ones in the library. */
unsigned long *probe_cpu_buffer(struct err *err)
{
	static unsigned long buffer;

	if (act != NO_BUFFER)
		return &buffer;
	err_set(err, ENOMEM, "mmap", "on purpose");
	return NULL;
}

/* Away from the CPU that this process was bound to. */
static void move(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CPU_ZERO(&set);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (i != cpu)
			CPU_SET((size_t)i, &set);
	}
	sched_setaffinity(0, sizeof(set), &set);
}

void probe_cpu_measure(unsigned long *buffer, int64_t clock_step_ns, double rates[CANARY_N_KINDS])
{
	(void)buffer;
	(void)clock_step_ns;
	for (int kind = 0; kind < CANARY_N_KINDS; kind++)
		rates[kind] = act == KNOW_NOTHING ? NAN : 1000.5;
	switch (act) {
	case SIGNAL_MAIN_AND_HANG:
		kill(getppid(), signal_to_send);
		hang();
		break;
	case HANG:
		hang();
		break;
	case SIGNAL_SELF:
		raise(signal_to_send);
		break;
	case BE_KILLED:
		raise(SIGKILL);
		break;
	case EXIT:
		_exit(3);
	case MOVE:
		move();
		break;
	default:
		break;
	}
}

static struct topology *topology;
static struct place *places;

static int probe(json_t **o, struct err *err)
{
	*o = NULL;
	memset(err, 0, sizeof(*err));
	return probe_run(topology, places, topology->n_cpus, "after", 0, 0, o, err);
}

static bool no_child(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* Run what sets signals in a process of its own; returns its exit status, -1 if it was killed. */
static int apart(int (*body)(void))
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		alarm(HANG_S);
		_exit(body());
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* 0 = as it should be; else which of the checks failed. */
static int signalled(void)
{
	struct err err = { 0 };
	json_t *o;

	if (run_init(&err))
		return 1;
	if (act == HANG) /* it has come before anything was begun, and is let in only there */
		raise(signal_to_send);
	if (probe(&o, &err) != -EINTR || err.num != EINTR)
		return 2;
	if (o || !no_child())
		return 3;
	if (run_stop_signal() != signal_to_send)
		return 4;
	act = MEASURE;
	if (probe(&o, &err) != -EINTR || o)
		return 5;
	return no_child() ? 0 : 6;
}

/* A Ctrl-C goes to the whole group; only the main process is to decide. */
static int signalled_itself(void)
{
	struct err err = { 0 };
	json_t *o;

	if (run_init(&err))
		return 1;
	if (probe(&o, &err))
		return 2;
	json_decref(o);
	return run_stop_signal() || !no_child() ? 3 : 0;
}

/* Some who start programs leave it so: nobody is told how children end. */
static int deaf_to_children(void)
{
	struct err err = { 0 };
	json_t *o;

	signal(SIGCHLD, SIG_IGN);
	if (probe(&o, &err))
		return 1;
	json_decref(o);
	act = BE_KILLED;
	if (probe(&o, &err) != -ECHILD)
		return 2;
	return no_child() ? 0 : 3;
}

static void test_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		signal_to_send = signals[i];
		act = SIGNAL_MAIN_AND_HANG;
		is_int(apart(signalled), 0, "a signal in the probe ends it, and leaves no child");
		act = HANG;
		is_int(apart(signalled), 0, "… so does one that has come before");
		act = SIGNAL_SELF;
		is_int(apart(signalled_itself), 0, "… one to its process alone does not");
	}
	act = MEASURE;
	is_int(apart(deaf_to_children), 0, "without being told of ends of children");
}

static void test_ends(void)
{
	static const struct {
		int act, want;
		const char *text, *what;
	} rows[] = {
		{ BE_KILLED, -ECHILD, "killed by signal 9", "its process is killed" },
		{ EXIT, -ECHILD, "ended before it was done", "its process exits" },
		{ NO_BUFFER, -ENOMEM, "mmap: ENOMEM (Cannot allocate memory): on purpose",
		  "its process has no memory" },
	};
	struct err err;
	char text[800];
	json_t *o;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		act = rows[i].act;
		is_int(probe(&o, &err), rows[i].want, rows[i].what);
		err_text(&err, text, sizeof(text));
		has_str(text, rows[i].text, "… the error says so");
		ok(!o && no_child(), "… nothing is left");
	}
}

static void test_numbers(void)
{
	struct err err;
	json_t *o;

	act = MEASURE;
	is_int(probe(&o, &err), 0, "numbers of each CPU");
	is_int(json_integer_value(json_array_get(json_object_get(o, "spins_per_s"), 0)), 1001,
	       "… are whole ones");
	json_decref(o);
	act = KNOW_NOTHING;
	is_int(probe(&o, &err), 0, "no numbers");
	ok(json_is_null(json_array_get(json_object_get(o, "spins_per_s"), 0)), "… are null");
	json_decref(o);
	act = MOVE;
	if (topology->n_cpus < 2) {
		skip("moved to another CPU", "there is only one");
		return;
	}
	is_int(probe(&o, &err), -ENODEV, "moved to another CPU");
	has_str(err.detail, "bound to CPU", "… the error says so");
	ok(!o, "… there are no numbers then");
}

static int be_main(void)
{
	struct err err = { 0 };
	json_t *o;

	return run_init(&err) || probe(&o, &err);
}

/* Wait for the end of the probe's process whose main process was killed. */
static void test_orphan(void)
{
	pid_t main_process;
	char byte;

	act = HANG;
	if (pipe(pipe_ends)) {
		ok(false, "pipe");
		return;
	}
	main_process = fork();
	if (!main_process)
		_exit(be_main());
	close(pipe_ends[1]);
	pipe_ends[1] = -1;
	is_int(read(pipe_ends[0], &byte, 1), 1, "the probe's process is at it");
	kill(main_process, SIGKILL);
	waitpid(main_process, NULL, 0);
	/* A process that stays would keep us here: the alarm ends the test. */
	alarm(HANG_S);
	is_int(read(pipe_ends[0], &byte, 1), 0, "… and does not outlive the main process");
	alarm(0);
	close(pipe_ends[0]);
}

int main(void)
{
	struct err err = { 0 };

	if (topology_load(&topology, &err)) {
		ok(false, "this machine's topology");
		return tap_done();
	}
	places = calloc(topology->n_cpus, sizeof(*places));
	for (unsigned i = 0; i < topology->n_cpus && places; i++)
		places[i].cpu = topology->cpus[i].os_index;
	test_signals();
	test_ends();
	test_numbers();
	test_orphan();
	free(places);
	topology_free(topology);
	return tap_done();
}
