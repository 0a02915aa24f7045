/* SPDX-License-Identifier: GPL-2.0-or-later */
/* monitor: what else the machine did on the workers' CPUs while a team lived. */
#include "config.h"

#include "monitor.h"

#include "monitor_internal.h"

#include <stdlib.h>

static const char *monitor_root = "";

void monitor_set_root(const char *path)
{
	monitor_root = path;
}

static int allocate(struct monitor *m, const struct topology *t)
{
	size_t n = t->n_cpus ? t->n_cpus : 1;

	for (unsigned i = 0; i < t->n_cpus; i++) {
		if (t->cpus[i].os_index >= 0 && (size_t)t->cpus[i].os_index >= m->n_slots)
			m->n_slots = (size_t)t->cpus[i].os_index + 1;
	}
	m->os_cpus = calloc(n, sizeof(*m->os_cpus));
	m->slots = calloc(m->n_slots + 1, sizeof(*m->slots));
	m->used = calloc(n, sizeof(*m->used));
	m->is_used = calloc(n, sizeof(*m->is_used));
	m->begin.cpus = calloc(n, sizeof(*m->begin.cpus));
	m->end.cpus = calloc(n, sizeof(*m->end.cpus));
	return m->os_cpus && m->slots && m->used && m->is_used && m->begin.cpus && m->end.cpus;
}

struct monitor *monitor_new(const struct topology *t)
{
	struct monitor *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->root = monitor_root;
	m->n_cpus = t->n_cpus;
	m->stat.fd = m->busy.fd = -1;
	if (!allocate(m, t)) {
		monitor_free(m);
		return NULL;
	}
	for (size_t i = 0; i < m->n_slots; i++)
		m->slots[i] = -1;
	for (unsigned i = 0; i < t->n_cpus; i++) {
		m->os_cpus[i] = t->cpus[i].os_index;
		if (m->os_cpus[i] >= 0)
			m->slots[m->os_cpus[i]] = (int)i;
	}
	monitor_read_open(m);
	return m;
}

void monitor_free(struct monitor *m)
{
	if (!m)
		return;
	monitor_read_close(m);
	free(m->os_cpus);
	free(m->slots);
	free(m->used);
	free(m->is_used);
	free(m->begin.cpus);
	free(m->end.cpus);
	free(m);
}

int64_t monitor_step_ns(const struct monitor *m)
{
	return m->source == MONITOR_STAT ? m->stat_step_ns : 1;
}

/* List the CPUs of the places, each once. */
static void list_used(struct monitor *m, const struct place *places, unsigned workers)
{
	for (unsigned i = 0; i < m->n_used; i++)
		m->is_used[m->used[i]] = false;
	m->n_used = 0;
	m->all_known = workers > 0;
	for (unsigned i = 0; i < workers; i++) {
		int cpu = places[i].cpu;
		int slot = cpu >= 0 && (size_t)cpu < m->n_slots ? m->slots[cpu] : -1;

		if (slot < 0) {
			m->all_known = false;
		} else if (!m->is_used[slot]) {
			m->is_used[slot] = true;
			m->used[m->n_used++] = (unsigned)slot;
		}
	}
}

void monitor_begin(struct monitor *m, const struct place *places, unsigned workers)
{
	list_used(m, places, workers);
	monitor_read_begin(m);
}

/* a + b, both at least 0. */
static int64_t add(int64_t a, int64_t b)
{
	return b > INT64_MAX - a ? INT64_MAX : a + b;
}

/*
 * How much a counter has grown, in units of `unit`, at most `most`; -1 where it is not known.
 * Counters do go backwards: steal does where a hypervisor corrects it or a guest has moved.
 */
static int64_t growth(int64_t begin, int64_t end, int64_t unit, int64_t most)
{
	if (begin < 0 || end < 0)
		return -1;
	if (end <= begin)
		return 0;
	return end - begin >= most / unit ? most : (end - begin) * unit;
}

static int64_t busy_of(const struct monitor *m, unsigned cpu, int64_t lived_ns)
{
	/* What a CPU did before, but the kernel counted later, can exceed the time that there was.
	 */
	return growth(m->begin.cpus[cpu].busy, m->end.cpus[cpu].busy, monitor_step_ns(m), lived_ns);
}

static int64_t steal_of(const struct monitor *m, unsigned cpu, int64_t lived_ns)
{
	(void)lived_ns;
	return growth(m->begin.cpus[cpu].steal, m->end.cpus[cpu].steal, m->stat_step_ns, INT64_MAX);
}

static int64_t throttles_of(const struct monitor *m, unsigned cpu, int64_t lived_ns)
{
	(void)lived_ns;
	return growth(m->begin.cpus[cpu].throttles, m->end.cpus[cpu].throttles, 1, INT64_MAX);
}

/* Sum over the team's CPUs, or -1 where one of them is not known. */
static int64_t sum(const struct monitor *m,
		   int64_t (*of)(const struct monitor *m, unsigned cpu, int64_t lived_ns))
{
	int64_t lived_ns = m->end.at_ns - m->begin.at_ns, total = 0;

	if (!m->all_known)
		return -1;
	for (unsigned i = 0; i < m->n_used; i++) {
		int64_t one = of(m, m->used[i], lived_ns);

		if (one < 0)
			return -1;
		total = add(total, one);
	}
	return total;
}

void monitor_fill(const struct monitor *m, struct repeat *out)
{
	int64_t busy_ns = sum(m, busy_of), ours_ns = m->end.own_ns - m->begin.own_ns;

	out->lived_ns = m->end.at_ns - m->begin.at_ns;
	out->steal_ns = sum(m, steal_of);
	out->throttles = sum(m, throttles_of);
	out->quota_throttles = growth(m->begin.quota, m->end.quota, 1, INT64_MAX);
	/* /proc/schedstat goes by a clock that does not stop while the hypervisor runs others. */
	if (m->source == MONITOR_SCHEDSTAT && out->steal_ns > 0)
		ours_ns = add(ours_ns, out->steal_ns);
	out->foreign_ns = busy_ns < 0 ? -1 : busy_ns > ours_ns ? busy_ns - ours_ns : 0;
}

void monitor_end(struct monitor *m, struct repeat *out)
{
	monitor_read_end(m);
	monitor_fill(m, out);
}
