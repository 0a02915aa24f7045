/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advise_team: advice on the CPUs and nodes that workers run on. */
#include "config.h"

#include "advise_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int advise_oversubscription(const struct advice *a)
{
	int64_t cpus = result_system_int(a->r, "cpu.allowed");

	if (cpus <= 0 || a->workers <= cpus)
		return 0;
	return advise_add(a,
			  "up to %u workers share %lld CPU%s and take turns, so rates per CPU are "
			  "not those of a CPU; give --cpus up to %lld",
			  a->workers, (long long)cpus, cpus == 1 ? "" : "s", (long long)cpus);
}

int advise_quota(const struct advice *a)
{
	int64_t quota = result_system_int(a->r, "cgroup.cpu_quota_us");
	int64_t period = result_system_int(a->r, "cgroup.cpu_period_us");
	int64_t cpus = result_system_int(a->r, "cpu.allowed"), running = a->workers;
	double share;

	if (quota <= 0 || period <= 0)
		return 0;
	share = (double)quota / (double)period;
	/* Workers beyond the CPUs do not run at the same time. */
	running = cpus > 0 && cpus < running ? cpus : running;
	if (share >= (double)running)
		return 0;
	return advise_add(a,
			  "the cgroup has CPU time for %.2f CPUs, and up to %lld workers run at "
			  "once: they will be stopped now and then; raise its cpu.max or "
			  "cpu.cfs_quota_us, or give fewer --cpus",
			  share, (long long)running);
}

/* Whether a list "0-3,8" has the number. */
static bool list_has(const char *list, json_int_t number)
{
	while (isdigit((unsigned char)*list)) {
		char *end;
		long long first = strtoll(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoll(end + 1, &end, 10);
		if (number >= first && number <= last)
			return true;
		list = end + (*end == ',');
	}
	return false;
}

/*
 * The one node that memory is taken from as long as it has some, of several that the machine has;
 * -1 = there is none, or it is not known. policy: the nodes that the memory policy names.
 */
static json_int_t only_node(const struct advice *a, const char *policy)
{
	json_t *nodes = json_object_get(json_object_get(a->r->system, "numa"), "nodes"), *node;
	json_int_t only = -1;
	size_t i;

	json_array_foreach(nodes, i, node)
	{
		json_int_t index = json_integer_value(json_object_get(node, "index"));

		if (!json_is_true(json_object_get(node, "allowed")) ||
		    json_integer_value(json_object_get(node, "memory_bytes")) <= 0 ||
		    (*policy && !list_has(policy, index)))
			continue;
		if (only >= 0)
			return -1;
		only = index;
	}
	return json_array_size(nodes) > 1 ? only : -1;
}

/* Why it is that node alone. */
static const char *only_reason(const struct advice *a, const char *policy)
{
	json_t *nodes = json_object_get(json_object_get(a->r->system, "numa"), "nodes"), *node;
	size_t i;

	if (*policy)
		return "memory policy";
	json_array_foreach(nodes, i, node)
	{
		if (!json_is_true(json_object_get(node, "allowed")) &&
		    json_integer_value(json_object_get(node, "memory_bytes")) > 0)
			return "cpuset.mems";
	}
	return "others have none";
}

int advise_nodes(const struct advice *a)
{
	const char *policy = advise_text(a, "mempolicy.nodes");
	json_int_t node = only_node(a, policy);
	unsigned elsewhere = 0;

	for (unsigned i = 0; i < a->n_places && node >= 0; i++)
		elsewhere += a->places[i].node >= 0 && a->places[i].node != node;
	if (!elsewhere || elsewhere < a->n_places - elsewhere)
		return 0;
	return advise_add(a,
			  "memory comes from node %lld alone (%s), and %u of %u workers run on "
			  "other nodes; allow memory there, or run here: numactl -N %lld",
			  (long long)node, only_reason(a, policy), elsewhere, a->n_places,
			  (long long)node);
}
