/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rounds: a plan, carried out round by round into a result. */
#include "config.h"

#include "rounds.h"

#include "clock.h"
#include "disturbance.h"
#include "monitor.h"
#include "preflight.h"
#include "probe.h"
#include "run.h"
#include "stop.h"
#include "summary.h"

#include <errno.h>
#include <stdlib.h>

static const int64_t save_every_ns = 30000000000;

/* How often the machine's own speed is looked at within a run. */
static const int64_t probe_every_ns = 120000000000;

/* Between two saves lies this many times what a save takes. */
enum { SAVE_SHARE = 20 };

static int no_memory(struct err *err, const char *what)
{
	return err_set(err, ENOMEM, "malloc", "%s", what);
}

static int fail_point(struct rounds *r, struct point *p, const struct err *why, struct err *err)
{
	char text[800];

	err_text(why, text, sizeof(text));
	fprintf(r->notes, "pfscale run: %s with %u worker%s failed: %s\n", p->type, p->workers,
		p->workers == 1 ? "" : "s", text);
	return point_set_status(p, POINT_FAILED, text) ? no_memory(err, "a failed point") : 0;
}

/* One point, before anything is run: can it be run at all? */
static int prepare_point(struct rounds *r, const struct plan_point *pp, struct err *err)
{
	const struct type *type = pp->type;
	struct err why = { 0 };
	char text[800];
	struct point *p = result_add_point(r->result, type->label, type->model->name,
					   type->object->name, type->touch->name, type->shared,
					   pp->workers, r->plan->pages);

	if (!p)
		return no_memory(err, "a point");
	if (object_check(type->object, r->env, &why)) {
		err_text(&why, text, sizeof(text));
		if (!r->quiet && pp->workers == r->plan->counts[0])
			fprintf(r->notes, "pfscale run: %s is skipped: %s\n", type->label, text);
		return point_set_status(p, POINT_SKIPPED, text) ? no_memory(err, "a point") : 0;
	}
	if (!r->force && preflight_point(r->plan, pp, r->env, &why))
		return fail_point(r, p, &why, err);
	return point_set_status(p, POINT_SKIPPED, ROUNDS_NOT_RUN) ? no_memory(err, "a point") : 0;
}

int rounds_prepare(struct rounds *r, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < r->plan->n_points && !ret; i++)
		ret = prepare_point(r, &r->plan->points[i], err);
	return ret;
}

/* All that a running plan needs besides. */
struct execution {
	struct rounds *r;
	struct progress progress;
	struct monitor *monitor;
	struct stop_rule rule;
	struct place *places; /* of the largest team: that of n workers is its beginning */
	unsigned most;	      /* workers of the largest team */
	bool *out;	      /* per point: skipped, failed, or enough: not to be run (again) */
	int64_t *cost_ns;     /* per point: how long its last repeat took, all told */
	size_t *order;
	int64_t begun_ns;
	int64_t saved_ns, save_cost_ns; /* when the last save ended, and how long it took */
	int64_t probed_ns;		/* when the canary was last looked after */
	int64_t repeats;		/* done so far */
};

static void tell(struct execution *x, const struct point *p, const struct repeat *repeat)
{
	struct summary s;
	char causes[200];

	progress_clear(&x->progress);
	summary_of_repeat(p, repeat, x->rule.clock_step_ns, &s);
	disturbance_text(repeat->disturbed, causes, sizeof(causes));
	fprintf(x->r->verbose, "%s %u%s: %.6f s, %lld faults%s%s\n", p->type, p->workers,
		repeat->warmup ? " (warm-up)" : "", s.max_wall_s, (long long)s.faults,
		*causes ? "; disturbed: " : "", causes);
}

/* The point's repeat is done: keep it. */
static int keep(struct execution *x, struct point *p, struct repeat *repeat, bool warmup,
		struct err *err)
{
	repeat->order = x->repeats++;
	repeat->warmup = warmup;
	if (x->r->verbose)
		tell(x, p, repeat);
	if (warmup)
		return 0;
	if (p->status != POINT_OK && point_set_status(p, POINT_OK, NULL))
		return no_memory(err, "a point");
	return 0;
}

/* Before anybody looks at them: not after each repeat, since it goes through all that there are. */
static void update_summaries(struct execution *x)
{
	for (size_t i = 0; i < x->r->plan->n_points; i++)
		summary_update(&x->r->result->points[i], x->rule.clock_step_ns);
}

/* What one repeat of a point touches, for the progress. */
static double bytes_of(const struct execution *x, size_t i)
{
	return (double)plan_point_bytes(x->r->plan, &x->r->plan->points[i]);
}

/* One repeat, with an eye on the machine; how it was disturbed goes with it. */
static int observe(struct execution *x, const struct run_job *job, struct point *p,
		   struct repeat *repeat, struct err *why)
{
	int ret;

	monitor_begin(x->monitor, job->places, job->workers);
	ret = run_repeat(job, repeat, why);
	if (ret)
		return ret;
	monitor_end(x->monitor, repeat);
	repeat->disturbed =
		disturbance_judge(p, repeat, job->oversubscribed, monitor_step_ns(x->monitor));
	return 0;
}

static int run_point(struct execution *x, size_t i, unsigned round, struct err *err)
{
	const struct plan *plan = x->r->plan;
	const struct plan_point *pp = &plan->points[i];
	struct point *p = &x->r->result->points[i];
	struct run_job job = {
		.type = pp->type,
		.topology = x->r->topology,
		.env = x->r->env,
		.places = x->places,
		.workers = pp->workers,
		.oversubscribed = pp->oversubscribed,
		.pages = plan->pages,
		.page_size = plan->page_size,
		.perf = plan->perf,
	};
	int64_t begun_ns = clock_now_ns();
	struct err why = { 0 };
	struct repeat *repeat = point_add_repeat(p);
	int ret;

	if (!repeat)
		return no_memory(err, "samples");
	ret = observe(x, &job, p, repeat, &why);
	if (!ret) {
		progress_done(&x->progress, bytes_of(x, i));
		ret = keep(x, p, repeat, round < plan->warmup, err);
		x->cost_ns[i] = clock_now_ns() - begun_ns;
		return ret;
	}
	point_drop_repeat(p);
	if (ret == -EINTR && run_stop_signal())
		return ret;
	x->out[i] = true;
	if (round < plan_rounds(plan))
		progress_drop(&x->progress, bytes_of(x, i) * (plan_rounds(plan) - round));
	progress_clear(&x->progress);
	return fail_point(x->r, p, &why, err);
}

static int save(struct execution *x, struct err *err)
{
	int64_t begun = clock_now_ns();
	int ret;

	update_summaries(x);
	ret = save_write(x->r->save, x->r->result, false, err);
	x->saved_ns = clock_now_ns();
	x->save_cost_ns = x->saved_ns - begun;
	return ret;
}

/* Probe the CPUs that are used. A canary that cannot be had is a warning; the run goes on. */
static int probe(struct execution *x, const char *when, struct err *err)
{
	struct result *result = x->r->result;
	char text[900], reason[800];
	struct err why = { 0 };
	json_t *reading = NULL;
	int ret = probe_run(x->r->topology, x->places, x->most, when, x->repeats,
			    clock_now_ns() - x->begun_ns, &reading, &why);

	x->probed_ns = clock_now_ns();
	if (ret == -EINTR && run_stop_signal())
		return ret;
	if (!ret)
		return json_array_append_new(result->canary, reading) ? no_memory(err, "the canary")
								      : 0;
	err_text(&why, reason, sizeof(reason));
	snprintf(text, sizeof(text), "the machine's own speed could not be measured: %s", reason);
	return result_add_warning(result, text) ? no_memory(err, "a warning") : 0;
}

/* Whether a point is to be run once more. */
static bool is_wanted(struct execution *x, size_t i)
{
	struct point *p = &x->r->result->points[i];

	if (x->out[i])
		return false;
	p->stopped = stop_judge(&x->rule, p, clock_now_ns() - x->begun_ns, x->cost_ns[i]);
	x->out[i] = p->stopped != POINT_STOP_NONE;
	return !x->out[i];
}

static int run_round(struct execution *x, unsigned round, struct err *err)
{
	const struct plan *plan = x->r->plan;

	plan_round_order(plan, round, x->order);
	for (size_t n = 0; n < plan->n_points; n++) {
		size_t i = x->order[n];
		int ret;

		if (!is_wanted(x, i))
			continue;
		progress_show(&x->progress, plan->points[i].type->label, plan->points[i].workers,
			      round, plan_rounds(plan));
		ret = run_point(x, i, round, err);
		if (!ret && clock_now_ns() - x->probed_ns >= probe_every_ns)
			ret = probe(x, "during", err);
		if (!ret && clock_now_ns() - x->saved_ns >= save_every_ns)
			ret = save(x, err);
		if (ret)
			return ret;
	}
	/* The file grows with each round: many short ones would else spend their time on saving. */
	if (clock_now_ns() - x->saved_ns < SAVE_SHARE * x->save_cost_ns)
		return 0;
	return save(x, err);
}

static int begin(struct execution *x, struct err *err)
{
	struct rounds *r = x->r;
	double bytes = 0;

	x->most = r->plan->counts[r->plan->n_counts - 1];
	x->monitor = monitor_new(r->topology);
	x->places = calloc(x->most, sizeof(*x->places));
	x->out = calloc(r->plan->n_points, sizeof(*x->out));
	x->cost_ns = calloc(r->plan->n_points, sizeof(*x->cost_ns));
	x->order = calloc(r->plan->n_points, sizeof(*x->order));
	if (!x->monitor || !x->places || !x->out || !x->cost_ns || !x->order)
		return no_memory(err, "the plan's execution");
	for (size_t i = 0; i < r->plan->n_points; i++) {
		const struct point *p = &r->result->points[i];

		x->out[i] =
			p->status == POINT_FAILED ||
			object_check(r->plan->points[i].type->object, r->env, &(struct err){ 0 });
		if (!x->out[i])
			bytes += bytes_of(x, i) * plan_rounds(r->plan);
	}
	if (json_object_set_new(r->result->plan, "load_step_ns",
				json_integer(monitor_step_ns(x->monitor))))
		return no_memory(err, "the plan");
	progress_begin(&x->progress, stderr, r->quiet, bytes);
	return place_workers(r->topology, r->policy, x->most, x->places, err);
}

/* Whether any point is left to run: all may have failed, or have enough. */
static bool any_left(const struct execution *x)
{
	for (size_t i = 0; i < x->r->plan->n_points; i++) {
		if (!x->out[i])
			return true;
	}
	return false;
}

/* All rounds, between two looks at the machine's own speed. */
static int run_all(struct execution *x, struct err *err)
{
	int ret = any_left(x) ? probe(x, "before", err) : 0;

	for (unsigned round = 0; !ret && any_left(x); round++) {
		if (round == plan_rounds(x->r->plan))
			progress_until(&x->progress, x->begun_ns + x->rule.limit_ns);
		ret = run_round(x, round, err);
	}
	progress_clear(&x->progress);
	if (!ret && x->repeats)
		ret = probe(x, "after", err);
	return ret;
}

int rounds_run(struct rounds *r, struct err *err)
{
	const struct plan *plan = r->plan;
	struct execution x = {
		.r = r,
		.rule = {
			.adaptive = plan->adaptive,
			.least = plan->repeats,
			.most = plan->max_repeats,
			.precision = plan->precision,
			.limit_ns = plan->limit_ns,
			.clock_step_ns = result_system_int(r->result, "clock.step_ns"),
		},
		.begun_ns = clock_now_ns(),
		.saved_ns = clock_now_ns(),
	};
	int ret = begin(&x, err);

	if (!ret)
		ret = run_all(&x, err);
	update_summaries(&x);
	monitor_free(x.monitor);
	free(x.places);
	free(x.out);
	free(x.cost_ns);
	free(x.order);
	return ret;
}
