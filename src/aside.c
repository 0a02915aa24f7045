/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aside: keep those who only wait off the CPUs that workers are timed on. */
#include "config.h"

#include "aside.h"

#include <stdlib.h>
#include <string.h>

static void set_mask(const struct aside *a, const cpu_set_t *mask)
{
	/* Where it fails, we may disturb workers, as the record of the repeat will show. */
	(void)sched_setaffinity(0, a->bytes, mask);
}

static void free_masks(struct aside *a)
{
	free(a->allowed);
	free(a->spare);
	free(a->current);
	memset(a, 0, sizeof(*a));
}

/* Room for all CPUs of the topology; what was known of the main process is kept if it fits. */
static bool make_masks(struct aside *a, const struct topology *t)
{
	int most = 0;
	size_t bytes;

	for (unsigned i = 0; i < t->n_cpus; i++)
		most = t->cpus[i].os_index > most ? t->cpus[i].os_index : most;
	bytes = CPU_ALLOC_SIZE(most + 1);
	if (a->bytes == bytes)
		return true;
	free_masks(a);
	a->allowed = calloc(1, bytes);
	a->spare = calloc(1, bytes);
	a->current = calloc(1, bytes);
	if (!a->allowed || !a->spare || !a->current) {
		free_masks(a);
		return false;
	}
	a->bytes = bytes;
	return true;
}

static void fill_masks(struct aside *a, const struct topology *t, const struct place *places,
		       unsigned workers)
{
	CPU_ZERO_S(a->bytes, a->allowed);
	for (unsigned i = 0; i < t->n_cpus; i++)
		CPU_SET_S((size_t)t->cpus[i].os_index, a->bytes, a->allowed);
	memcpy(a->spare, a->allowed, a->bytes);
	for (unsigned i = 0; i < workers; i++)
		CPU_CLR_S((size_t)places[i].cpu, a->bytes, a->spare);
	a->apart = CPU_COUNT_S(a->bytes, a->spare) > 0;
	if (!a->apart)
		memcpy(a->spare, a->allowed, a->bytes);
}

void aside_begin(struct aside *a, const struct topology *t, const struct place *places,
		 unsigned workers)
{
	if (!t->is_this_machine || !t->n_cpus || !make_masks(a, t))
		return;
	fill_masks(a, t, places, workers);
	if (!memcmp(a->current, a->spare, a->bytes))
		return;
	set_mask(a, a->spare);
	memcpy(a->current, a->spare, a->bytes);
}

void aside_step(const struct aside *a)
{
	if (a->apart)
		set_mask(a, a->spare);
}

void aside_return(const struct aside *a)
{
	if (a->apart)
		set_mask(a, a->allowed);
}

void aside_end(struct aside *a)
{
	if (a->bytes && memcmp(a->current, a->allowed, a->bytes))
		set_mask(a, a->allowed);
	free_masks(a);
}
