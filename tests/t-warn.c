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

static void test_disturbed(void)
{
	struct result *r = one_point(1, 3);
	char text[600];

	r->points[0].repeats[1].disturbed = 1u << DISTURBED_STEAL;
	json_object_set_new(r->plan, "repeats", json_integer(2));
	is_int((int64_t)warnings(r, text, sizeof(text)), 1,
	       "replaced, one of three: a warning that they are many");
	has_str(text,
		"1 point had over a quarter of the repeats disturbed and left out (steal); give "
		"this "
		"virtual machine CPUs of its own, and measure again: fork:zero with 1",
		"that says so");

	r = one_point(1, 4);
	r->points[0].repeats[1].disturbed = 1u << DISTURBED_STEAL;
	json_object_set_new(r->plan, "repeats", json_integer(2));
	is_int((int64_t)warnings(r, text, sizeof(text)), 0, "one of four: no warning");

	r = one_point(1, 5);
	r->points[0].repeats[1].disturbed = 1u << DISTURBED_STEAL;
	r->points[0].stopped = POINT_STOP_INTERRUPTED;
	json_object_set_new(r->plan, "repeats", json_integer(9));
	is_int((int64_t)warnings(r, text, sizeof(text)), 0, "interrupted: no warning");

	r = one_point(1, 3);
	r->points[0].repeats[1].disturbed = 1u << DISTURBED_STEAL;
	json_object_set_new(r->plan, "repeats", json_integer(3));
	is_int((int64_t)warnings(r, text, sizeof(text)), 1, "not replaced: a warning");
	has_str(text, "1 point had fewer undisturbed repeats than were asked for (steal); ",
		"that says why");
	has_str(text, "CPUs of its own, or give a longer --time-limit: fork:zero with 1",
		"… and of which point");

	r = one_point(1, 2);
	r->points[0].repeats[0].disturbed = 1u << DISTURBED_STEAL;
	r->points[0].repeats[1].disturbed = 1u << DISTURBED_PREEMPTED;
	is_int((int64_t)warnings(r, text, sizeof(text)), 1, "all of them: a warning");
	has_str(text,
		"1 point had no undisturbed repeat, and shows disturbed ones (steal, preempted)",
		"that says so, and why");
	has_str(text, "end what else runs on these CPUs, and measure again: fork:zero with 1",
		"… what to do, and of which point");

	r = one_point(1, 1);
	r->points[0].repeats[0].disturbed = 1u << DISTURBED_FOREIGN;
	for (unsigned workers = 1; workers <= 40; workers++) {
		struct point *p = result_add_point(r, "pthread", "pthread", "malloc", "write",
						   false, workers, PAGES);
		struct repeat *x = point_add_repeat(p);

		for (unsigned w = 0; w < workers; w++) {
			x->wall_ns[w] = 1000000;
			x->minflt[w] = PAGES;
		}
		x->disturbed = 1u << DISTURBED_QUOTA;
		summary_update(p, STEP_NS);
	}
	is_int((int64_t)warnings(r, text, sizeof(text)), 1, "41 points: still one warning");
	has_str(text, "41 points had no undisturbed repeat", "… that counts them");
	has_str(text, "(foreign load, cpu quota)", "… has all causes");
	has_str(text, "again: fork:zero with 1, pthread with 1, pthread with 2, ",
		"… names the first");
	has_str(text, " …", "… and says that there are more");

	r = one_point(1, 1);
	r->points[0].repeats[0].disturbed = 1u << DISTURBED_STEAL;
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
	test_disturbed();
	test_short();
	test_turns();
	test_others();
	return tap_done();
}
