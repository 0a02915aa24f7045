/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeat: one repeat of a point, for tests that look at what was measured. */
#ifndef PFSCALE_TESTS_REPEAT_H
#define PFSCALE_TESTS_REPEAT_H

#include "place.h"
#include "result.h"
#include "run.h"
#include "util.h"

#include <stdlib.h>

/* What is to be run; the rest is the simplest. */
struct repeat_test {
	const struct topology *topology;
	struct type type;
	unsigned workers;
	uint64_t pages;
	bool perf;
};

/*
 * Run it once. Returns the repeat, in *p, which repeat_forget() frees; NULL with *err filled where
 * it failed.
 */
__attribute__((unused)) static struct repeat *repeat_run(const struct repeat_test *t,
							 struct point *p, struct err *err)
{
	static const struct object_env env = { .tmpfs_dir = "/dev/shm" };
	struct place *places = calloc(t->workers, sizeof(*places));
	struct run_job job = {
		.type = &t->type,
		.topology = t->topology,
		.env = &env,
		.places = places,
		.workers = t->workers,
		.oversubscribed = t->workers > t->topology->n_cpus,
		.perf = t->perf,
		.pages = t->pages,
		.page_size = util_page_size(),
	};
	struct repeat *r;
	int ret;

	*p = (struct point){ .workers = t->workers };
	*err = (struct err){ 0 };
	r = point_add_repeat(p);
	if (!places || !r || place_workers(t->topology, place_policies[0], t->workers, places, err))
		exit(99);
	ret = run_repeat(&job, r, err);
	free(places);
	return ret ? NULL : r;
}

__attribute__((unused)) static void repeat_forget(struct point *p)
{
	if (p->n_repeats)
		point_drop_repeat(p);
	free(p->repeats);
	*p = (struct point){ 0 };
}

#endif
