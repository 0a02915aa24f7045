/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_disturbed: how often the repeats of a point were disturbed, and by what. */
#ifndef PFSCALE_REPORT_DISTURBED_H
#define PFSCALE_REPORT_DISTURBED_H

#include "report_rows.h"

/* Fill repeats, disturbed and causes of a row from the timed repeats. Returns 0 or -ENOMEM. */
int report_disturbed_count(struct report_row *row, const struct point *p);

#endif
