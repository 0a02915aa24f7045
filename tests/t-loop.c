/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-loop: what is timed makes no system call: it runs where the kernel kills for any. */
#include "config.h"

#include "tap.h"
#include "touch.h"
#include "util.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 1000 };

/* In a child: after this, read, write, exit and the return from signals are all that is allowed. */
static int forbid(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
}

/* exit_group(2), which _exit() makes, is forbidden as well. */
static void leave(int status)
{
	syscall(SYS_exit, status);
}

/* Touch under the ban; with `wrong`, make a system call besides. Returns the wait status. */
static int touch_forbidden(const struct touch_ops *touch, bool wrong)
{
	size_t page_size = util_page_size();
	char *base = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rlimit no_core = { 0 };
	int status = -1;
	pid_t child;

	if (base == MAP_FAILED)
		return -1;
	fflush(stdout);
	child = fork();
	if (!child) {
		setrlimit(RLIMIT_CORE, &no_core);
		if (forbid())
			_exit(77);
		touch->run(base, PAGES, page_size);
		if (wrong)
			syscall(SYS_getppid);
		leave(0);
	}
	waitpid(child, &status, 0);
	munmap(base, PAGES * page_size);
	return status;
}

int main(void)
{
	for (size_t i = 0; i < n_touches; i++) {
		int status = touch_forbidden(touches[i], false);

		if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
			skip(touches[i]->name, "seccomp is not to be had here");
			continue;
		}
		ok(WIFEXITED(status) && !WEXITSTATUS(status), "%s makes no system call",
		   touches[i]->name);
		status = touch_forbidden(touches[i], true);
		ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "… and would die of one");
	}
	return tap_done();
}
