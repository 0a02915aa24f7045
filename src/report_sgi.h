/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_sgi: the table that SGI's test program printed in 2004, to the last digit. */
#ifndef PFSCALE_REPORT_SGI_H
#define PFSCALE_REPORT_SGI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * One row as its measured quantities. Times in seconds. faults -1, or a negative or non-finite
 * time: not known. With given_rates the three rates are printed as they are (an imported table,
 * whose printed times are too coarse to compute them from; NAN = n/a), and so are totcpu_s and
 * totcpu_per_cpu_s, unless NAN. Else all five are computed from the times, the rates in single
 * precision, as the original did.
 */
struct sgi_row {
	const char *type;
	unsigned workers;
	double max_wall_s, min_wall_s, sys_s, user_s;
	int64_t faults;
	int64_t nodes;	     /* -1 = not known */
	bool wall_too_short; /* the interval is too short for the clock: wall rates are n/a */
	bool sys_too_short;  /* so is SYS: its rate is n/a */
	bool given_rates;
	double faults_per_wall_s, faults_per_sys_s, faults_per_wall_s_per_cpu;
	double totcpu_s, totcpu_per_cpu_s;
};

/* The three header lines. */
void sgi_write_header(FILE *out);

/* One row, with its newline. */
void sgi_write_row(FILE *out, const struct sgi_row *row);

/* A point without numbers: type, CPUS, and a word ("failed", "skipped") in the next column. */
void sgi_write_word(FILE *out, const char *type, unsigned workers, const char *word);

#endif
