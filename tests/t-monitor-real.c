/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-monitor-real: heat and quotas from recorded files; a child's load on this machine. */
#include "config.h"

#include "monitor_help.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define THROTTLE "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count"

static void put_throttle(int cpu, const char *count)
{
	char path[100];

	snprintf(path, sizeof(path), THROTTLE, cpu);
	put(path, "%s\n", count);
}

static void is_throttles(int64_t want, const char *what)
{
	end(SECOND, 0);
	is_int(got.throttles, want, what);
}

static void test_throttles(void)
{
	static const int os[] = { 4, 6, 8 }, used[] = { 8, 6, 8 };

	new_machine(3, os);
	for (int i = 4; i <= 8; i += 2)
		put_throttle(i, "10");
	begin(3, used);
	is_throttles(0, "no core was throttled");
	put_throttle(4, "99");
	is_throttles(0, "… but one that is not used");
	put_throttle(6, "11");
	put_throttle(8, "12");
	is_throttles(3, "cores were throttled");
	put_throttle(8, "0");
	is_throttles(1, "one counter goes back");
	put_throttle(8, "-5");
	is_throttles(-1, "a count below 0");
	put_throttle(8, "hot");
	is_throttles(-1, "no number");
	put_throttle(6, "9223372036854775807");
	put_throttle(8, "9223372036854775807");
	is_throttles(INT64_MAX, "counts whose sum is too large");
	monitor_free(m);
}

#define CPU_MOUNT "35 31 0:32 / /cg/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
#define CPU_STAT  "nr_periods 900\nnr_throttled %s\nthrottled_time 123456\n"

static void is_quota(int64_t want, const char *what)
{
	end(SECOND, 0);
	is_int(got.quota_throttles, want, what);
}

static void test_quota_v1(void)
{
	new_machine(1, NULL);
	put("/proc/self/cgroup", "3:cpu:/a/b\n0::/\n");
	put("/proc/self/mountinfo", CPU_MOUNT V2_MOUNT);
	put("/sys/fs/cgroup/unified/cpu.stat", "usage_usec 5\nuser_usec 3\n");
	put("/cg/cpu/cpu.stat", CPU_STAT, "0");
	put("/cg/cpu/a/cpu.stat", CPU_STAT, "70");
	put("/cg/cpu/a/b/cpu.stat", CPU_STAT, "5");
	begin(1, NULL);
	is_quota(0, "v1: never throttled");
	put("/cg/cpu/a/b/cpu.stat", CPU_STAT, "7");
	is_quota(2, "v1: the own group");
	put("/cg/cpu/a/cpu.stat", CPU_STAT, "71");
	is_quota(3, "v1: the parent, too");
	put("/cg/cpu/a/cpu.stat", CPU_STAT, "9");
	is_quota(0, "v1: a counter goes back");
	put("/cg/cpu/a/cpu.stat", CPU_STAT, "often");
	is_quota(-1, "v1: no number");
	put("/cg/cpu/a/cpu.stat", CPU_STAT, "9223372036854775807");
	is_quota(-1, "v1: counts whose sum is too large");
	put("/cg/cpu/a/cpu.stat", "nr_periods 1\n");
	is_quota(-1, "v1: no row");
	monitor_free(m);
}

static void test_quota_v2(void)
{
	new_machine(1, NULL);
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/proc/self/mountinfo", PURE_V2);
	put("/sys/fs/cgroup/cpu.stat", "usage_usec 5\nuser_usec 3\n");
	put("/sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nuser_usec 3\n");
	begin(1, NULL);
	is_quota(-1, "v2: the controller is on nowhere");
	monitor_free(m);
	put("/sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 6\n");
	begin(1, NULL);
	put("/sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 16\n");
	is_quota(10, "v2: the parent's quota");
	monitor_free(m);
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static void spin_until(int64_t cpu_time_ns)
{
	while (cpu_ns() < cpu_time_ns)
		;
}

/*
 * Told to go, use 60 ms of CPU time on this CPU, in parts of 5 ms, and tell how much it was. Each
 * sleep takes us off the CPU: what was used before it is known to every counter there is.
 */
static void burn(int cpu, int go, int done)
{
	const struct timespec shortly = { 0, 1 };
	int64_t begun, used = 0;
	cpu_set_t set;
	char byte;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || read(go, &byte, 1) != 1)
		_exit(1);
	begun = cpu_ns();
	while (used < 60000000) {
		spin_until(begun + used + 5000000);
		used = cpu_ns() - begun;
		nanosleep(&shortly, NULL);
	}
	_exit(write(done, &used, sizeof(used)) != sizeof(used));
}

/* A child that burns when a byte is written to *go. */
static pid_t new_burner(int cpu, int *go, int *done)
{
	int to[2], from[2];
	pid_t pid;

	if (pipe(to) || pipe(from))
		exit(99);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		exit(99);
	if (!pid) {
		close(to[1]);
		burn(cpu, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	*go = to[1];
	*done = from[0];
	return pid;
}

/* One team of nobody on a CPU, in whose time a child burns; wait_for_it: as one of our own. */
static void watch(int cpu, bool wait_for_it)
{
	int64_t used = -1, own_ns, steal_ns;
	int go, done, status = -1;
	pid_t pid = new_burner(cpu, &go, &done);

	places[0].cpu = cpu;
	own_ns = -cpu_ns();
	monitor_begin(m, places, 1);
	ok(write(go, "", 1) == 1 && read(done, &used, sizeof(used)) == sizeof(used),
	   "a child used some CPU time");
	if (wait_for_it)
		waitpid(pid, &status, 0);
	monitor_end(m, &got);
	own_ns += cpu_ns();
	steal_ns = got.steal_ns > 0 ? got.steal_ns : 0;
	printf("# used %" PRId64 ", own %" PRId64 ", lived %" PRId64 ", foreign %" PRId64
	       ", steal %" PRId64 "\n",
	       used, own_ns, got.lived_ns, got.foreign_ns, got.steal_ns);
	ok(got.lived_ns >= used, "… within the time");
	ok(got.foreign_ns <= got.lived_ns, "… others had no more than there was");
	if (wait_for_it)
		ok(m->end.own_ns - m->begin.own_ns >= used - 2000, "… it was our own time");
	else if (monitor_step_ns(m) > 1)
		skip("… it was foreign load", "/proc/stat, by ticks, is all there is");
	else
		ok(got.foreign_ns >= used - own_ns - steal_ns, "… it was foreign load");
	if (!wait_for_it)
		waitpid(pid, &status, 0);
	is_int(status, 0, "… and nothing went wrong");
	close(go);
	close(done);
}

static void test_real(void)
{
	struct topology *t;
	struct err err = { 0 };

	monitor_set_root("");
	if (topology_load(&t, &err))
		exit(99);
	m = monitor_new(t);
	if (!m)
		exit(99);
	printf("# source %d, %zu cgroups with quotas\n", (int)m->source, m->n_quotas);
	watch(t->cpus[t->n_cpus - 1].os_index, false);
	watch(t->cpus[0].os_index, true);
	watch(t->cpus[0].os_index, false);
	monitor_free(m);
	topology_free(t);
}

static void tests(void)
{
	test_throttles();
	test_quota_v1();
	test_quota_v2();
	test_real();
}

int main(void)
{
	alarm(120);
	return with_monitor(tests);
}
