/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-probe: the canary is measured, on each CPU that there is, and leaves nothing. */
#include "config.h"

#include "probe.h"

#include "canary.h"
#include "clock.h"
#include "probe_cpu.h"
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

/* No kernel has that many; CPU numbers are below it. */
enum { NO_CPU = 1 << 20 };

static bool no_child(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* How many numbers of a quantity are integers over 0. */
static unsigned count_rates(const json_t *o, const char *name)
{
	const json_t *column = json_object_get(o, name), *value;
	unsigned n = 0;
	size_t i;

	json_array_foreach(column, i, value)
		n += json_is_integer(value) && json_integer_value(value) > 0;
	return n;
}

static void test_all(const struct topology *t)
{
	/* In falling order, and each twice: as teams have it where workers outnumber CPUs. */
	unsigned n = 2 * t->n_cpus, rising = 0;
	struct place *places = calloc(n, sizeof(*places));
	struct err err = { 0 };
	json_t *o = NULL, *cpus;

	for (unsigned i = 0; i < n && places; i++)
		places[i].cpu = t->cpus[t->n_cpus - 1 - i % t->n_cpus].os_index;
	is_int(probe_run(t, places, n, "during", 17, 123456789012, &o, &err), 0, "all CPUs");
	ok(no_child(), "… no process is left");
	is_str(json_string_value(json_object_get(o, "when")), "during", "when");
	is_int(json_integer_value(json_object_get(o, "order")), 17, "order");
	is_int(json_integer_value(json_object_get(o, "at_ns")), 123456789012, "at_ns");
	is_int(json_integer_value(json_object_get(o, "work")), PROBE_CPU_WORK, "work");
	is_int(json_integer_value(json_object_get(o, "buffer_bytes")), PROBE_CPU_BUFFER_BYTES,
	       "buffer_bytes");
	cpus = json_object_get(o, "cpu");
	is_int((int64_t)json_array_size(cpus), t->n_cpus, "each CPU once");
	for (size_t i = 1; i < json_array_size(cpus); i++)
		rising += json_integer_value(json_array_get(cpus, i - 1)) <
			  json_integer_value(json_array_get(cpus, i));
	is_int(rising, t->n_cpus - 1, "… by rising number");
	for (int kind = 0; kind < CANARY_N_KINDS; kind++) {
		const char *name = canary_quantities[kind].name;

		is_int((int64_t)json_array_size(json_object_get(o, name)), t->n_cpus, name);
		is_int(count_rates(o, name), t->n_cpus, "… each a number over 0");
	}
	json_decref(o);
	free(places);
}

static void test_drift_of_it(const struct topology *t)
{
	struct place place = { t->cpus[0].os_index, 0 };
	struct result *r = result_new();
	struct err err = { 0 };
	int ret = 0;

	for (int i = 0; i < 2 && !ret; i++) {
		json_t *o = NULL;

		ret = probe_run(t, &place, 1, i ? "after" : "before", i, i, &o, &err);
		if (!ret)
			json_array_append_new(r->canary, o);
	}
	is_int(ret, 0, "twice");
	for (int kind = 0; kind < CANARY_N_KINDS; kind++)
		ok(isfinite(canary_drift(r, (enum canary_kind)kind, NULL)),
		   "… is enough for a drift of %s", canary_quantities[kind].name);
	result_free(r);
}

static void test_missing(const struct topology *t)
{
	struct place places[] = { { NO_CPU, 0 }, { t->cpus[0].os_index, 0 }, { -1, 0 } };
	struct err err = { 0 };
	json_t *o = NULL;
	char text[800];

	is_int(probe_run(t, places, 3, "before", 0, 0, &o, &err), 0, "CPUs that are not there");
	is_int((int64_t)json_array_size(json_object_get(o, "cpu")), 3, "… are listed");
	for (int kind = 0; kind < CANARY_N_KINDS; kind++) {
		const json_t *column = json_object_get(o, canary_quantities[kind].name);

		ok(json_is_null(json_array_get(column, 0)) &&
			   json_is_integer(json_array_get(column, 1)) &&
			   json_is_null(json_array_get(column, 2)),
		   "… with null for %s, and the other with its number",
		   canary_quantities[kind].name);
	}
	json_decref(o);
	o = NULL;
	is_int(probe_run(t, places, 1, "before", 0, 0, &o, &err), -EINVAL, "none that is there");
	err_text(&err, text, sizeof(text));
	has_str(text, "sched_setaffinity: EINVAL", "… is an error that names the call");
	has_str(text, "CPU 1048576", "… and the CPU");
	ok(!o && no_child(), "… and leaves nothing");
	is_int(probe_run(t, places, 0, "before", 0, 0, &o, &err), -EINVAL, "no places");
	ok(!o && no_child(), "… leave nothing");
}

static void test_other_machine(void)
{
	struct place place = { 0, 0 };
	struct topology *t = NULL;
	struct err err = { 0 };
	json_t *o = NULL;

	if (!ok(!topology_load_synthetic(&t, "core:2 pu:1", &err), "another machine's topology"))
		return;
	is_int(probe_run(t, &place, 1, "before", 0, 0, &o, &err), -EOPNOTSUPP,
	       "… cannot be probed");
	ok(!o && no_child(), "… and leaves nothing");
	topology_free(t);
}

/* The work itself, with clocks of any step. */
static void test_clocks(void)
{
	struct err err = { 0 };
	unsigned long *buffer = probe_cpu_buffer(&err);
	double rates[CANARY_N_KINDS];
	unsigned known = 0;

	if (!ok(buffer, "a buffer"))
		return;
	probe_cpu_measure(buffer, clock_step_ns(), rates);
	for (int kind = 0; kind < CANARY_N_KINDS; kind++)
		known += isfinite(rates[kind]) && rates[kind] > 0;
	is_int(known, CANARY_N_KINDS, "all is measured by this machine's clock");
	/* Of a clock that moves once in 10 s, no batch is as long as some steps. */
	probe_cpu_measure(buffer, INT64_C(10000000000), rates);
	known = 0;
	for (int kind = 0; kind < CANARY_N_KINDS; kind++)
		known += !isnan(rates[kind]);
	is_int(known, 0, "nothing by one that is far too coarse");
}

int main(void)
{
	struct topology *t = NULL;
	struct err err = { 0 };

	if (!ok(!topology_load(&t, &err), "this machine's topology"))
		return tap_done();
	test_all(t);
	test_drift_of_it(t);
	test_missing(t);
	test_other_machine();
	test_clocks();
	topology_free(t);
	return tap_done();
}
