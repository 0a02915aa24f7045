/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe: measure the canary: what each CPU does in user space, apart from page faults. */
#include "config.h"

#include "probe.h"

#include "clock.h"
#include "guard.h"
#include "limit.h"
#include "probe_cpu.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* One CPU and what was measured on it. */
struct row {
	int cpu;
	double rates[CANARY_N_KINDS]; /* NAN = not measured */
};

/* What main and the probe's process share. */
struct shared {
	bool done;	/* all CPUs were tried */
	unsigned bound; /* those of them that could be measured */
	struct err err; /* why one could not be, or why there is no probe */
	unsigned n;
	struct row rows[];
};

static int compare_cpus(const void *a, const void *b)
{
	int x = ((const struct row *)a)->cpu, y = ((const struct row *)b)->cpu;

	return (x > y) - (x < y);
}

/* Each CPU of the places once, by rising number. */
static void list_cpus(struct shared *s, const struct place *places, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		s->rows[i].cpu = places[i].cpu;
		for (int kind = 0; kind < CANARY_N_KINDS; kind++)
			s->rows[i].rates[kind] = NAN;
	}
	qsort(s->rows, n, sizeof(s->rows[0]), compare_cpus);
	for (unsigned i = 0; i < n; i++) {
		if (!s->n || s->rows[s->n - 1].cpu != s->rows[i].cpu)
			s->rows[s->n++] = s->rows[i];
	}
}

/* One CPU; false when this process could not stay on it. */
static bool measure(const struct topology *t, unsigned long *buffer, int64_t clock_step_ns,
		    struct row *row, struct err *err)
{
	double rates[CANARY_N_KINDS];
	int cpu;

	if (topology_bind_thread(t, row->cpu, err))
		return false;
	probe_cpu_measure(buffer, clock_step_ns, rates);
	/* From a CPU that goes offline, the kernel moves those who are bound to it to another. */
	cpu = sched_getcpu();
	if (cpu >= 0 && cpu != row->cpu) {
		err_set(err, ENODEV, "sched_getcpu", "bound to CPU %d, found on CPU %d", row->cpu,
			cpu);
		return false;
	}
	memcpy(row->rates, rates, sizeof(rates));
	return true;
}

/* The probe's process. It makes nothing that could outlive it, so it may be killed at any moment.
 */
static void probe_main(struct shared *s, const struct topology *t, pid_t parent)
{
	unsigned long *buffer;
	int64_t step_ns;

	guard_parent_at_once();
	if (getppid() != parent)
		_exit(1);
	buffer = probe_cpu_buffer(&s->err);
	if (!buffer)
		_exit(0);
	step_ns = clock_step_ns();
	for (unsigned i = 0; i < s->n; i++)
		s->bound += measure(t, buffer, step_ns, &s->rows[i], &s->err);
	s->done = true;
	_exit(0);
}

/* Start the probe's process; its pipe end in *fd closes when it has ended. */
static pid_t start(struct shared *s, const struct topology *t, int *fd, struct err *err)
{
	pid_t parent = getpid(), child;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC)) {
		child = err_set(err, errno, "pipe2", "a pipe to the probe");
		err_explain_file(err);
		return child;
	}
	child = fork();
	if (!child) {
		close(ends[0]);
		probe_main(s, t, parent);
	}
	if (child < 0) {
		child = err_set(err, errno, "fork", "the probe's process");
		limit_explain_nproc(err);
		close(ends[0]);
	} else {
		*fd = ends[0];
	}
	close(ends[1]);
	return child;
}

/*
 * Wait for the probe's process to end. The stop signals, which run_init() has blocked and which
 * the process itself therefore does not get, come in meanwhile. Returns 0, or -EINTR after one.
 */
static int wait_for_end(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t mask;
	int ret;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigdelset(&mask, SIGINT);
	sigdelset(&mask, SIGTERM);
	sigdelset(&mask, SIGHUP);
	do
		ret = ppoll(&p, 1, NULL, &mask);
	while (ret < 0 && errno == EINTR && !run_stop_signal());
	return ret < 0 && errno == EINTR ? -EINTR : 0;
}

/* How the process ended, as by waitpid(); 0 where that is not told. */
static int reap(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return 0;
	}
	return status;
}

/* What went wrong in the probe, if anything: 0 or a negative errno. */
static int verdict(const struct shared *s, int status, struct err *err)
{
	if (s->done && s->bound)
		return 0;
	if (WIFSIGNALED(status))
		return err_set(err, ECHILD, "", "the probe's process was killed by signal %d (%s)",
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (s->err.num) {
		*err = s->err;
		return -err->num;
	}
	return err_set(err, ECHILD, "", "the probe's process ended before it was done");
}

/* Run the probe's process to its end, whatever that is. */
static int run_process(struct shared *s, const struct topology *t, struct err *err)
{
	int fd = -1, ret, status;
	pid_t child = start(s, t, &fd, err);

	if (child < 0)
		return child;
	ret = wait_for_end(fd);
	if (ret)
		kill(child, SIGKILL);
	status = reap(child);
	close(fd);
	if (ret)
		return err_set(err, EINTR, "", "ended by a signal");
	return verdict(s, status, err);
}

/* A column of numbers; kind CANARY_N_KINDS: the CPUs. NULL when memory ran out. */
static json_t *column(const struct shared *s, int kind)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < s->n && array; i++) {
		const struct row *row = &s->rows[i];
		json_t *value = kind == CANARY_N_KINDS ? json_integer(row->cpu)
				: isfinite(row->rates[kind])
					? json_integer((json_int_t)llround(row->rates[kind]))
					: json_null();

		if (json_array_append_new(array, value)) {
			json_decref(array);
			array = NULL;
		}
	}
	return array;
}

static json_t *to_json(const struct shared *s, const char *when, int64_t order, int64_t at_ns)
{
	json_t *o = json_pack("{s:s, s:I, s:I, s:i, s:i}", "when", when, "at_ns", (json_int_t)at_ns,
			      "order", (json_int_t)order, "work", PROBE_CPU_WORK, "buffer_bytes",
			      PROBE_CPU_BUFFER_BYTES);
	int ret = json_object_set_new(o, "cpu", column(s, CANARY_N_KINDS));

	for (int kind = 0; kind < CANARY_N_KINDS; kind++)
		ret |= json_object_set_new(o, canary_quantities[kind].name, column(s, kind));
	if (ret) {
		json_decref(o);
		o = NULL;
	}
	return o;
}

int probe_run(const struct topology *t, const struct place *places, unsigned n, const char *when,
	      int64_t order, int64_t at_ns, json_t **out, struct err *err)
{
	size_t bytes = sizeof(struct shared) + n * sizeof(struct row);
	struct shared *s;
	int ret;

	if (run_stop_signal())
		return err_set(err, EINTR, "", "ended by a signal");
	if (!n)
		return err_set(err, EINVAL, "", "no CPU to probe");
	s = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED) {
		ret = err_set(err, errno, "mmap", "%zu bytes for the probe", bytes);
		limit_explain_nomem(err, bytes);
		return ret;
	}
	list_cpus(s, places, n);
	ret = run_process(s, t, err);
	if (!ret) {
		*out = to_json(s, when, order, at_ns);
		if (!*out)
			ret = err_set(err, ENOMEM, "malloc", "the canary");
	}
	munmap(s, bytes);
	return ret;
}
