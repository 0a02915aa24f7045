/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-save-killed: a run that is killed early leaves a whole result file or none, not an empty one.
 */
#include "config.h"

#include "clock.h"
#include "save_help.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum { KILLS = 90, MS = 1000000 };

/* Start pfscale in the directory, where nothing is seen of it. */
static pid_t start(const char *const *argv)
{
	const char *program = getenv("PFSCALE");
	pid_t pid = fork();
	int null;

	if (pid < 0)
		exit(99);
	if (pid)
		return pid;
	null = open("/dev/null", O_RDWR);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 || chdir(dir))
		_exit(126);
	execv(program, (char *const *)argv);
	_exit(127);
}

/* A run without an end. output: --output=NAME; NULL: a default name. */
static pid_t start_run(const char *output)
{
	const char *argv[] = { "pfscale", "run", "-q",	   "--cpus", "1",    "-s",
			       "4kB",	  "-r",	 "100000", "fork",   output, NULL };

	return start(argv);
}

static void wait_ns(int64_t ns)
{
	struct timespec rest = { .tv_sec = ns / (1000 * MS), .tv_nsec = ns % (1000 * MS) };

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

/* Returns whether it ran until now. */
static bool kill_run(pid_t pid)
{
	int status = 0;

	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid)
		exit(99);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* How long a run takes until its file is there; -1: it does not come. */
static int64_t time_to_file(void)
{
	int64_t begin = clock_now_ns(), took = -1;
	pid_t pid = start_run("--output=first.json");

	while (took < 0 && clock_now_ns() - begin < (int64_t)3000 * MS) {
		if (!access(in_dir("first.json"), F_OK))
			took = clock_now_ns() - begin;
		else
			wait_ns(MS / 10);
	}
	kill_run(pid);
	return took;
}

static bool accepted_by_report(const char *name)
{
	const char *argv[] = { "pfscale", "report", "--format", "csv", name, NULL };
	pid_t pid = start(argv);
	int status = -1;

	return waitpid(pid, &status, 0) == pid && !status;
}

/* Look at each file *.json and remove it. Returns how many there were; adds to *bad those that are
 * no whole results. */
static int look(int64_t *bad)
{
	DIR *d = opendir(dir);
	int n = 0;

	if (!d)
		exit(99);
	for (const struct dirent *e; (e = readdir(d));) {
		const char *end = strrchr(e->d_name, '.');
		struct stat st;

		if (e->d_name[0] == '.' || !end || strcmp(end, ".json") != 0)
			continue;
		n++;
		if (fstatat(dirfd(d), e->d_name, &st, 0) || !st.st_size ||
		    !accepted_by_report(e->d_name)) {
			(*bad)++;
			printf("# %s: %lld bytes\n", e->d_name, (long long)st.st_size);
		}
	}
	closedir(d);
	return n;
}

/* At moments around the one in which the file comes, and in disorder, so that few are as good. */
static void test_kills(int64_t took)
{
	int64_t begin = clock_now_ns(), span = 2 * took > 60 * MS ? 2 * took : 60 * MS, bad = 0;
	int killed = 0, left = 0, tried = 0;

	for (; tried < KILLS && clock_now_ns() - begin < (int64_t)5500 * MS; tried++) {
		pid_t pid = start_run(tried % 2 ? "--output=r.json" : NULL);

		/* Every third about when the file comes, the others anywhere. */
		if (tried % 3)
			wait_ns(span * (tried * 37 % KILLS) / KILLS);
		else
			wait_ns(took * 3 / 4 + took / 2 * (tried * 37 % KILLS) / KILLS);
		killed += kill_run(pid);
		left += look(&bad);
		clear_dir();
	}
	printf("# %d runs killed within %lld ms, %d files; one comes after %lld ms\n", tried,
	       (long long)span / MS, left, (long long)took / MS);
	is_int(killed, tried, "every run is there to be killed");
	is_int(bad, 0, "every file that is left is whole");
}

int main(void)
{
	int64_t took, bad = 0;

	if (!getenv("PFSCALE") || access(getenv("PFSCALE"), X_OK)) {
		printf("1..0 # SKIP pfscale is not built (PFSCALE)\n");
		return 0;
	}
	if (!mkdtemp(dir))
		return 99;
	took = time_to_file();
	ok(took >= 0, "a run makes its file early");
	is_int(look(&bad), 1, "there is one");
	is_int(bad, 0, "it is whole when the run is killed");
	clear_dir();
	if (took >= 0)
		test_kills(took);
	rmdir(dir);
	return tap_done();
}
