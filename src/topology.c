/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology: a snapshot of nodes, CPUs and distances, by hwloc; of this machine or of another one.
 */
#include "config.h"

#include "topology.h"

#include "topology_nodes.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int out_of_memory(struct err *err)
{
	return err_set(err, ENOMEM, "malloc", "the machine's topology");
}

/* hwloc's calls that fail do not always say why. */
static int hwloc_trouble(const char *call, const char *what, struct err *err)
{
	return err_set(err, errno > 0 ? errno : EINVAL, call, "%s", what);
}

/*
 * What is not asked for is not read. x86 asks each CPU in turn, by running on it; the others look
 * for devices and some of them print.
 */
static void set_aside(hwloc_topology_t h)
{
#if HWLOC_API_VERSION >= 0x00020100
	static const char *const components[] = { "x86",  "opencl",    "cuda", "nvml",
						  "rsmi", "levelzero", "gl",   "pci" };

	for (size_t i = 0; i < ARRAY_SIZE(components); i++)
		hwloc_topology_set_components(h, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
					      components[i]);
#else
	(void)h;
#endif
}

static unsigned long load_flags(void)
{
	/* Nodes and CPUs that are not allowed still belong into the picture. */
#if HWLOC_API_VERSION >= 0x00020800
	return HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING |
	       HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#elif HWLOC_API_VERSION >= 0x00020100
	return HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
#else
	return HWLOC_TOPOLOGY_FLAG_WHOLE_SYSTEM;
#endif
}

/*
 * Plugins are loaded whether used or not. Those for devices take milliseconds, and can print;
 * libxml2 is only of use for a file. stderr is the program's own. Who has set these variables
 * knows why.
 */
static void set_environment(bool this_machine)
{
	static const char plugins[] =
		"hwloc_xml_libxml,hwloc_opencl,hwloc_cuda,hwloc_nvml,hwloc_rsmi,"
		"hwloc_levelzero,hwloc_gl,hwloc_pci";

	setenv("HWLOC_HIDE_ERRORS", "2", 0);
	setenv("HWLOC_PLUGINS_BLACKLIST", this_machine ? plugins : strchr(plugins, ',') + 1, 0);
}

static int prepare(hwloc_topology_t *h, bool this_machine, struct err *err)
{
	static const hwloc_obj_type_t kept[] = { HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE,
						 HWLOC_OBJ_CORE };

	set_environment(this_machine);
	errno = 0;
	if (hwloc_topology_init(h))
		return hwloc_trouble("hwloc_topology_init", "", err);
	hwloc_topology_set_all_types_filter(*h, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(*h, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		hwloc_topology_set_type_filter(*h, kept[i], HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_flags(*h, load_flags());
	set_aside(*h);
	return 0;
}

/*
 * The calling thread's affinity mask. The kernel keeps it within the CPUs that are online and in
 * the cpuset, so that it is all of "online ∩ allowed ∩ affinity", whatever of /sys can be seen.
 */
static int read_affinity(hwloc_bitmap_t mask, struct err *err)
{
	int cpus = 1024;
	cpu_set_t *set;

	for (;; cpus *= 2) {
		size_t size = CPU_ALLOC_SIZE(cpus);
		int ret;

		set = CPU_ALLOC(cpus);
		if (!set)
			return out_of_memory(err);
		ret = sched_getaffinity(0, size, set) ? errno : 0;
		/* EINVAL: the kernel's masks are longer. */
		if (ret == EINVAL && cpus <= INT_MAX / 4) {
			CPU_FREE(set);
			continue;
		}
		for (int i = 0; !ret && i < cpus; i++) {
			if (CPU_ISSET_S(i, size, set) && hwloc_bitmap_set(mask, (unsigned)i))
				ret = ENOMEM;
		}
		CPU_FREE(set);
		return ret ? err_set(err, ret, "sched_getaffinity", "the allowed CPUs") : 0;
	}
}

/* Numbers objects of one type as they are met, in logical order. */
struct numbering {
	hwloc_obj_t last;
	int number;
};

static int number_of(struct numbering *n, hwloc_obj_t obj)
{
	if (!obj)
		return -1;
	if (obj != n->last) {
		n->last = obj;
		n->number++;
	}
	return n->number;
}

/* t->cpus: those of `mask`, first the ones that hwloc knows, in its order, then any others. */
static int list_cpus(struct topology *t, hwloc_const_bitmap_t mask, struct err *err)
{
	struct numbering core = { NULL, -1 }, package = { NULL, -1 }, l3 = { NULL, -1 };
	hwloc_bitmap_t rest = hwloc_bitmap_dup(mask);
	int weight = hwloc_bitmap_weight(mask), prev = -1, smt = 0;
	hwloc_obj_t pu = NULL;

	t->cpus = calloc(weight > 0 ? (size_t)weight : 1, sizeof(*t->cpus));
	if (!rest || !t->cpus) {
		hwloc_bitmap_free(rest);
		return out_of_memory(err);
	}
	while ((pu = hwloc_get_next_obj_by_type(t->hwloc, HWLOC_OBJ_PU, pu))) {
		struct topology_cpu *c = &t->cpus[t->n_cpus];

		if (!hwloc_bitmap_isset(rest, pu->os_index))
			continue;
		hwloc_bitmap_clr(rest, pu->os_index);
		*c = (struct topology_cpu){ .os_index = (int)pu->os_index, .os_node = -1 };
		c->core = number_of(&core,
				    hwloc_get_ancestor_obj_by_type(t->hwloc, HWLOC_OBJ_CORE, pu));
		c->package = number_of(
			&package, hwloc_get_ancestor_obj_by_type(t->hwloc, HWLOC_OBJ_PACKAGE, pu));
		c->l3 = number_of(&l3,
				  hwloc_get_ancestor_obj_by_type(t->hwloc, HWLOC_OBJ_L3CACHE, pu));
		smt = c->core >= 0 && c->core == prev ? smt + 1 : 0;
		c->smt = smt;
		prev = c->core;
		t->n_cpus++;
	}
	for (int i = hwloc_bitmap_first(rest); i >= 0; i = hwloc_bitmap_next(rest, i))
		t->cpus[t->n_cpus++] = (struct topology_cpu){ i, -1, -1, 0, -1, -1 };
	hwloc_bitmap_free(rest);
	return t->n_cpus ? 0 : err_set(err, EINVAL, "", "the topology has no CPU to use");
}

/* Take the snapshot out of a loaded t->hwloc. */
static int take(struct topology *t, struct err *err)
{
	hwloc_bitmap_t mask;
	int ret;

	t->is_this_machine = hwloc_topology_is_thissystem(t->hwloc);
	mask = t->is_this_machine ? hwloc_bitmap_alloc()
				  : hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(t->hwloc));
	ret = mask ? 0 : out_of_memory(err);
	if (!ret && t->is_this_machine)
		ret = read_affinity(mask, err);
	if (!ret)
		ret = list_cpus(t, mask, err);
	if (!ret && topology_nodes_find(t))
		ret = out_of_memory(err);
	hwloc_bitmap_free(mask);
	return ret;
}

/* Load by one of hwloc's sources; set NULL: this machine. */
static int load(struct topology **out, int (*set)(hwloc_topology_t h, const char *what),
		const char *set_name, const char *what, struct err *err)
{
	struct topology *t = calloc(1, sizeof(*t));
	int ret = t ? prepare(&t->hwloc, !set, err) : out_of_memory(err);

	errno = 0;
	if (!ret && set && set(t->hwloc, what))
		ret = hwloc_trouble(set_name, what, err);
	if (!ret && hwloc_topology_load(t->hwloc))
		ret = hwloc_trouble("hwloc_topology_load", what, err);
	if (!ret)
		ret = take(t, err);
	if (ret) {
		topology_free(t);
		return ret;
	}
	*out = t;
	return 0;
}

int topology_load(struct topology **out, struct err *err)
{
	return load(out, NULL, "", "this machine", err);
}

int topology_load_synthetic(struct topology **out, const char *description, struct err *err)
{
	int ret = load(out, hwloc_topology_set_synthetic, "hwloc_topology_set_synthetic",
		       description, err);

	if (ret == -EINVAL)
		return err_usage(err, "topology", description,
				 "an hwloc synthetic description, such as \"pack:2 core:4 pu:2\"");
	return ret;
}

int topology_load_xml(struct topology **out, const char *path, struct err *err)
{
	char byte;
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;

	/* hwloc says EINVAL to everything; a file that cannot be read deserves its own errno. */
	if (fd < 0)
		return err_set(err, errno, "open", "%s", path);
	if (read(fd, &byte, 1) < 0)
		ret = err_set(err, errno, "read", "%s", path);
	close(fd);
	if (ret)
		return ret;
	ret = load(out, hwloc_topology_set_xml, "hwloc_topology_set_xml", path, err);
	if (ret == -EINVAL)
		return err_set(err, EINVAL, "", "%s: not a topology in hwloc's XML, or damaged",
			       path);
	return ret;
}

void topology_free(struct topology *t)
{
	if (!t)
		return;
	if (t->hwloc)
		hwloc_topology_destroy(t->hwloc);
	free(t->cpus);
	free(t->nodes);
	free(t->distances);
	free(t);
}

/*
 * The mask stands on the stack wherever it can: the first malloc() of a thread makes an arena of
 * its own, which would cost more than the rest and be there while the thread is timed.
 */
int topology_bind_thread(const struct topology *t, int os_cpu, struct err *err)
{
	cpu_set_t small[8], *set = small;
	size_t size;
	int ret;

	if (!t->is_this_machine)
		return err_set(err, EOPNOTSUPP, "sched_setaffinity",
			       "CPU %d: the topology is not this machine's", os_cpu);
	if (os_cpu < 0 || os_cpu == INT_MAX)
		return err_set(err, EINVAL, "sched_setaffinity", "CPU %d", os_cpu);
	size = CPU_ALLOC_SIZE(os_cpu + 1);
	if (size > sizeof(small))
		set = malloc(size);
	if (!set)
		return err_set(err, ENOMEM, "malloc", "the mask of CPU %d", os_cpu);
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)os_cpu, size, set);
	ret = sched_setaffinity(0, size, set) ? errno : 0;
	if (set != small)
		free(set);
	return ret ? err_set(err, ret, "sched_setaffinity", "CPU %d", os_cpu) : 0;
}

int topology_node_of_cpu(const struct topology *t, int os_cpu)
{
	for (unsigned i = 0; i < t->n_cpus; i++) {
		if (t->cpus[i].os_index == os_cpu)
			return t->cpus[i].os_node;
	}
	return -1;
}
