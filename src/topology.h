/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology: a snapshot of nodes, CPUs and distances, by hwloc; of this machine or of another one.
 */
#ifndef PFSCALE_TOPOLOGY_H
#define PFSCALE_TOPOLOGY_H

#include "err.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * One CPU that workers may use: online, allowed by cpuset, and in the affinity mask that the
 * process was started with. Indices called os_* are the kernel's; the others count from 0 over the
 * CPUs' hwloc objects; -1 where there is no such object.
 */
struct topology_cpu {
	int os_index;
	int os_node;   /* the nearest NUMA node */
	int core, smt; /* core; position among the core's allowed CPUs */
	int package, l3;
};

struct topology_node {
	int os_index;
	uint64_t memory_bytes; /* 0 = a node without memory */
	unsigned cpus;	       /* allowed CPUs on it */
	bool allowed;	       /* in Mems_allowed */
};

struct topology {
	hwloc_topology_t hwloc;
	bool is_this_machine;	   /* bindings only make sense then */
	struct topology_cpu *cpus; /* in hwloc's logical order */
	unsigned n_cpus;
	struct topology_node *nodes; /* by rising OS index */
	unsigned n_nodes;
	/* n_nodes × n_nodes, row = from, in the order of nodes; NULL = not known */
	uint64_t *distances;
};

/*
 * Read this machine's topology, restricted to the CPUs in the calling thread's affinity mask. *out
 * is the caller's; topology_free() frees it. Returns 0 or a negative errno.
 */
int topology_load(struct topology **out, struct err *err);

/* As above for an hwloc synthetic description ("pack:4 numa:2 core:8 pu:2") or an hwloc XML file.
 */
int topology_load_synthetic(struct topology **out, const char *description, struct err *err);
int topology_load_xml(struct topology **out, const char *path, struct err *err);

void topology_free(struct topology *t);

/*
 * Bind the calling thread to one CPU, by OS index. Safe after fork() and in threads. Returns 0 or a
 * negative errno naming the call and the CPU.
 */
int topology_bind_thread(const struct topology *t, int os_cpu, struct err *err);

/* The node number (OS index) of a CPU, or -1. */
int topology_node_of_cpu(const struct topology *t, int os_cpu);

#endif
