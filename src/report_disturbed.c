/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_disturbed: how often the repeats of a point were disturbed, and by what. */
#include "config.h"

#include "report_disturbed.h"

#include "summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * Whether anything was recorded by which a repeat could be judged. Files of the first version have
 * nothing of it: their repeats are not known to be undisturbed.
 */
static bool watched(const struct repeat *r)
{
	return r->disturbed || r->lived_ns >= 0 || r->nivcsw || r->run_delay_ns || r->end_cpu;
}

/* Write "steal ×2, preempted ×1". */
static char *causes_text(const size_t counts[DISTURBED_N])
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool any = false, bad;

	if (!out)
		return NULL;
	for (int i = 0; i < DISTURBED_N; i++) {
		if (!counts[i])
			continue;
		fprintf(out, "%s%s \xc3\x97%zu", any ? ", " : "", disturbance_causes[i].name,
			counts[i]);
		any = true;
	}
	bad = ferror(out);
	bad |= fclose(out) != 0;
	if (!bad)
		return text;
	free(text);
	return NULL;
}

int report_disturbed_count(struct report_row *row, const struct point *p)
{
	size_t counts[DISTURBED_N] = { 0 }, timed, disturbed;
	bool known = false;

	summary_count(p, &timed, &disturbed);
	row->repeats = (int64_t)timed;
	for (size_t i = 0; i < p->n_repeats; i++) {
		const struct repeat *r = &p->repeats[i];

		if (r->warmup)
			continue;
		known = known || watched(r);
		for (int cause = 0; cause < DISTURBED_N; cause++)
			counts[cause] += r->disturbed >> cause & 1;
	}
	if (known)
		row->disturbed = (int64_t)disturbed;
	if (!disturbed)
		return 0;
	row->causes = causes_text(counts);
	return row->causes ? 0 : -ENOMEM;
}

bool report_disturbed_text(const struct report_row *row, char *buf, size_t len)
{
	buf[0] = '\0';
	if (row->disturbed <= 0)
		return false;
	if (row->disturbed == row->repeats && row->repeats == 1)
		snprintf(buf, len,
			 "the only repeat was disturbed: the rates are of a disturbed repeat: %s",
			 row->causes);
	else if (row->disturbed == row->repeats)
		snprintf(buf, len,
			 "all %" PRId64 " repeats were disturbed: the rates are of disturbed "
			 "repeats: %s",
			 row->repeats, row->causes);
	else
		snprintf(buf, len, "%" PRId64 " of %" PRId64 " repeats %s disturbed: %s",
			 row->disturbed, row->repeats, row->disturbed == 1 ? "was" : "were",
			 row->causes);
	return true;
}

bool report_remark_text(const struct report_row *row, char *buf, size_t len)
{
	char disturbed[600];
	bool failed = row->status_code != POINT_OK;

	buf[0] = '\0';
	if (!report_disturbed_text(row, disturbed, sizeof(disturbed)) && !failed)
		return false;
	snprintf(buf, len, "%" PRId64 " CPU%s%s%s: %s", row->workers, row->workers == 1 ? "" : "s",
		 failed ? " " : "", failed ? row->status : "",
		 !failed       ? disturbed
		 : row->reason ? row->reason
			       : "no reason given");
	return true;
}
