/* SPDX-License-Identifier: GPL-2.0-or-later */
/* monitor_help: a monitor on recorded files, whose clock and own CPU time the test makes up. */
#ifndef PFSCALE_TEST_MONITOR_HELP_H
#define PFSCALE_TEST_MONITOR_HELP_H

#include "tree.h"

#include "monitor_internal.h"

#include <unistd.h>

#define SECOND INT64_C(1000000000)

enum { MANY = 4096 };

static struct topology_cpu cpus[MANY];
static struct topology topology = { .cpus = cpus };
static struct place places[MANY];
static struct repeat got;
static struct monitor *m;
static int64_t step_ns;

static void new_machine(unsigned n, const int *os)
{
	new_tree();
	monitor_set_root(tree);
	topology.n_cpus = n;
	for (unsigned i = 0; i < n; i++)
		cpus[i].os_index = os ? os[i] : (int)i;
}

static void begin(unsigned workers, const int *os)
{
	m = monitor_new(&topology);
	if (!m)
		exit(99);
	for (unsigned i = 0; i < workers; i++)
		places[i] = (struct place){ os ? os[i] : (int)i, -1 };
	monitor_begin(m, places, workers);
}

/* The end, as if it came lived_ns after the beginning and we had used own_ns of CPU time. */
static void end(int64_t lived_ns, int64_t own_ns)
{
	memset(&got, 0x55, sizeof(got));
	monitor_read_end(m);
	m->end.at_ns = m->begin.at_ns + lived_ns;
	m->end.own_ns = m->begin.own_ns + own_ns;
	monitor_fill(m, &got);
}

/* Prepare for all of it; returns the program's exit status. */
static int with_monitor(void (*tests)(void))
{
	step_ns = SECOND / sysconf(_SC_CLK_TCK);
	tree_begin();
	tests();
	tree_end();
	return tap_done();
}

#endif
