/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress: one line on a terminal that says how far a run is. */
#ifndef PFSCALE_PROGRESS_H
#define PFSCALE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out; /* NULL: say nothing */
	int64_t begun_ns, shown_ns;
	double bytes_in_all, bytes_done; /* for an estimate only */
	int64_t until_ns;		 /* 0, or when the rest will be over at the latest */
	bool line_stands;		 /* a line is on the screen, without a newline */
};

/* Begin. out: where to; only written to when it is a terminal and not quiet. */
void progress_begin(struct progress *p, FILE *out, bool quiet, double bytes_in_all);

/* A repeat begins. Shown at most ten times a second. */
void progress_show(struct progress *p, const char *type, unsigned workers, unsigned round,
		   unsigned rounds);

/* A repeat that touches `bytes` is over: the estimate goes by them. */
void progress_done(struct progress *p, double bytes);

/* What was planned is done; more follows until this time (clock_now_ns()) at the latest. */
void progress_until(struct progress *p, int64_t until_ns);

/* These bytes will not be touched after all. */
void progress_drop(struct progress *p, double bytes);

/* Take the line away, so that other text can be written. */
void progress_clear(struct progress *p);

#endif
