/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-save-names: default names of result files, and targets that are no regular files. */
#include "config.h"

#include "save_help.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static void test_devices(void)
{
	struct err err = { 0 };
	struct result *r = new_result(1);
	struct stat st;
	struct save s;

	is_int(save_open(&s, "/dev/full", "6.1", false, &err), 0, "/dev/full can be opened");
	ok(!s.regular && !s.fresh, "as no regular file");
	r->complete = false;
	is_int(save_write(&s, r, false, &err), 0, "nothing is written before the end");
	is_int(save_write(&s, r, true, &err), -ENOSPC, "at the end, that there is no room");
	is_str(text_of(&err), "write: ENOSPC (No space left on device): /dev/full", "is reported");
	save_close(&s);
	ok(!stat("/dev/full", &st) && S_ISCHR(st.st_mode), "/dev/full is still a device");
	is_int(save_once("/dev/null", false, 1, &err), 0, "/dev/null");
	result_free(r);
}

static void test_fifo(void)
{
	const char *path = in_dir("fifo");
	struct result *r = new_result(7);
	struct err err = { 0 };
	struct save s;
	pid_t pid;
	int status = -1;

	if (mkfifo(path, 0600))
		exit(99);
	is_int(save_open(&s, path, "6.1", false, &err), 0, "a FIFO can be opened");
	pid = fork();
	if (pid < 0)
		exit(99);
	if (!pid) {
		/* Opened for both, so as to be there before the writer. */
		int fd = open(path, O_RDWR);
		char c;

		_exit(fd < 0 || read(fd, &c, 1) != 1 || c != '{');
	}
	r->complete = true;
	is_int(save_write(&s, r, false, &err), 0, "what is complete is written into it");
	is_int(save_write(&s, r, true, &err), 0, "once, and not again at the end");
	waitpid(pid, &status, 0);
	is_int(status, 0, "somebody reads it");
	save_close(&s);
	result_free(r);
	clear_dir();
}

/* With standard output led to a file: it is written to from where it stands. */
static void test_stdout(const char *name)
{
	const char *path = in_dir("out");
	struct err err = { 0 };
	char text[64] = "";
	int fd, saved, ret;

	fflush(stdout);
	saved = dup(1);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (saved < 0 || fd < 0 || dup2(fd, 1) < 0)
		exit(99);
	printf("before\n");
	ret = save_once(name, false, 2, &err);
	printf("after\n");
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	is_int(ret, 0, name);
	if (pread(fd, text, 20, 0) != 20)
		exit(99);
	has_str(text, "before\n{\n  \"format\"", "comes after what was printed before");
	is_int(pread(fd, text, 8, lseek(fd, 0, SEEK_END) - 8), 8, "and");
	text[8] = '\0';
	is_str(text, "}\nafter\n", "before what is printed after");
	close(fd);
	is_int(count_files(), 1, "no other file is there");
	clear_dir();
}

static void test_default_name(void)
{
	struct result *r = new_result(1);
	time_t now = time(NULL);
	struct err err = { 0 };
	char day[16], name[128];
	struct tm tm;
	struct save s;

	setenv("PFSCALE_RESULTS", dir, 1);
	strftime(day, sizeof(day), "%Y%m%d", gmtime_r(&now, &tm));
	is_int(save_open(&s, NULL, "6.1/rc 2+b~c:\xc3\xbc", false, &err), 0, "a default name");
	snprintf(name, sizeof(name), "%s/pfscale-6.1_rc_2+b~c___-%sT", dir, day);
	ok(!strncmp(s.path, name, strlen(name)) || time(NULL) / 86400 != now / 86400,
	   "has the kernel and the time: %s", s.path);
	is_str(s.path + strlen(name) + 6, "Z.json", "and ends with Z.json");
	save_close(&s);
	is_int(save_open(&s, NULL, "", false, &err), 0, "without a kernel");
	has_str(s.path, "/pfscale-unknown-", "it is unknown");
	save_close(&s);
	setenv("PFSCALE_RESULTS", in_dir("missing"), 1);
	is_int(save_open(&s, NULL, "6.1", false, &err), -ENOENT, "a missing PFSCALE_RESULTS");
	has_str(text_of(&err), "/missing, from PFSCALE_RESULTS", "is named");
	setenv("PFSCALE_RESULTS", "/dev/null", 1);
	is_int(save_open(&s, NULL, "6.1", false, &err), -ENOTDIR, "one that is no directory");
	setenv("PFSCALE_RESULTS", "", 1);
	if (chdir(dir))
		exit(99);
	is_int(save_open(&s, NULL, "6.1", false, &err), 0, "an empty one: the current directory");
	ok(!strchr(s.path, '/'), "is not in the name: %s", s.path);
	is_int(count_files(), 0, "there is no file yet");
	is_int(save_write(&s, r, true, &err), 0, "saved there");
	ok(!strchr(s.path, '/'), "the name has none still: %s", s.path);
	is_int(saved_warnings(in_dir(s.path)), 1, "there it is");
	save_close(&s);
	clear_dir();
	result_free(r);
	if (chdir("/"))
		exit(99);
}

/* Runs that begin together each get a file of their own. */
static void test_collisions(void)
{
	enum { N = 12, EACH = 5 };
	struct err err = { 0 };
	int64_t failed = 0;
	int status, go[2];
	char c;

	setenv("PFSCALE_RESULTS", dir, 1);
	if (pipe(go))
		exit(99);
	for (int i = 0; i < N; i++) {
		pid_t pid = fork();

		if (pid < 0)
			exit(99);
		if (pid)
			continue;
		close(go[1]);
		while (read(go[0], &c, 1) > 0)
			;
		for (int n = 0; n < EACH; n++)
			if (save_once(NULL, false, i, &err))
				_exit(1);
		_exit(0);
	}
	close(go[0]);
	close(go[1]);
	while (wait(&status) > 0)
		failed += status != 0;
	is_int(failed, 0, "many runs at once: all are saved");
	is_int(count_files(), (int64_t)N * EACH, "each in a file of its own");
	clear_dir();
	unsetenv("PFSCALE_RESULTS");
}

int main(void)
{
	if (!mkdtemp(dir))
		return 99;
	test_devices();
	test_fifo();
	test_stdout("-");
	test_stdout("/dev/stdout");
	test_stdout("/dev/fd/1");
	test_default_name();
	test_collisions();
	rmdir(dir);
	return tap_done();
}
