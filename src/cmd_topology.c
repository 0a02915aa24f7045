/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_topology: `pfscale topology`: nodes, CPUs, distances, and where workers would be placed. */
#include "config.h"

#include "options.h"
#include "place.h"
#include "plan.h"
#include "topology.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>

struct topology_options {
	unsigned workers; /* 0 = their places are not asked for */
};

static int set_cpus(void *ctx, const char *value, struct err *err)
{
	struct topology_options *o = ctx;
	uint64_t n = 0;
	int ret = util_parse_uint("--cpus", value, 1, PLAN_MAX_WORKERS, &n, err);

	if (!ret)
		o->workers = (unsigned)n;
	return ret;
}

static const struct option_def topology_option_defs[] = {
	{ "cpus", 'c', "N", "also show the places of N workers", .set = set_cpus },
	{ 0 },
};

/* Print a set as "0-3,8"; "none" when it is empty, "?" when there is no memory for it. */
static void print_set(hwloc_const_bitmap_t set)
{
	char *text = NULL;

	if (set && hwloc_bitmap_iszero(set)) {
		printf("none");
		return;
	}
	if (!set || hwloc_bitmap_list_asprintf(&text, set) < 0)
		text = NULL;
	printf("%s", text ? text : "?");
	free(text);
}

/* No node has this number: print_cpus() then takes the CPUs of all. */
enum { ANY_NODE = -2 };

/* The CPUs t->cpus[from … to - 1] that lie on os_node. */
static void print_cpus(const struct topology *t, unsigned from, unsigned to, int os_node)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (unsigned i = from; set && i < to; i++) {
		if (os_node == ANY_NODE || t->cpus[i].os_node == os_node)
			hwloc_bitmap_set(set, (unsigned)t->cpus[i].os_index);
	}
	print_set(set);
	hwloc_bitmap_free(set);
}

static void print_machine(const struct topology *t)
{
	struct utsname name;

	if (t->is_this_machine && !uname(&name))
		printf("machine  %s, Linux %s, %s, pages of %zu bytes\n", name.nodename,
		       name.release, name.machine, util_page_size());
	else
		printf("machine  another one, as hwloc was told in its environment\n");
	printf("CPUs     %u may be used: ", t->n_cpus);
	print_cpus(t, 0, t->n_cpus, ANY_NODE);
	printf("\n         %d online: ", hwloc_get_nbobjs_by_type(t->hwloc, HWLOC_OBJ_PU));
	print_set(hwloc_topology_get_topology_cpuset(t->hwloc));
	printf("\n");
}

static void print_nodes(const struct topology *t)
{
	hwloc_bitmap_t allowed = hwloc_bitmap_alloc();

	for (unsigned i = 0; allowed && i < t->n_nodes; i++) {
		if (t->nodes[i].allowed)
			hwloc_bitmap_set(allowed, (unsigned)t->nodes[i].os_index);
	}
	if (!t->n_nodes) {
		printf("nodes    not known\n");
		hwloc_bitmap_free(allowed);
		return;
	}
	printf("nodes    %u, memory may come from: ", t->n_nodes);
	print_set(allowed);
	hwloc_bitmap_free(allowed);
	printf("\n\n%8s %11s %7s  %s\n", "node", "memory", "usable", "CPUs");
	for (unsigned i = 0; i < t->n_nodes; i++) {
		const struct topology_node *n = &t->nodes[i];

		printf("%8d %7.1f GiB %7u  ", n->os_index,
		       (double)n->memory_bytes / (1024.0 * 1024 * 1024), n->cpus);
		print_cpus(t, 0, t->n_cpus, n->os_index);
		printf("%s%s\n", n->memory_bytes ? "" : " (no memory)",
		       n->allowed ? "" : " (memory not allowed)");
	}
}

static void print_index(int width, int index)
{
	if (index < 0)
		printf("%*s", width, "-");
	else
		printf("%*d", width, index);
}

static bool together(const struct topology_cpu *a, const struct topology_cpu *b)
{
	return a->package == b->package && a->l3 == b->l3 && a->os_node == b->os_node;
}

/* A row for each group of CPUs that share package, L3 cache and node: they are neighbours. */
static void print_structure(const struct topology *t)
{
	printf("\n%8s %6s %6s %6s %8s  %s\n", "package", "L3", "node", "cores", "threads", "CPUs");
	for (unsigned from = 0, to; from < t->n_cpus; from = to) {
		const struct topology_cpu *c = &t->cpus[from];
		int cores = 0;

		for (to = from; to < t->n_cpus && together(c, &t->cpus[to]); to++)
			cores += t->cpus[to].core >= 0 && !t->cpus[to].smt;
		print_index(8, c->package);
		print_index(7, c->l3);
		print_index(7, c->os_node);
		print_index(7, cores ? cores : -1);
		printf(" %8u  ", to - from);
		print_cpus(t, from, to, ANY_NODE);
		printf("\n");
	}
}

static void print_distances(const struct topology *t)
{
	if (!t->distances) {
		printf("\ndistances are not known\n");
		return;
	}
	printf("\ndistances, from row to column\n%6s", "node");
	for (unsigned i = 0; i < t->n_nodes; i++)
		printf(" %5d", t->nodes[i].os_index);
	for (unsigned i = 0; i < t->n_nodes; i++) {
		printf("\n%6d", t->nodes[i].os_index);
		for (unsigned j = 0; j < t->n_nodes; j++)
			printf(" %5llu",
			       (unsigned long long)t->distances[(size_t)i * t->n_nodes + j]);
	}
	printf("\n");
}

static int print_order(const struct topology *t, struct err *err)
{
	const struct place_policy *policy = place_policies[0];
	struct place *places = calloc(t->n_cpus, sizeof(*places));
	int ret;

	if (!places)
		return err_set(err, ENOMEM, "malloc", "the places of %u workers", t->n_cpus);
	ret = place_workers(t, policy, t->n_cpus, places, err);
	if (!ret) {
		printf("\norder (%s):", policy->name);
		for (unsigned i = 0; i < t->n_cpus; i++)
			printf(" %d", places[i].cpu);
		printf("\n");
	}
	free(places);
	return ret;
}

static int print_places(const struct topology *t, unsigned workers, struct err *err)
{
	struct place *places = calloc(workers, sizeof(*places));
	int ret;

	if (!places)
		return err_set(err, ENOMEM, "malloc", "the places of %u workers", workers);
	ret = place_workers(t, place_policies[0], workers, places, err);
	if (!ret)
		printf("\n%8s %6s %6s\n", "worker", "CPU", "node");
	for (unsigned i = 0; !ret && i < workers; i++) {
		printf("%8u %6d", i, places[i].cpu);
		print_index(7, places[i].node);
		printf("\n");
	}
	free(places);
	return ret;
}

static int print_all(const struct topology_options *o, struct err *err)
{
	struct topology *t;
	int ret = topology_load(&t, err);

	if (ret)
		return ret;
	print_machine(t);
	print_nodes(t);
	print_structure(t);
	print_distances(t);
	ret = print_order(t, err);
	if (!ret && o->workers)
		ret = print_places(t, o->workers, err);
	topology_free(t);
	return ret;
}

static int topology_run(const struct command *self, int argc, char **argv)
{
	struct topology_options o = { 0 };
	struct err err = { 0 };
	int first, ret = options_parse(self, &o, argc, argv, &first, &err);

	if (ret > 0)
		return command_finish(self, EXIT_OK);
	if (!ret)
		ret = print_all(&o, &err);
	return ret ? command_trouble(self, &err) : command_finish(self, EXIT_OK);
}

const struct command cmd_topology = {
	.name = "topology",
	.summary = "nodes, CPUs, allowed sets, the order in which workers are placed",
	.operands = "",
	.options = topology_option_defs,
	.run = topology_run,
};
