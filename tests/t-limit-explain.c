/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-limit-explain: which limit was hit, on recorded /proc and cgroup trees. */
#include "config.h"

#include "tree.h"

#include <errno.h>

static void put_status(uint64_t size_kb, uint64_t data_kb)
{
	put("/proc/self/status",
	    "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nVmPeak:\t 999999 kB\nVmSize:\t %" PRIu64
	    " kB\nVmData:\t %" PRIu64 " kB\nThreads:\t1\nCapEff:\t0000000000000000\n",
	    size_kb, data_kb);
}

static void put_limits(const char *as, const char *data, const char *nproc)
{
	put("/proc/self/limits",
	    "Limit                     Soft Limit           Hard Limit           Units     \n"
	    "Max data size             %-20s unlimited            bytes     \n"
	    "Max stack size            8388608              unlimited            bytes     \n"
	    "Max processes             %-20s 96365                processes \n"
	    "Max address space         %-20s unlimited            bytes     \n",
	    data, nproc, as);
}

static void is_nomem(uint64_t bytes, const char *limit, const char *value, const char *what)
{
	struct err err;

	err_set(&err, ENOMEM, "mmap", "%" PRIu64 " bytes", bytes);
	limit_explain_nomem(&err, bytes);
	is_str(err.limit, limit, what);
	is_str(err.value, value, "… its value");
	is_str(err.call, "mmap", "… the call stays");
}

static void test_nomem(void)
{
	struct err other;

	new_tree();
	is_nomem(5, "", "", "nothing is known, nothing is said");
	put_meminfo(512 * MB);
	err_set(&other, ENODEV, "mmap", "a device");
	limit_explain_nomem(&other, 5);
	is_str(other.limit, "", "what is no lack of memory is not explained by one");
	put_status(10000, 1000);
	put_limits("51200000", "unlimited", "unlimited");
	is_nomem(50 * MB, "RLIMIT_AS", "51200000 bytes, 10240000 of them in use", "RLIMIT_AS");
	is_nomem(51200000 - 10240000, "MemAvailable", "512000000 bytes, 512000000 available",
		 "RLIMIT_AS has room for exactly this");
	is_nomem(UINT64_MAX, "RLIMIT_AS", "51200000 bytes, 10240000 of them in use",
		 "a size at which sums overflow");
	put_limits("unlimited", "2048000", "unlimited");
	is_nomem(2 * MB, "RLIMIT_DATA", "2048000 bytes, 1024000 of them in use", "RLIMIT_DATA");
	put_limits("unlimited", "unlimited", "unlimited");
	put("/proc/sys/vm/overcommit_memory", "2\n");
	is_nomem(3073 * MB, "CommitLimit (vm.overcommit_memory 2)",
		 "4096000000 bytes, 1024000000 of them committed", "overcommit 2");
	is_nomem(3000 * MB, "MemAvailable", "512000000 bytes, 512000000 available",
		 "overcommit 2 with room");
	put("/proc/sys/vm/user_reserve_kbytes", "131072\n");
	is_nomem(3000 * MB, "CommitLimit (vm.overcommit_memory 2)",
		 "4096000000 bytes, 1024000000 of them committed", "overcommit 2 with a reserve");
	put("/proc/sys/vm/overcommit_memory", "0\n");
	is_nomem(8192 * MB + 1, "MemTotal + SwapTotal (vm.overcommit_memory 0)", "8192000000 bytes",
		 "overcommit 0, a mapping larger than memory");
	put("/proc/sys/vm/overcommit_memory", "1\n");
	put("/proc/sys/vm/max_map_count", "11\n");
	put("/proc/self/maps", "a\nb\nc\n");
	is_nomem(1, "vm.max_map_count", "11, 3 in use", "nearly all mappings in use");
	put("/proc/sys/vm/max_map_count", "12\n");
	is_nomem(1, "MemAvailable", "512000000 bytes, 512000000 available", "mappings are left");
}

static void is_nproc(int num, const char *limit, const char *value, const char *what)
{
	struct err err;

	err_set(&err, num, "fork", "worker 3");
	limit_explain_nproc(&err);
	is_str(err.limit, limit, what);
	is_str(err.value, value, "… its value");
	is_str(err.detail, "worker 3", "… the detail stays");
}

static void test_pids(void)
{
	new_tree();
	put("/proc/self/cgroup", "8:pids:/a/b/c\n0::/\n");
	put("/proc/self/mountinfo", "9 1 0:3 / /p rw - cgroup cgroup rw,pids\n");
	put("/p/a/pids.max", "20\n");
	put("/p/a/pids.current", "19\n");
	put("/p/a/b/pids.max", "10\n");
	put("/p/a/b/pids.current", "9\n");
	put("/p/a/b/c/pids.max", "max\n");
	put("/p/a/b/c/pids.current", "9\n");
	is_nproc(EAGAIN, "pids.max of /a", "20 tasks", "pids v1: the group that is nearly full");
	put("/p/a/b/pids.current", "10\n");
	is_nproc(EAGAIN, "pids.max of /a/b", "10 tasks", "pids v1: the nearest that is full");
	put("/p/a/b/pids.current", "5\n");
	put("/p/a/pids.current", "15\n");
	is_nproc(EAGAIN, "", "", "pids v1: none is full");
	put("/proc/self/cgroup", "0::/a\n");
	put("/proc/self/mountinfo", "9 1 0:3 / /p rw - cgroup2 cgroup2 rw\n");
	put("/p/a/pids.current", "20\n");
	is_nproc(EAGAIN, "pids.max of /a", "20 tasks", "pids v2");
}

static void test_nproc(void)
{
	new_tree();
	put_status(10000, 1000);
	put_meminfo(512 * MB);
	put_limits("unlimited", "unlimited", "7");
	put("/proc/self/uid_map", "         0          0 4294967295\n");
	put("/proc/10/status", "Uid:\t1000\t1000\t1000\t1000\nThreads:\t4\n");
	put("/proc/11/status", "Uid:\t1001\t1000\t1000\t1000\nThreads:\t9\n");
	put("/proc/12/status", "Uid:\t1000\t0\t0\t0\nThreads:\t2\n");
	is_nproc(EAGAIN, "", "", "RLIMIT_NPROC with room");
	put("/proc/12/status", "Uid:\t1000\t0\t0\t0\nThreads:\t3\n");
	is_nproc(EAGAIN, "RLIMIT_NPROC", "7 tasks of user 1000", "RLIMIT_NPROC used up");
	put("/proc/self/status", "Uid:\t1000\t0\t0\t0\nCapEff:\t0000000001000000\n");
	is_nproc(EAGAIN, "", "", "RLIMIT_NPROC does not hold for the capable");
	put("/proc/self/uid_map", "0 1000 1\n");
	is_nproc(EAGAIN, "RLIMIT_NPROC", "7 tasks of user 1000", "… but within user namespaces");
	put_limits("unlimited", "unlimited", "unlimited");
	put("/proc/loadavg", "0.00 0.01 0.05 1/1000 4711\n");
	put("/proc/sys/kernel/threads-max", "1000\n");
	put("/proc/sys/kernel/pid_max", "1000\n");
	is_nproc(EAGAIN, "kernel.threads-max", "1000", "threads-max");
	put("/proc/sys/kernel/threads-max", "100000\n");
	is_nproc(EAGAIN, "kernel.pid_max", "1000", "pid_max");
	put("/proc/sys/kernel/pid_max", "4194304\n");
	is_nproc(EAGAIN, "", "", "nothing is near: nothing is said");
	is_nproc(ENOMEM, "MemAvailable", "512000000 bytes, 512000000 available", "out of memory");
	put_status(10000, 1000);
	put_limits("12000000", "unlimited", "unlimited");
	is_nproc(EAGAIN, "RLIMIT_AS", "12000000 bytes, 10240000 of them in use",
		 "no room for a thread's stack");
}

static void test_oom(void)
{
	new_tree();
	put("/proc/self/cgroup", "4:memory:/a\n");
	put("/proc/self/mountinfo", V1_MOUNT);
	put("/sys/fs/cgroup/memory/a/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	is_int(limit_oom_kills(), 3, "OOM kills of a v1 group");
	put("/proc/self/cgroup", "0::/a\n");
	put("/proc/self/mountinfo", PURE_V2);
	put("/sys/fs/cgroup/a/memory.events",
	    "low 0\nmax 9\noom 5\noom_kill 4\noom_group_kill 0\n");
	is_int(limit_oom_kills(), 4, "OOM kills of a v2 group");
	put("/proc/vmstat", "pgfault 5\noom_kill 8\n");
	is_int(limit_oom_kills(), 8, "OOM kills of the system");
}

int main(void)
{
	tree_begin();
	test_nomem();
	test_pids();
	test_nproc();
	test_oom();
	tree_end();
	return tap_done();
}
