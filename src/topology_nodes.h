/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_nodes: the NUMA side of a topology snapshot; for topology.c alone. */
#ifndef PFSCALE_TOPOLOGY_NODES_H
#define PFSCALE_TOPOLOGY_NODES_H

#include "topology.h"

/*
 * Of a topology whose hwloc and cpus are filled: fill nodes, n_nodes and distances, and each CPU's
 * os_node. Returns 0 or -ENOMEM; topology_free() frees in either case.
 */
int topology_nodes_find(struct topology *t);

#endif
