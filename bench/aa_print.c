/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aa_print: what runs of the same thing show: false alarms, and the smallest change. */
#include "config.h"

#include "aa.h"

#include "spread.h"
#include "series.h"
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The level of the test whose false alarms are counted. */
static const double level = 0.05;

/* Room for what one subject needs. */
struct room {
	double *rates[2]; /* all rates of two pools */
	double *numbers;  /* one per run */
};

/* The rates of `block` runs from `first` on, in rising order. Returns how many. */
static size_t pool(const struct aa_subject *s, unsigned first, unsigned block, double *rates)
{
	size_t n = 0;

	for (unsigned i = first; i < first + block; i++) {
		memcpy(rates + n, s->runs[i].rates, s->runs[i].n * sizeof(*rates));
		n += s->runs[i].n;
	}
	return n;
}

/* What such a pool gives: pfscale shows a median; stress-ng all that was done in that time. */
static double pool_log(const struct aa_subject *s, unsigned first, unsigned block, double *rates)
{
	size_t n = pool(s, first, block, rates);
	double sum = 0;

	if (s->type) {
		stats_sort(rates, n);
		return log(stats_median(rates, n));
	}
	for (size_t i = 0; i < n; i++)
		sum += rates[i];
	return log(sum / (double)n);
}

/* Beyond ten times as much, the figures mean nothing. */
static const char *percent(double share, char *buf, size_t len)
{
	if (share > 10)
		snprintf(buf, len, "> 1000");
	else
		snprintf(buf, len, "%.2f", 100 * share);
	return buf;
}

static void percent_row(const char *what, const char *target, double seen, double low, double high,
			const char *met)
{
	char text[24], from[16], to[16], interval[60] = "n/a";

	snprintf(text, sizeof(text), "%s %%", percent(seen, from, sizeof(from)));
	if (isfinite(low) && isfinite(high))
		snprintf(interval, sizeof(interval), "%s … %s %%", percent(low, from, sizeof(from)),
			 percent(high, to, sizeof(to)));
	bench_row(what, target, isfinite(seen) ? text : "n/a", interval, met);
}

static void print_alarms(const char *what, const char *target, const struct aa_alarms *a)
{
	double low, high;
	char text[80];

	spread_of_share(a->alarms, a->pairs, &low, &high);
	snprintf(text, sizeof(text), "%s, %u of %u pairs", what, a->alarms, a->pairs);
	percent_row(text, target, a->pairs ? (double)a->alarms / a->pairs : NAN, low, high,
		    !a->pairs || !*target ? ""
		    : low <= level	  ? "yes"
					  : "no");
}

void aa_print_alarms(const char *what, const struct aa_alarms *a)
{
	print_alarms(what, "≤ 5 %", a);
}

/*
 * Pairs that share no run, each judged by the spread of the others: the comparison that the
 * smallest change speaks of.
 */
static struct aa_alarms count_alarms(const struct aa_subject *s, unsigned block,
				     const struct room *room)
{
	struct aa_alarms a = { 0 };

	for (unsigned first = 0; first + 2 * block <= s->n_runs; first += 2 * block)
		room->numbers[a.pairs++] = pool_log(s, first, block, room->rates[0]) -
					   pool_log(s, first + block, block, room->rates[0]);
	if (a.pairs < 3)
		a.pairs = 0;
	a.alarms = spread_alarms(room->numbers, a.pairs);
	return a;
}

/* The same, judged by the repeats of the two sides alone. Where they are too few, it has no part.
 */
static struct aa_alarms count_alarms_of_repeats(const struct aa_subject *s, unsigned block,
						const struct room *room)
{
	struct aa_alarms a = { 0 };

	for (unsigned first = 0; first + 2 * block <= s->n_runs; first += 2 * block) {
		size_t n = pool(s, first, block, room->rates[0]);
		size_t m = pool(s, first + block, block, room->rates[1]);
		double p = series_differ(room->rates[0], n, room->rates[1], m);

		if (isnan(p))
			continue;
		a.pairs++;
		a.alarms += p <= level;
	}
	return a;
}

/* What pfscale would say of each pool, from its repeats alone. */
static void print_own(const struct aa_subject *s, unsigned block, const struct room *room)
{
	struct bench_median m;
	unsigned n = 0;

	for (unsigned first = 0; first + block <= s->n_runs; first += block) {
		double *rates = room->rates[0];
		size_t n_rates = pool(s, first, block, rates);
		struct series_estimate e;

		if (series_estimate(rates, n_rates, STATS_LEVEL, &e))
			continue;
		if (isfinite(series_smallest_change(&e)))
			room->numbers[n++] = series_smallest_change(&e);
	}
	if (!n) {
		percent_row("    what pfscale says of its repeats", "", NAN, NAN, NAN, "");
		return;
	}
	m = bench_median(room->numbers, n);
	percent_row("    what pfscale says of its repeats", "", m.value, m.low, m.high, "");
}

static double median_wall(const struct aa_subject *s, const struct room *room)
{
	for (unsigned i = 0; i < s->n_runs; i++)
		room->numbers[i] = s->runs[i].wall_s;
	return bench_median(room->numbers, s->n_runs).value;
}

static struct aa_alarms print_block(const struct aa_subject *s, unsigned block,
				    const struct room *room)
{
	double wall_s = median_wall(s, room) * block;
	struct aa_alarms all, own;
	struct spread spread;
	char text[80], pooled[40] = "";

	for (unsigned i = 0; i + block <= s->n_runs; i++)
		room->numbers[i] = pool_log(s, i, block, room->rates[0]);
	spread = spread_of_blocks(room->numbers, s->n_runs, block);
	if (block > 1)
		snprintf(pooled, sizeof(pooled), " (%u runs)", block);
	snprintf(text, sizeof(text), "  smallest change in %.1f s%s", wall_s, pooled);
	percent_row(text, "", spread_smallest_change(spread.sd, spread.df),
		    spread_smallest_change(spread.low, spread.df),
		    spread_smallest_change(spread.high, spread.df), "");
	all = count_alarms(s, block, room);
	aa_print_alarms("    false alarms", &all);
	if (!s->type)
		return all;
	print_own(s, block, room);
	own = count_alarms_of_repeats(s, block, room);
	print_alarms("    false alarms by that", "", &own);
	return all;
}

static void print_heading(const struct aa_subject *s)
{
	char text[100];

	if (s->type)
		snprintf(text, sizeof(text), "%s, %u worker%s, %u runs of %u repeats:", s->type,
			 s->workers, s->workers > 1 ? "s" : "", s->n_runs, s->repeats);
	else
		snprintf(text, sizeof(text), "stress-ng --fault 1, %u runs:", s->n_runs);
	bench_row(text, "", "", "", "");
}

int aa_print(const struct aa_subject *s, struct aa_alarms *alarms, struct err *err)
{
	struct room room;
	size_t n = 0;
	int ret = 0;

	for (unsigned i = 0; i < s->n_runs; i++)
		n += s->runs[i].n;
	room.rates[0] = calloc(n, sizeof(double));
	room.rates[1] = calloc(n, sizeof(double));
	room.numbers = calloc(s->n_runs, sizeof(double));
	if (room.rates[0] && room.rates[1] && room.numbers) {
		struct aa_alarms a;

		print_heading(s);
		a = print_block(s, 1, &room);
		alarms->alarms += a.alarms;
		alarms->pairs += a.pairs;
		print_block(s, AA_POOL, &room);
	} else {
		ret = err_set(err, ENOMEM, "calloc", "%zu rates", n);
	}
	free(room.rates[0]);
	free(room.rates[1]);
	free(room.numbers);
	return ret;
}
