/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model fork: each worker is a process. */
#include "config.h"

#include "guard.h"
#include "limit.h"
#include "team.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct model_ops fork_ops;

static int fork_start(struct team *team, struct err *err)
{
	pid_t *pids = team->handles;
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0) {
		int ret = err_set(err, errno, "fork", "worker %u of %u", team->made, team->workers);

		limit_explain_nproc(err);
		return ret;
	}
	if (!pid) {
		if (guard_parent(parent))
			team->body(team->arg, team->made);
		_exit(0);
	}
	pids[team->made] = pid;
	return 0;
}

static void kill_all(const struct team *team)
{
	const pid_t *pids = team->handles;

	for (unsigned i = 0; i < team->made; i++) {
		if (pids[i])
			kill(pids[i], SIGKILL);
	}
}

/*
 * Whose process that was; it is then crossed off, as the number may be given to another process.
 * They mostly end in the order they were made, so the search starts where the last one ended.
 */
static unsigned worker_of(const struct team *team, pid_t pid, unsigned *from)
{
	pid_t *pids = team->handles;

	for (unsigned n = 0; n < team->made; n++) {
		unsigned i = (*from + n) % team->made;

		if (pids[i] == pid) {
			pids[i] = 0;
			*from = i + 1;
			return i;
		}
	}
	return team->made;
}

static int describe(unsigned worker, pid_t pid, int status, struct err *err)
{
	if (WIFSIGNALED(status))
		return err_set(err, ECHILD, "",
			       "worker %u (process %d) was killed by signal %d (%s)", worker,
			       (int)pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
	return err_set(err, ECHILD, "", "worker %u (process %d) ended with status %d", worker,
		       (int)pid, WEXITSTATUS(status));
}

static int fork_join(struct team *team, struct err *err)
{
	unsigned from = 0;
	bool killed = false;
	int ret = 0;

	for (unsigned left = team->made; left;) {
		int status;
		pid_t pid = waitpid(-1, &status, 0);
		unsigned worker;

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return err_set(err, errno, "waitpid", "%u workers left", left);
		worker = worker_of(team, pid, &from);
		if (worker == team->made)
			continue;
		left--;
		if (!ret && status) {
			ret = describe(worker, pid, status, err);
			team->killed_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
			gate_break(team->gate);
		}
		/* Also when a worker has broken it; the others may be in the middle of a long loop.
		 */
		if (!killed && gate_broken(team->gate)) {
			kill_all(team);
			killed = true;
		}
	}
	return ret;
}

const struct model_ops fork_ops = {
	.name = "fork",
	.summary = "each worker is a process",
	.handle_size = sizeof(pid_t),
	.start = fork_start,
	.join = fork_join,
};
