/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-bind: binding threads and processes to CPUs, and what a topology is under a narrow mask. */
#include "config.h"

#include "topology.h"

#include "tap.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[800];

static const char *message(const struct err *err)
{
	err_text(err, text, sizeof(text));
	return text;
}

static void test_affinity(void)
{
	struct topology *all = NULL, *one = NULL;
	struct err err = { 0 };
	cpu_set_t before;
	int last;

	if (sched_getaffinity(0, sizeof(before), &before) || topology_load(&all, &err)) {
		skip("an affinity mask of one CPU", "more CPUs than the test can save");
		return;
	}
	last = all->cpus[all->n_cpus - 1].os_index;
	ok(!topology_bind_thread(all, last, &err), "bind to CPU %d", last);
	is_int(sched_getcpu(), last, "the thread runs there");
	ok(!topology_load(&one, &err), "load under a mask of one CPU");
	is_int(one ? one->n_cpus : 0, 1, "one CPU");
	is_int(one ? one->cpus[0].os_index : -1, last, "the one of the mask");
	is_int(one ? one->cpus[0].smt : -1, 0, "it is the first thread of its core");
	ok(one && one->cpus[0].core <= 0 && one->cpus[0].package <= 0, "numbers start at 0");
	is_int(one ? one->n_nodes : 0, all->n_nodes, "the nodes are all there still");
	topology_free(one);
	topology_free(all);
	sched_setaffinity(0, sizeof(before), &before);
}

struct binding {
	const struct topology *t;
	int cpu, ran_on, ret;
};

static void *bind_in_thread(void *arg)
{
	struct binding *b = arg;
	struct err err;

	b->ret = topology_bind_thread(b->t, b->cpu, &err);
	b->ran_on = sched_getcpu();
	return NULL;
}

static void test_bind(void)
{
	struct topology *t = NULL;
	struct err err = { 0 };
	int status = -1, refused = 0;
	pid_t child;

	if (!ok(!topology_load(&t, &err), "load"))
		return;
	for (unsigned i = 0; i < t->n_cpus; i++) {
		struct binding b = { .t = t, .cpu = t->cpus[i].os_index };
		pthread_t thread;

		if (pthread_create(&thread, NULL, bind_in_thread, &b))
			break;
		pthread_join(thread, NULL);
		refused += b.ret || b.ran_on != b.cpu;
	}
	is_int(refused, 0, "a thread binds itself to each CPU");
	child = fork();
	if (!child) {
		struct binding b = { .t = t, .cpu = t->cpus[t->n_cpus - 1].os_index };

		bind_in_thread(&b);
		_exit(b.ret || b.ran_on != b.cpu);
	}
	waitpid(child, &status, 0);
	is_int(status, 0, "so does a child process");
	is_int(topology_bind_thread(t, 1 << 20, &err), -EINVAL, "a CPU that is not there");
	has_str(message(&err), "sched_setaffinity: EINVAL", "the error names the call");
	has_str(message(&err), "CPU 1048576", "and the CPU");
	is_int(topology_bind_thread(t, -1, &err), -EINVAL, "no CPU at all");
	is_int(topology_bind_thread(t, INT_MAX, &err), -EINVAL, "the largest number");
	topology_free(t);
}

int main(void)
{
	test_affinity();
	test_bind();
	return tap_done();
}
