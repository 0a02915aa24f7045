/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_options: the command line of `pfscale run`. */
#ifndef PFSCALE_RUN_OPTIONS_H
#define PFSCALE_RUN_OPTIONS_H

#include "object.h"
#include "options.h"
#include "place.h"
#include "plan.h"
#include "report.h"

#include <stdbool.h>

struct run_options {
	struct plan_options plan;
	const struct report_format *format;
	const struct place_policy *policy;
	struct object_env env;
	const char *output, *label; /* NULL = not given; they point into argv */
	bool seed_given, dry_run, force, quiet, verbose;
};

/* For options_parse(), with a struct run_options as its ctx. */
extern const struct option_def run_option_defs[];

/* What holds where nothing is given. */
struct run_options run_options_default(void);

#endif
