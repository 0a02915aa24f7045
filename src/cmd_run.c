/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pfscale run: measure; print the report; save a result file. */
#include "config.h"

#include "advise.h"
#include "canary.h"
#include "clock.h"
#include "describe_plan.h"
#include "dry_run.h"
#include "options.h"
#include "report.h"
#include "rounds.h"
#include "run.h"
#include "run_options.h"
#include "system.h"
#include "util.h"
#include "warn.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* What a run holds; released in one place. */
struct session {
	struct run_options o;
	struct topology *topology;
	struct plan plan;
	struct result *result;
	struct save save;
	size_t n_warned;      /* of the result's warnings, how many were printed */
	json_t *command_line; /* as typed */
	char **argv;
	int argc;
};

static int make_plan(struct session *s, int first, struct err *err)
{
	struct type *types;
	size_t n_types;
	int ret = type_select(s->argv + first, (size_t)(s->argc - first), &types, &n_types, err);

	if (ret)
		return ret;
	ret = topology_load(&s->topology, err);
	if (!ret && !s->topology->is_this_machine)
		ret = err_set(err, EINVAL, "",
			      "hwloc is told to describe another machine "
			      "(HWLOC_XMLFILE, HWLOC_SYNTHETIC or HWLOC_FSROOT is set)");
	if (ret) {
		free(types);
		return ret;
	}
	s->o.plan.page_size = util_page_size();
	s->o.plan.allowed_cpus = s->topology->n_cpus;
	if (!s->o.seed_given &&
	    getrandom(&s->o.plan.seed, sizeof(s->o.plan.seed), GRND_NONBLOCK) < 0)
		s->o.plan.seed = (uint64_t)clock_now_ns();
	if (!s->o.seed_given)
		s->o.plan.seed >>= 32; /* short enough to be typed again */
	ret = plan_make(&s->plan, &s->o.plan, types, n_types, err);
	/* Not before the whole line is known to be otherwise right. */
	if (!ret && s->o.plan.precision > 0 && !s->plan.adaptive)
		return err_set(
			err, EINVAL, "",
			"--precision goes with --repeats auto alone, not with a number of repeats");
	return ret;
}

static void replace(json_t **member, json_t *value)
{
	json_decref(*member);
	*member = value;
}

/* As the file will have it: in UTF-8. malloc'd. */
static char *label_text(const char *given)
{
	json_t *text = result_json_text(given);
	char *copy = text ? strdup(json_string_value(text)) : NULL;

	json_decref(text);
	return copy;
}

/* Everything of the result but its points. */
static int make_result(struct session *s, struct err *err)
{
	struct result *r = s->result = result_new();

	if (!r)
		return err_set(err, ENOMEM, "malloc", "the result");
	free(r->label);
	r->label = label_text(s->o.label ? s->o.label : "");
	replace(&r->command, s->command_line);
	s->command_line = NULL;
	replace(&r->system, system_describe(s->topology, &s->o.env));
	replace(&r->plan, describe_plan(&s->plan, &s->o, s->o.quiet ? NULL : stderr));
	if (!r->command || !r->label || !r->system || !r->plan || result_stamp(r, time(NULL)))
		return err_set(err, ENOMEM, "malloc", "the result");
	return 0;
}

/* Each warning once. */
static void print_warnings(struct session *s)
{
	for (; s->n_warned < s->result->n_warnings; s->n_warned++)
		fprintf(stderr, "pfscale run: warning: %s\n", s->result->warnings[s->n_warned]);
}

/* What is known before anything was measured. */
static int warn_before(struct session *s, struct err *err)
{
	unsigned most = s->plan.counts[s->plan.n_counts - 1];
	struct place *places = calloc(most, sizeof(*places));
	int ret = places ? place_workers(s->topology, s->o.policy, most, places, err)
			 : err_set(err, ENOMEM, "calloc", "%u places", most);

	if (!ret && advise(s->result, places, most))
		ret = err_set(err, ENOMEM, "malloc", "a warning");
	free(places);
	print_warnings(s);
	return ret;
}

/* What the samples tell. */
static int warn_after(struct session *s, struct err *err)
{
	if (canary_warn(s->result) || warn_of_points(s->result))
		return err_set(err, ENOMEM, "malloc", "a warning");
	print_warnings(s);
	return 0;
}

static int mark_interrupted(struct result *r, struct err *err)
{
	char reason[80];

	snprintf(reason, sizeof(reason), "not run: the run was ended by signal %d (%s)",
		 run_stop_signal(), strsignal(run_stop_signal()));
	for (size_t i = 0; i < r->n_points; i++) {
		if (r->points[i].status == POINT_OK && r->points[i].stopped == POINT_STOP_NONE)
			r->points[i].stopped = POINT_STOP_INTERRUPTED;
		if (r->points[i].status == POINT_SKIPPED &&
		    !strcmp(r->points[i].reason, ROUNDS_NOT_RUN) &&
		    point_set_status(&r->points[i], POINT_SKIPPED, reason))
			return err_set(err, ENOMEM, "malloc", "a point");
	}
	return 0;
}

/* The first save shows whether there can be others, and settles the name. */
static int save_first(struct session *s, struct err *err)
{
	int ret = save_write(&s->save, s->result, false, err);

	if (ret)
		return ret;
	/* So that reports name it as they will later. */
	s->result->path = strdup(s->save.path);
	return s->result->path ? 0 : err_set(err, ENOMEM, "malloc", "the result");
}

/* What the adaptive repeats came to. Which point stopped why is in the file and in reports. */
static void note_stops(const struct session *s)
{
	size_t by[POINT_N_STOPS] = { 0 }, measured = 0;

	for (size_t i = 0; i < s->result->n_points; i++) {
		by[s->result->points[i].stopped] += s->result->points[i].status == POINT_OK;
		measured += s->result->points[i].status == POINT_OK;
	}
	if (s->o.quiet || !s->plan.adaptive || !measured)
		return;
	fprintf(stderr, "pfscale run: %zu of %zu points came within %g %%",
		by[POINT_STOP_PRECISION], measured, 100 * s->plan.precision);
	if (by[POINT_STOP_TIME])
		fprintf(stderr, ", %zu had not when the time limit was over (--time-limit)",
			by[POINT_STOP_TIME]);
	if (by[POINT_STOP_REPEATS])
		fprintf(stderr, ", %zu had not after the most repeats", by[POINT_STOP_REPEATS]);
	if (by[POINT_STOP_NO_RATE])
		fprintf(stderr, ", %zu had no rate", by[POINT_STOP_NO_RATE]);
	fputc('\n', stderr);
}

static int measure(struct session *s, struct err *err)
{
	struct rounds rounds = {
		.plan = &s->plan,
		.topology = s->topology,
		.policy = s->o.policy,
		.env = &s->o.env,
		.result = s->result,
		.save = &s->save,
		.force = s->o.force,
		.verbose = s->o.verbose ? stderr : NULL,
		.notes = stderr,
		.quiet = s->o.quiet,
	};
	int ret = rounds_prepare(&rounds, err), ended;

	if (!ret)
		ret = warn_before(s, err);
	if (!ret)
		ret = save_first(s, err);
	if (!ret)
		ret = rounds_run(&rounds, err);
	if (ret && ret != -EINTR)
		return ret;
	/* A pipe may have nobody who reads it: do not wait there deaf to signals. */
	if (!s->save.regular)
		run_end();
	ended = ret ? mark_interrupted(s->result, err) : 0;
	if (!ended)
		ended = warn_after(s, err);
	if (!ended)
		note_stops(s);
	s->result->complete = !ret;
	if (!ended)
		ended = save_write(&s->save, s->result, true, err);
	return ended ? ended : ret;
}

static int count_failed(const struct result *r)
{
	int n = 0;

	for (size_t i = 0; i < r->n_points; i++)
		n += r->points[i].status == POINT_FAILED;
	return n;
}

/* The file cannot be used: say which option named it. */
static int refuse_output(const char *output, struct err *err)
{
	struct err why = *err;
	char text[300];

	if (err->num == EEXIST)
		return err_set(err, EEXIST, "",
			       "--output '%.300s': exists already (--force replaces it)", output);
	if (why.call[0])
		why.detail[0] = '\0'; /* it is the name again */
	err_text(&why, text, sizeof(text));
	return err_set(err, why.num, "", "--output '%.200s': %s", output, text);
}

/* Whether the result goes there, under whatever name: who wants it could not read it with a table
 * behind. */
static bool on_stdout(const struct save *save)
{
	struct stat named, ours;

	if (!strcmp(save->path, "-"))
		return true;
	return !save->regular && !stat(save->path, &named) && !fstat(STDOUT_FILENO, &ours) &&
	       named.st_dev == ours.st_dev && named.st_ino == ours.st_ino;
}

/* Something went wrong, such as a full disk: what was measured until then is not to be lost. */
static void report_the_rest(struct session *s)
{
	const struct result *results[1] = { s->result };
	struct err ignored;
	bool any = false;

	for (size_t i = 0; s->result && i < s->result->n_points; i++)
		any = any || s->result->points[i].has_summary;
	if (!any || on_stdout(&s->save))
		return;
	warn_after(s, &ignored);
	run_end();
	report_write(stdout, s->o.format, results, 1, &ignored);
}

/* Where the result is to go, or why it cannot. Nothing is made yet. */
static int open_output(struct session *s, struct err *err)
{
	struct utsname uts;
	int ret;

	uname(&uts);
	ret = save_open(&s->save, s->o.output, uts.release, s->o.force, err);
	return ret && s->o.output ? refuse_output(s->o.output, err) : ret;
}

static int run_plan(struct session *s, struct err *err)
{
	const struct result *results[1];
	int ret;

	/* Signals are held first, so that one that comes now has its place in the result file. */
	ret = run_init(err);
	if (ret)
		return ret;
	ret = open_output(s, err);
	if (!ret)
		ret = make_result(s, err);
	if (!ret)
		ret = measure(s, err);
	if (ret && ret != -EINTR) {
		report_the_rest(s);
		return ret;
	}
	if (!s->o.quiet && !on_stdout(&s->save))
		fprintf(stderr, "pfscale run: result in %s%s\n", s->save.path,
			ret ? " (incomplete)" : "");
	if (ret || on_stdout(&s->save))
		return ret;
	run_end();
	results[0] = s->result;
	return report_write(stdout, s->o.format, results, 1, err);
}

static int run_main(const struct command *self, int argc, char **argv)
{
	struct session s = {
		.o = run_options_default(),
		.command_line = result_command_line(argc, argv),
		.argc = argc,
		.argv = argv,
	};
	struct err err = { 0 };
	int first, ret, status = EXIT_OK;

	ret = options_parse(self, &s.o, argc, argv, &first, &err);
	if (!ret)
		ret = make_plan(&s, first, &err);
	if (!ret && s.o.dry_run)
		ret = open_output(&s, &err);
	if (!ret && s.o.dry_run)
		dry_run_print(stdout, &s.plan, &s.o.env, s.topology->n_cpus);
	else if (!ret)
		ret = run_plan(&s, &err);
	if (ret > 0) /* --help or --version */
		status = command_finish(self, EXIT_OK);
	else if (ret == -EINTR)
		status = 128 + run_stop_signal();
	else if (ret)
		status = command_trouble(self, &err);
	else
		status = command_finish(self,
					s.result && count_failed(s.result) ? EXIT_WRONG : EXIT_OK);
	save_close(&s.save);
	json_decref(s.command_line);
	result_free(s.result);
	plan_free(&s.plan);
	topology_free(s.topology);
	return status;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "measure; print the report; save a result file",
	.operands = "[TYPE…]",
	.options = run_option_defs,
	.run = run_main,
};
