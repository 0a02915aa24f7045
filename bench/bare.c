/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bare: the same mapping, touching and unmapping as pfscale's, by hand and with nothing around it.
 */
#include "config.h"

#include "bare.h"

#include "bench.h"
#include "place.h"
#include "topology.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the workers of one repeat share. */
struct shared {
	pthread_barrier_t start, finish;
	bool timed;	 /* there is a finish line, too */
	int failed;	 /* errno of a worker */
	int64_t wall_ns; /* the longest touch */
};

struct worker {
	const struct bare *b;
	struct shared *shared;
	char *base; /* of the shared object, else NULL */
	unsigned number;
	pthread_t thread;
	pid_t pid;
};

static void touch(char *base, size_t pages, size_t page_size)
{
	for (volatile char *p = base; pages; pages--, p += page_size)
		*p = 1;
}

int bare_pin(int cpu)
{
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int ret;

	if (!set)
		return -1;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	ret = sched_setaffinity(0, bytes, set);
	CPU_FREE(set);
	return ret;
}

static char *map_file(int fd, size_t bytes)
{
	char *base = MAP_FAILED;

	if (fd >= 0) {
		base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	return base;
}

/* Returns MAP_FAILED and errno on failure. */
static char *map(enum bare_object object, size_t bytes)
{
	char *base;
	int fd;

	switch (object) {
	case BARE_ZERO:
		return map_file(open("/dev/zero", O_RDWR), bytes);
	case BARE_TMPFS:
		fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
		if (fd >= 0 && ftruncate(fd, (off_t)bytes)) {
			close(fd);
			fd = -1;
		}
		return map_file(fd, bytes);
	case BARE_SHMEM:
		fd = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
		if (fd < 0)
			return MAP_FAILED;
		base = shmat(fd, NULL, 0);
		shmctl(fd, IPC_RMID, NULL);
		return base; /* shmat() fails with the same value as mmap() */
	default:
		return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	}
}

static void unmap(enum bare_object object, char *base, size_t bytes)
{
	if (object == BARE_SHMEM)
		shmdt(base);
	else
		munmap(base, bytes);
}

static void note_wall(struct shared *s, int64_t wall_ns)
{
	int64_t most = __atomic_load_n(&s->wall_ns, __ATOMIC_RELAXED);

	while (wall_ns > most && !__atomic_compare_exchange_n(&s->wall_ns, &most, wall_ns, false,
							      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* From the start line on. */
static void touch_together(const struct worker *w, char *base)
{
	const struct bare *b = w->b;
	int64_t begun;

	/* Also after a failure: the others are waiting. */
	pthread_barrier_wait(&w->shared->start);
	if (base != MAP_FAILED) {
		begun = bench_now_ns();
		touch(base, b->pages, b->page_size);
		note_wall(w->shared, bench_now_ns() - begun);
	}
	/* Unmapping is not to hold up the touch of another worker while that is timed. */
	if (w->shared->timed)
		pthread_barrier_wait(&w->shared->finish);
}

static void work(const struct worker *w)
{
	const struct bare *b = w->b;
	size_t bytes = b->pages * b->page_size;
	bool failed = bare_pin(b->cpus[w->number]) < 0;
	char *base;

	if (b->shared)
		base = w->base + w->number * bytes;
	else
		base = map(b->object, bytes);
	if (failed || base == MAP_FAILED)
		w->shared->failed = errno;
	touch_together(w, base);
	if (!b->shared && base != MAP_FAILED)
		unmap(b->object, base, bytes);
}

static void *thread_main(void *arg)
{
	work(arg);
	return NULL;
}

static int run_threads(struct worker *workers, unsigned n, struct err *err)
{
	for (unsigned i = 0; i < n; i++) {
		int num = pthread_create(&workers[i].thread, NULL, thread_main, &workers[i]);

		if (num)
			return err_set(err, num, "pthread_create", "worker %u of %u", i, n);
	}
	for (unsigned i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
	return 0;
}

static int run_processes(struct worker *workers, unsigned n, struct err *err)
{
	int ret = 0, status;
	unsigned made = 0;

	for (; made < n && !ret; made++) {
		workers[made].pid = fork();
		if (!workers[made].pid) {
			work(&workers[made]);
			_exit(0);
		}
		if (workers[made].pid < 0) {
			ret = err_set(err, errno, "fork", "worker %u of %u", made, n);
			break;
		}
	}
	for (unsigned i = 0; i < made; i++) {
		if (ret)
			kill(workers[i].pid, SIGKILL);
		waitpid(workers[i].pid, &status, 0);
		if (!ret && status)
			ret = err_set(err, ECHILD, "", "worker %u ended with status %d", i, status);
	}
	return ret;
}

static int run_workers(const struct bare *b, struct shared *s, struct worker *workers,
		       struct err *err)
{
	size_t bytes = b->pages * b->page_size * b->workers;
	char *base = NULL;
	int ret;

	if (b->shared) {
		base = map(b->object, bytes);
		if (base == MAP_FAILED)
			return err_set(err, errno, "mmap", "a shared object of %zu bytes", bytes);
	}
	for (unsigned i = 0; i < b->workers; i++)
		workers[i] = (struct worker){ .b = b, .shared = s, .base = base, .number = i };
	ret = b->threads ? run_threads(workers, b->workers, err)
			 : run_processes(workers, b->workers, err);
	if (base)
		unmap(b->object, base, bytes);
	if (!ret && s->failed)
		ret = err_set(err, s->failed, "mmap", "an object of a worker");
	return ret;
}

static struct shared *new_shared(struct err *err)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s != MAP_FAILED)
		return s;
	err_set(err, errno, "mmap", "what workers share");
	return NULL;
}

static void init_barriers(struct shared *s, unsigned workers)
{
	pthread_barrierattr_t attr;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&s->start, &attr, workers);
	pthread_barrier_init(&s->finish, &attr, workers);
	pthread_barrierattr_destroy(&attr);
}

int bare_run(const struct bare *b, int64_t *wall_ns, struct err *err)
{
	struct worker *workers = calloc(b->workers, sizeof(*workers));
	struct shared *s = new_shared(err);
	int ret;

	if (!workers || !s) {
		ret = s ? err_set(err, ENOMEM, "calloc", "%u workers", b->workers) : -err->num;
	} else {
		init_barriers(s, b->workers);
		s->timed = wall_ns;
		ret = run_workers(b, s, workers, err);
		if (wall_ns)
			*wall_ns = s->wall_ns;
	}
	if (s)
		munmap(s, sizeof(*s));
	free(workers);
	return ret;
}

void bare_set_type(struct bare *b, unsigned number)
{
	b->threads = number / BARE_N_OBJECTS / 2 % 2;
	b->object = number / 2 % BARE_N_OBJECTS;
	b->shared = number % 2;
}

const char *bare_label(const struct bare *b, char *buf, size_t len)
{
	static const char *const objects[BARE_N_OBJECTS] = { "", ":zero", ":shmem", ":tmpfs" };

	snprintf(buf, len, "%s%s%s", b->threads ? "pthread" : "fork", objects[b->object],
		 b->shared ? ":shared" : "");
	return buf;
}

int *bare_cpus(unsigned workers, struct err *err)
{
	struct place *places = calloc(workers, sizeof(*places));
	int *cpus = calloc(workers, sizeof(*cpus));
	struct topology *t = NULL;
	int ret;

	if (places && cpus)
		ret = topology_load(&t, err);
	else
		ret = err_set(err, ENOMEM, "calloc", "places of %u workers", workers);
	if (!ret)
		ret = place_workers(t, place_policies[0], workers, places, err);
	for (unsigned i = 0; i < workers && !ret; i++)
		cpus[i] = places[i].cpu;
	if (t)
		topology_free(t);
	free(places);
	if (!ret)
		return cpus;
	free(cpus);
	return NULL;
}

int bare_allowed_cpus(struct err *err)
{
	struct topology *t;
	int ret = topology_load(&t, err);

	if (ret)
		return ret;
	ret = (int)t->n_cpus;
	topology_free(t);
	return ret;
}
