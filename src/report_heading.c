/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_heading: where a result comes from, and how it was run. */
#include "config.h"

#include "report_rows.h"

#include "util.h"

#include <inttypes.h>
#include <math.h>

/* What the probe measures, in as few words as do. */
static const char *const canary_words[CANARY_N_KINDS] = {
	[CANARY_STORES] = "store bandwidth",
	[CANARY_SYSCALLS] = "system calls",
	[CANARY_SPINS] = "spin",
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* A round runs every point that wants another repeat once, so the most of any point is theirs. */
static void count_rounds(const struct result *r, struct report_heading *out)
{
	for (size_t i = 0; i < r->n_points; i++) {
		const struct point *p = &r->points[i];
		size_t warmups = 0;

		for (size_t j = 0; j < p->n_repeats; j++)
			warmups += p->repeats[j].warmup;
		if (warmups > out->warmups)
			out->warmups = warmups;
		if (p->n_repeats - warmups > out->rounds)
			out->rounds = p->n_repeats - warmups;
	}
}

static int64_t plan_int(const struct result *r, const char *member)
{
	const json_t *value = json_object_get(r->plan, member);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

void report_heading_of(const struct result *r, struct report_heading *out)
{
	*out = (struct report_heading){
		.file = or_empty(r->path),
		.label = or_empty(r->label),
		.created = or_empty(r->created),
		.hostname = or_empty(result_system_string(r, "hostname")),
		.kernel = or_empty(result_system_string(r, "kernel.release")),
		.machine = or_empty(result_system_string(r, "kernel.machine")),
		.cpu = or_empty(result_system_string(r, "cpu.model")),
		.imported_from =
			or_empty(json_string_value(json_object_get(r->plan, "imported_from"))),
		.complete = r->complete,
		.page_size = result_system_int(r, "page_size"),
		.pages = r->n_points && r->points[0].pages ? (int64_t)r->points[0].pages : -1,
		.seed = plan_int(r, "seed"),
	};
	for (size_t i = 1; i < r->n_points; i++) {
		if (r->points[i].pages != r->points[0].pages)
			out->pages = -1;
	}
	count_rounds(r, out);
	for (int i = 0; i < CANARY_N_KINDS; i++)
		out->canary[i] = canary_drift(r, i, NULL);
}

void report_rounds_text(const struct report_heading *h, char *buf, size_t len)
{
	char warmups[60] = "", seed[60] = "";

	buf[0] = '\0';
	if (!h->rounds)
		return;
	if (h->warmups)
		snprintf(warmups, sizeof(warmups), ", after %zu to warm up", h->warmups);
	if (h->seed >= 0)
		snprintf(seed, sizeof(seed), "; shuffled from seed %" PRId64, h->seed);
	snprintf(buf, len, "%zu%s%s", h->rounds, warmups, seed);
}

void report_canary_text(const struct report_heading *h, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < CANARY_N_KINDS && used < len; i++) {
		if (isfinite(h->canary[i]))
			used += (size_t)snprintf(buf + used, len - used, "%s%s %+.1f %%",
						 used ? ", " : "", canary_words[i],
						 fmin(100 * h->canary[i], 999));
	}
}

/* "1000 pages of 4096 bytes per worker (4.096 MB)". */
static void memory_text(const struct report_heading *h, char *buf, size_t len)
{
	char size[40] = "", sum[60] = "";

	buf[0] = '\0';
	if (h->page_size >= 0)
		snprintf(size, sizeof(size), " of %" PRId64 " bytes", h->page_size);
	if (h->page_size >= 0 && h->pages >= 0)
		snprintf(sum, sizeof(sum), " (%.3f MB)",
			 (double)h->pages * (double)h->page_size / 1e6);
	if (h->pages >= 0)
		snprintf(buf, len, "%" PRId64 " pages%s per worker%s", h->pages, size, sum);
	else if (h->page_size >= 0)
		snprintf(buf, len, "pages%s", size);
}

void report_put_facts(FILE *out, const struct report_heading *h,
		      void (*put)(FILE *out, const char *what, const char *text))
{
	char memory[200], rounds[200], canary[200], source[200] = "";
	const struct {
		const char *what, *text;
	} facts[] = {
		{ "file", h->file },
		{ "label", h->label },
		{ "date", h->created },
		{ "host", h->hostname },
		{ "kernel", h->kernel },
		{ "machine", h->machine },
		{ "cpu", h->cpu },
		{ "memory", memory },
		{ "rounds", rounds },
		{ "canary", canary },
		{ "source", source },
		{ "complete", h->complete ? "yes" : "no: interrupted, or still running" },
	};

	memory_text(h, memory, sizeof(memory));
	report_rounds_text(h, rounds, sizeof(rounds));
	report_canary_text(h, canary, sizeof(canary));
	if (*h->imported_from)
		snprintf(source, sizeof(source), "an imported table: %s", h->imported_from);
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		if (*facts[i].text)
			put(out, facts[i].what, facts[i].text);
	}
}
