/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result: all samples of a plan and the system they were taken on; JSON on disk, structs in memory.
 */
#ifndef PFSCALE_RESULT_H
#define PFSCALE_RESULT_H

#include "disturbance.h"
#include "err.h"
#include "perf_event.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <stdio.h>

enum { RESULT_FORMAT_VERSION = 1 };

/* What a file may hold: room for every machine, and a bound on what a damaged file can ask for. */
enum { RESULT_MAX_WORKERS = 1000000, RESULT_MAX_FILE_MIB = 1024 };

enum point_status { POINT_OK, POINT_FAILED, POINT_SKIPPED };

/* Why no more repeats of a point were run. */
enum point_stop {
	POINT_STOP_NONE,	/* not known, or not stopped yet */
	POINT_STOP_PRECISION,	/* the interval is as narrow as was asked for */
	POINT_STOP_REPEATS,	/* all that were asked for, or the most that may be */
	POINT_STOP_TIME,	/* the time limit, before the above */
	POINT_STOP_NO_RATE,	/* more would not help: the repeats are too short for the clock */
	POINT_STOP_INTERRUPTED, /* the run was ended */
	POINT_N_STOPS
};

/*
 * One execution of a point. Samples are columns: each pointer is an array with one entry per
 * worker, or NULL where the quantity was not measured (absent in the file, never 0). start_ns
 * counts from the start time that was announced to the team.
 */
struct repeat {
	int64_t order;	     /* position in the run, from 0; over all points, warm-ups included */
	bool warmup;	     /* kept, but in no summary */
	int64_t *cpu, *node; /* OS indices; node -1 = not known */
	int64_t *start_ns, *wall_ns, *map_ns, *unmap_ns, *user_ns, *sys_ns, *minflt, *majflt;
	/* during the touch: how often the worker slept, and how often it was made to wait */
	int64_t *nvcsw, *nivcsw;
	int64_t *run_delay_ns;	      /* during the touch: ready to run, but not running */
	int64_t *end_cpu;	      /* the CPU it was on after the touch (OS index) */
	int64_t *freq_khz;	      /* that CPU's frequency then; -1 = not known */
	int64_t *perf[PERF_N_EVENTS]; /* during the touch, see perf_event.h; -1 = not counted */
	/* the shared object, mapped and unmapped once for the team; -1 = there is none */
	int64_t shared_map_ns, shared_unmap_ns;
	/* Of the CPUs that the workers used, while the team lived (lived_ns); -1 = not known: */
	int64_t lived_ns;
	int64_t steal_ns;	 /* time that the hypervisor gave to others */
	int64_t foreign_ns;	 /* CPU time of processes that are not pfscale's, at least */
	int64_t throttles;	 /* how often a core was slowed down for its heat */
	int64_t quota_throttles; /* how often the cgroup had used up its CPU time */
	unsigned disturbed;	 /* set of 1 << enum disturbance; 0 = by nothing */
	void *block;		 /* a mapping that holds all columns; NULL = each is malloc'd */
	size_t block_bytes;
};

/*
 * The numbers of the row that reports show. NAN (doubles) and -1 (integers) mean n/a: not
 * measured, a divisor of 0, or an interval too short for the clock; null in the file.
 */
struct summary {
	double max_wall_s, min_wall_s, sys_s, user_s; /* sys_s and user_s: sums over the workers */
	int64_t faults;				      /* of all workers */
	double faults_per_wall_s, faults_per_sys_s, faults_per_wall_s_per_cpu;
	int64_t nodes; /* NUMA nodes that the workers' CPUs lie on */
	/* sys_s + user_s, in all and per worker (an import has each as printed); NAN = compute */
	double totcpu_s, totcpu_per_cpu_s;
	/* the 95 % interval of the median rate per CPU, over the repeats that count; NAN = none */
	double rate_low, rate_high;
};

struct point {
	char *type; /* label, as printed */
	char *model, *object, *touch;
	bool shared;
	unsigned workers;
	uint64_t pages; /* per worker, of system page_size; 0 = not known (imported) */
	enum point_status status;
	char *reason; /* why failed or skipped; else NULL */
	struct repeat *repeats;
	size_t n_repeats, max_repeats; /* used and allocated */
	enum point_stop stopped;
	bool has_summary;
	struct summary summary;
};

/*
 * A result. The JSON values are owned references and never NULL after result_new(); what they hold
 * is described in results/README.md.
 */
struct result {
	bool complete;
	char *label;	 /* "" = none */
	char *created;	 /* UTC, "2026-01-31T23:59:59Z" */
	json_t *command; /* array of strings */
	json_t *tool;	 /* object */
	json_t *system;	 /* object; see system.h */
	json_t *plan;	 /* object */
	json_t *canary;	 /* array; see canary.h */
	char **warnings;
	size_t n_warnings;
	struct point *points;
	size_t n_points;
	char *path; /* the file it was read from, else NULL */
};

/* An empty result, or NULL when memory ran out. result_free() frees it and all it owns. */
struct result *result_new(void);
void result_free(struct result *r);

/*
 * The command line for r->command; argv[0] is the command's name. To be called before
 * options_parse(), which puts it in another order. A new reference, or NULL when memory ran out.
 */
json_t *result_command_line(int argc, char *const *argv);

/*
 * Say by what (this program) the result was made, and when; -1: not known. Returns 0 or -ENOMEM.
 */
int result_stamp(struct result *r, time_t when);

/*
 * Append a point; strings are copied. Returns the new point (valid until the next call), or NULL
 * when memory ran out.
 */
struct point *result_add_point(struct result *r, const char *type, const char *model,
			       const char *object, const char *touch, bool shared, unsigned workers,
			       uint64_t pages);

/*
 * Append a repeat with all sample columns allocated and 0, single numbers -1. Columns that were not
 * measured are dropped by repeat_drop_column(). Returns it (valid until the next call), or NULL.
 * Children that are forked later may not look at the columns of more than a few workers: they do
 * not have them.
 */
struct repeat *point_add_repeat(struct point *p);

/* Free one of the repeat's columns, and set it to NULL: it was not measured. */
void repeat_drop_column(const struct repeat *r, int64_t **column);

/* Take the last repeat away again. */
void point_drop_repeat(struct point *p);

/*
 * Mark the point failed or skipped with a reason (copied). A failed point has no summary. The
 * repeats taken before stay. Returns 0 or -ENOMEM.
 */
int point_set_status(struct point *p, enum point_status status, const char *reason);

/* Append a warning (copied) unless the same text is there already. Returns 0 or -ENOMEM. */
int result_add_warning(struct result *r, const char *text);

/* "ok", "failed", "skipped". */
const char *point_status_name(enum point_status status);

/* "precision", "repeats", "time limit", "no rate", "interrupted"; NULL for POINT_STOP_NONE. */
const char *point_stop_name(enum point_stop stopped);

/*
 * JSON for a result; a new reference, or NULL when memory ran out. Doubles that are not finite
 * become null, so that the text always parses.
 */
json_t *result_to_json(const struct result *r);

/*
 * Write the text of a result file: the same JSON, laid out for people (two blanks a level, each
 * column of samples on a line of its own), and without holding all of it in memory. The caller
 * flushes the stream. Returns 0, -ENOMEM or the negative errno of the write that failed.
 */
int result_write(FILE *out, const struct result *r);

/*
 * A JSON string for a text of any bytes: what is not UTF-8 becomes U+FFFD, where json_string()
 * would fail. For everything that comes from outside (arguments, host names, /proc). A new
 * reference, or NULL when memory ran out.
 */
json_t *result_json_text(const char *text);

/*
 * Read and check a result file ("-": standard input). *out is the caller's to free. Refuses, with
 * the file and the position (line and column, or the JSON path such as
 * points[3].repeats[0].wall_ns) in the error: what cannot be read, is no JSON or is cut short, is
 * of another format or a higher format_version, or contradicts itself (columns of another length
 * than workers, an ok point without a summary, a failed one with a summary …). Only in a file that
 * is not complete, an ok point may lack its summary: before its first timed repeat. Unknown members
 * are ignored. Returns 0 or a negative errno.
 */
int result_load(const char *path, struct result **out, struct err *err);

/* Look into r->system: "kernel.release" and the like. NULL or -1 where absent or of another kind.
 */
const char *result_system_string(const struct result *r, const char *path);
int64_t result_system_int(const struct result *r, const char *path);

#endif
