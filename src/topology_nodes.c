/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_nodes: the NUMA side of a topology snapshot: nodes, whose CPUs are whose, distances. */
#include "config.h"

#include "topology_nodes.h"

#include "util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_os_index(const void *a, const void *b)
{
	const hwloc_obj_t *x = a, *y = b;

	return ((*x)->os_index > (*y)->os_index) - ((*x)->os_index < (*y)->os_index);
}

/* All nodes by rising OS index; free() the array. In hwloc 2 they are no level of the tree. */
static hwloc_obj_t *sorted_nodes(hwloc_topology_t h, unsigned *n)
{
	int count = hwloc_get_nbobjs_by_depth(h, HWLOC_TYPE_DEPTH_NUMANODE);
	hwloc_obj_t *objs;

	*n = count > 0 ? (unsigned)count : 0;
	objs = calloc(*n + 1, sizeof(hwloc_obj_t));
	for (unsigned i = 0; objs && i < *n; i++)
		objs[i] = hwloc_get_obj_by_depth(h, HWLOC_TYPE_DEPTH_NUMANODE, i);
	if (objs)
		qsort(objs, *n, sizeof(hwloc_obj_t), by_os_index);
	return objs;
}

/* A list such as "0-3,8" from a file of /sys into set; leaves set as it is where it can't. */
static void read_list(const char *path, hwloc_bitmap_t set)
{
	hwloc_bitmap_t read = hwloc_bitmap_alloc();
	char buf[4096];
	int len = util_read_file(path, buf, sizeof(buf));

	if (read && len >= 0 && len < (int)sizeof(buf) - 1 && !hwloc_bitmap_list_sscanf(read, buf))
		hwloc_bitmap_copy(set, read);
	hwloc_bitmap_free(read);
}

/*
 * Nodes that have CPUs. hwloc gives a node without any (CXL, HBM) the CPUs near to it, which could
 * not be told from a CPU's own node; the kernel can.
 */
static hwloc_bitmap_t nodes_with_cpus(const struct topology *t)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc_full();

	if (set && t->is_this_machine)
		read_list("/sys/devices/system/node/has_cpu", set);
	return set;
}

/* Nodes that memory may come from: hwloc knows of the cpuset, the kernel of all of it. */
static hwloc_bitmap_t nodes_allowed(const struct topology *t)
{
	static const char key[] = "Mems_allowed_list:";
	hwloc_const_bitmap_t known = hwloc_topology_get_allowed_nodeset(t->hwloc);
	hwloc_bitmap_t set = known ? hwloc_bitmap_dup(known) : hwloc_bitmap_alloc_full();
	hwloc_bitmap_t mems = hwloc_bitmap_alloc();
	FILE *in = t->is_this_machine ? fopen("/proc/thread-self/status", "re") : NULL;
	char *line = NULL;
	size_t size = 0;

	while (set && mems && in && getline(&line, &size, in) > 0) {
		if (strncmp(line, key, sizeof(key) - 1))
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (!hwloc_bitmap_list_sscanf(mems, line + strcspn(line, "0123456789")))
			hwloc_bitmap_and(set, set, mems);
	}
	free(line);
	if (in)
		fclose(in);
	hwloc_bitmap_free(mems);
	return set;
}

/* Fill t->nodes but for their CPUs. */
static int list_nodes(struct topology *t, const hwloc_obj_t *objs)
{
	hwloc_bitmap_t allowed = nodes_allowed(t);

	t->nodes = calloc(t->n_nodes + 1, sizeof(*t->nodes));
	for (unsigned i = 0; t->nodes && allowed && i < t->n_nodes; i++)
		t->nodes[i] = (struct topology_node){
			.os_index = (int)objs[i]->os_index,
			.memory_bytes = objs[i]->attr->numanode.local_memory,
			.allowed = hwloc_bitmap_isset(allowed, objs[i]->os_index),
		};
	hwloc_bitmap_free(allowed);
	return t->nodes && allowed ? 0 : -ENOMEM;
}

/*
 * Give each CPU its nearest node: of the nodes whose sets hold it, the one of the smallest set, and
 * of equal ones the first.
 */
static int assign_nodes(struct topology *t, const hwloc_obj_t *objs)
{
	hwloc_bitmap_t with_cpus = nodes_with_cpus(t);
	struct nearest {
		int weight;
		unsigned node;
	} *best = calloc(t->n_cpus, sizeof(*best));

	for (unsigned n = 0; best && with_cpus && n < t->n_nodes; n++) {
		hwloc_const_bitmap_t set = objs[n]->cpuset;
		int weight = set ? hwloc_bitmap_weight(set) : 0;

		if (weight <= 0 || !hwloc_bitmap_isset(with_cpus, objs[n]->os_index))
			continue;
		for (unsigned i = 0; i < t->n_cpus; i++) {
			if ((best[i].weight && best[i].weight <= weight) ||
			    !hwloc_bitmap_isset(set, (unsigned)t->cpus[i].os_index))
				continue;
			best[i] = (struct nearest){ weight, n };
		}
	}
	for (unsigned i = 0; best && with_cpus && i < t->n_cpus; i++) {
		if (!best[i].weight)
			continue;
		t->cpus[i].os_node = t->nodes[best[i].node].os_index;
		t->nodes[best[i].node].cpus++;
	}
	hwloc_bitmap_free(with_cpus);
	free(best);
	return best && with_cpus ? 0 : -ENOMEM;
}

/* One row of t->distances from /sys. Returns whether it holds a number for each node. */
static bool read_distance_row(const struct topology *t, unsigned row)
{
	char path[80], buf[16384], *at = buf, *end;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/distance",
		 t->nodes[row].os_index);
	if (util_read_file(path, buf, sizeof(buf)) < 0)
		return false;
	for (unsigned i = 0; i < t->n_nodes; i++, at = end) {
		t->distances[(size_t)row * t->n_nodes + i] = strtoull(at, &end, 10);
		if (end == at)
			return false;
	}
	return !*at;
}

/* The position of a node among t->nodes, or n_nodes. */
static unsigned node_position(const struct topology *t, hwloc_obj_t obj)
{
	unsigned i = 0;

	while (i < t->n_nodes && (!obj || t->nodes[i].os_index != (int)obj->os_index))
		i++;
	return i;
}

/* Whether hwloc's matrix covers every node; if so, it stands in t->distances. */
static bool copy_distances(struct topology *t, const struct hwloc_distances_s *d)
{
	unsigned *at = calloc(d->nbobjs, sizeof(*at));
	bool whole = at && d->nbobjs == t->n_nodes;

	for (unsigned i = 0; whole && i < d->nbobjs; i++) {
		at[i] = node_position(t, d->objs[i]);
		whole = at[i] < t->n_nodes;
	}
	for (unsigned i = 0; whole && i < d->nbobjs; i++) {
		for (unsigned j = 0; j < d->nbobjs; j++)
			t->distances[(size_t)at[i] * t->n_nodes + at[j]] =
				d->values[(size_t)i * d->nbobjs + j];
	}
	free(at);
	return whole;
}

/* t->distances, as the machine's firmware tells them; NULL where they are not known. */
static int find_distances(struct topology *t)
{
	struct hwloc_distances_s *d[4];
	unsigned n = ARRAY_SIZE(d), row = 0;
	bool found = false;

	if (!t->n_nodes)
		return 0;
	t->distances = calloc((size_t)t->n_nodes * t->n_nodes, sizeof(*t->distances));
	if (!t->distances)
		return -ENOMEM;
	if (hwloc_distances_get_by_type(
		    t->hwloc, HWLOC_OBJ_NUMANODE, &n, d,
		    HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0))
		n = 0;
	for (unsigned i = 0; i < n && i < ARRAY_SIZE(d); i++) {
		found = found || copy_distances(t, d[i]);
		hwloc_distances_release(t->hwloc, d[i]);
	}
	/* hwloc keeps none for a single node. */
	while (!found && t->is_this_machine && row < t->n_nodes && read_distance_row(t, row))
		row++;
	if (!found && row < t->n_nodes) {
		free(t->distances);
		t->distances = NULL;
	}
	return 0;
}

int topology_nodes_find(struct topology *t)
{
	hwloc_obj_t *objs = sorted_nodes(t->hwloc, &t->n_nodes);
	int ret;

	/* hwloc makes up a node where /sys shows none; the only node of a machine has memory. */
	if (objs && t->is_this_machine && t->n_nodes == 1 && !objs[0]->attr->numanode.local_memory)
		t->n_nodes = 0;
	ret = objs ? list_nodes(t, objs) : -ENOMEM;
	if (!ret)
		ret = assign_nodes(t, objs);
	if (!ret)
		ret = find_distances(t);
	free(objs);
	return ret;
}
