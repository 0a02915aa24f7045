/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-result: a result written and read back is the same, and reads well. */
#include "config.h"

#include "result.h"
#include "tap.h"

#include <math.h>
#include <unistd.h>

static char file[] = "/tmp/pfscale-t-result.XXXXXX";

static void *need(void *p)
{
	if (!p)
		exit(99);
	return p;
}

static void write_file(const struct result *r)
{
	FILE *out = need(fopen(file, "w"));

	is_int(result_write(out, r), 0, "a result is written");
	if (fclose(out))
		exit(99);
}

static char *read_file(const char *path, size_t *len)
{
	FILE *in = need(fopen(path, "r"));
	char *buf = need(malloc(1 << 20));

	*len = fread(buf, 1, (1 << 20) - 1, in);
	buf[*len] = '\0';
	fclose(in);
	return buf;
}

static struct result *load(const char *path)
{
	struct err err = { 0 };
	struct result *r = NULL;
	char text[700];

	if (!ok(!result_load(path, &r, &err), "%s is read", path == file ? "it" : path)) {
		err_text(&err, text, sizeof(text));
		printf("# %s\n", text);
		exit(1);
	}
	return r;
}

static bool same_real(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_column(const int64_t *a, const int64_t *b, unsigned n)
{
	return a && b ? !memcmp(a, b, n * sizeof(*a)) : a == b;
}

static bool same_repeat(const struct repeat *a, const struct repeat *b, unsigned n)
{
	bool same =
		a->order == b->order && a->warmup == b->warmup && a->disturbed == b->disturbed &&
		a->shared_map_ns == b->shared_map_ns && a->shared_unmap_ns == b->shared_unmap_ns &&
		a->lived_ns == b->lived_ns && a->steal_ns == b->steal_ns &&
		a->foreign_ns == b->foreign_ns && a->throttles == b->throttles &&
		a->quota_throttles == b->quota_throttles && same_column(a->cpu, b->cpu, n) &&
		same_column(a->node, b->node, n) && same_column(a->start_ns, b->start_ns, n) &&
		same_column(a->wall_ns, b->wall_ns, n) && same_column(a->map_ns, b->map_ns, n) &&
		same_column(a->unmap_ns, b->unmap_ns, n) &&
		same_column(a->user_ns, b->user_ns, n) && same_column(a->sys_ns, b->sys_ns, n) &&
		same_column(a->minflt, b->minflt, n) && same_column(a->majflt, b->majflt, n) &&
		same_column(a->nvcsw, b->nvcsw, n) && same_column(a->nivcsw, b->nivcsw, n) &&
		same_column(a->run_delay_ns, b->run_delay_ns, n) &&
		same_column(a->end_cpu, b->end_cpu, n) && same_column(a->freq_khz, b->freq_khz, n);

	for (int e = 0; e < PERF_N_EVENTS; e++)
		same = same && same_column(a->perf[e], b->perf[e], n);
	return same;
}

static bool same_summary(const struct summary *a, const struct summary *b)
{
	return same_real(a->max_wall_s, b->max_wall_s) && same_real(a->min_wall_s, b->min_wall_s) &&
	       same_real(a->sys_s, b->sys_s) && same_real(a->user_s, b->user_s) &&
	       a->faults == b->faults && a->nodes == b->nodes &&
	       same_real(a->faults_per_wall_s, b->faults_per_wall_s) &&
	       same_real(a->faults_per_sys_s, b->faults_per_sys_s) &&
	       same_real(a->faults_per_wall_s_per_cpu, b->faults_per_wall_s_per_cpu) &&
	       same_real(a->rate_low, b->rate_low) && same_real(a->rate_high, b->rate_high) &&
	       same_real(a->totcpu_s, b->totcpu_s) &&
	       same_real(a->totcpu_per_cpu_s, b->totcpu_per_cpu_s);
}

static bool same_point(const struct point *a, const struct point *b)
{
	bool same = same_text(a->type, b->type) && same_text(a->model, b->model) &&
		    same_text(a->object, b->object) && same_text(a->touch, b->touch) &&
		    a->shared == b->shared && a->workers == b->workers && a->pages == b->pages &&
		    a->status == b->status && a->stopped == b->stopped &&
		    same_text(a->reason, b->reason) && a->n_repeats == b->n_repeats &&
		    a->has_summary == b->has_summary &&
		    (!a->has_summary || same_summary(&a->summary, &b->summary));

	for (size_t i = 0; i < a->n_repeats && same; i++)
		same = same_repeat(&a->repeats[i], &b->repeats[i], a->workers);
	return same;
}

/* Everything but where they were read from. */
static void is_same(const struct result *a, const struct result *b)
{
	ok(a->complete == b->complete, "the same: complete");
	is_str(b->label, a->label, "the same: label");
	is_str(b->created, a->created, "the same: created");
	ok(json_equal(a->command, b->command), "the same: command");
	ok(json_equal(a->tool, b->tool), "the same: tool");
	ok(json_equal(a->system, b->system), "the same: system");
	ok(json_equal(a->plan, b->plan), "the same: plan");
	ok(json_equal(a->canary, b->canary), "the same: canary");
	if (ok(a->n_warnings == b->n_warnings, "the same: number of warnings"))
		for (size_t i = 0; i < a->n_warnings; i++)
			is_str(b->warnings[i], a->warnings[i], "the same: warning");
	if (ok(a->n_points == b->n_points, "the same: number of points"))
		for (size_t i = 0; i < a->n_points; i++)
			ok(same_point(&a->points[i], &b->points[i]), "the same: point %zu", i);
}

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = need(strdup(text));
}

static void drop(int64_t **column)
{
	free(*column);
	*column = NULL;
}

static struct point *add_point(struct result *r, const char *type, unsigned workers)
{
	return need(result_add_point(r, type, "fork", "malloc", "write", false, workers, 24415));
}

static struct repeat *add_repeat(struct point *p)
{
	return need(point_add_repeat(p));
}

/* A point with all that one may have: every column, columns left out, unknown nodes. */
static void fill_measured(struct result *r)
{
	struct point *p = add_point(r, "fork:zero:shared", 3);
	struct repeat *warm = add_repeat(p), *full;

	p->shared = true;
	warm->warmup = true;
	full = add_repeat(p);
	full->order = 17;
	for (int i = 0; i < 3; i++) {
		full->cpu[i] = 4095 - i;
		full->node[i] = i - 1;
		full->start_ns[i] = i - 1;
		full->wall_ns[i] = INT64_MAX - i;
		full->map_ns[i] = 1;
		full->sys_ns[i] = 123456789012345;
		full->minflt[i] = 24415 + i;
		full->nvcsw[i] = 10 + i;
		full->nivcsw[i] = 20 + i;
		full->run_delay_ns[i] = 30 + i;
		full->end_cpu[i] = 40 + i;
		full->freq_khz[i] = i ? 2600000 : -1;
		for (int e = 0; e < PERF_N_EVENTS; e++)
			full->perf[e][i] = i ? 100 * e + i : -1;
	}
	full->disturbed = 1u << DISTURBED_STEAL | 1u << DISTURBED_OTHER;
	full->lived_ns = 1;
	full->steal_ns = 0;
	full->foreign_ns = INT64_MAX;
	full->quota_throttles = 3;
	drop(&full->perf[PERF_CYCLES_USER]);
	p->stopped = POINT_STOP_TIME;
	full->shared_map_ns = 0;
	full->shared_unmap_ns = 5;
	drop(&full->majflt);
	drop(&full->user_ns);
	p->has_summary = true;
	p->summary = (struct summary){ .max_wall_s = 0.1,
				       .min_wall_s = 1.0 / 3,
				       .user_s = 1e-9,
				       .faults = 73248,
				       .faults_per_wall_s = 1e300 / 3,
				       .faults_per_sys_s = 123456.7890123,
				       .faults_per_wall_s_per_cpu = NAN,
				       .rate_low = 1.0 / 7,
				       .rate_high = NAN,
				       .totcpu_s = 1e-9,
				       .totcpu_per_cpu_s = 1e-9 / 3,
				       .nodes = -1 };
}

static void fill_others(struct result *r)
{
	struct point *p = add_point(r, "fork", 1);

	is_int(point_set_status(p, POINT_FAILED, "mmap: ENOMEM"), 0, "a point fails");
	add_repeat(p);
	p = add_point(r, "fork", 2);
	is_int(point_set_status(p, POINT_SKIPPED, "no tmpfs \"here\"\n"), 0, "a point is skipped");
	p = add_point(r, "pthread", 2);
	p->pages = 0;
	p->has_summary = true;
	p->summary = (struct summary){ .max_wall_s = NAN,
				       .min_wall_s = INFINITY,
				       .sys_s = NAN,
				       .user_s = -INFINITY,
				       .faults = -1,
				       .faults_per_wall_s = NAN,
				       .faults_per_sys_s = NAN,
				       .faults_per_wall_s_per_cpu = NAN,
				       .rate_low = NAN,
				       .rate_high = NAN,
				       .totcpu_s = NAN,
				       .totcpu_per_cpu_s = NAN,
				       .nodes = -1 };
}

static struct result *everything(void)
{
	struct result *r = need(result_new());

	r->complete = true;
	set_text(&r->label, "Grüße \"\\ \t\x01 日本");
	set_text(&r->created, "2026-01-31T23:59:59Z");
	json_array_append_new(r->command, json_string("pfscale"));
	json_array_append_new(r->command, json_string(""));
	json_object_set_new(r->tool, "version", json_string("0.1.0"));
	json_decref(r->system);
	r->system = need(json_pack("{s:s, s:{s:s, s:[]}, s:{s:[[i,i],[i,i]]}, s:f, s:n, s:{}}",
				   "hostname", "box", "kernel", "release", "6.1.0", "none", "numa",
				   "distances", 10, 20, 20, 10, "real", 0.1, "null", "a \"key\""));
	json_object_set_new(r->plan, "seed", json_integer(-5));
	json_array_append_new(r->canary, need(json_pack("{s:s}", "when", "before")));
	result_add_warning(r, "first");
	result_add_warning(r, "second");
	result_add_warning(r, "first");
	is_int((int64_t)r->n_warnings, 2, "the same warning is kept once");
	fill_measured(r);
	fill_others(r);
	return r;
}

static void test_round_trip(void)
{
	struct result *a = everything(), *b, *c;
	char *text, *again;
	size_t len;
	json_t *json, *other;

	write_file(a);
	text = read_file(file, &len);
	b = load(file);
	/* What is not finite is n/a. */
	a->points[3].summary.min_wall_s = a->points[3].summary.user_s = NAN;
	is_same(a, b);
	is_str(b->path, file, "the path is kept");
	json = json_loads(text, 0, NULL);
	other = need(result_to_json(b));
	ok(json_equal(json, other), "the text and result_to_json() agree");
	json_decref(other);
	json_decref(json);
	write_file(b);
	again = read_file(file, &len);
	is_str(again, text, "written again, the text is the same");
	c = load(file);
	is_same(b, c);
	free(again);
	free(text);
	result_free(a);
	result_free(b);
	result_free(c);
}

static void test_text(void)
{
	struct result *r = everything();
	char *text, *at, *end;
	size_t len;

	r->complete = false;
	write_file(r);
	text = read_file(file, &len);
	has_str(text, "\n          \"node\": [null, 0, 1],\n", "an unknown node is null");
	has_str(text, "\n          \"minflt\": [24415, 24416, 24417],\n",
		"a column takes one line");
	has_str(text, "\n          \"disturbed\": [\"steal\", \"other\"],\n", "causes have names");
	has_str(text, "\n          \"freq_khz\": [null, 2600000, 2600000],\n", "… and a frequency");
	has_str(text, "\n          \"perf_page_faults\": [null, 1, 2],\n", "… and a count");
	at = strstr(text, "\"disturbed\"");
	end = at ? strchr(at, '}') : NULL;
	ok(end && memmem(at, (size_t)(end - at), "perf_cycles_kernel", 18) &&
		   !memmem(at, (size_t)(end - at), "perf_cycles_user", 16),
	   "what was not counted is not there");
	has_str(text, "\n      \"stopped\": \"time limit\",\n", "why there are no more repeats");
	ok(!strstr(text, "\"throttles\""), "a number that is not known is not there");
	has_str(text, "\"start_ns\": [-1, 0, 1]", "a start may be early");
	has_str(text,
		"\"wall_ns\": [9223372036854775807, 9223372036854775806, 9223372036854775805]",
		"the largest integers");
	has_str(text, "\"max_wall_s\": 0.1,", "a real is as short as can be");
	has_str(text, "\"min_wall_s\": 0.3333333333333333,", "and as long as must be");
	has_str(text, "\"min_wall_s\": null,", "an infinite number is null");
	has_str(text, "\"pages\": null,", "unknown pages are null");
	has_str(text, "\"none\": []", "an empty array");
	has_str(text, "        [10, 20],\n        [20, 10]\n", "rows of a matrix take a line each");
	ok(!strstr(text, " nan") && !strstr(text, " inf") && !strstr(text, "-inf"),
	   "no nan and no inf");
	ok(text[len - 2] == '}' && text[len - 1] == '\n', "the text ends with a line break");
	free(text);
	result_free(r);
}

static void test_empty(void)
{
	struct result *a = need(result_new()), *b;

	write_file(a);
	b = load(file);
	is_same(a, b);
	result_free(a);
	result_free(b);
	result_free(NULL);
	ok(true, "freeing nothing does nothing");
}

/* Of an incomplete file, points may not have been begun, or only warmed up. */
static void test_incomplete(void)
{
	struct result *a = need(result_new()), *b;

	add_point(a, "fork", 1);
	add_repeat(add_point(a, "fork", 2))->warmup = true;
	write_file(a);
	b = load(file);
	is_same(a, b);
	result_free(a);
	result_free(b);
}

static void test_big(void)
{
	struct result *a = need(result_new()), *b;
	char type[32];

	for (unsigned i = 0; i < 300; i++) {
		snprintf(type, sizeof(type), "type-%u", i);
		add_point(a, type, i + 1);
		snprintf(type, sizeof(type), "warning %u", i);
		result_add_warning(a, type);
	}
	for (int i = 0; i < 20; i++)
		add_repeat(&a->points[299])->order = i;
	a->points[299].has_summary = true;
	write_file(a);
	b = load(file);
	is_same(a, b);
	result_free(a);
	result_free(b);
}

static void test_many_workers(void)
{
	struct result *a = need(result_new()), *b;
	struct point *p = add_point(a, "x", 1500);

	for (int i = 0; i < 3; i++) {
		struct repeat *r = add_repeat(p);

		for (int w = 0; w < 1500; w++)
			r->wall_ns[w] = w * 1000003LL + i;
	}
	p->has_summary = true;
	write_file(a);
	b = load(file);
	is_same(a, b);
	result_free(a);
	result_free(b);
}

/* A file of version 1 as it was first written: it must stay readable for good. */
static void test_recorded(void)
{
	const char *dir = getenv("top_srcdir");
	char path[4096], *text, *again;
	size_t len;
	struct result *r;

	snprintf(path, sizeof(path), "%s/tests/data/result-v1.json", dir ? dir : "..");
	r = load(path);
	is_int((int64_t)r->n_points, 4, "the recorded file has its points");
	is_str(r->points[0].type, "fork:zero:shared", "and its types");
	is_int(r->points[0].repeats[1].wall_ns[1], 41350101, "and its samples");
	is_int(r->points[0].repeats[1].node[1], -1, "and its unknown node");
	is_str(r->points[2].reason, "mmap: ENOMEM (Cannot allocate memory): 100000000 bytes",
	       "and its reason");
	is_int(result_system_int(r, "clock.step_ns"), 21, "and its system");
	text = read_file(path, &len);
	write_file(r);
	again = read_file(file, &len);
	is_str(again, text, "and is written in the same way today");
	free(text);
	free(again);
	result_free(r);
}

int main(void)
{
	int fd = mkstemp(file);

	if (fd < 0)
		return 99;
	close(fd);
	test_round_trip();
	test_text();
	test_empty();
	test_incomplete();
	test_big();
	test_many_workers();
	test_recorded();
	unlink(file);
	return tap_done();
}
