/* SPDX-License-Identifier: GPL-2.0-or-later */
/* canary: how fast the machine itself was before, in and after a run, as the result file keeps it.
 */
#include "config.h"

#include "canary.h"

#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct canary_quantity canary_quantities[CANARY_N_KINDS] = {
	[CANARY_STORES] = { "store_bytes_per_s", "store bandwidth into resident memory" },
	[CANARY_SYSCALLS] = { "syscalls_per_s", "system calls per second" },
	[CANARY_SPINS] = { "spins_per_s", "turns of a spin loop per second" },
};

/* One quantity of one CPU. */
struct rate {
	json_int_t cpu;
	double per_s;
};

/* One quantity at one time: a rate for each CPU that has one, by rising CPU. */
struct rates {
	struct rate *of;
	size_t n;
};

/* The largest drift of one quantity. */
struct drift {
	double change; /* NAN = there is none */
	size_t from, to;
	size_t cpus; /* that have a number at both times */
};

/* By CPU; where one stands twice, the faster comes first. */
static int compare_rates(const void *a, const void *b)
{
	const struct rate *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->per_s < y->per_s) - (x->per_s > y->per_s);
}

/* Take a quantity out of an element of the array, whatever that is. Returns 0 or -ENOMEM. */
static int take(const json_t *time, enum canary_kind kind, struct rates *out)
{
	const json_t *cpus = json_object_get(time, "cpu");
	const json_t *values = json_object_get(time, canary_quantities[kind].name);
	size_t most = json_array_size(cpus), n = 0;

	if (json_array_size(values) < most)
		most = json_array_size(values);
	out->n = 0;
	out->of = calloc(most ? most : 1, sizeof(*out->of));
	if (!out->of)
		return -ENOMEM;
	for (size_t i = 0; i < most; i++) {
		const json_t *cpu = json_array_get(cpus, i);
		double value = json_number_value(json_array_get(values, i));

		if (json_is_integer(cpu) && json_integer_value(cpu) >= 0 && value > 0)
			out->of[n++] = (struct rate){ json_integer_value(cpu), value };
	}
	qsort(out->of, n, sizeof(*out->of), compare_rates);
	for (size_t i = 0; i < n; i++) {
		if (!out->n || out->of[out->n - 1].cpu != out->of[i].cpu)
			out->of[out->n++] = out->of[i];
	}
	return 0;
}

/*
 * What the changes of n CPUs (sorted) say of the machine; NAN of none. One CPU that happened to be
 * disturbed while it was probed does not speak for it. The median sees to that from three on. That
 * of two would be their mean: of these the smaller change counts, and none if they contradict each
 * other. One CPU alone is all there is.
 */
static double of_machine(const double *changes, size_t n)
{
	if (n != 2)
		return stats_median(changes, n);
	if ((changes[0] < 0) != (changes[1] < 0))
		return 0;
	return changes[0] < 0 ? changes[1] : changes[0];
}

/*
 * The change from one time to another. That of each CPU is against itself, so CPUs of unlike speed
 * (big and small cores) and CPUs that are missing from one of the times shift nothing, which a
 * ratio of medians would not be safe from. Returns 0 or -ENOMEM.
 */
static int compare_times(const struct rates *from, const struct rates *to, double *change,
			 size_t *cpus)
{
	double *changes = calloc(from->n ? from->n : 1, sizeof(*changes));
	size_t n = 0;

	if (!changes)
		return -ENOMEM;
	for (size_t i = 0, j = 0; i < from->n && j < to->n;) {
		if (from->of[i].cpu < to->of[j].cpu) {
			i++;
		} else if (from->of[i].cpu > to->of[j].cpu) {
			j++;
		} else {
			double ratio = to->of[j++].per_s / from->of[i++].per_s;

			if (isfinite(ratio))
				changes[n++] = ratio - 1;
		}
	}
	stats_sort(changes, n);
	*change = of_machine(changes, n);
	*cpus = n;
	free(changes);
	return 0;
}

/* Rates of other work, by another version, say nothing of the machine. */
static bool same_work(const json_t *a, const json_t *b)
{
	const json_t *x = json_object_get(a, "work"), *y = json_object_get(b, "work");

	return x && y ? json_equal(x, y) : x == y;
}

/* Returns 0 or -ENOMEM. */
static int find_drift(const struct result *r, enum canary_kind kind, struct drift *out)
{
	struct rates first = { 0 };
	int ret = 0;

	*out = (struct drift){ .change = NAN };
	for (size_t i = 0; i < json_array_size(r->canary) && !ret; i++) {
		const json_t *time = json_array_get(r->canary, i);
		struct rates now = { 0 };
		double change;
		size_t cpus;

		ret = take(time, kind, &now);
		if (!ret && !first.n) {
			/* The first with any number is what the others are held against. */
			free(first.of);
			first = now;
			out->from = i;
			continue;
		}
		if (!ret && same_work(json_array_get(r->canary, out->from), time)) {
			ret = compare_times(&first, &now, &change, &cpus);
			if (!ret && !isnan(change) && !(fabs(change) <= fabs(out->change))) {
				out->change = change;
				out->to = i;
				out->cpus = cpus;
			}
		}
		free(now.of);
	}
	free(first.of);
	return ret;
}

double canary_drift(const struct result *r, enum canary_kind kind, size_t *when)
{
	struct drift d;

	if (find_drift(r, kind, &d) || isnan(d.change))
		return NAN;
	if (when)
		*when = d.to;
	return d.change;
}

/* Say which time of the probe that was: "before the run", "312 s into the run". */
static void time_text(const struct result *r, size_t i, char *buf, size_t len)
{
	const json_t *time = json_array_get(r->canary, i), *at = json_object_get(time, "at_ns");
	const char *when = json_string_value(json_object_get(time, "when"));

	if (when && (!strcmp(when, "before") || !strcmp(when, "after")))
		snprintf(buf, len, "%s the run", when);
	else if (json_is_integer(at) && json_integer_value(at) >= 0)
		snprintf(buf, len, "%.0f s into the run", (double)json_integer_value(at) / 1e9);
	else
		snprintf(buf, len, "at time %zu of the probe", i + 1);
}

/* "store bandwidth … fell by 7.1 % from before the run to after the run (median of 4 CPUs)". */
static void drift_text(const struct result *r, enum canary_kind kind, const struct drift *d,
		       char *buf, size_t len)
{
	char from[60], to[60], much[40], cpus[60];

	time_text(r, d->from, from, sizeof(from));
	time_text(r, d->to, to, sizeof(to));
	snprintf(much, sizeof(much), "%.1f %%", fabs(d->change) * 100);
	if (d->change >= 9)
		snprintf(much, sizeof(much), "more than 900 %%");
	snprintf(cpus, sizeof(cpus), "median of %zu CPUs", d->cpus);
	snprintf(buf, len, "%s %s by %s from %s to %s (%s)", canary_quantities[kind].summary,
		 d->change < 0 ? "fell" : "rose", much, from, to,
		 d->cpus == 1	? "1 CPU"
		 : d->cpus == 2 ? "both CPUs by that or more"
				: cpus);
}

int canary_warn(struct result *r)
{
	char text[1200] = "the machine itself changed: ";
	size_t begun = strlen(text), used = begun;

	for (int kind = 0; kind < CANARY_N_KINDS; kind++) {
		char clause[300];
		struct drift d;
		int ret = find_drift(r, (enum canary_kind)kind, &d);

		if (ret)
			return ret;
		if (!(fabs(d.change) > CANARY_MOST_DRIFT))
			continue;
		drift_text(r, (enum canary_kind)kind, &d, clause, sizeof(clause));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 used > begun ? ", " : "", clause);
	}
	if (used == begun)
		return 0;
	snprintf(text + used, sizeof(text) - used,
		 "; rates may have drifted alike; run again, and look for limits of heat or "
		 "power, a changed frequency, and other load");
	return result_add_warning(r, text);
}
