/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-perf: the software event counts what getrusage() counts, as far as one may, for every model. */
#include "config.h"

#include "perf.h"
#include "repeat.h"
#include "tap.h"

#include <errno.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, PAGES = 300 };

/* What a child process that is somebody else has seen. In memory shared with it. */
struct seen {
	bool changed; /* it is somebody else */
	int check;
	char text[800];
	int ran, there, agree; /* repeats; of these, with the column; with the right numbers */
};

/* Run a repeat for each model, object and number of workers. */
static void run_all(const struct topology *topology, struct seen *s)
{
	struct err err = { 0 };

	s->check = perf_check(PERF_PAGE_FAULTS, &err);
	err_text(&err, s->text, sizeof(s->text));
	for (size_t i = 0; i < 2 * n_models; i++) {
		struct repeat_test t = {
			.topology = topology,
			.type = { .model = models[i % n_models],
				  .object = objects[i / n_models],
				  .touch = touches[0] },
			.workers = topology->n_cpus + 1,
			.pages = PAGES,
			.perf = true,
		};
		struct point p;
		struct repeat *r = repeat_run(&t, &p, &err);
		bool agree = r && r->perf[PERF_PAGE_FAULTS];

		s->ran += r != NULL;
		s->there += agree;
		for (unsigned w = 0; agree && w < t.workers; w++)
			agree = r->perf[PERF_PAGE_FAULTS][w] == r->minflt[w] + r->majflt[w] &&
				r->perf[PERF_PAGE_FAULTS][w] > 0;
		s->agree += agree;
		repeat_forget(&p);
	}
}

static void judge(const struct seen *s, const char *who)
{
	int all = 2 * (int)n_models;

	is_int(s->ran, all, who);
	if (!s->check) {
		is_int(s->there, all, "… page faults are counted");
		is_int(s->agree, all, "… and are those of getrusage(), for each worker");
		return;
	}
	is_int(s->there, 0, "… page faults cannot be counted, and are absent");
	has_str(s->text, "perf_event_open: E", "… for a reason");
	if (s->check == -EACCES)
		has_str(s->text, "kernel.perf_event_paranoid is ", "… a setting with its value");
	printf("# %s\n", s->text);
}

/* Without the rights of root. */
static void test_as_nobody(const struct topology *topology, struct seen *s)
{
	pid_t child;

	memset(s, 0, sizeof(*s));
	fflush(stdout);
	child = fork();
	if (!child) {
		s->changed = !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
			     !setresuid(NOBODY, NOBODY, NOBODY);
		if (s->changed)
			run_all(topology, s);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (!s->changed) {
		skip("as nobody", "this process cannot become somebody else");
		return;
	}
	judge(s, "as nobody: all repeats run");
	if (s->check)
		skip("counting as nobody", s->text);
}

int main(void)
{
	struct topology *topology;
	struct err err = { 0 };
	struct seen *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED || topology_load(&topology, &err) || run_init(&err)) {
		ok(false, "set up");
		return tap_done();
	}
	run_all(topology, s);
	judge(s, "all repeats run");
	if (s->check)
		skip("counting", s->text);
	test_as_nobody(topology, s);
	run_end();
	topology_free(topology);
	return tap_done();
}
