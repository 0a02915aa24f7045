/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_row: one row of a report: what is derived from the repeats of one point. */
#ifndef PFSCALE_REPORT_ROW_H
#define PFSCALE_REPORT_ROW_H

#include "report_rows.h"

/* Room for what the largest point gathers, used over and over. */
struct report_scratch {
	double *values; /* one per repeat and worker */
	size_t n;
	const struct repeat **counted; /* the repeats that count */
	size_t n_counted;
};

/* Room for every point of r. Returns 0 or -ENOMEM; report_scratch_free() frees what there is. */
int report_scratch_make(const struct result *r, struct report_scratch *s);
void report_scratch_free(struct report_scratch *s);

/*
 * Fill a row from a point, but for the efficiency, which needs the other points. step_ns: the
 * clock's, see summary.h. Returns 0 or -ENOMEM; row->causes is the caller's to free.
 */
int report_row_make(struct report_row *row, const struct point *p, int64_t step_ns,
		    struct report_scratch *s);

#endif
