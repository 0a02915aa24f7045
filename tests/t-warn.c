/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warnings by samples: faults unlike pages, intervals too short, workers that took turns. */
#include "config.h"

#include "summary.h"
#include "tap.h"
#include "warn.h"

enum { PAGES = 1000, STEP_NS = 20 };

static struct result *one_point(unsigned workers, size_t repeats)
{
	struct result *r = result_new();
	struct point *p =
		result_add_point(r, "fork:zero", "fork", "zero", "write", false, workers, PAGES);

	json_object_set_new(r->system, "clock", json_pack("{s:i}", "step_ns", STEP_NS));
	for (size_t i = 0; i < repeats; i++) {
		struct repeat *x = point_add_repeat(p);

		x->order = (int64_t)i;
		for (unsigned w = 0; w < workers; w++) {
			x->wall_ns[w] = 1000000;
			x->minflt[w] = PAGES;
		}
	}
	return r;
}

/* How many warnings there are; *text is the first, or "". Frees the result. */
static size_t warnings(struct result *r, char *text, size_t len)
{
	size_t n;

	summary_update(&r->points[0], STEP_NS);
	if (warn_of_points(r))
		printf("# no memory\n");
	n = r->n_warnings;
	snprintf(text, len, "%s", n ? r->warnings[0] : "");
	result_free(r);
	return n;
}

static void test_faults(void)
{
	struct result *r = one_point(2, 3);
	char text[500];

	is_int((int64_t)warnings(r, text, sizeof(text)), 0, "a fault per page: nothing to warn of");

	r = one_point(2, 3);
	r->points[0].repeats[1].minflt[0] = PAGES + 20;
	is_int((int64_t)warnings(r, text, sizeof(text)), 0, "1 % more: nothing yet");

	r = one_point(2, 3);
	r->points[0].repeats[2].minflt[1] = PAGES + 21;
	is_int((int64_t)warnings(r, text, sizeof(text)), 1, "over 1 % in one repeat: a warning");
	has_str(text, "fork:zero with 2 workers: 2021 faults for 2000 pages; likely cause: ",
		"it says how many, of which point");

	r = one_point(1, 3);
	r->points[0].repeats[0].minflt[0] = 2;
	is_int((int64_t)warnings(r, text, sizeof(text)), 1, "far fewer: a warning");
	has_str(text, "fork:zero with 1 worker: 2 faults for 1000 pages", "of the one repeat");

	r = one_point(1, 3);
	r->points[0].repeats[0].minflt[0] = 2;
	r->points[0].repeats[0].warmup = true;
	is_int((int64_t)warnings(r, text, sizeof(text)), 0, "a warm-up does not count");
}

static void test_short(void)
{
	struct result *r = one_point(1, 1);
	char text[500];

	r->points[0].repeats[0].wall_ns[0] = STEP_NS * SUMMARY_MIN_STEPS - 1;
	is_int((int64_t)warnings(r, text, sizeof(text)), 1, "too short for the clock: a warning");
	has_str(text, "too short for the clock", "that says so");
}

static void test_turns(void)
{
	struct result *r = one_point(2, 1);
	char text[500];

	r->points[0].repeats[0].start_ns[1] = 100000;
	is_int((int64_t)warnings(r, text, sizeof(text)), 0, "a start 10 % late: nothing yet");

	r = one_point(2, 1);
	r->points[0].repeats[0].start_ns[1] = 100001;
	is_int((int64_t)warnings(r, text, sizeof(text)), 1, "later: a warning");
	has_str(text, "they did not all run at once, and the rates are too high", "that says so");

	r = one_point(3, 1);
	r->points[0].repeats[0].start_ns[1] = 1000000;
	r->points[0].repeats[0].start_ns[2] = 2000000;
	is_int((int64_t)warnings(r, text, sizeof(text)), 1, "one after the other");
	has_str(text, "3000.0 us from the first start to the last end", "how long all took");
	has_str(text, "the longest worker took 1000.0 us", "how long one took");

	r = one_point(2, 1);
	free(r->points[0].repeats[0].start_ns);
	r->points[0].repeats[0].start_ns = NULL;
	is_int((int64_t)warnings(r, text, sizeof(text)), 0, "starts not known: no warning");
}

static void test_others(void)
{
	struct result *r = one_point(1, 1);
	char text[500];

	r->points[0].repeats[0].minflt[0] = 0;
	point_set_status(&r->points[0], POINT_FAILED, "on purpose");
	is_int((int64_t)warnings(r, text, sizeof(text)), 0, "a failed point is no subject");
}

int main(void)
{
	test_faults();
	test_short();
	test_turns();
	test_others();
	return tap_done();
}
