/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress: one line on a terminal that says how far a run is. */
#include "config.h"

#include "progress.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOW_EVERY_NS = 100000000 };

/* A terminal that cannot take a line away again. */
static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return term && !strcmp(term, "dumb");
}

void progress_begin(struct progress *p, FILE *out, bool quiet, double bytes_in_all)
{
	*p = (struct progress){
		.out = !quiet && isatty(fileno(out)) && !is_dumb() ? out : NULL,
		.begun_ns = clock_now_ns(),
		.bytes_in_all = bytes_in_all,
	};
}

void progress_show(struct progress *p, const char *type, unsigned workers, unsigned round,
		   unsigned rounds)
{
	int64_t now = clock_now_ns();
	double elapsed_s = (double)(now - p->begun_ns) / 1e9;

	if (!p->out || (p->line_stands && now - p->shown_ns < SHOW_EVERY_NS))
		return;
	fprintf(p->out, "\r\033[K%s, %u worker%s, ", type, workers, workers == 1 ? "" : "s");
	if (p->until_ns)
		fprintf(p->out, "repeat %u; %.0f s, at most %.0f s to go", round + 1, elapsed_s,
			now < p->until_ns ? (double)(p->until_ns - now) / 1e9 : 0);
	else
		fprintf(p->out, "repeat %u of %u; %.0f s", round + 1, rounds, elapsed_s);
	if (!p->until_ns && p->bytes_done > 0)
		fprintf(p->out, ", about %.0f s to go",
			elapsed_s * (p->bytes_in_all / p->bytes_done - 1));
	fflush(p->out);
	p->line_stands = true;
	p->shown_ns = now;
}

void progress_done(struct progress *p, double bytes)
{
	p->bytes_done += bytes;
}

void progress_until(struct progress *p, int64_t until_ns)
{
	p->until_ns = until_ns;
}

void progress_drop(struct progress *p, double bytes)
{
	p->bytes_in_all -= bytes;
}

void progress_clear(struct progress *p)
{
	if (!p->out || !p->line_stands)
		return;
	fputs("\r\033[K", p->out);
	fflush(p->out);
	p->line_stands = false;
}
