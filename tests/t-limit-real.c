/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-limit-real: limits that this machine's kernel really sets, where it lets the test set them. */
#include "config.h"

#include "tap.h"

#include "limit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifndef WITH_ASAN
#define WITH_ASAN 0
#endif

/* A group made for the test; "" = there is none. */
static char group[300];

static bool write_to(const char *dir, const char *file, const char *text)
{
	char path[400];
	bool fine;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	fine = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	return !close(fd) && fine;
}

static void remove_group(void)
{
	if (group[0] && rmdir(group))
		printf("# rmdir %s: %s\n", group, strerror(errno));
	group[0] = '\0';
}

/*
 * Make a group with a limit, below the usual mount points of v1 or v2. Returns the name of the
 * file that holds it, or NULL.
 */
static const char *make_group(const char *controller, const char *v1_file, const char *v2_file,
			      const char *limit)
{
	char top[100];

	for (int v2 = 0; v2 < 2; v2++) {
		const char *file = v2 ? v2_file : v1_file;

		snprintf(top, sizeof(top), "/sys/fs/cgroup%s%s", v2 ? "" : "/",
			 v2 ? "" : controller);
		snprintf(group, sizeof(group), "%s/pfscale-test.%d", top, (int)getpid());
		if (mkdir(group, 0700)) {
			group[0] = '\0';
			continue;
		}
		if (write_to(group, file, limit))
			return file;
		remove_group();
	}
	return NULL;
}

/* The err that a function fills in a process of its own, within the group if there is one. */
static struct err in_child(void (*fn)(struct err *err))
{
	struct err *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct err copy;
	int status;
	pid_t pid;

	fflush(stdout);
	if (shared == MAP_FAILED)
		exit(99);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (group[0] && !write_to(group, "cgroup.procs", "0"))
			err_set(shared, errno, "write", "cgroup.procs");
		else
			fn(shared);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		exit(99);
	copy = *shared;
	if (status)
		err_set(&copy, ECHILD, "waitpid", "status 0x%x", (unsigned)status);
	munmap(shared, sizeof(*shared));
	return copy;
}

static void check_100_mb(struct err *err)
{
	limit_check_memory(100000000, err);
}

static void check_1_page(struct err *err)
{
	limit_check_memory(4096, err);
}

static void explain_100_mb(struct err *err)
{
	err_set(err, ENOMEM, "mmap", "100000000 bytes");
	limit_explain_nomem(err, 100000000);
}

static void test_memory(void)
{
	const char *file = make_group("memory", "memory.limit_in_bytes", "memory.max", "52428800");
	char wanted[400];
	struct err err;

	if (!file) {
		skip("a memory cgroup", "no memory cgroup can be made here");
		return;
	}
	snprintf(wanted, sizeof(wanted), "%s of /pfscale-test.%d", file, (int)getpid());
	err = in_child(check_100_mb);
	is_int(err.num, ENOMEM, "100 MB do not fit into a group of 50 MiB");
	is_str(err.limit, wanted, "… the limit");
	is_str(err.value, "52428800 bytes", "… its value");
	has_str(err.detail, "100000000 bytes needed, ", "… what is needed");
	err = in_child(check_1_page);
	is_int(err.num, 0, "a page fits");
	err = in_child(explain_100_mb);
	is_str(err.limit, wanted, "an ENOMEM is explained by the group");
	remove_group();
}

static void fork_until_full(struct err *err)
{
	pid_t pids[16];
	int n = 0;

	while (n < 16) {
		pids[n] = fork();
		if (pids[n] < 0)
			break;
		if (!pids[n++]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
	err_set(err, n < 16 ? errno : 0, "fork", "process %d", n);
	if (n < 16)
		limit_explain_nproc(err);
	while (n) {
		kill(pids[--n], SIGKILL);
		waitpid(pids[n], NULL, 0);
	}
}

static void test_pids(void)
{
	const char *file = make_group("pids", "pids.max", "pids.max", "4");
	char wanted[400];
	struct err err;

	if (!file) {
		skip("a pids cgroup", "no pids cgroup can be made here");
		return;
	}
	snprintf(wanted, sizeof(wanted), "pids.max of /pfscale-test.%d", (int)getpid());
	err = in_child(fork_until_full);
	is_int(err.num, EAGAIN, "the fourth child is one too many");
	is_str(err.detail, "process 3", "… counting the parent");
	is_str(err.limit, wanted, "… the limit");
	is_str(err.value, "4 tasks", "… its value");
	remove_group();
}

/* Lower a soft limit and map more than it allows. */
static void map_above(struct err *err, int resource)
{
	struct rlimit limit;
	void *p;

	getrlimit(resource, &limit);
	limit.rlim_cur = 80000000;
	if (setrlimit(resource, &limit)) {
		err_set(err, errno, "setrlimit", "%s", "");
		return;
	}
	p = mmap(NULL, 100000000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED)
		return;
	err_set(err, errno, "mmap", "100000000 bytes");
	limit_explain_nomem(err, 100000000);
}

static void map_above_as(struct err *err)
{
	map_above(err, RLIMIT_AS);
}

static void map_above_data(struct err *err)
{
	map_above(err, RLIMIT_DATA);
}

static void test_rlimits(void)
{
	struct err err;

	if (WITH_ASAN) {
		skip("RLIMIT_AS and RLIMIT_DATA", "AddressSanitizer cannot live within them");
		return;
	}
	err = in_child(map_above_as);
	is_int(err.num, ENOMEM, "a mapping above RLIMIT_AS");
	is_str(err.limit, "RLIMIT_AS", "… the limit");
	has_str(err.value, "80000000 bytes, ", "… its value");
	err = in_child(map_above_data);
	is_int(err.num, ENOMEM, "a mapping above RLIMIT_DATA");
	is_str(err.limit, "RLIMIT_DATA", "… the limit");
	has_str(err.value, "80000000 bytes, ", "… its value");
}

/* As another user: RLIMIT_NPROC does not hold for root. */
static void fork_above_nproc(struct err *err)
{
	struct rlimit limit = { .rlim_cur = 4, .rlim_max = 4 };

	if (setrlimit(RLIMIT_NPROC, &limit) || setgid(54321) || setuid(54321))
		err_set(err, errno, "setuid", "%s", "");
	else
		fork_until_full(err);
}

static void test_nproc(void)
{
	struct err err;

	if (getuid()) {
		skip("RLIMIT_NPROC", "only root can become a user who has no processes");
		return;
	}
	err = in_child(fork_above_nproc);
	if (err.num == EPERM || err.num == EINVAL) {
		skip("RLIMIT_NPROC", "users cannot be changed here");
		return;
	}
	is_int(err.num, EAGAIN, "a process above RLIMIT_NPROC");
	is_str(err.limit, "RLIMIT_NPROC", "… the limit");
	is_str(err.value, "4 tasks of user 54321", "… its value");
}

static void test_here(void)
{
	struct limit limit;
	struct err err = { 0 };

	limit_memory(&limit);
	ok(limit.name[0] && limit.available && limit.available <= limit.value,
	   "the tightest limit here is %s", limit.name);
	is_int(limit_check_memory(1, &err), 0, "a byte fits");
	is_int(limit_check_memory(UINT64_MAX - 1, &err), -ENOMEM, "2^64 - 2 bytes do not");
	if (access("/proc/vmstat", R_OK))
		skip("OOM kills", "no /proc/vmstat");
	else
		ok(limit_oom_kills() >= 0, "OOM kills are known");
}

int main(void)
{
	test_here();
	test_memory();
	test_pids();
	test_rlimits();
	test_nproc();
	return tap_done();
}
