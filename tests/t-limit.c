/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-limit: how much memory can be had, on recorded /proc and cgroup trees. */
#include "config.h"

#include "tree.h"

#include <errno.h>

static void put_v1(const char *dir, const char *limit, uint64_t usage, uint64_t droppable)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/memory.limit_in_bytes", dir);
	put(path, "%s\n", limit);
	snprintf(path, sizeof(path), "%s/memory.usage_in_bytes", dir);
	put(path, "%" PRIu64 "\n", usage);
	snprintf(path, sizeof(path), "%s/memory.stat", dir);
	put(path, "cache 1\ninactive_file 77\ntotal_cache 3\ntotal_inactive_file %" PRIu64 "\n",
	    droppable);
	snprintf(path, sizeof(path), "%s/memory.use_hierarchy", dir);
	put(path, "1\n");
}

static void put_v2(const char *dir, const char *max, const char *high, uint64_t usage)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/memory.max", dir);
	put(path, "%s\n", max);
	snprintf(path, sizeof(path), "%s/memory.high", dir);
	put(path, "%s\n", high);
	snprintf(path, sizeof(path), "%s/memory.current", dir);
	put(path, "%" PRIu64 "\n", usage);
	snprintf(path, sizeof(path), "%s/memory.stat", dir);
	put(path, "anon 5\nfile 6\ninactive_anon 1\nactive_anon 2\ninactive_file 1000000\n");
}

static void is_limit(const char *name, uint64_t value, uint64_t available, const char *what)
{
	struct limit limit;

	memset(&limit, 'x', sizeof(limit));
	limit_memory(&limit);
	is_str(limit.name, name, what);
	is_int((int64_t)limit.value, (int64_t)value, "… its value");
	is_int((int64_t)limit.available, (int64_t)available, "… what is left of it");
}

static void test_nothing(void)
{
	struct err err = { 0 };

	new_tree();
	is_limit("unknown", UINT64_MAX, UINT64_MAX, "an empty tree: unknown");
	is_int(limit_check_memory(UINT64_MAX, &err), 0, "… anything fits");
	is_int(limit_oom_kills(), -1, "… OOM kills are not known");
	put("/proc/meminfo", "MemTotal: 5 kB\nMemAvailable: lots\n");
	is_limit("unknown", UINT64_MAX, UINT64_MAX, "MemAvailable without a number");
	put("/proc/self/cgroup", "garbage\n\n4\n4:memory\n");
	put("/proc/self/mountinfo",
	    "garbage\n\n1 2 3 /\n1 2 3 / /m rw -\n1 2 3 / /m rw - cgroup\n");
	is_limit("unknown", UINT64_MAX, UINT64_MAX, "garbage in cgroup and mountinfo");
	put_meminfo(64 * 1024);
	is_limit("MemAvailable", 65536, 65536, "MemAvailable alone");
	is_int(limit_check_memory(65536, &err), 0, "… exactly that much fits");
	is_int(limit_check_memory(65537, &err), -ENOMEM, "… one byte more does not");
	is_str(err.call, "preflight", "… call");
	is_str(err.detail, "65537 bytes needed, 65536 available", "… detail");
	is_str(err.limit, "MemAvailable", "… limit");
	is_str(err.value, "65536 bytes", "… value");
}

static void test_v1(void)
{
	struct err err = { 0 };
	char text[400];

	new_tree();
	put_meminfo(1024 * MB);
	put("/proc/self/cgroup", "9:name=systemd:/memory\n4:hugetlb,memory:/a/b\n0::/\n");
	put("/proc/self/mountinfo",
	    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n" V1_MOUNT V2_MOUNT);
	put("/sys/fs/cgroup/unified/cgroup.procs", "1\n");
	put_v1("/sys/fs/cgroup/memory", "9223372036854771712", 500 * MB, 0);
	put_v1("/sys/fs/cgroup/memory/a", "9223372036854710272", 400 * MB, 0);
	put_v1("/sys/fs/cgroup/memory/a/b", "9223372036854771712", 30 * MB, 0);
	is_limit("MemAvailable", 1024 * MB, 1024 * MB, "v1: huge numbers are no limit");
	put_v1("/sys/fs/cgroup/memory/a/b", "52428800", 30 * MB, 10 * MB);
	is_limit("memory.limit_in_bytes of /a/b", 52428800, 52428800 - 20 * MB,
		 "v1: the process's own group, less what can be dropped");
	put_v1("/sys/fs/cgroup/memory/a", "60000000", 50 * MB, 0);
	is_limit("memory.limit_in_bytes of /a", 60 * MB, 10 * MB, "v1: the parent is tighter");
	put_v1("/sys/fs/cgroup/memory/a", "60000000", 70 * MB, 0);
	is_limit("memory.limit_in_bytes of /a", 60 * MB, 0, "v1: more used than allowed");
	put_v1("/sys/fs/cgroup/memory/a", "60000000", 5, 70 * MB);
	put_v1("/sys/fs/cgroup/memory/a/b", "70000000", 0, 0);
	is_limit("memory.limit_in_bytes of /a", 60 * MB, 60 * MB, "v1: more droppable than used");
	is_int(limit_check_memory(60 * MB + 1, &err), -ENOMEM, "v1: preflight refuses");
	err_text(&err, text, sizeof(text));
	is_str(text,
	       "preflight: ENOMEM (Cannot allocate memory): 60000001 bytes needed, 60000000 "
	       "available; memory.limit_in_bytes of /a is 60000000 bytes",
	       "… naming all");
	put("/sys/fs/cgroup/memory/a/memory.use_hierarchy", "0\n");
	is_limit("memory.limit_in_bytes of /a/b", 70 * MB, 70 * MB,
		 "v1: a parent without use_hierarchy does not count");
	put("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "-5\n");
	is_limit("MemAvailable", 1024 * MB, 1024 * MB, "v1: garbage as a limit");
	put("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "99999999999999999999\n");
	is_limit("MemAvailable", 1024 * MB, 1024 * MB, "v1: a limit that no integer holds");
}

static void test_v2(void)
{
	new_tree();
	put_meminfo(1024 * MB);
	put("/proc/self/cgroup", "0::/user.slice/run-1.scope\n");
	put("/proc/self/mountinfo", PURE_V2);
	put("/sys/fs/cgroup/cgroup.procs", "1\n");
	put_v2("/sys/fs/cgroup/user.slice", "max", "max", 500 * MB);
	put_v2("/sys/fs/cgroup/user.slice/run-1.scope", "max", "max", 3 * MB);
	is_limit("MemAvailable", 1024 * MB, 1024 * MB, "v2: max is no limit");
	put_v2("/sys/fs/cgroup/user.slice/run-1.scope", "100000000", "max", 3 * MB);
	is_limit("memory.max of /user.slice/run-1.scope", 100 * MB, 98 * MB, "v2: own group");
	put_v2("/sys/fs/cgroup/user.slice/run-1.scope", "100000000", "90000000", 3 * MB);
	is_limit("memory.high of /user.slice/run-1.scope", 90 * MB, 88 * MB, "v2: memory.high");
	put_v2("/sys/fs/cgroup/user.slice", "520000000", "max", 500 * MB);
	is_limit("memory.max of /user.slice", 520 * MB, 21 * MB, "v2: the parent");
	put_v2("/sys/fs/cgroup/user.slice", "0", "max", 500 * MB);
	is_limit("memory.max of /user.slice", 0, 0, "v2: a limit of 0");
}

static void test_hybrid(void)
{
	new_tree();
	put_meminfo(1024 * MB);
	put("/proc/self/cgroup", "4:memory:/one\n1:cpu,cpuacct:/\n0::/two\n");
	put("/proc/self/mountinfo", V2_MOUNT V1_MOUNT);
	put_v1("/sys/fs/cgroup/memory/one", "200000000", 0, 0);
	put("/sys/fs/cgroup/unified/two/cgroup.procs", "1\n");
	is_limit("memory.limit_in_bytes of /one", 200 * MB, 200 * MB, "hybrid: memory in v1");
	put("/proc/self/cgroup", "1:cpu:/\n0::/two\n");
	put_v2("/sys/fs/cgroup/unified/two", "150000000", "max", MB);
	is_limit("memory.max of /two", 150 * MB, 150 * MB, "hybrid: memory in v2");
	put("/proc/self/cgroup", "1:cpu:/\n0:");
	is_limit("MemAvailable", 1024 * MB, 1024 * MB, "hybrid: a row that is cut short");
}

static void test_containers(void)
{
	new_tree();
	put_meminfo(1024 * MB);
	put("/proc/self/cgroup", "4:memory:/docker/abc/sub\n");
	put("/proc/self/mountinfo",
	    "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
	put_v1("/sys/fs/cgroup/memory/sub", "100000000", 0, 0);
	put_v1("/sys/fs/cgroup/memory", "200000000", 150 * MB, 0);
	is_limit("memory.limit_in_bytes of /docker/abc", 200 * MB, 50 * MB, "mount root: its top");
	put_v1("/sys/fs/cgroup/memory/sub", "100000000", 99 * MB, 0);
	is_limit("memory.limit_in_bytes of /docker/abc/sub", 100 * MB, MB, "mount root: below it");
	put("/proc/self/cgroup", "4:memory:/docker/abcd\n");
	is_limit("memory.limit_in_bytes of /docker/abc", 200 * MB, 50 * MB,
		 "a group beside the mount root: the mount point stands for it");
	put("/proc/self/cgroup", "4:memory:/docker/abc/gone\n");
	is_limit("memory.limit_in_bytes of /docker/abc", 200 * MB, 50 * MB,
		 "a group that is not to be seen: the mount point stands for it");
	put("/proc/self/cgroup", "4:memory:/docker/abc\n");
	put("/proc/self/mountinfo", V1_MOUNT);
	is_limit("memory.limit_in_bytes of /", 200 * MB, 50 * MB,
		 "the host's path in a namespaced mount");
	put("/proc/self/cgroup", "4:memory:/../escape\n");
	put_v1("/sys/fs/cgroup/escape", "1", 0, 0);
	is_limit("memory.limit_in_bytes of /", 200 * MB, 50 * MB,
		 "a path out of the namespace is not followed");
	put("/proc/self/cgroup", "4:memory:/x y/z\n");
	put("/proc/self/mountinfo", "7 1 0:32 /other /elsewhere rw - cgroup cgroup rw,memory\n"
				    "8 1 0:32 /x\\040y /mnt/c\\134d rw master:3 shared:5 - cgroup "
				    "none rw,hugetlb,memory\n");
	put_v1("/elsewhere", "5", 0, 0);
	put_v1("/mnt/c\\d/z", "3000000", 0, 0);
	is_limit("memory.limit_in_bytes of /x y/z", 3 * MB, 3 * MB,
		 "of two mounts the one that shows the group; blanks and backslashes in paths");
}

static void test_long_path(void)
{
	char group[210], dir[300];
	struct limit limit;

	new_tree();
	memset(group, 'g', sizeof(group));
	group[0] = '/';
	strcpy(group + 200, "end");
	put("/proc/self/cgroup", "4:memory:%s\n", group);
	put("/proc/self/mountinfo", V1_MOUNT);
	snprintf(dir, sizeof(dir), "/sys/fs/cgroup/memory%s", group);
	put_v1(dir, "4000000", 0, 0);
	limit_memory(&limit);
	has_str(limit.name, "memory.limit_in_bytes of …g", "a long path is cut at the left");
	is_str(limit.name + strlen(limit.name) - 4, "gend", "… and keeps its end");
}

int main(void)
{
	tree_begin();
	test_nothing();
	test_v1();
	test_v2();
	test_hybrid();
	test_containers();
	test_long_path();
	tree_end();
	return tap_done();
}
