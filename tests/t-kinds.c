/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one test over all kinds: every object, model and touch, private and shared. */
#include "config.h"

#include "counters.h"
#include "run.h"
#include "tap.h"
#include "util.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unistd.h>

/* What a type may fault beyond one per page. */
enum { SLACK = 4 };

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static const struct object_env env = { .tmpfs_dir = "/dev/shm" };
static struct topology *topology;

/* Huge pages would hide pages from the count; they are a setting of the system, not of ours. */
static bool thp_may_strike(void)
{
	char buf[200];

	return (util_read_file("/sys/kernel/mm/transparent_hugepage/enabled", buf, sizeof(buf)) >
			0 &&
		strstr(buf, "[always]")) ||
	       (util_read_file("/sys/kernel/mm/transparent_hugepage/shmem_enabled", buf,
			       sizeof(buf)) > 0 &&
		!strstr(buf, "[never]") && !strstr(buf, "[advise]"));
}

static int segments(void)
{
	struct shm_info info;

	return shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info) < 0 ? -1 : info.used_ids;
}

static void test_type(const struct type *type, unsigned workers, uint64_t pages)
{
	struct place *places = calloc(workers, sizeof(*places));
	struct point p = { .workers = workers };
	struct run_job job = {
		.type = type,
		.topology = topology,
		.env = &env,
		.places = places,
		.workers = workers,
		.oversubscribed = workers > topology->n_cpus,
		.pages = pages,
		.page_size = util_page_size(),
	};
	struct err err = { 0 };
	struct repeat *r = point_add_repeat(&p);
	char text[800];
	int ret;
	bool counted = true, timed = true, used = true;

	place_workers(topology, place_policies[0], workers, places, &err);
	ret = run_repeat(&job, r, &err);
	err_text(&err, text, sizeof(text));
	if (!ok(!ret, "%s with %u workers of %d pages runs", type->label, workers, (int)pages))
		printf("# %s\n", text);
	for (unsigned i = 0; i < workers && !ret; i++) {
		int64_t faults = r->minflt[i] + r->majflt[i];

		if (faults < (int64_t)pages || faults > (int64_t)pages + SLACK) {
			counted = false;
			printf("# worker %u: %d faults\n", i, (int)faults);
		}
		timed = timed && r->wall_ns[i] > 0 && r->start_ns[i] >= 0;
		/* CPU time is booked in ticks and rounded to µs; it cannot exceed the wall's by
		 * more. */
		used = used && r->user_ns[i] + r->sys_ns[i] <= r->wall_ns[i] + 20000000;
	}
	if (thp_may_strike())
		skip(type->label, "transparent huge pages are on: faults are fewer than pages");
	else if (!ret)
		ok(counted, "%s: one fault per page", type->label);
	if (!ret) {
		ok(timed, "%s: times are positive, none starts early", type->label);
		ok(used, "%s: CPU time is a thread's own", type->label);
		ok(!type->shared == (r->map_ns != NULL) && type->shared == (r->shared_map_ns >= 0),
		   "%s: mapping is timed by whoever maps", type->label);
	}
	point_drop_repeat(&p);
	free(p.repeats);
	free(places);
}

/* Straight at the object: fresh each time, once per page, and released for good. */
static void test_object(const struct object_ops *ops, size_t bytes)
{
	const struct touch_ops *touch = touch_find("write");
	size_t page = util_page_size(), pages = bytes / page;
	struct counters before, after;
	struct err err = { 0 };
	bool fresh = true, zero = true, resident = true;

	for (int repeat = 0; repeat < 4; repeat++) {
		struct object o;

		counters_read(&before);
		counters_read(&after);
		if (object_map(&o, ops, &env, bytes, &err)) {
			ok(false, "%s: map %zu bytes", ops->name, bytes);
			return;
		}
		counters_read(&before);
		touch->run(o.base, pages, page);
		counters_read(&after);
		if (after.minflt - before.minflt < (int64_t)pages ||
		    after.minflt - before.minflt > (int64_t)pages + SLACK)
			fresh = false;
		counters_read(&before);
		touch->run(o.base, pages, page);
		counters_read(&after);
		resident = resident && after.minflt == before.minflt;
		for (size_t i = 0; i < pages; i++)
			zero = zero && o.base[i * page] == 1 && o.base[i * page + 1] == 0;
		if (object_unmap(&o, &err) || object_unmap(&o, &err))
			fresh = false;
	}
	if (thp_may_strike())
		skip(ops->name, "transparent huge pages are on: faults are fewer than pages");
	else
		ok(fresh, "%s: %zu pages fault once, in each of 4 repeats", ops->name, pages);
	ok(resident, "%s: no fault on a second touch", ops->name);
	ok(zero, "%s: one byte is stored per page, in zeroed memory", ops->name);
}

/* What was a tmpfs when the run began may be unmounted in its course: no other is measured. */
static void test_other_file_system(void)
{
	static const struct object_env here = { .tmpfs_dir = "." };
	static const char name[] = "a directory that is on a tmpfs no more";
	const struct object_ops *ops = object_find("tmpfs");
	struct object o = { 0 };
	struct err err = { 0 };

	if (!object_check(ops, &here, &err)) {
		skip(name, "the tests run on a tmpfs");
		return;
	}
	if (!strstr(err.detail, "not on a tmpfs") || access(".", W_OK)) {
		skip(name, "the tests cannot write where they run");
		return;
	}
	is_int(object_map(&o, ops, &here, util_page_size(), &err), -ENODEV, name);
	has_str(err.detail, ". is not on a tmpfs any more", "… it is named");
	is_int(object_unmap(&o, &err), 0, "… nothing is mapped");
}

int main(void)
{
	/* An IPC namespace of our own, so that nobody else's segments come and go in the count. */
	bool alone = !unshare(CLONE_NEWIPC);
	struct err err = { 0 };
	struct type *types;
	size_t n_types, page = util_page_size();
	int before = segments();

	if (topology_load(&topology, &err) || run_init(&err) ||
	    type_select(NULL, 0, &types, &n_types, &err)) {
		ok(false, "set up: %s %s", err.call, err.detail);
		return tap_done();
	}
	ok(n_types == n_models * n_objects * 2,
	   "every model, object, private and shared: %zu types", n_types);
	for (size_t i = 0; i < n_objects; i++) {
		if (object_check(objects[i], &env, &err)) {
			skip(objects[i]->name, err.detail);
			continue;
		}
#ifdef SANITIZED
		if (!strcmp(objects[i]->name, "malloc")) {
			skip("malloc by itself", "the sanitizer's own malloc reuses memory");
			continue;
		}
#endif
		test_object(objects[i], page);
		test_object(objects[i], 7 * page);
		test_object(objects[i], 3000 * page);
	}
	for (size_t i = 0; i < n_types; i++) {
		if (object_check(types[i].object, &env, &err)) {
			skip(types[i].label, err.detail);
			continue;
		}
		test_type(&types[i], 1, 5000);
		test_type(&types[i], topology->n_cpus, 300);
		test_type(&types[i], 2 * topology->n_cpus + 1, 1);
	}
	test_other_file_system();
	if (alone)
		is_int(segments(), before, "as many SysV segments as before");
	else
		skip("as many SysV segments as before", "no IPC namespace of our own (unshare)");
	is_int(waitpid(-1, NULL, WNOHANG), -1, "no child is left");
	is_int(errno, ECHILD, "… none at all");
	free(types);
	topology_free(topology);
	return tap_done();
}
