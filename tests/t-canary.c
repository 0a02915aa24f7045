/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-canary: drift of the machine, from recorded canaries, sound and odd. */
#include "config.h"

#include "canary.h"

#include "tap.h"
#include "util.h"

#include <math.h>

static struct result *with_canary(const char *json)
{
	struct result *r = result_new();
	json_error_t e;
	json_t *canary = json_loads(json, JSON_DECODE_ANY, &e);

	if (!r || !canary) {
		printf("Bail out! %s\n", r ? e.text : "no memory");
		exit(99);
	}
	json_decref(r->canary);
	r->canary = canary;
	return r;
}

static bool near(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-9;
}

static const struct {
	const char *what, *json;
	double want;
	size_t when;
} rows[] = {
	{ "never probed", "[]", NAN, 0 },
	{ "probed once", "[{\"cpu\": [0], \"spins_per_s\": [100]}]", NAN, 0 },
	{ "no change",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [100, 200]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [100, 200]}]",
	  0, 1 },
	{ "all slower",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [100, 200]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [93, 186]}]",
	  -0.07, 1 },
	{ "faster",
	  "[{\"cpu\": [0], \"spins_per_s\": [100]}, {\"cpu\": [0], \"spins_per_s\": [150]}]", 0.5,
	  1 },
	{ "decimal numbers",
	  "[{\"cpu\": [0], \"spins_per_s\": [1.5]}, {\"cpu\": [0], \"spins_per_s\": [3.0]}]", 1,
	  1 },
	{ "the farthest in the middle, slower",
	  "[{\"cpu\": [0], \"spins_per_s\": [100]}, {\"cpu\": [0], \"spins_per_s\": [80]},"
	  " {\"cpu\": [0], \"spins_per_s\": [110]}]",
	  -0.2, 1 },
	{ "the farthest at the end, faster",
	  "[{\"cpu\": [0], \"spins_per_s\": [100]}, {\"cpu\": [0], \"spins_per_s\": [90]},"
	  " {\"cpu\": [0], \"spins_per_s\": [120]}]",
	  0.2, 2 },
	{ "one of three CPUs disturbed does not count",
	  "[{\"cpu\": [0, 1, 2], \"spins_per_s\": [100, 100, 100]},"
	  " {\"cpu\": [0, 1, 2], \"spins_per_s\": [99, 20, 101]}]",
	  -0.01, 1 },
	{ "one of two CPUs disturbed does not count",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [100, 100]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [20, 100]}]",
	  0, 1 },
	{ "of two CPUs that fell, the one that fell less",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [100, 100]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [93, 80]}]",
	  -0.07, 1 },
	{ "of two CPUs that rose, the one that rose less",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [100, 100]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [130, 110]}]",
	  0.1, 1 },
	{ "two CPUs that contradict each other say nothing",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [100, 100]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [70, 110]}]",
	  0, 1 },
	{ "two CPUs, disturbed one after the other",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [100, 100]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [50, 99]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [98, 50]}]",
	  -0.02, 2 },
	{ "of four CPUs, the mean of the two in the middle",
	  "[{\"cpu\": [0, 1, 2, 3], \"spins_per_s\": [100, 100, 100, 100]},"
	  " {\"cpu\": [0, 1, 2, 3], \"spins_per_s\": [96, 98, 10, 100]}]",
	  -0.03, 1 },
	{ "CPUs in another order",
	  "[{\"cpu\": [0, 1, 2], \"spins_per_s\": [100, 200, 400]},"
	  " {\"cpu\": [2, 0, 1], \"spins_per_s\": [400, 100, 200]}]",
	  0, 1 },
	{ "a fast CPU that is missing shifts nothing",
	  "[{\"cpu\": [0, 1, 7], \"spins_per_s\": [100, 100, 900]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [100, 100]}]",
	  0, 1 },
	{ "a new CPU is held against nothing",
	  "[{\"cpu\": [0], \"spins_per_s\": [100]}, {\"cpu\": [1, 0], \"spins_per_s\": [9, 110]}]",
	  0.1, 1 },
	{ "no CPU at both times",
	  "[{\"cpu\": [0], \"spins_per_s\": [100]}, {\"cpu\": [1], \"spins_per_s\": [50]}]", NAN,
	  0 },
	{ "null at one of the times",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [100, null]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [null, 50]}]",
	  NAN, 0 },
	{ "null first, for one CPU",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [null, 100]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [50, 90]}]",
	  -0.1, 1 },
	{ "the first time has no number: the second is the base",
	  "[{\"cpu\": [0], \"spins_per_s\": [null]}, {\"cpu\": [0], \"spins_per_s\": [100]},"
	  " {\"cpu\": [0], \"spins_per_s\": [80]}]",
	  -0.2, 2 },
	{ "0 is no rate",
	  "[{\"cpu\": [0], \"spins_per_s\": [0]}, {\"cpu\": [0], \"spins_per_s\": [100]}]", NAN,
	  0 },
	{ "nor is it later",
	  "[{\"cpu\": [0], \"spins_per_s\": [100]}, {\"cpu\": [0], \"spins_per_s\": [0]}]", NAN,
	  0 },
	{ "negative",
	  "[{\"cpu\": [0], \"spins_per_s\": [-5]}, {\"cpu\": [0], \"spins_per_s\": [-9]}]", NAN,
	  0 },
	{ "a ratio beyond doubles",
	  "[{\"cpu\": [0, 1], \"spins_per_s\": [1e-300, 10]},"
	  " {\"cpu\": [0, 1], \"spins_per_s\": [1e300, 11]}]",
	  0.1, 1 },
	{ "a CPU twice: its faster number",
	  "[{\"cpu\": [0, 0], \"spins_per_s\": [50, 100]},"
	  " {\"cpu\": [0, 0], \"spins_per_s\": [90, 10]}]",
	  -0.1, 1 },
	{ "columns of unlike length",
	  "[{\"cpu\": [0, 1, 2], \"spins_per_s\": [100]},"
	  " {\"cpu\": [0], \"spins_per_s\": [90, 5, 5]}]",
	  -0.1, 1 },
	{ "CPUs that are none",
	  "[{\"cpu\": [\"0\", -1, null, 1.0, [], 3], \"spins_per_s\": [1, 1, 1, 1, 1, 100]},"
	  " {\"cpu\": [\"0\", -1, null, 1.0, [], 3], \"spins_per_s\": [9, 9, 9, 9, 9, 90]}]",
	  -0.1, 1 },
	{ "numbers that are none",
	  "[{\"cpu\": [0, 1, 2, 3], \"spins_per_s\": [\"1\", {}, true, 100]},"
	  " {\"cpu\": [0, 1, 2, 3], \"spins_per_s\": [\"9\", [], false, 90]}]",
	  -0.1, 1 },
	{ "the largest CPU number",
	  "[{\"cpu\": [9223372036854775807], \"spins_per_s\": [9223372036854775807]},"
	  " {\"cpu\": [9223372036854775807], \"spins_per_s\": [9223372036854775807]}]",
	  0, 1 },
	{ "elements and members of other kinds",
	  "[null, 7, \"x\", [[]], {}, {\"cpu\": 0, \"spins_per_s\": 100}, {\"cpu\": {}, "
	  "\"spins_per_s\": {}}, {\"cpu\": [0]}, {\"spins_per_s\": [1]},"
	  " {\"cpu\": [0], \"spins_per_s\": [100]}, false,"
	  " {\"cpu\": [0], \"spins_per_s\": [90]}, null]",
	  -0.1, 11 },
	{ "the array is none", "{\"cpu\": [0], \"spins_per_s\": [1]}", NAN, 0 },
	{ "other work is not compared",
	  "[{\"work\": 1, \"cpu\": [0], \"spins_per_s\": [100]},"
	  " {\"work\": 2, \"cpu\": [0], \"spins_per_s\": [10]},"
	  " {\"cpu\": [0], \"spins_per_s\": [10]},"
	  " {\"work\": 1, \"cpu\": [0], \"spins_per_s\": [99]}]",
	  -0.01, 3 },
};

static void test_drift(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct result *r = with_canary(rows[i].json);
		size_t when = 0;
		double got = canary_drift(r, CANARY_SPINS, &when);

		if (!ok(near(got, rows[i].want) && when == rows[i].when, "%s", rows[i].what))
			printf("# got %g at %zu, want %g at %zu\n", got, when, rows[i].want,
			       rows[i].when);
		ok(near(canary_drift(r, CANARY_SPINS, NULL), rows[i].want), "… when is optional");
		ok(isnan(canary_drift(r, CANARY_STORES, NULL)), "… nothing of what is not there");
		result_free(r);
	}
}

/* Many CPUs, the second time in falling order; all of them 10 % slower. */
static void test_many(void)
{
	enum { CPUS = 100000 };
	struct result *r = with_canary("[{\"cpu\": [], \"syscalls_per_s\": []},"
				       " {\"cpu\": [], \"syscalls_per_s\": []}]");

	for (int i = 0; i < CPUS; i++) {
		for (size_t t = 0; t < 2; t++) {
			json_t *time = json_array_get(r->canary, t);
			int cpu = t ? CPUS - 1 - i : i;

			json_array_append_new(json_object_get(time, "cpu"), json_integer(cpu));
			json_array_append_new(json_object_get(time, "syscalls_per_s"),
					      json_real((cpu + 1) * (t ? 0.9 : 1.0)));
		}
	}
	ok(near(canary_drift(r, CANARY_SYSCALLS, NULL), -0.1), "%d CPUs", CPUS);
	result_free(r);
}

static void test_no_array(void)
{
	struct result r = { 0 };

	ok(isnan(canary_drift(&r, CANARY_SPINS, NULL)), "no array at all");
	is_int(canary_warn(&r), 0, "… warns of nothing");
	is_int((int64_t)r.n_warnings, 0, "… indeed");
}

static void test_few_warnings(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct result *r = with_canary(rows[i].json);

		is_int(canary_warn(r), 0, rows[i].what);
		is_int((int64_t)r->n_warnings, fabs(rows[i].want) > CANARY_MOST_DRIFT,
		       "… warnings of it");
		result_free(r);
	}
}

static void test_texts(void)
{
	struct result *r = with_canary(
		"[{\"when\": \"before\", \"at_ns\": 0, \"cpu\": [0, 1],"
		"  \"store_bytes_per_s\": [1000, 1000], \"syscalls_per_s\": [1000, 1000],"
		"  \"spins_per_s\": [1000, 1000]},"
		" {\"when\": \"during\", \"at_ns\": 312400000000, \"cpu\": [0, 1],"
		"  \"store_bytes_per_s\": [929, 929], \"syscalls_per_s\": [951, 951],"
		"  \"spins_per_s\": [1010, 1010]},"
		" {\"when\": \"after\", \"at_ns\": 600000000000, \"cpu\": [0, 1],"
		"  \"store_bytes_per_s\": [980, 980], \"syscalls_per_s\": [1049, 1049],"
		"  \"spins_per_s\": [1060, null]}]");

	is_int(canary_warn(r), 0, "three times, two drifts");
	if (!is_int((int64_t)r->n_warnings, 1, "one warning of both"))
		return;
	has_str(r->warnings[0],
		"store bandwidth into resident memory fell by 7.1 % from before the run to 312 s "
		"into the run (both CPUs by that or more)",
		"what, by how much, when");
	has_str(r->warnings[0], "run again, and look for", "… and what to do");
	has_str(r->warnings[0], "rates may have drifted alike", "… and what it means");
	has_str(r->warnings[0],
		"), turns of a spin loop per second rose by 6.0 % from before the run to after the "
		"run "
		"(1 CPU)",
		"a rise, of one CPU");
	ok(!strstr(r->warnings[0], "system calls"), "4.9 %% is no drift");
	is_int(canary_warn(r), 0, "once more");
	is_int((int64_t)r->n_warnings, 1, "… adds no text twice");
	result_free(r);
}

static void test_odd_texts(void)
{
	struct result *r = with_canary("[{\"when\": \"\\u001b[31m\", \"at_ns\": \"now\","
				       "  \"cpu\": [0], \"spins_per_s\": [1e-5]},"
				       " {\"when\": 3, \"at_ns\": -1,"
				       "  \"cpu\": [0], \"spins_per_s\": [1e300]}]");

	is_int(canary_warn(r), 0, "odd times and a huge change");
	is_int((int64_t)r->n_warnings, 1, "… one warning");
	has_str(r->n_warnings ? r->warnings[0] : NULL,
		"rose by more than 900 % from at time 1 of the probe to at time 2 of the probe",
		"… that has none of their text");
	result_free(r);
}

int main(void)
{
	test_drift();
	test_many();
	test_no_array();
	test_few_warnings();
	test_texts();
	test_odd_texts();
	return tap_done();
}
