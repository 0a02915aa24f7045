/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: what the kernel has counted for the calling thread, and about the CPU it is on. */
#include "config.h"

#include "counters.h"

#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int64_t counters_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void counters_read(struct counters *c)
{
	struct rusage ru;

	/*
	 * Where the kernel accounts CPU time by ticks, a thread's total stands still between them;
	 * asking for this clock brings it up to date, and getrusage() then divides the exact total.
	 */
	c->cpu_ns = counters_cpu_ns();
	getrusage(RUSAGE_THREAD, &ru);
	c->user_ns = util_timeval_ns(&ru.ru_utime);
	c->sys_ns = util_timeval_ns(&ru.ru_stime);
	c->minflt = ru.ru_minflt;
	c->majflt = ru.ru_majflt;
	c->nvcsw = ru.ru_nvcsw;
	c->nivcsw = ru.ru_nivcsw;
}

void counters_between(const struct counters *before, const struct counters *after,
		      struct counters *out)
{
	int64_t user = after->user_ns - before->user_ns;
	int64_t sys = after->sys_ns - before->sys_ns;

	if (user + sys <= 0) {
		user = after->user_ns;
		sys = after->sys_ns;
	}
	out->cpu_ns = after->cpu_ns - before->cpu_ns;
	/* A double holds three months of nanoseconds, and its product never overflows. */
	out->user_ns =
		user + sys <= 0
			? 0
			: (int64_t)((double)out->cpu_ns * (double)user / (double)(user + sys));
	out->sys_ns = out->cpu_ns - out->user_ns;
	out->minflt = after->minflt - before->minflt;
	out->majflt = after->majflt - before->majflt;
	out->nvcsw = after->nvcsw - before->nvcsw;
	out->nivcsw = after->nivcsw - before->nivcsw;
}

int counters_open_run_delay(void)
{
	return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

int64_t counters_parse_run_delay(const char *text)
{
	uint64_t cpu_ns, delay_ns, slices;

	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &cpu_ns, &delay_ns, &slices) != 3)
		return -1;
	/* A thread that reads this has run before, so 0 means that nobody counts. */
	if (!cpu_ns || !slices || delay_ns > INT64_MAX)
		return -1;
	return (int64_t)delay_ns;
}

int64_t counters_run_delay_ns(int fd)
{
	char text[80];
	ssize_t n;

	if (fd < 0)
		return -1;
	n = pread(fd, text, sizeof(text) - 1, 0);
	if (n < 0)
		return -1;
	text[n] = '\0';
	return counters_parse_run_delay(text);
}

int64_t counters_freq_khz(const char *sys_cpu, int cpu)
{
	char path[200];
	int64_t khz;

	if (cpu < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/cpu%d/cpufreq/scaling_cur_freq", sys_cpu, cpu);
	return util_read_int(path, &khz) || khz <= 0 ? -1 : khz;
}
