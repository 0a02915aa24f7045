/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-place: which CPUs workers get, on machines of many shapes. */
#include "config.h"

#include "place.h"

#include "tap.h"

#include <errno.h>

/* The order of all CPUs by their OS indices, as text. */
static char *order_text(const struct topology *t)
{
	struct place *places = calloc(t->n_cpus, sizeof(*places));
	struct err err = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	place_workers(t, place_policies[0], t->n_cpus, places, &err);
	for (unsigned i = 0; i < t->n_cpus; i++)
		fprintf(out, "%s%d", i ? " " : "", places[i].cpu);
	fclose(out);
	free(places);
	return text;
}

static void order_is(const char *description, const char *want)
{
	struct topology *t = NULL;
	struct err err = { 0 };
	char *got;

	if (topology_load_synthetic(&t, description, &err)) {
		ok(false, "load %s", description);
		return;
	}
	got = order_text(t);
	is_str(got, want, description);
	free(got);
	topology_free(t);
}

static void test_orders(void)
{
	order_is("pu:1", "0");
	order_is("core:4 pu:1", "0 1 2 3");
	order_is("core:2 pu:2", "0 2 1 3");
	order_is("core:2 pu:4", "0 4 1 5 2 6 3 7");
	order_is("pack:2 numa:2 core:2 pu:2", "0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15");
	/* Siblings far apart, as Linux numbers them on most machines. */
	order_is("pack:2 [numa] core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", "0 1 2 3 4 5 6 7");
	/* CPUs numbered over the packages in turn: still node by node. */
	order_is("pack:2 [numa] core:2 pu:1(indexes=0,2,1,3)", "0 2 1 3");
}

static void test_recorded(void)
{
	const char *top = getenv("top_srcdir");
	struct topology *t = NULL;
	struct err err = { 0 };
	char path[4096], *got;

	snprintf(path, sizeof(path), "%s/tests/data/topologies/sparse.xml", top ? top : "..");
	if (!ok(!topology_load_xml(&t, path, &err), "load sparse.xml"))
		return;
	got = order_text(t);
	is_str(got, "0 2 4 5 8 12 13", "holes, and a core with one thread left");
	free(got);
	topology_free(t);
}

/* A machine by hand: `smt` says how many threads each core has; 0 = a CPU of no known core. */
static struct topology *by_hand(const int *smt, size_t cores)
{
	struct topology *t = calloc(1, sizeof(*t));

	t->cpus = calloc(64, sizeof(*t->cpus));
	for (size_t i = 0; i < cores; i++) {
		for (int s = 0; s < (smt[i] ? smt[i] : 1); s++) {
			t->cpus[t->n_cpus] = (struct topology_cpu){
				.os_index = 10 + (int)t->n_cpus,
				.os_node = smt[i] ? 3 : -1,
				.core = smt[i] ? (int)i : -1,
				.smt = s,
			};
			t->n_cpus++;
		}
	}
	return t;
}

static void test_uneven(void)
{
	static const int smt[] = { 1, 4, 2, 0, 0 };
	struct topology *t = by_hand(smt, 5);
	char *got = order_text(t);
	struct place places[9];
	struct err err = { 0 };

	is_str(got, "10 11 15 17 18 12 16 13 14", "cores of 1, 4 and 2 threads, 2 CPUs of none");
	free(got);
	place_workers(t, place_policies[0], 9, places, &err);
	is_int(places[0].node, 3, "a CPU's node goes with it");
	is_int(places[3].node, -1, "also where it is not known");
	topology_free(t);
}

/* What must hold on any machine. */
static void check_properties(const char *description)
{
	struct topology *t = NULL;
	struct err err = { 0 };
	unsigned *order, twice = 0, back = 0, jumps = 0, nodes_seen = 0;
	bool *seen;

	if (topology_load_synthetic(&t, description, &err)) {
		ok(false, "load %s", description);
		return;
	}
	order = malloc(t->n_cpus * sizeof(*order));
	seen = calloc(t->n_cpus, sizeof(*seen));
	memset(order, 0xff, t->n_cpus * sizeof(*order));
	place_policies[0]->order(t, order);
	for (unsigned i = 0; i < t->n_cpus; i++) {
		const struct topology_cpu *c = &t->cpus[order[i] < t->n_cpus ? order[i] : 0];
		const struct topology_cpu *before = i ? &t->cpus[order[i - 1]] : NULL;

		twice += order[i] >= t->n_cpus || seen[order[i]];
		seen[order[i] < t->n_cpus ? order[i] : 0] = true;
		back += before && c->smt < before->smt;
		if (before && c->smt == before->smt && c->core <= before->core)
			jumps++;
		nodes_seen += !c->smt && (!before || c->os_node != before->os_node);
	}
	is_int(twice, 0, description);
	is_int(back, 0, "no second thread of a core before the first of another");
	is_int(jumps, 0, "core by core");
	is_int(nodes_seen, t->n_nodes, "node by node");
	free(order);
	free(seen);
	topology_free(t);
}

static void test_properties(void)
{
	check_properties("pack:16 [numa] core:32 pu:4");
	check_properties("pack:4 numa:2 l3:4 core:8 pu:2");
	check_properties("numa:64 core:32 pu:1");
	check_properties("core:1 pu:2048");
	check_properties("pack:3 numa:3 core:5 pu:3");
}

static void test_oversubscribed(void)
{
	enum { WORKERS = 1500 };
	struct topology *t = NULL;
	struct err err = { 0 };
	struct place *places = calloc(WORKERS, sizeof(*places));
	unsigned wrong = 0;

	ok(!topology_load_synthetic(&t, "core:2 pu:1", &err), "load 2 CPUs");
	ok(!place_workers(t, place_policies[0], WORKERS, places, &err), "1500 workers on 2 CPUs");
	for (int i = 0; i < WORKERS; i++)
		wrong += places[i].cpu != i % 2 || places[i].node != 0;
	is_int(wrong, 0, "they take the CPUs in turn");
	memset(places, 0x55, sizeof(*places));
	ok(!place_workers(t, place_policies[0], 1, places, &err) && places[0].cpu == 0,
	   "1 worker is on the first CPU");
	is_int(place_workers(t, place_policies[0], 0, places, &err), 0, "no worker is no error");
	free(places);
	topology_free(t);
}

static void test_table(void)
{
	unsigned wrong = 0;

	ok(n_place_policies > 0 && place_find("cores") == place_policies[0],
	   "cores is the default");
	ok(!place_find("nonsense") && !place_find(""), "no other name is found");
	for (size_t i = 0; i < n_place_policies; i++)
		wrong += place_find(place_policies[i]->name) != place_policies[i] ||
			 !place_policies[i]->summary[0];
	is_int(wrong, 0, "each policy is found by its name and has a summary");
}

int main(void)
{
	test_table();
	test_orders();
	test_recorded();
	test_uneven();
	test_properties();
	test_oversubscribed();
	return tap_done();
}
