/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench: what the benchmarks share: pairs of runs, their ratios, and the table's rows. */
#ifndef PFSCALE_BENCH_H
#define PFSCALE_BENCH_H

#include "err.h"
#include "result.h"

#include <stdbool.h>
#include <stdint.h>

/* What the command line sets; the program fills in its defaults of all but the first two. */
struct bench {
	const char *pfscale; /* the program that is measured */
	const char *dir;     /* where its result files go */
	unsigned count;	     /* how often both sides are run */
	uint64_t size_bytes; /* per worker */
	int64_t time_ns;     /* that one run is to take; 0 = there is no such option */
};

/* pfscale's own default. */
#define BENCH_SIZE_BYTES UINT64_C(100000000)

/* A median with the interval that holds the true one with a probability of at least 95 %. */
struct bench_median {
	double value;
	double low, high; /* NAN where the values are too few for 95 % */
	unsigned n;
};

/*
 * Read -p PFSCALE, -d DIR, -n COUNT, -s SIZE and, where there is a default of it, -t TIME. more:
 * what else usage names, or NULL. *operands: where operands begin; NULL = there may be none.
 * Returns 0; 1 after --help; on bad usage it prints what is right and returns -EINVAL.
 */
int bench_options(struct bench *b, int argc, char **argv, const char *more, int *operands);

/*
 * Run argv[0], in a directory (NULL: this one), with its stdout thrown away, and its stderr if
 * silent. *wall_ns is the time from before its start to after its end. Returns 0, -ECHILD if it
 * ended with another status than 0, or another negative errno.
 */
int bench_spawn(const char *const *argv, const char *dir, bool silent, int64_t *wall_ns,
		struct err *err);

/*
 * Run `pfscale run ARGS… -q -o PATH --force` by bench_spawn(). args ends with NULL. *out, if wanted
 * (else NULL), is the result file, read; the caller frees it. Returns 0 or a negative errno.
 */
int bench_pfscale(const struct bench *b, const char *const *args, const char *path,
		  int64_t *wall_ns, struct result **out, struct err *err);

/* CLOCK_MONOTONIC_RAW in nanoseconds, as pfscale times. */
int64_t bench_now_ns(void);

/* CPU time of this process and of all children, and theirs, that have been waited for; seconds. */
double bench_cpu_s(void);

/*
 * The median and its distribution-free interval: two order statistics, by the binomial distribution
 * of how many values lie below the true median. One value that is far off (another job had the
 * CPU) hardly moves it. Sorts the values.
 */
struct bench_median bench_median(double *values, unsigned n);

/* One row of the table; target and seen as text. */
void bench_row(const char *what, const char *target, const char *seen, const char *interval,
	       const char *met);

/* One row of a median and its interval, judged against a target within [min, max]. */
void bench_row_median(const char *what, const char *target, const struct bench_median *m,
		      const char *unit, double min, double max);

/* Print *err on stderr; returns the exit status. */
int bench_trouble(const char *name, const struct err *err);

#endif
