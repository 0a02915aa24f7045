/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disturbance: what can disturb a repeat, and the rule that says whether it did (pure). */
#include "config.h"

#include "disturbance.h"

#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct disturbance_cause disturbance_causes[DISTURBED_N] = {
	[DISTURBED_STEAL] = { "steal", "the hypervisor gave the CPUs to others",
			      "give this virtual machine CPUs of its own" },
	[DISTURBED_PREEMPTED] = { "preempted", "a worker was off its CPU though it never slept",
				  "end what else runs on these CPUs" },
	[DISTURBED_FOREIGN] = { "foreign load", "other processes ran on the CPUs",
				"end what else runs on these CPUs" },
	[DISTURBED_MIGRATED] = { "migrated", "a worker ended on another CPU than its own",
				 "let nobody else set the workers' affinity" },
	[DISTURBED_MAJOR_FAULTS] = { "major faults",
				     "faults had to wait for a page, as from swap" },
	[DISTURBED_THROTTLED] = { "throttled", "a core was slowed down for its heat",
				  "cool the machine" },
	[DISTURBED_FREQUENCY] = { "frequency", "a CPU's frequency changed", "fix the frequency" },
	[DISTURBED_QUOTA] = { "cpu quota", "the cgroup had used up its CPU time",
			      "raise the cgroup's CPU quota" },
	[DISTURBED_OTHER] = { "other", "a cause that this version does not know",
			      "see what it is" },
};

/*
 * The thresholds. A disturbance of 1 % of the time matters where changes of 2 % are to be seen, and
 * the rest of each threshold is what is there on an idle machine, or is not known exactly. All
 * arithmetic is in double: numbers of files may have any size.
 */

/*
 * Of the CPUs' time. /proc/stat tells steal in whole steps, 10 ms mostly: in a short life, the
 * first one is over this. It may have come together over several repeats, of which the last is
 * marked then: as many are marked as there are steps, and no true one is missed.
 */
static const double steal_share = 0.01;

/*
 * Of a worker's wall time, and a constant: its own CPU time has a system call at each end, and
 * it is not itself disturbed by one short run of a kernel thread, some 10 µs.
 */
static const double off_cpu_share = 0.01, off_cpu_ns = 20e3;

/* From when a sleeper is woken to when it runs, on a CPU that has nothing else to do. */
static const double wake_up_ns = 50e3;

/*
 * Of the CPUs' time, a constant, and one per worker: kernel threads run also on an idle machine;
 * and what a process or thread still does after its CPU time was added up at its end (some 20 µs,
 * more where the kernel counts by ticks) is ours, but nobody is told so. Where times come in steps,
 * both readings of each CPU can be wrong by one.
 */
static const double foreign_share = 0.01, foreign_ns = 1e6, foreign_worker_ns = 50e3;
static const double foreign_steps = 2;

/*
 * Frequencies waver by some per cent by themselves, in reading them and as turbo has it. They are
 * compared with the last few, not with all: a CPU that has used up its turbo stays slower, and what
 * stays is how the machine is.
 */
static const double frequency_share = 0.05;
enum { FREQUENCIES = 5, LEAST_FREQUENCIES = 3 };

enum disturbance disturbance_find(const char *name)
{
	for (int i = 0; i < DISTURBED_OTHER; i++)
		if (!strcmp(disturbance_causes[i].name, name))
			return i;
	return DISTURBED_OTHER;
}

static int compare_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* How many CPUs the workers have; a worker whose CPU is not known has one of its own. */
static double count_cpus(const struct point *p, const struct repeat *r, bool oversubscribed)
{
	unsigned n = p->workers, distinct = n > 0;
	int64_t *sorted;

	if (!oversubscribed || !r->cpu)
		return n;
	sorted = malloc((n + !n) * sizeof(*sorted));
	if (!sorted)
		return n;
	memcpy(sorted, r->cpu, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_int64);
	for (unsigned i = 1; i < n; i++)
		distinct += sorted[i] != sorted[i - 1];
	free(sorted);
	return distinct;
}

/*
 * Whether a worker that slept had to wait for its CPU. Its time off the CPU is contention, which is
 * measured; but while it was ready to run and did not, somebody else had the CPU, or was about to
 * leave it as it woke up: that is allowed for. One that was never put off its CPU has only woken
 * up.
 */
static bool was_kept_waiting(const struct repeat *r, unsigned i, double limit_ns)
{
	return r->run_delay_ns && r->nivcsw && r->nivcsw[i] > 0 &&
	       (double)r->run_delay_ns[i] > limit_ns + wake_up_ns * (double)r->nvcsw[i];
}

/*
 * Whether a worker had to wait for its CPU in the touch. One that slept at all waited for a lock or
 * for memory: its time off the CPU says nothing.
 */
static bool was_preempted(const struct repeat *r, unsigned i)
{
	double limit_ns, off_ns = -1;

	if (!r->nvcsw || !r->wall_ns || r->wall_ns[i] < 0)
		return false;
	limit_ns = off_cpu_share * (double)r->wall_ns[i] + off_cpu_ns;
	if (r->nvcsw[i])
		return was_kept_waiting(r, i, limit_ns);
	if (r->user_ns && r->sys_ns && r->user_ns[i] >= 0 && r->sys_ns[i] >= 0)
		off_ns = (double)r->wall_ns[i] - ((double)r->user_ns[i] + (double)r->sys_ns[i]);
	/* The first has steal and interrupts in it where the kernel keeps these from CPU time. */
	return off_ns > limit_ns || (r->run_delay_ns && (double)r->run_delay_ns[i] > limit_ns);
}

static bool was_migrated(const struct repeat *r, unsigned i)
{
	return r->end_cpu && r->cpu && r->end_cpu[i] >= 0 && r->cpu[i] >= 0 &&
	       r->end_cpu[i] != r->cpu[i];
}

/* The frequency of a CPU in a repeat, or -1. A worker of the same number mostly has the same CPU.
 */
static int64_t frequency_of(const struct repeat *r, unsigned workers, unsigned hint, int64_t cpu)
{
	if (!r->freq_khz || !r->cpu)
		return -1;
	for (unsigned k = 0; k < workers; k++) {
		unsigned i = k < workers - hint ? hint + k : k - (workers - hint);

		if (r->cpu[i] == cpu && r->freq_khz[i] > 0)
			return r->freq_khz[i];
	}
	return -1;
}

/* The median of the last readings on worker i's CPU before r; -1 where there are too few. */
static double usual_frequency(const struct point *p, const struct repeat *r, unsigned i)
{
	size_t k = (size_t)(r - p->repeats), n = 0;
	int64_t last[FREQUENCIES];

	while (k-- > 0 && n < FREQUENCIES) {
		int64_t freq = frequency_of(&p->repeats[k], p->workers, i, r->cpu[i]);

		if (freq > 0)
			last[n++] = freq;
	}
	if (n < LEAST_FREQUENCIES)
		return -1;
	qsort(last, n, sizeof(*last), compare_int64);
	return ((double)last[(n - 1) / 2] + (double)last[n / 2]) / 2;
}

static bool changed_frequency(const struct point *p, const struct repeat *r, unsigned i)
{
	double usual, now;

	if (!r->freq_khz || !r->cpu || r->freq_khz[i] <= 0)
		return false;
	usual = usual_frequency(p, r, i);
	now = (double)r->freq_khz[i];
	return usual > 0 && fabs(now - usual) > frequency_share * usual;
}

static unsigned judge_cpus(const struct point *p, const struct repeat *r, bool oversubscribed,
			   int64_t load_step_ns)
{
	double cpus = count_cpus(p, r, oversubscribed);
	double time_ns = (double)r->lived_ns * cpus;
	double usual_ns = foreign_share * time_ns + foreign_ns + foreign_worker_ns * p->workers;
	double unsure_ns = foreign_steps * (double)load_step_ns * cpus;
	unsigned set = 0;

	if (r->throttles > 0)
		set |= 1u << DISTURBED_THROTTLED;
	if (r->quota_throttles > 0)
		set |= 1u << DISTURBED_QUOTA;
	if (r->lived_ns < 0)
		return set;
	if (r->steal_ns > 0 && (double)r->steal_ns > steal_share * time_ns)
		set |= 1u << DISTURBED_STEAL;
	if ((double)r->foreign_ns > usual_ns && (double)r->foreign_ns > unsure_ns)
		set |= 1u << DISTURBED_FOREIGN;
	return set;
}

unsigned disturbance_judge(const struct point *p, const struct repeat *r, bool oversubscribed,
			   int64_t load_step_ns)
{
	unsigned set = judge_cpus(p, r, oversubscribed, load_step_ns);

	for (unsigned i = 0; i < p->workers; i++) {
		if (!oversubscribed && was_preempted(r, i))
			set |= 1u << DISTURBED_PREEMPTED;
		if (was_migrated(r, i))
			set |= 1u << DISTURBED_MIGRATED;
		if (r->majflt && r->majflt[i] > 0)
			set |= 1u << DISTURBED_MAJOR_FAULTS;
		if (!(set & 1u << DISTURBED_FREQUENCY) && changed_frequency(p, r, i))
			set |= 1u << DISTURBED_FREQUENCY;
	}
	return set;
}

char *disturbance_text(unsigned set, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < DISTURBED_N; i++) {
		int n;

		if (!(set & 1u << i) || used >= len)
			continue;
		n = snprintf(buf + used, len - used, "%s%s", used ? ", " : "",
			     disturbance_causes[i].name);
		used += n > 0 ? (size_t)n : 0;
	}
	return buf;
}

char *disturbance_remedies(unsigned set, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < DISTURBED_N; i++) {
		const char *remedy = disturbance_causes[i].remedy;
		int n;

		if (!(set & 1u << i) || used >= len || strstr(buf, remedy))
			continue;
		n = snprintf(buf + used, len - used, "%s%s", used ? ", " : "", remedy);
		used += n > 0 ? (size_t)n : 0;
	}
	return buf;
}
