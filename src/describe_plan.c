/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe_plan: what was asked for, for the result file. */
#include "config.h"

#include "describe_plan.h"

#include "perf.h"
#include "result.h"

#include <string.h>

enum { REASON_LEN = 800 };

/* Tell why events are not counted: those of one reason on one line. */
static void note_missing(FILE *notes, char reasons[][REASON_LEN])
{
	for (int i = 0; i < PERF_N_EVENTS; i++) {
		const char *before = "";

		for (int j = 0; j < i && reasons[i][0]; j++) {
			if (!strcmp(reasons[i], reasons[j]))
				before = NULL; /* told with that one */
		}
		if (!reasons[i][0] || !before)
			continue;
		fputs("pfscale run: --perf: not counted: ", notes);
		for (int j = i; j < PERF_N_EVENTS; j++) {
			if (strcmp(reasons[i], reasons[j]))
				continue;
			fprintf(notes, "%s%s", before, perf_event_names[j]);
			before = ", ";
		}
		fprintf(notes, ": %s\n", reasons[i]);
	}
}

/* For each event true, or why it cannot be counted. */
static json_t *describe_perf(FILE *notes)
{
	char reasons[PERF_N_EVENTS][REASON_LEN] = { "" };
	json_t *o = json_object();
	int bad = !o;

	for (int i = 0; i < PERF_N_EVENTS; i++) {
		struct err err = { 0 };
		bool counted = !perf_check(i, &err);

		if (!counted)
			err_text(&err, reasons[i], sizeof(reasons[i]));
		bad |= json_object_set_new(o, perf_event_names[i],
					   counted ? json_true() : result_json_text(reasons[i]));
	}
	if (notes)
		note_missing(notes, reasons);
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

json_t *describe_plan(const struct plan *plan, const struct run_options *o, FILE *notes)
{
	json_t *types = json_array(), *workers = json_array();
	json_t *perf = plan->perf ? describe_perf(notes) : json_false();

	for (size_t i = 0; i < plan->n_types; i++)
		json_array_append_new(types, json_string(plan->types[i].label));
	for (size_t i = 0; i < plan->n_counts; i++)
		json_array_append_new(workers, json_integer(plan->counts[i]));
	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:i, s:b, s:i, s:f, s:I, s:i, s:I, s:b, s:s, "
			 "s:o, s:o}",
			 "types", types, "workers", workers, "size_bytes",
			 (json_int_t)plan->size_bytes, "pages", (json_int_t)plan->pages,
			 "page_size", (json_int_t)plan->page_size, "repeats", (int)plan->repeats,
			 "adaptive", (int)plan->adaptive, "max_repeats", (int)plan->max_repeats,
			 "precision", plan->precision, "time_limit_ns", (json_int_t)plan->limit_ns,
			 "warmup", (int)plan->warmup, "seed", (json_int_t)plan->seed,
			 "oversubscribe", (int)o->plan.oversubscribe, "placement", o->policy->name,
			 "tmpfs_dir", result_json_text(o->env.tmpfs_dir), "perf", perf);
}
