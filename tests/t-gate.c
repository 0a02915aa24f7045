/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-gate: nobody starts before all are there, nobody leaves early, and a broken gate lets all go.
 */
#include "config.h"

#include "tap.h"

#include "clock.h"
#include "gate.h"
#include "util.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64, NOBODY = -1 };

/* What one worker saw. */
struct seen {
	int start, finish; /* what the gate returned */
	unsigned arrived_at_start, done_at_finish;
	int64_t started_ns;
};

/* A team's memory, shared by processes and threads alike. */
struct shared {
	struct gate gate;
	unsigned arrived, done, at_finish, next;
	int breaker; /* the worker that breaks the gate instead of finishing */
	struct seen seen[MOST];
};

static struct shared *s;

static void *work(void *unused)
{
	int worker = (int)__atomic_fetch_add(&s->next, 1, __ATOMIC_SEQ_CST);
	struct seen *seen = &s->seen[worker];

	__atomic_fetch_add(&s->arrived, 1, __ATOMIC_SEQ_CST);
	seen->start = gate_wait_open(&s->gate);
	if (!seen->start)
		gate_wait_start(&s->gate, 0);
	seen->started_ns = clock_now_ns();
	seen->arrived_at_start = __atomic_load_n(&s->arrived, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&s->done, 1, __ATOMIC_SEQ_CST);
	if (worker == s->breaker) {
		/* once all others are at the finish line, or just before it */
		while (__atomic_load_n(&s->at_finish, __ATOMIC_SEQ_CST) < s->gate.workers - 1)
			sched_yield();
		gate_break(&s->gate);
	}
	__atomic_fetch_add(&s->at_finish, 1, __ATOMIC_SEQ_CST);
	seen->finish = gate_wait_finish(&s->gate);
	seen->done_at_finish = __atomic_load_n(&s->done, __ATOMIC_SEQ_CST);
	return unused;
}

static pthread_t threads[MOST];
static pid_t pids[MOST];

static void start(bool processes, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++) {
		if (!processes) {
			if (pthread_create(&threads[i], NULL, work, NULL))
				exit(99);
			continue;
		}
		pids[i] = fork();
		if (pids[i] < 0)
			exit(99);
		if (!pids[i]) {
			work(NULL);
			_exit(0);
		}
	}
}

/* Returns whether all ended by returning from work(). */
static bool join(bool processes, unsigned n)
{
	bool fine = true;

	for (unsigned i = 0; i < n; i++) {
		int status = 0;

		if (processes)
			waitpid(pids[i], &status, 0);
		else
			pthread_join(threads[i], NULL);
		fine &= !status;
	}
	return fine;
}

static void prepare(unsigned workers, bool spin, int breaker)
{
	memset(s, 0, sizeof(*s));
	s->breaker = breaker;
	memset(&s->gate, 'x', sizeof(s->gate));
	gate_init(&s->gate, workers, spin);
}

static void test_whole(bool processes, unsigned workers, bool spin)
{
	bool all_zero = true, all_arrived = true, all_done = true, none_early = true;

	prepare(workers, spin, NOBODY);
	start(processes, 0, workers);
	ok(join(processes, workers), "%u %s, %s", workers, processes ? "processes" : "threads",
	   spin ? "spinning" : "sleeping");
	for (unsigned i = 0; i < workers; i++) {
		const struct seen *seen = &s->seen[i];

		all_zero &= !seen->start && !seen->finish;
		all_arrived &= seen->arrived_at_start == workers;
		all_done &= seen->done_at_finish == workers;
		none_early &= seen->started_ns >= s->gate.start_ns;
	}
	ok(all_zero, "… both lines return 0");
	ok(all_arrived, "… nobody starts before all have arrived");
	ok(none_early, "… nor before the start time");
	ok(all_done, "… nobody passes the finish line early");
	ok(!gate_broken(&s->gate), "… the gate is whole");
}

/* Until `n` workers have arrived at the start line. */
static void await_started(unsigned n)
{
	while (__atomic_load_n(&s->gate.started, __ATOMIC_SEQ_CST) < n)
		sched_yield();
}

static void all_canceled(unsigned workers, bool started, const char *what)
{
	bool fine = true;

	for (unsigned i = 0; i < workers; i++)
		fine &= s->seen[i].start == (started ? 0 : -ECANCELED) &&
			s->seen[i].finish == -ECANCELED;
	ok(fine, "%s: %u workers go, by -ECANCELED", what, workers);
}

static void test_broken_before(bool processes, unsigned workers, bool spin)
{
	prepare(workers, spin, NOBODY);
	start(processes, 0, workers - 1);
	await_started(workers - 1);
	ok(!gate_broken(&s->gate), "whole while one is missing");
	gate_break(&s->gate);
	ok(gate_broken(&s->gate), "broken");
	/* The last one comes late; it must not open what is broken. */
	start(processes, workers - 1, 1);
	ok(join(processes, workers), "all end");
	all_canceled(workers, false, "broken before it opened");
	ok(gate_broken(&s->gate), "broken for good");
	gate_break(&s->gate);
	ok(gate_broken(&s->gate), "also when broken twice");
}

static void test_broken_at_once(void)
{
	prepare(3, true, NOBODY);
	gate_break(&s->gate);
	start(false, 0, 3);
	ok(join(false, 3), "all end");
	all_canceled(3, false, "broken before anybody came");
}

static void test_broken_after(bool processes, unsigned workers, bool spin)
{
	prepare(workers, spin, 0);
	start(processes, 0, workers);
	ok(join(processes, workers), "all end");
	all_canceled(workers, true, "broken after it opened");
}

static void break_it(int signal)
{
	(void)signal;
	gate_break(&s->gate);
}

/* A process that waits at the start line gets a signal, whose handler breaks the gate. */
static void test_signal(void)
{
	struct sigaction action = { .sa_handler = break_it };
	bool kept;

	sigaction(SIGUSR1, &action, NULL);
	prepare(3, true, NOBODY);
	start(true, 0, 2);
	await_started(2);
	kill(pids[0], SIGUSR1);
	ok(join(true, 2), "broken within a signal handler: both processes end");
	all_canceled(2, false, "broken within a signal handler");

	prepare(1, false, NOBODY);
	errno = 1234;
	raise(SIGUSR1);
	kept = errno == 1234;
	ok(kept && gate_broken(&s->gate), "errno is left alone");
}

/* A handler that does not break it: waiting goes on. */
static void ignore_it(int signal)
{
	(void)signal;
}

static void test_interrupted(void)
{
	struct sigaction action = { .sa_handler = ignore_it };

	sigaction(SIGUSR2, &action, NULL);
	prepare(2, false, NOBODY);
	start(true, 0, 1);
	await_started(1);
	for (int i = 0; i < 20; i++) {
		kill(pids[0], SIGUSR2);
		sched_yield();
	}
	start(true, 1, 1);
	ok(join(true, 2), "signals that break nothing: both processes end");
	ok(!s->seen[0].start && !s->seen[1].start && s->seen[0].arrived_at_start == 2,
	   "… after both have started");
}

/* The spin is a step of its own: it can be rehearsed, and be taken in parts. */
static void test_spin(void)
{
	int64_t ahead = 100000, begun, near;

	prepare(1, true, NOBODY);
	begun = clock_now_ns();
	gate_wait_start(&s->gate, 0);
	ok(!s->gate.start_ns, "before the gate has opened, nobody spins");
	is_int(gate_wait_open(&s->gate), 0, "it opens");
	ok(s->gate.start_ns > begun, "for a start time that was named meanwhile");
	/* Far enough for the clock to tell, however slow the machine. */
	s->gate.start_ns = clock_now_ns() + 20000000;
	near = s->gate.start_ns;
	s->gate.start_ns = INT64_MAX;
	gate_wait_start(&s->gate, INT64_MAX - begun);
	ok(true, "ahead by more than is left: no spin, which would never end");
	s->gate.start_ns = near;
	gate_wait_start(&s->gate, ahead);
	near = clock_now_ns();
	ok(near >= s->gate.start_ns - ahead, "a spin until some time ahead of the start");
	gate_wait_start(&s->gate, 0);
	ok(clock_now_ns() >= s->gate.start_ns, "and the rest of it");

	prepare(1, false, NOBODY);
	is_int(gate_wait_open(&s->gate), 0, "without a spin, it opens too");
	s->gate.start_ns = INT64_MAX;
	gate_wait_start(&s->gate, 0);
	ok(true, "and nobody waits for the time");
}

int main(void)
{
	static const unsigned sizes[] = { 1, 2, 64 };

	alarm(120); /* a gate that does not open must not hang the tests */
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return 99;
	for (int processes = 0; processes < 2; processes++) {
		for (int spin = 0; spin < 2; spin++) {
			for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
				test_whole(processes, sizes[i], spin);
				test_broken_before(processes, sizes[i], spin);
				test_broken_after(processes, sizes[i], spin);
			}
		}
	}
	test_broken_at_once();
	test_spin();
	test_signal();
	test_interrupted();
	return tap_done();
}
