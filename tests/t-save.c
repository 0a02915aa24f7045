/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * t-save: writing result files so that there is always a whole one. With arguments it is the tool
 * of t-save-real.sh: `t-save PATH N` saves a result with N warnings to PATH.
 */
#include "config.h"

#include "save_help.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * In place of the C library's: calls that a healthy file system cannot be made to fail. Non-zero:
 * the errno that the call gives.
 */
static int fail_fsync, fail_rename, fail_nameless, fail_linkat, fail_noreplace;
/* What appears at this path, a moment before a file is to get a name. */
static const char *appears;

static void appear(void)
{
	int fd = appears ? open(appears, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;

	appears = NULL;
	if (fd >= 0 && (write(fd, "mine", 4) != 4 || close(fd)))
		exit(99);
}

int fsync(int fd)
{
	if (fail_fsync) {
		errno = fail_fsync;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
	if (fail_rename) {
		errno = fail_rename;
		return -1;
	}
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

#ifdef HAVE_RENAMEAT2
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	appear();
	if (fail_noreplace) {
		errno = fail_noreplace;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}
#endif

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	appear();
	if (fail_linkat || (fail_nameless && flags & AT_SYMLINK_FOLLOW)) {
		errno = fail_linkat ? fail_linkat : fail_nameless;
		return -1;
	}
	return (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

static void test_given(void)
{
	const char *path = in_dir("r.json");
	struct result *one = new_result(1), *two = new_result(2);
	struct err err = { 0 };
	struct save s;

	is_int(save_open(&s, path, "6.1", false, &err), 0, "a new name is taken");
	ok(s.regular && s.fresh, "for a regular file, which is not there yet");
	is_int(count_files(), 0, "nothing is made before there is something to save");
	one->complete = false;
	is_int(save_write(&s, one, false, &err), 0, "an incomplete result is saved");
	is_int(saved_warnings(path), 1, "it can be read");
	is_int(save_write(&s, two, false, &err), 0, "the next one is saved");
	is_int(saved_warnings(path), 2, "it has taken the place of the first");
	save_close(&s);
	save_close(&s);
	is_int(saved_warnings(path), 2, "it stays");
	is_int(count_files(), 1, "nothing else is left");
	is_int(save_open(&s, path, "6.1", false, &err), -EEXIST, "an existing file is refused");
	has_str(text_of(&err), path, "by its name");
	is_int(saved_warnings(path), 2, "and is untouched");
	is_int(save_open(&s, path, "6.1", true, &err), 0, "but not where it may be overwritten");
	is_int(saved_warnings(path), 2, "and not touched before something is written");
	save_close(&s);
	is_int(saved_warnings(path), 2, "nor when nothing is");
	is_int(save_once(path, true, 3, &err), 0, "it is overwritten");
	is_int(saved_warnings(path), 3, "by the new one");
	result_free(one);
	result_free(two);
	clear_dir();
}

/* Whether the file holds what appear() writes. */
static bool is_theirs(const char *path)
{
	char text[8] = "";
	int fd = open(path, O_RDONLY);
	bool theirs = fd >= 0 && read(fd, text, sizeof(text)) == 4 && !strcmp(text, "mine");

	if (fd >= 0)
		close(fd);
	return theirs;
}

/* The ways in which a new file gets its name: see save_write.c. */
static const struct {
	const char *name;
	int nameless, noreplace, linkat;
} ways[] = {
	{ "a file without a name", 0, 0, 0 },
	{ "renameat2", EPERM, 0, EPERM },
	{ "a link", EPERM, EINVAL, 0 },
	{ "an empty file first", EPERM, EINVAL, EPERM },
};

/* way 0: everything works. */
static const char *set_way(size_t way)
{
	fail_nameless = ways[way].nameless;
	fail_noreplace = ways[way].noreplace;
	fail_linkat = ways[way].linkat;
	return ways[way].name;
}

/* Somebody makes a file of that name while the result is written. */
static void test_appears(void)
{
	const char *path = in_dir("r.json");
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		is_int(save_once(path, false, 1, &err), 0, set_way(i));
		is_int(saved_warnings(path), 1, "makes the file");
		is_int(count_files(), 1, "and no other");
		unlink(path);
		appears = path;
		is_int(save_once(path, false, 1, &err), -EEXIST, "a file appears: refused");
		has_str(text_of(&err), "r.json: appeared just now, and is not overwritten",
			"for that reason");
		ok(is_theirs(path), "it stays as it is");
		is_int(count_files(), 1, "nothing else is left");
		unlink(path);
		appears = path;
		is_int(save_once(path, true, 2, &err), 0, "it is replaced where that is wanted");
		is_int(saved_warnings(path), 2, "as a whole");
		is_int(count_files(), 1, "nothing else is left");
		clear_dir();
	}
	fail_rename = EACCES;
	is_int(save_once(path, false, 1, &err), -EACCES, "no way at all: an error");
	has_str(text_of(&err), "rename: EACCES", "by its name");
	is_int(count_files(), 0, "nothing is left");
	fail_rename = 0;
	set_way(0);
}

/* A default name that is taken between save_open() and the first save_write(). */
static void test_default_appears(void)
{
	struct result *r = new_result(3);
	struct err err = { 0 };
	char first[600], want[600];
	struct save s;

	setenv("PFSCALE_RESULTS", dir, 1);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		is_int(save_open(&s, NULL, "6.1", true, &err), 0, set_way(i));
		is_int(count_files(), 0, "nothing is made yet");
		snprintf(first, sizeof(first), "%s", s.path);
		snprintf(want, sizeof(want), "%.*s-2.json", (int)strlen(first) - 5, first);
		appears = first;
		is_int(save_write(&s, r, false, &err), 0, "the name is taken: saved all the same");
		is_str(s.path, want, "under the next one");
		ok(is_theirs(first), "the other file stays as it is");
		is_int(save_write(&s, r, true, &err), 0, "saved again");
		is_str(s.path, want, "the name stays");
		is_int(saved_warnings(want), 3, "it is a result");
		is_int(count_files(), 2, "there are these two files");
		save_close(&s);
		clear_dir();
	}
	set_way(0);
	unsetenv("PFSCALE_RESULTS");
	result_free(r);
}

static void test_not_written(void)
{
	const char *path = in_dir("r.json");
	struct err err = { 0 };
	struct save s;

	is_int(save_open(&s, path, "6.1", true, &err), 0, "a name is settled");
	appears = path;
	appear();
	save_close(&s);
	ok(is_theirs(path), "what somebody has written there meanwhile stays");
	is_int(count_files(), 1, "nothing else is there");
	clear_dir();
}

static void test_mode(void)
{
	const char *path = in_dir("r.json");
	mode_t old = umask(027);
	struct err err = { 0 };
	struct stat st;

	is_int(save_once(path, false, 1, &err), 0, "saved under umask 027");
	ok(!stat(path, &st) && (st.st_mode & 07777) == 0640, "the file has mode 0640");
	fail_linkat = EPERM;
	is_int(save_once(path, true, 1, &err), 0, "saved by another way");
	fail_linkat = 0;
	ok(!stat(path, &st) && (st.st_mode & 07777) == 0640, "it has that mode too");
	chmod(path, 0600);
	is_int(save_once(path, true, 1, &err), 0, "saved over a private file");
	ok(!stat(path, &st) && (st.st_mode & 07777) == 0600, "it stays private");
	fail_linkat = EPERM;
	is_int(save_once(path, true, 1, &err), 0, "by another way");
	fail_linkat = 0;
	ok(!stat(path, &st) && (st.st_mode & 07777) == 0600, "it stays so too");
	umask(old);
	clear_dir();
}

static void test_long_name(void)
{
	struct err err = { 0 };
	char name[256];

	memset(name, 'n', 255);
	name[255] = '\0';
	is_int(save_once(in_dir(name), false, 4, &err), 0, "a name of 255 bytes");
	is_int(saved_warnings(in_dir(name)), 4, "can be saved to");
	is_int(count_files(), 1, "nothing else is left");
	clear_dir();
}

static void test_links(void)
{
	const char *link = in_dir("link"), *file = in_dir("file");
	struct err err = { 0 };
	struct stat st;

	if (symlink("file", link))
		exit(99);
	is_int(save_once(link, false, 5, &err), 0, "a dangling link: saved");
	is_int(saved_warnings(file), 5, "to the file that it names");
	ok(!lstat(link, &st) && S_ISLNK(st.st_mode), "the link stays one");
	is_int(save_once(link, false, 6, &err), -EEXIST,
	       "the file behind a link is not overwritten");
	is_int(save_once(link, true, 6, &err), 0, "unless that is wanted");
	is_int(saved_warnings(file), 6, "then it is, in its place");
	ok(!lstat(link, &st) && S_ISLNK(st.st_mode), "and the link still stays one");
	is_int(count_files(), 2, "nothing else is left");
	unlink(link);
	if (symlink("link", link))
		exit(99);
	is_int(save_once(link, true, 1, &err), -ELOOP, "a link to itself is refused");
	clear_dir();
}

static void test_failures(void)
{
	const char *path = in_dir("r.json");
	struct err err = { 0 };

	is_int(save_once(path, false, 1, &err), 0, "saved");
	fail_fsync = EIO;
	is_int(save_once(path, true, 2, &err), -EIO, "fsync fails: an error");
	has_str(text_of(&err), "fsync: EIO", "by its name");
	has_str(text_of(&err), path, "and the file's");
	is_int(saved_warnings(path), 1, "the file from before stays");
	is_int(count_files(), 1, "and no other");
	fail_fsync = 0;
	fail_rename = EACCES;
	is_int(save_once(path, true, 2, &err), -EACCES, "rename fails: an error");
	has_str(text_of(&err), "rename: EACCES", "by its name");
	is_int(saved_warnings(path), 1, "the file from before stays");
	is_int(count_files(), 1, "and no other");
	fail_linkat = EPERM;
	is_int(save_once(path, true, 2, &err), -EACCES, "the same with a named temporary file");
	is_int(count_files(), 1, "no other file stays");
	fail_rename = 0;
	is_int(save_once(path, true, 2, &err), 0, "no file without a name: saved nevertheless");
	is_int(saved_warnings(path), 2, "as it should be");
	is_int(count_files(), 1, "and no other");
	fail_linkat = 0;
	clear_dir();
}

static void test_refused(void)
{
	struct err err = { 0 };
	struct save s;

	is_int(save_open(&s, dir, "6.1", true, &err), -EISDIR, "a directory is refused");
	has_str(text_of(&err), dir, "by its name");
	is_int(save_open(&s, "", "6.1", false, &err), -ENOENT, "an empty name is refused");
	is_int(save_open(&s, in_dir("no/r.json"), "6.1", false, &err), -ENOENT,
	       "a directory that is not there");
	has_str(text_of(&err), "/no/r.json", "is shown");
	is_int(save_open(&s, in_dir("no/"), "6.1", false, &err), -EISDIR,
	       "a name that only a directory can have");
	is_int(save_once("/dev/null/x", false, 1, &err), -ENOTDIR, "a directory that is none");
	if (!geteuid()) {
		skip("a file without permission to write", "root may write everywhere");
		return;
	}
	chmod(dir, 0500);
	is_int(save_open(&s, in_dir("r.json"), "6.1", false, &err), -EACCES,
	       "a directory without permission to write");
	setenv("PFSCALE_RESULTS", dir, 1);
	is_int(save_open(&s, NULL, "6.1", false, &err), -EACCES, "the one for default names");
	unsetenv("PFSCALE_RESULTS");
	chmod(dir, 0700);
	is_int(save_once(in_dir("r.json"), false, 1, &err), 0, "saved");
	chmod(in_dir("r.json"), 0444);
	is_int(save_once(in_dir("r.json"), true, 1, &err), -EACCES,
	       "a file protected from writing");
	clear_dir();
}

static int tool(const char *path, const char *warnings)
{
	struct err err = { 0 };

	if (!save_once(path, true, atoi(warnings), &err))
		return 0;
	fprintf(stderr, "%s\n", text_of(&err));
	return 2;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return tool(argv[1], argv[2]);
	if (!mkdtemp(dir))
		return 99;
	test_given();
	test_appears();
	test_default_appears();
	test_not_written();
	test_mode();
	test_long_name();
	test_links();
	test_failures();
	test_refused();
	rmdir(dir);
	return tap_done();
}
