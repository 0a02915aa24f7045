/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: what the kernel has counted for the calling thread, and about the CPU it is on. */
#ifndef PFSCALE_COUNTERS_H
#define PFSCALE_COUNTERS_H

#include <stdint.h>

/* Totals since the calling thread began. */
struct counters {
	int64_t cpu_ns;		 /* CPU time in all, to the nanosecond */
	int64_t user_ns, sys_ns; /* of it, as getrusage(2) divides it, in whole microseconds */
	int64_t minflt, majflt;	 /* page faults */
	int64_t nvcsw, nivcsw;	 /* context switches: it slept, or was made to wait */
};

/*
 * The calling thread's CPU time, by CLOCK_THREAD_CPUTIME_ID: the scheduler's own account, brought
 * up to date by the call.
 */
int64_t counters_cpu_ns(void);

/*
 * Read all of them (getrusage(2) with RUSAGE_THREAD, never RUSAGE_SELF, which counts the whole
 * process for each thread). Cannot fail: the calls have no failing arguments.
 */
void counters_read(struct counters *c);

/*
 * *out = what was counted between two readings. cpu_ns is the exact difference, and user_ns +
 * sys_ns is cpu_ns, divided in the proportion that getrusage(2) gives for the interval; where that
 * has seen less than a microsecond go by, in the proportion of the thread's whole life.
 *
 * How exact that is depends on the kernel: one that accounts by ticks knows the sum exactly, but
 * divides by what its ticks met (1 to 10 ms apart), and gives all to user time before the first
 * has met the thread in the kernel. That is most kernels, those with CONFIG_VIRT_CPU_ACCOUNTING_GEN
 * included, unless the CPU is one of nohz_full; there, and with _NATIVE, the division is exact to
 * the microsecond. The system's record says which it is (clock.cpu_split).
 *
 * With cpu_ns read next to the clock, before and after, it exceeds the wall time by no more than
 * two system calls.
 */
void counters_between(const struct counters *before, const struct counters *after,
		      struct counters *out);

/*
 * A descriptor from which counters_run_delay_ns() reads how long the calling thread, since it
 * began, was ready to run and did not. -1 where the kernel does not offer it.
 */
int counters_open_run_delay(void);

/* -1: not known (also where fd is -1, or the kernel does not account it). */
int64_t counters_run_delay_ns(int fd);

/*
 * The run delay in a text as of /proc/PID/schedstat: "CPU-TIME DELAY TIMESLICES", all 0 where the
 * kernel does not account them. -1: not known.
 */
int64_t counters_parse_run_delay(const char *text);

/* Where the kernel describes CPUs, for counters_freq_khz(). */
#define COUNTERS_SYS_CPU "/sys/devices/system/cpu"

/*
 * The frequency that a CPU (OS index) runs at, as cpufreq says. -1: not known. sys_cpu: the
 * directory to look in.
 */
int64_t counters_freq_khz(const char *sys_cpu, int cpu);

#endif
