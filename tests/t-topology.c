/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-topology: this machine's snapshot, made-up and recorded machines, bad input. */
#include "config.h"

#include "topology.h"

#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[800];

static const char *message(const struct err *err)
{
	err_text(err, text, sizeof(text));
	return text;
}

static char *data_path(const char *name)
{
	static char path[4096];
	const char *top = getenv("top_srcdir");

	snprintf(path, sizeof(path), "%s/tests/data/topologies/%s", top ? top : "..", name);
	return path;
}

static bool same_numbers(const uint64_t *got, const uint64_t *want, size_t n)
{
	return got && !memcmp(got, want, n * sizeof(*got));
}

/* Whatever hwloc thinks of the machine, its words must not come out on stderr. */
static struct topology *load_quietly(int *ret, struct err *err, off_t *printed)
{
	struct topology *t = NULL;
	char name[] = "/tmp/pfscale-t-topology.XXXXXX";
	int file = mkstemp(name), saved = dup(2);

	unlink(name);
	dup2(file, 2);
	*ret = topology_load(&t, err);
	dup2(saved, 2);
	close(saved);
	*printed = lseek(file, 0, SEEK_END);
	close(file);
	return t;
}

static void test_this_machine(void)
{
	struct err err = { 0 };
	cpu_set_t *mask = CPU_ALLOC(1 << 16);
	size_t size = CPU_ALLOC_SIZE(1 << 16);
	off_t printed;
	int ret;
	struct topology *t = load_quietly(&ret, &err, &printed);
	unsigned in_mask = 0, on_nodes = 0, known = 0;

	if (!ok(!ret && t, "this machine's topology loads"))
		return;
	is_int(printed, 0, "nothing is printed meanwhile");
	ok(t->is_this_machine, "it is this machine's");
	sched_getaffinity(0, size, mask);
	is_int(t->n_cpus, CPU_COUNT_S(size, mask), "as many CPUs as the affinity mask has");
	for (unsigned i = 0; i < t->n_cpus; i++) {
		in_mask += CPU_ISSET_S((size_t)t->cpus[i].os_index, size, mask) != 0;
		known += t->cpus[i].os_node >= 0;
		CPU_CLR_S((size_t)t->cpus[i].os_index, size, mask);
	}
	is_int(in_mask, t->n_cpus, "each of them is in the mask, and there once");
	for (unsigned i = 0; i < t->n_nodes; i++)
		on_nodes += t->nodes[i].cpus;
	is_int(on_nodes, known, "the nodes have the CPUs that have nodes");
	is_int(topology_node_of_cpu(t, t->cpus[0].os_index), t->cpus[0].os_node, "a CPU's node");
	is_int(topology_node_of_cpu(t, 1 << 24), -1, "the node of a CPU that is not there");
	if (t->n_nodes == 1 && t->distances)
		is_int((int64_t)t->distances[0], 10, "a node's distance to itself");
	else
		skip("a node's distance to itself", "not one node, or distances not known");
	topology_free(t);
	CPU_FREE(mask);
}

static void test_two_packages_four_nodes(void)
{
	struct topology *t = NULL;
	struct err err = { 0 };
	bool right = true;

	if (!ok(!topology_load_synthetic(&t, "pack:2 numa:2 core:2 pu:2", &err), "load: %s",
		message(&err)))
		return;
	is_int(t->n_cpus, 16, "2 × 2 × 2 × 2 CPUs");
	is_int(t->n_nodes, 4, "4 nodes");
	for (int i = 0; i < 16; i++) {
		const struct topology_cpu *c = &t->cpus[i];

		right &= c->os_index == i && c->os_node == i / 4 && c->core == i / 2 &&
			 c->smt == i % 2 && c->package == i / 8 && c->l3 == -1;
	}
	ok(right, "each CPU has its node, core, thread and package");
	is_int(t->nodes[3].cpus, 4, "a node's CPUs");
	ok(t->nodes[3].allowed && t->nodes[3].memory_bytes, "a node is allowed and has memory");
	ok(!t->is_this_machine, "it is not this machine");
	ok(!t->distances, "its distances are not known");
	is_int(topology_bind_thread(t, 0, &err), -EOPNOTSUPP, "nobody is bound by it");
	has_str(message(&err), "not this machine", "the error says why");
	topology_free(t);
}

static void test_large(void)
{
	static const struct {
		const char *description;
		unsigned cpus, nodes;
		int cores, smt, l3;
	} machines[] = {
		{ "pack:4 numa:2 l3:4 core:8 pu:2", 512, 8, 256, 2, 32 },
		{ "pack:16 [numa] core:32 pu:4", 2048, 16, 512, 4, 0 },
		{ "numa:256 core:16 pu:1", 4096, 256, 4096, 1, 0 },
		{ "core:1 pu:1", 1, 1, 1, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct topology *t = NULL;
		struct err err = { 0 };
		const struct topology_cpu *last;

		if (!ok(!topology_load_synthetic(&t, machines[i].description, &err), "load %s",
			machines[i].description))
			continue;
		last = &t->cpus[t->n_cpus - 1];
		is_int(t->n_cpus, machines[i].cpus, "its CPUs");
		is_int(t->n_nodes, machines[i].nodes, "its nodes");
		is_int(last->core + 1, machines[i].cores, "its cores");
		is_int(last->smt + 1, machines[i].smt, "its threads a core");
		is_int(last->l3 + 1, machines[i].l3, "its L3 caches");
		is_int(last->os_node + 1, machines[i].nodes, "the last CPU is on the last node");
		topology_free(t);
	}
}

/* Two nodes at each package's memory: a CPU's own is the first. */
static void test_several_nodes_at_once(void)
{
	struct topology *t = NULL;
	struct err err = { 0 };

	if (!ok(!topology_load_synthetic(&t, "pack:2 [numa] [numa] core:2 pu:1", &err), "load"))
		return;
	is_int(t->n_nodes, 4, "4 nodes");
	is_int(t->cpus[0].os_node, 0, "the first package's CPUs are on node 0");
	is_int(t->cpus[3].os_node, 2, "the second one's on node 2");
	is_int(t->nodes[1].cpus + t->nodes[3].cpus, 0, "no CPU is on two nodes");
	topology_free(t);
}

/* CPU numbers with holes, nodes 1 4 6 7, nodes without CPUs and without memory. */
static void test_sparse(void)
{
	static const struct topology_cpu cpus[] = {
		{ 0, 1, 0, 0, 0, -1 }, { 8, 1, 0, 1, 0, -1 }, { 2, 1, 1, 0, 0, -1 },
		{ 4, 4, 2, 0, 1, 0 },  { 12, 4, 2, 1, 1, 0 }, { 5, 4, 3, 0, 1, 0 },
		{ 13, 4, 3, 1, 1, 0 },
	};
	static const struct topology_node nodes[] = {
		{ 1, 4ULL << 30, 3, true },
		{ 4, 0, 4, true },
		{ 6, 8ULL << 30, 0, true },
		{ 7, 2ULL << 30, 0, false },
	};
	static const uint64_t distances[] = { 10, 20, 30, 40, 21, 10, 17, 41,
					      31, 17, 10, 42, 40, 41, 42, 10 };
	struct topology *t = NULL;
	struct err err = { 0 };
	bool right = true;

	if (!ok(!topology_load_xml(&t, data_path("sparse.xml"), &err), "load sparse.xml: %s",
		message(&err)))
		return;
	if (is_int(t->n_cpus, 7, "7 CPUs"))
		for (unsigned i = 0; i < 7; i++)
			right &= !memcmp(&t->cpus[i], &cpus[i], sizeof(cpus[i]));
	ok(right, "CPU numbers with holes are kept, in hwloc's order");
	right = true;
	if (is_int(t->n_nodes, 4, "4 nodes"))
		for (unsigned i = 0; i < 4; i++)
			right &= t->nodes[i].os_index == nodes[i].os_index &&
				 t->nodes[i].memory_bytes == nodes[i].memory_bytes &&
				 t->nodes[i].cpus == nodes[i].cpus &&
				 t->nodes[i].allowed == nodes[i].allowed;
	ok(right, "nodes without CPUs, without memory, and not allowed");
	ok(same_numbers(t->distances, distances, 16), "distances from row to column");
	is_int(topology_node_of_cpu(t, 13), 4, "the node of CPU 13");
	is_int(topology_node_of_cpu(t, 1), -1, "CPU 1 is a hole");
	topology_free(t);
}

/* A machine with CPUs taken away, as others record theirs. */
static void test_restricted_export(void)
{
	char path[] = "/tmp/pfscale-t-topology.XXXXXX";
	int fd = mkstemp(path);
	hwloc_topology_t h;
	hwloc_bitmap_t keep = hwloc_bitmap_alloc();
	struct topology *t = NULL;
	struct err err = { 0 };

	hwloc_topology_init(&h);
	hwloc_topology_set_synthetic(h, "pack:2 [numa] core:4 pu:4");
	hwloc_topology_load(h);
	hwloc_bitmap_list_sscanf(keep, "1-3,9,20-31");
	hwloc_topology_restrict(h, keep, 0);
	hwloc_topology_export_xml(h, path, 0);
	ok(!topology_load_xml(&t, path, &err), "load a machine with few of its CPUs");
	if (t) {
		is_int(t->n_cpus, 16, "its CPUs");
		is_int(t->cpus[0].os_index, 1, "the first is CPU 1");
		is_int(t->cpus[0].smt, 0, "as the first thread that its core has left");
		is_int(t->cpus[2].smt, 2, "and CPU 3 the third");
		is_int(t->cpus[3].core, 1, "CPU 9 is on the second core that is left");
		is_int(t->cpus[4].core, 2, "CPU 20 on the third");
		is_int(t->cpus[4].package, 1, "in the second package");
	}
	topology_free(t);
	hwloc_bitmap_free(keep);
	hwloc_topology_destroy(h);
	close(fd);
	unlink(path);
}

static void refuse_xml(const char *path, const char *part, const char *what)
{
	struct topology *t = NULL;
	struct err err = { 0 };

	ok(topology_load_xml(&t, path, &err) < 0 && !t && err.num, "%s is refused", what);
	has_str(message(&err), part, "the error says what is wrong");
	has_str(message(&err), path, "and with which file");
	topology_free(t);
}

static void test_bad_input(void)
{
	static const char *const bad[] = {
		"", "bogus", "pack:0", "pack:2 core", "pu:2 core:2", "pack:-1 pu:1", "\xff\xfe"
	};
	char path[] = "/tmp/pfscale-t-topology.XXXXXX", buf[2000];
	int in = open(data_path("sparse.xml"), O_RDONLY), fd = mkstemp(path);
	struct topology *t = NULL;
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(topology_load_synthetic(&t, bad[i], &err) == -EINVAL && !t,
		   "a wrong description is refused: %zu", i);
	topology_load_synthetic(&t, "pack:2 bogus:3", &err);
	has_str(message(&err), "'pack:2 bogus:3'", "the error quotes it");
	refuse_xml("/nonexistent/machine.xml", "ENOENT", "a missing file");
	refuse_xml("/tmp", "EISDIR", "a directory");
	refuse_xml(path, "not a topology", "an empty file");
	if (write(fd, buf, (size_t)read(in, buf, sizeof(buf))) == sizeof(buf))
		refuse_xml(path, "not a topology", "a file that was cut short");
	close(in);
	close(fd);
	unlink(path);
}

/* hwloc can be told of another machine; binding by that would be wrong. */
static void test_told_of_another(void)
{
	struct topology *t = NULL;
	struct err err = { 0 };

	setenv("HWLOC_SYNTHETIC", "pack:3 core:5 pu:1", 1);
	ok(!topology_load(&t, &err) && t->n_cpus == 15, "hwloc's environment is obeyed");
	ok(t && !t->is_this_machine, "and seen to be of another machine");
	is_int(t ? topology_bind_thread(t, 0, &err) : 0, -EOPNOTSUPP, "nobody is bound by it");
	topology_free(t);
	unsetenv("HWLOC_SYNTHETIC");
}

enum { CHILD_OK = 0, CHILD_WRONG = 1, CHILD_CANNOT = 77 };

static int load_without_sysfs(unsigned cpus)
{
	struct topology *t = NULL;
	struct err err = { 0 };
	bool right;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/sys", "tmpfs", 0, NULL))
		return CHILD_CANNOT;
	if (topology_load(&t, &err))
		return CHILD_WRONG;
	right = t->is_this_machine && t->n_cpus == cpus && !t->n_nodes && !t->distances;
	for (unsigned i = 0; i < t->n_cpus; i++)
		right &= t->cpus[i].os_node == -1;
	right &= !topology_bind_thread(t, t->cpus[0].os_index, &err);
	topology_free(t);
	return right ? CHILD_OK : CHILD_WRONG;
}

static void test_hidden_sysfs(void)
{
	static const char what[] = "without /sys: all CPUs, no node";
	struct topology *t = NULL;
	struct err err = { 0 };
	int status = -1;
	pid_t child;

	if (topology_load(&t, &err))
		return;
	child = fork();
	if (!child)
		_exit(load_without_sysfs(t->n_cpus));
	waitpid(child, &status, 0);
	topology_free(t);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_CANNOT)
		skip(what, "needs the right to mount");
	else
		is_int(status, 0, what);
}

int main(void)
{
	test_this_machine();
	test_two_packages_four_nodes();
	test_large();
	test_several_nodes_at_once();
	test_sparse();
	test_restricted_export();
	test_bad_input();
	test_told_of_another();
	test_hidden_sysfs();
	topology_free(NULL);
	return tap_done();
}
