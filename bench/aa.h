/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aa: the same thing run again and again, by pfscale and by stress-ng. */
#ifndef PFSCALE_AA_H
#define PFSCALE_AA_H

#include "bench.h"

#include <stddef.h>

/* As many consecutive runs stand for one that takes as many times as long: 60 s beside 10 s. */
enum { AA_POOL = 6 };

struct aa_run {
	double *rates; /* in the order of the run; stress-ng gives one */
	size_t n;
	double wall_s;
};

/* What is run: a point of pfscale, or stress-ng. */
struct aa_subject {
	const char *type; /* NULL: stress-ng */
	unsigned workers;
	unsigned repeats; /* of a run of pfscale */
	struct aa_run *runs;
	unsigned n_runs;
};

/* False alarms among independent pairs. */
struct aa_alarms {
	unsigned alarms, pairs;
};

/* Print what a subject's runs show; counts false alarms of single runs. Returns 0 or -ENOMEM. */
int aa_print(const struct aa_subject *s, struct aa_alarms *alarms, struct err *err);

/* The row of false alarms. */
void aa_print_alarms(const char *what, const struct aa_alarms *alarms);

#endif
