/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_options: the command line of `pfscale run`. */
#include "config.h"

#include "run_options.h"

#include "util.h"

#include <errno.h>
#include <string.h>

static const char later[] = "not available in this version";

enum { MAX_REPEATS = 100000 };

static int set_size(void *ctx, const char *value, struct err *err)
{
	return util_parse_size("--size", value, &((struct run_options *)ctx)->plan.size_bytes, err);
}

static int set_repeats(void *ctx, const char *value, struct err *err)
{
	struct run_options *o = ctx;
	uint64_t n = 0;
	int ret;

	if (!strcmp(value, "auto")) {
		o->plan.repeats = 0;
		return 0;
	}
	ret = util_parse_uint("--repeats", value, 1, MAX_REPEATS, &n, err);
	if (ret)
		return err_usage(err, "--repeats", value, "auto, or a whole number from 1 to %d",
				 MAX_REPEATS);
	o->plan.repeats = (unsigned)n;
	return 0;
}

static int set_precision(void *ctx, const char *value, struct err *err)
{
	return util_parse_percent("--precision", value,
				  &((struct run_options *)ctx)->plan.precision, err);
}

static int set_time_limit(void *ctx, const char *value, struct err *err)
{
	return util_parse_time("--time-limit", value, &((struct run_options *)ctx)->plan.limit_ns,
			       err);
}

static int set_warmup(void *ctx, const char *value, struct err *err)
{
	uint64_t n = 0;
	int ret = util_parse_uint("--warmup", value, 0, MAX_REPEATS, &n, err);

	if (!ret)
		((struct run_options *)ctx)->plan.warmup = (int)n;
	return ret;
}

static const char *placement_choice(size_t i)
{
	return i < n_place_policies ? place_policies[i]->name : NULL;
}

static int set_placement(void *ctx, const char *value, struct err *err)
{
	struct run_options *o = ctx;

	o->policy = place_find(value);
	if (!o->policy)
		return err_usage(err, "--placement", value, "%s; only '%s' is", later,
				 place_policies[0]->name);
	return 0;
}

static int refuse_mempolicy(void *ctx, const char *value, struct err *err)
{
	(void)ctx;
	return err_usage(err, "--mempolicy", value, "%s; memory lands where it is first touched",
			 later);
}

static int refuse_resume(void *ctx, const char *value, struct err *err)
{
	(void)ctx;
	return err_usage(err, "--resume", value, "%s", later);
}

static int set_tmpfs_dir(void *ctx, const char *value, struct err *err)
{
	struct run_options *o = ctx;
	struct object_env env = { .tmpfs_dir = value };
	struct err why = { 0 };

	if (object_check(object_find("tmpfs"), &env, &why))
		return err_usage(err, "--tmpfs-dir", value, "must be a directory on a tmpfs: %s",
				 why.detail);
	o->env.tmpfs_dir = value;
	return 0;
}

static int set_output(void *ctx, const char *value, struct err *err)
{
	if (!*value)
		return err_usage(err, "--output", value, "a file name, or - for standard output");
	((struct run_options *)ctx)->output = value;
	return 0;
}

static const char *format_choice(size_t i)
{
	return i < n_report_formats ? report_formats[i]->name : NULL;
}

static int set_format(void *ctx, const char *value, struct err *err)
{
	struct run_options *o = ctx;

	o->format = report_parse_format(value, err);
	return o->format ? 0 : -EINVAL;
}

static int set_seed(void *ctx, const char *value, struct err *err)
{
	struct run_options *o = ctx;

	o->seed_given = true;
	return util_parse_uint("--seed", value, 0, INT64_MAX, &o->plan.seed, err);
}

#define AT(member) .offset = offsetof(struct run_options, member)

const struct option_def run_option_defs[] = {
	{ "cpus", 'c', "LIST",
	  "worker counts: pow2 (the default: 1, 2, 4 … and max),\n"
	  "max (the allowed CPUs), or a list like 1,2,8-12,max",
	  AT(plan.cpus) },
	{ "size", 's', "SIZE",
	  "memory per worker, 100MB by default; kB MB GB are powers\n"
	  "of 1000, KiB MiB GiB of 1024, a bare number is bytes",
	  .set = set_size },
	{ "repeats", 'r', "N|auto",
	  "timed repeats of each point; auto (the default): at least\n"
	  "5, then up to 50 until --precision is reached",
	  .set = set_repeats },
	{ "precision", 0, "PERCENT",
	  "with --repeats auto: how near to the median rate both ends\n"
	  "of its 95 % interval must lie, 1 by default",
	  .set = set_precision },
	{ "time-limit", 0, "TIME",
	  "no more repeats beyond the first 5 (or N) after this time,\n"
	  "2min by default; ms, s, min or h, a bare number is seconds",
	  .set = set_time_limit },
	{ "warmup", 0, "N",
	  "repeats before these, 1 by default; they are kept in the\n"
	  "result and stay out of the report",
	  .set = set_warmup },
	{ "placement", 0, "P", "which CPUs the workers get", .set = set_placement,
	  .choice = placement_choice },
	{ "mempolicy", 0, "P", NULL, .set = refuse_mempolicy },
	{ "oversubscribe", 0, NULL, "allow more workers than CPUs", AT(plan.oversubscribe) },
	{ "tmpfs-dir", 0, "DIR",
	  "where the files of tmpfs objects are made: a directory on\n"
	  "a tmpfs, " OBJECT_TMPFS_DIR " by default",
	  .set = set_tmpfs_dir },
	{ "output", 'o', "FILE",
	  "save the result in FILE; by default in a new file\n"
	  "pfscale-KERNEL-UTCTIME.json in $PFSCALE_RESULTS or here;\n"
	  "- is standard output, which then carries no report",
	  .set = set_output },
	{ "label", 0, "TEXT", "keep a text with the result", AT(label) },
	{ "format", 0, "F", "form of the report", .set = set_format, .choice = format_choice },
	{ "seed", 0, "N", "shuffle the points of each round by this number", .set = set_seed },
	{ "perf", 0, NULL,
	  "also count page faults, cycles, instructions and dTLB\n"
	  "misses of each worker, as far as they can be had",
	  AT(plan.perf) },
	{ "dry-run", 0, NULL,
	  "print the plan, its memory need, a time estimate, and the\n"
	  "smallest change that shows; run nothing",
	  AT(dry_run) },
	{ "resume", 0, "FILE", NULL, .set = refuse_resume },
	{ "force", 0, NULL,
	  "run points that memory is too short for; replace the FILE\n"
	  "of --output",
	  AT(force) },
	{ "quiet", 'q', NULL, "no progress and no notes on stderr", AT(quiet) },
	{ "verbose", 'v', NULL, "a line on stderr for each repeat", AT(verbose) },
	{ 0 },
};

struct run_options run_options_default(void)
{
	return (struct run_options){
		.plan = { .warmup = -1, .limit_ns = -1 },
		.policy = place_policies[0],
		.format = report_formats[0],
		.env = { .tmpfs_dir = OBJECT_TMPFS_DIR },
	};
}
