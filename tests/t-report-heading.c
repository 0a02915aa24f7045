/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-report-heading: what reports say of where a result comes from. */
#include "config.h"

#include "report_rows.h"

#include "tap.h"

#include <math.h>

static void put(FILE *out, const char *what, const char *text)
{
	fprintf(out, "%s=%s\n", what, text);
}

static char *facts_of(const struct report_heading *h)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		exit(99);
	report_put_facts(out, h, put);
	fclose(out);
	return text;
}

static const struct report_heading nothing = {
	.file = "",
	.label = "",
	.created = "",
	.hostname = "",
	.kernel = "",
	.machine = "",
	.cpu = "",
	.imported_from = "",
	.page_size = -1,
	.pages = -1,
	.seed = -1,
	.canary = { NAN, NAN, NAN },
};

static void test_facts(void)
{
	struct report_heading h = nothing;
	char *text = facts_of(&h);

	is_str(text, "complete=no: interrupted, or still running\n",
	       "what is not known is left out");
	free(text);
	h.file = "a";
	h.label = "b";
	h.created = "c";
	h.hostname = "d";
	h.kernel = "e";
	h.machine = "f";
	h.cpu = "\033";
	h.imported_from = "sgi";
	h.page_size = 4096;
	h.pages = 1000;
	h.rounds = 2;
	h.canary[CANARY_SPINS] = 0.25;
	h.complete = true;
	text = facts_of(&h);
	is_str(text,
	       "file=a\nlabel=b\ndate=c\nhost=d\nkernel=e\nmachine=f\ncpu=\033\n"
	       "memory=1000 pages of 4096 bytes per worker (4.096 MB)\nrounds=2\n"
	       "canary=spin +25.0 %\nsource=an imported table: sgi\ncomplete=yes\n",
	       "all that can be known, as it is");
	free(text);
}

static void test_memory(void)
{
	struct report_heading h = nothing;
	char *text;

	h.page_size = 16384;
	text = facts_of(&h);
	has_str(text, "memory=pages of 16384 bytes\n", "unlike numbers of pages");
	free(text);
	h.pages = 12;
	h.page_size = -1;
	text = facts_of(&h);
	has_str(text, "memory=12 pages per worker\n", "pages of unknown size");
	free(text);
	h.pages = h.page_size = INT64_MAX;
	text = facts_of(&h);
	has_str(text, " of 9223372036854775807 bytes per worker (8507059173023",
		"the largest numbers");
	free(text);
}

static void test_texts(void)
{
	struct report_heading h = { .rounds = 12, .seed = -1, .canary = { -0.01249, 0.003, NAN } };
	char text[200];

	report_rounds_text(&h, text, sizeof(text));
	is_str(text, "12", "rounds");
	h.warmups = 2;
	h.seed = INT64_MAX;
	report_rounds_text(&h, text, sizeof(text));
	is_str(text, "12, after 2 to warm up; shuffled from seed 9223372036854775807",
	       "in what order");
	h.rounds = 0;
	report_rounds_text(&h, text, sizeof(text));
	is_str(text, "", "nothing of an imported table");
	report_canary_text(&h, text, sizeof(text));
	is_str(text, "store bandwidth -1.2 %, system calls +0.3 %", "the drifts that are known");
	report_canary_text(&h, text, 8);
	is_str(text, "store b", "cut where there is no room");
	h.canary[CANARY_STORES] = h.canary[CANARY_SYSCALLS] = NAN;
	report_canary_text(&h, text, sizeof(text));
	is_str(text, "", "no canary, no line");
	h.canary[CANARY_SPINS] = 0;
	report_canary_text(&h, text, sizeof(text));
	is_str(text, "spin +0.0 %", "no drift at all");
}

int main(void)
{
	test_facts();
	test_memory();
	test_texts();
	return tap_done();
}
