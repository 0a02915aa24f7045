/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-disturbance: each threshold of the rule, from both sides, on made-up repeats. */
#include "config.h"

#include "tap.h"

#include "disturbance.h"
#include "result.h"

#define BIT(cause) (1u << DISTURBED_##cause)
#define MS	   INT64_C(1000000)

static struct result *result;

static struct point *new_point(unsigned workers)
{
	char type[40];
	static int n;
	struct point *p;

	snprintf(type, sizeof(type), "fork:%d", ++n);
	p = result_add_point(result, type, "fork", "malloc", "write", false, workers, 100);
	if (!p)
		exit(99);
	return p;
}

static void fill(int64_t *column, unsigned n, int64_t value)
{
	for (unsigned i = 0; i < n; i++)
		column[i] = value;
}

/* A repeat by which nothing is wrong: worker i on CPU 2 × i, 100 ms of life, 50 ms of touch. */
static struct repeat *new_repeat(struct point *p)
{
	struct repeat *r = point_add_repeat(p);

	if (!r)
		exit(99);
	for (unsigned i = 0; i < p->workers; i++)
		r->cpu[i] = r->end_cpu[i] = 2 * (int64_t)i;
	fill(r->wall_ns, p->workers, 50 * MS);
	fill(r->sys_ns, p->workers, 40 * MS);
	fill(r->user_ns, p->workers, 10 * MS);
	fill(r->freq_khz, p->workers, 2000000);
	r->lived_ns = 100 * MS;
	r->steal_ns = r->foreign_ns = r->throttles = r->quota_throttles = 0;
	return r;
}

static void is_set(unsigned got, unsigned want, const char *what)
{
	char a[200], b[200];

	is_str(disturbance_text(got, a, sizeof(a)), disturbance_text(want, b, sizeof(b)), what);
}

static void test_clean(void)
{
	struct point *p = new_point(3);
	struct repeat *r = new_repeat(p);

	is_set(disturbance_judge(p, r, false, 1), 0, "a clean repeat");
	is_set(disturbance_judge(p, r, true, 10 * MS), 0, "a clean one, oversubscribed");
}

/* A number of the whole repeat: 100 ms of life on `workers` CPUs. */
struct whole_case {
	const char *what;
	int64_t lived_ns, steal_ns, foreign_ns, throttles, quota;
	int64_t step_ns;
	unsigned workers, want;
};

static const struct whole_case whole_cases[] = {
	{ "steal: 1 % of one CPU", 100 * MS, MS, 0, 0, 0, 1, 1, 0 },
	{ "steal: a little more", 100 * MS, MS + 1, 0, 0, 0, 1, 1, BIT(STEAL) },
	{ "steal: 1 % of 2 CPUs", 100 * MS, 2 * MS, 0, 0, 0, 1, 2, 0 },
	{ "steal: over 1 % of 2 CPUs", 100 * MS, 2 * MS + 1, 0, 0, 0, 1, 2, BIT(STEAL) },
	{ "steal: one step in a short life", 100 * MS, 10 * MS, 0, 0, 0, 10 * MS, 2, BIT(STEAL) },
	{ "steal: one step in a long life", 2000 * MS, 10 * MS, 0, 0, 0, 10 * MS, 2, 0 },
	{ "steal: no step in no time", 0, 0, 0, 0, 0, 1, 1, 0 },
	{ "steal: in an unknown time", -1, 10 * MS, 0, 0, 0, 1, 1, 0 },
	{ "steal: not known", 100 * MS, -1, 0, 0, 0, 1, 1, 0 },
	{ "steal: the largest number", 100 * MS, INT64_MAX, 0, 0, 0, 1, 4, BIT(STEAL) },
	{ "steal: on 4 CPUs for the largest time", INT64_MAX, INT64_MAX, 0, 0, 0, 1, 4,
	  BIT(STEAL) },
	{ "foreign: what is usual on one CPU", 100 * MS, 0, 2050000, 0, 0, 1, 1, 0 },
	{ "foreign: a little more", 100 * MS, 0, 2050001, 0, 0, 1, 1, BIT(FOREIGN) },
	{ "foreign: what is usual on 3 CPUs", 100 * MS, 0, 4150000, 0, 0, 1, 3, 0 },
	{ "foreign: a little more on 3 CPUs", 100 * MS, 0, 4150001, 0, 0, 1, 3, BIT(FOREIGN) },
	{ "foreign: two steps", 100 * MS, 0, 20 * MS, 0, 0, 10 * MS, 1, 0 },
	{ "foreign: over two steps", 100 * MS, 0, 20 * MS + 1, 0, 0, 10 * MS, 1, BIT(FOREIGN) },
	{ "foreign: two steps for each of 3 CPUs", 100 * MS, 0, 60 * MS, 0, 0, 10 * MS, 3, 0 },
	{ "foreign: over two steps for each of 3", 100 * MS, 0, 60 * MS + 1, 0, 0, 10 * MS, 3,
	  BIT(FOREIGN) },
	{ "foreign: steps are little in a long life", 5000 * MS, 0, 51050000, 0, 0, 10 * MS, 1, 0 },
	{ "foreign: over 1 % of a long life", 5000 * MS, 0, 51050001, 0, 0, 10 * MS, 1,
	  BIT(FOREIGN) },
	{ "foreign: not known", 100 * MS, 0, -1, 0, 0, 1, 1, 0 },
	{ "foreign: in an unknown time", -1, 0, 50 * MS, 0, 0, 1, 1, 0 },
	{ "foreign: the largest number", 100 * MS, 0, INT64_MAX, 0, 0, 10 * MS, 4, BIT(FOREIGN) },
	{ "foreign: steps of the largest size", 100 * MS, 0, INT64_MAX, 0, 0, INT64_MAX, 4, 0 },
	{ "throttles: once", 100 * MS, 0, 0, 1, 0, 1, 1, BIT(THROTTLED) },
	{ "throttles: in an unknown time", -1, 0, 0, 1, 0, 1, 1, BIT(THROTTLED) },
	{ "throttles: not known", 100 * MS, 0, 0, -1, 0, 1, 1, 0 },
	{ "quota: once", 100 * MS, 0, 0, 0, 1, 1, 1, BIT(QUOTA) },
	{ "quota: not known", 100 * MS, 0, 0, 0, -1, 1, 1, 0 },
	{ "all of these", 100 * MS, 50 * MS, 50 * MS, 7, 7, 10 * MS, 1,
	  BIT(STEAL) | BIT(FOREIGN) | BIT(THROTTLED) | BIT(QUOTA) },
};

static void test_whole(void)
{
	for (size_t i = 0; i < sizeof(whole_cases) / sizeof(*whole_cases); i++) {
		const struct whole_case *c = &whole_cases[i];
		struct point *p = new_point(c->workers);
		struct repeat *r = new_repeat(p);

		r->lived_ns = c->lived_ns;
		r->steal_ns = c->steal_ns;
		r->foreign_ns = c->foreign_ns;
		r->throttles = c->throttles;
		r->quota_throttles = c->quota;
		is_set(disturbance_judge(p, r, false, c->step_ns), c->want, c->what);
	}
}

/* Four workers on two CPUs have the time of two. */
static void test_distinct(void)
{
	static const int64_t cpus[] = { 7, 3, 7, 3 };
	struct point *p = new_point(4);
	struct repeat *r = new_repeat(p);

	memcpy(r->cpu, cpus, sizeof(cpus));
	memcpy(r->end_cpu, cpus, sizeof(cpus));
	r->steal_ns = 2 * MS;
	r->foreign_ns = 3200000;
	is_set(disturbance_judge(p, r, true, 1), 0, "4 workers on 2 CPUs: at the thresholds of 2");
	r->steal_ns++;
	r->foreign_ns++;
	is_set(disturbance_judge(p, r, true, 1), BIT(STEAL) | BIT(FOREIGN), "… above them");
	free(r->cpu);
	r->cpu = NULL;
	is_set(disturbance_judge(p, r, true, 1), 0, "… CPUs not known: one each");
}

/* What one worker of three (the last) did in the touch. */
struct worker_case {
	const char *what;
	int64_t wall_ns, user_ns, sys_ns, nvcsw, nivcsw, run_delay_ns;
	unsigned want;
};

static const struct worker_case worker_cases[] = {
	{ "off for 1 % and 20 µs", 50 * MS, 0, 50 * MS - 520000, 0, 9, 0, 0 },
	{ "off for a little more", 50 * MS, 1, 50 * MS - 520002, 0, 0, 0, BIT(PREEMPTED) },
	{ "all user time", 50 * MS, 50 * MS - 520000, 0, 0, 0, 0, 0 },
	{ "off for 20 µs of a short touch", 20000, 0, 0, 0, 0, 0, 0 },
	{ "off for more of a short touch", 30000, 0, 9000, 0, 0, 0, BIT(PREEMPTED) },
	{ "delayed for 1 % and 20 µs", 50 * MS, 0, 50 * MS, 0, 0, 520000, 0 },
	{ "delayed for a little more", 50 * MS, 0, 50 * MS, 0, 0, 520001, BIT(PREEMPTED) },
	{ "off and delayed, each under", 50 * MS, 0, 50 * MS - 500000, 0, 1, 500000, 0 },
	{ "off for long, but slept", 50 * MS, 0, 5 * MS, 1, 0, 0, 0 },
	{ "delayed for long, but slept", 50 * MS, 0, 5 * MS, 2000, 9, 30 * MS, 0 },
	{ "sleeps not known", 50 * MS, 0, 5 * MS, -1, -1, 30 * MS, 0 },
	{ "delay not known, off", 50 * MS, 0, 5 * MS, 0, 1, -1, BIT(PREEMPTED) },
	{ "CPU time not known, delayed", 50 * MS, -1, -1, 0, 1, 30 * MS, BIT(PREEMPTED) },
	{ "CPU time not known", 50 * MS, -1, 0, 0, 1, 0, 0 },
	{ "wall time not known", -1, 0, 0, 0, 1, 30 * MS, 0 },
	{ "more CPU time than wall time", 50 * MS, 9 * MS, 50 * MS, 0, 0, 0, 0 },
	{ "the largest numbers", INT64_MAX, INT64_MAX, INT64_MAX, 0, INT64_MAX, 0, 0 },
	{ "off for the longest time", INT64_MAX, 0, 0, 0, 0, 0, BIT(PREEMPTED) },
	{ "delayed for the longest time", 50 * MS, 0, 50 * MS, 0, 0, INT64_MAX, BIT(PREEMPTED) },
	{ "preempted by count alone", 50 * MS, 0, 50 * MS, 0, 1000, 0, 0 },
};

static void test_workers(void)
{
	for (size_t i = 0; i < sizeof(worker_cases) / sizeof(*worker_cases); i++) {
		const struct worker_case *c = &worker_cases[i];
		struct point *p = new_point(3);
		struct repeat *r = new_repeat(p);

		r->wall_ns[2] = c->wall_ns;
		r->user_ns[2] = c->user_ns;
		r->sys_ns[2] = c->sys_ns;
		r->nvcsw[2] = c->nvcsw;
		r->nivcsw[2] = c->nivcsw;
		r->run_delay_ns[2] = c->run_delay_ns;
		is_set(disturbance_judge(p, r, false, 1), c->want, c->what);
		if (c->want)
			is_set(disturbance_judge(p, r, true, 1), 0, "… as meant: oversubscribed");
	}
}

static void test_migrated(void)
{
	struct point *p = new_point(3);
	struct repeat *r = new_repeat(p);

	r->end_cpu[1] = 0;
	is_set(disturbance_judge(p, r, false, 1), BIT(MIGRATED), "ended on another's CPU");
	is_set(disturbance_judge(p, r, true, 1), BIT(MIGRATED), "… oversubscribed, too");
	r->end_cpu[1] = -1;
	is_set(disturbance_judge(p, r, false, 1), 0, "ended one does not know where");
	r->cpu[0] = -1;
	is_set(disturbance_judge(p, r, false, 1), 0, "was meant for an unknown CPU");
	r->cpu[0] = 0;
	r->end_cpu[2] = INT64_MAX;
	is_set(disturbance_judge(p, r, false, 1), BIT(MIGRATED), "ended on an impossible CPU");
}

static void test_major_faults(void)
{
	struct point *p = new_point(3);
	struct repeat *r = new_repeat(p);

	r->majflt[2] = 1;
	is_set(disturbance_judge(p, r, false, 1), BIT(MAJOR_FAULTS), "one major fault");
	r->majflt[2] = -1;
	is_set(disturbance_judge(p, r, false, 1), 0, "major faults not known");
}

/* Workers that sleep on locks are contended, not preempted, unless others had their CPU as well. */
static void test_sleepers(void)
{
	struct point *p = new_point(2);
	struct repeat *r = new_repeat(p);

	r->wall_ns[0] = 100 * MS;
	r->nvcsw[0] = 10;
	r->run_delay_ns[0] = 1520000 + 1;
	r->nivcsw[0] = 0;
	is_set(disturbance_judge(p, r, false, 1), 0, "a sleeper that only woke up");
	r->nivcsw[0] = 1;
	is_set(disturbance_judge(p, r, false, 1), BIT(PREEMPTED), "one that was put off its CPU");
	r->run_delay_ns[0]--;
	is_set(disturbance_judge(p, r, false, 1), 0, "… 1 %, 20 us and 50 us a sleep are nothing");
	is_set(disturbance_judge(p, r, true, 1), 0, "… nor where workers outnumber CPUs");
}

/* A new repeat whose worker 0 had this frequency after the touch. */
static struct repeat *at_khz(struct point *p, int64_t khz)
{
	struct repeat *r = new_repeat(p);

	r->freq_khz[0] = khz;
	return r;
}

static void test_frequency(void)
{
	struct point *p = new_point(2);
	struct repeat *r = at_khz(p, 100000);

	is_set(disturbance_judge(p, r, false, 1), 0, "a first repeat has none to compare with");
	r->warmup = true;
	is_set(disturbance_judge(p, at_khz(p, 50000), false, 1), 0, "a second has too few");
	is_set(disturbance_judge(p, at_khz(p, 100000), false, 1), 0, "so has a third");
	r = at_khz(p, 95000);
	is_set(disturbance_judge(p, r, false, 1), 0, "95 % of the median of three");
	r->freq_khz[0]--;
	is_set(disturbance_judge(p, r, false, 1), BIT(FREQUENCY), "under 95 % of it");
	is_set(disturbance_judge(p, r, true, 1), BIT(FREQUENCY), "… oversubscribed, too");
	r->freq_khz[0] = 105000;
	is_set(disturbance_judge(p, r, false, 1), 0, "105 % of it");
	r->freq_khz[0]++;
	is_set(disturbance_judge(p, r, false, 1), BIT(FREQUENCY), "over 105 % of it");
	r->freq_khz[0] = INT64_MAX;
	is_set(disturbance_judge(p, r, false, 1), BIT(FREQUENCY), "… far over");
	r->freq_khz[0] = -1;
	is_set(disturbance_judge(p, r, false, 1), 0, "… not known");
	r->freq_khz[0] = 0;
	is_set(disturbance_judge(p, r, false, 1), 0, "… 0 is no frequency");
	at_khz(p, 1);
	is_set(disturbance_judge(p, &p->repeats[3], false, 1), 0, "later repeats do not count");
}

/* A CPU that has used up its turbo is slower from then on: the change is marked, and no more. */
static void test_frequency_stays(void)
{
	struct point *p = new_point(2);
	unsigned marked = 0;

	for (int i = 0; i < 40; i++) {
		struct repeat *r = at_khz(p, i < 10 ? 4000000 : 3000000);

		r->disturbed = disturbance_judge(p, r, false, 1);
		marked += r->disturbed != 0;
		if (i == 9)
			is_int(marked, 0, "turbo: nothing to mark");
	}
	is_int(marked, 3, "turbo is over: the first three are marked, the other 27 are not");
	marked = 0;
	for (int i = 0; i < 10; i++)
		marked += disturbance_judge(p, at_khz(p, i == 4 ? 2000000 : 3000000), false, 1) !=
			  0;
	is_int(marked, 1, "one that is off: it alone is marked");
}

static void test_frequency_places(void)
{
	struct point *p = new_point(3);
	struct repeat *r;

	for (int i = 0; i < 3; i++)
		at_khz(p, 3000000);
	r = new_repeat(p);
	/* Worker 2 has the CPU that worker 0 had, and so on. */
	r->cpu[0] = r->end_cpu[0] = 2;
	r->cpu[1] = r->end_cpu[1] = 4;
	r->cpu[2] = r->end_cpu[2] = 0;
	r->freq_khz[2] = 2800000;
	is_set(disturbance_judge(p, r, false, 1), BIT(FREQUENCY), "CPUs are compared, not workers");
	r->freq_khz[2] = 2900000;
	is_set(disturbance_judge(p, r, false, 1), 0, "… also where all is well");
	r->cpu[2] = r->end_cpu[2] = 6;
	r->freq_khz[2] = 1;
	is_set(disturbance_judge(p, r, false, 1), 0, "a CPU that was not used before");
	p->repeats[0].freq_khz[0] = -1;
	r->cpu[2] = r->end_cpu[2] = 0;
	is_set(disturbance_judge(p, r, false, 1), 0, "… or whose frequency was known too seldom");
}

static void drop(int64_t **column)
{
	free(*column);
	*column = NULL;
}

static void test_absent(void)
{
	struct point *p = new_point(2);
	struct repeat *r;

	for (int i = 0; i < 3; i++)
		at_khz(p, 4000000);
	r = new_repeat(p);
	r->majflt[0] = r->end_cpu[0] = r->run_delay_ns[0] = 10 * MS;
	r->sys_ns[1] = 0;
	is_set(disturbance_judge(p, r, false, 1),
	       BIT(PREEMPTED) | BIT(MIGRATED) | BIT(MAJOR_FAULTS) | BIT(FREQUENCY),
	       "what can be known of workers");
	drop(&r->majflt);
	drop(&r->end_cpu);
	drop(&r->freq_khz);
	drop(&r->run_delay_ns);
	is_set(disturbance_judge(p, r, false, 1), BIT(PREEMPTED), "without some columns");
	drop(&r->user_ns);
	is_set(disturbance_judge(p, r, false, 1), 0, "without CPU time");
	r->run_delay_ns = calloc(2, sizeof(*r->run_delay_ns));
	if (!r->run_delay_ns)
		exit(99);
	r->run_delay_ns[0] = 10 * MS;
	is_set(disturbance_judge(p, r, false, 1), BIT(PREEMPTED), "… the delay is enough");
	drop(&r->nvcsw);
	is_set(disturbance_judge(p, r, false, 1), 0, "… not without the number of sleeps");
	drop(&r->wall_ns);
	drop(&r->cpu);
	drop(&r->sys_ns);
	r->lived_ns = r->steal_ns = r->foreign_ns = r->throttles = r->quota_throttles = -1;
	is_set(disturbance_judge(p, r, false, 1), 0, "nothing is known, nothing disturbs");
	for (int i = 0; i < 3; i++)
		drop(&p->repeats[i].freq_khz);
	r = new_repeat(p);
	r->freq_khz[0] = 1;
	is_set(disturbance_judge(p, r, false, 1), 0, "earlier repeats without frequencies");
}

/* Wall times and rates have no say: a repeat ten times as slow is as good. */
static void test_blind_to_rates(void)
{
	struct point *p = new_point(2);
	struct repeat *r;

	new_repeat(p);
	r = new_repeat(p);
	fill(r->wall_ns, 2, 500 * MS);
	fill(r->sys_ns, 2, 490 * MS);
	r->lived_ns = 1000 * MS;
	is_set(disturbance_judge(p, r, false, 1), 0, "slow is not disturbed");
}

static void test_names(void)
{
	char buf[200];

	for (int i = 0; i < DISTURBED_N; i++) {
		const struct disturbance_cause *c = &disturbance_causes[i];

		is_int(disturbance_find(c->name), i, c->name);
		ok(c->summary && *c->summary && !strpbrk(c->summary, "\n.") &&
			   strlen(c->summary) < 60,
		   "… has a one-line summary");
		ok(!strchr(c->name, ','), "… and no comma in its name");
	}
	is_int(disturbance_find("a meteorite"), DISTURBED_OTHER, "an unknown cause is another");
	is_int(disturbance_find(""), DISTURBED_OTHER, "… and so is an empty one");
	is_str(disturbance_text(0, buf, sizeof(buf)), "", "no cause");
	is_str(disturbance_text(BIT(QUOTA), buf, sizeof(buf)), "cpu quota", "one cause");
	is_str(disturbance_text(BIT(STEAL) | BIT(FOREIGN) | BIT(OTHER), buf, sizeof(buf)),
	       "steal, foreign load, other", "three causes");
	is_str(disturbance_text(~0u, buf, 9), "steal, p", "a short buffer is filled, not overrun");
	is_str(disturbance_text(~0u, buf, 6), "steal", "… at a name's end");
	is_str(disturbance_text(~0u, buf, 1), "", "… of one byte");
}

int main(void)
{
	result = result_new();
	if (!result)
		return 99;
	test_clean();
	test_whole();
	test_distinct();
	test_workers();
	test_migrated();
	test_major_faults();
	test_sleepers();
	test_frequency();
	test_frequency_stays();
	test_frequency_places();
	test_absent();
	test_blind_to_rates();
	test_names();
	result_free(result);
	return tap_done();
}
