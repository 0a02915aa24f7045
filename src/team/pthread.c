/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model pthread: each worker is a thread of one process. */
#include "config.h"

#include "limit.h"
#include "team.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

extern const struct model_ops pthread_ops;

/* A worker needs little; the default of 8 MB would exhaust address space with many of them. */
enum { STACK_BYTES = 256 * 1024 };

struct thread {
	pthread_t id;
	struct team *team;
	unsigned worker;
};

static void *thread_main(void *arg)
{
	struct thread *t = arg;

	t->team->body(t->team->arg, t->worker);
	return NULL;
}

static int pthread_start(struct team *team, struct err *err)
{
	struct thread *t = (struct thread *)team->handles + team->made;
	const char *call = "pthread_attr_init";
	pthread_attr_t attr;
	int num;

	t->team = team;
	t->worker = team->made;
	num = pthread_attr_init(&attr);
	if (!num) {
		call = "pthread_attr_setstacksize";
		num = pthread_attr_setstacksize(&attr, STACK_BYTES);
		if (!num) {
			call = "pthread_create";
			num = pthread_create(&t->id, &attr, thread_main, t);
		}
		pthread_attr_destroy(&attr);
	}
	if (!num)
		return 0;
	err_set(err, num, call, "worker %u of %u", team->made, team->workers);
	if (num == ENOMEM)
		limit_explain_nomem(err, STACK_BYTES);
	else
		limit_explain_nproc(err);
	return -num;
}

/* A thread that dies takes its process along: it is the process's parent that sees it. */
static int pthread_join_all(struct team *team, struct err *err)
{
	struct thread *threads = team->handles;

	for (unsigned i = 0; i < team->made; i++) {
		int num = pthread_join(threads[i].id, NULL);

		if (num)
			return err_set(err, num, "pthread_join", "worker %u", i);
	}
	return 0;
}

const struct model_ops pthread_ops = {
	.name = "pthread",
	.summary = "each worker is a thread of one process",
	.handle_size = sizeof(struct thread),
	.one_process = true,
	.start = pthread_start,
	.join = pthread_join_all,
};
