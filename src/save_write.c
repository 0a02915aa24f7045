/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save_write: writing a result, by a temporary file that then gets its name, or straight into a
 * stream.
 */
#include "config.h"

#include "save_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

/* A symbolic link within /proc: its text is for people, only the kernel can follow it. */
bool save_is_descriptor(const char *path)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statfs fs;
	struct stat st;
	bool is;

	if (fd < 0)
		return false;
	is = !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC && !fstat(fd, &st) &&
	     S_ISLNK(st.st_mode);
	close(fd);
	return is;
}

/*
 * Write the result to descriptor fd, which is closed in any case. path: the file, for messages.
 * sync: until it is on the disk.
 */
static int write_out(int fd, const char *path, const struct result *r, bool sync, struct err *err)
{
	FILE *out = fdopen(fd, "w");
	int ret;

	if (!out) {
		err_set(err, errno, "fdopen", "%s", path);
		close(fd);
		return -err->num;
	}
	ret = result_write(out, r);
	if (ret)
		err_set(err, -ret, ret == -ENOMEM ? "malloc" : "write", "%s", path);
	if (!ret && fflush(out))
		ret = err_set(err, errno, "write", "%s", path);
	if (!ret && sync && fsync(fd))
		ret = err_set(err, errno, "fsync", "%s", path);
	if (fclose(out) && !ret)
		ret = err_set(err, errno, "close", "%s", path);
	return ret;
}

/* A temporary file that holds the result; its fields are owned. */
struct temporary {
	char *dir;  /* with a final '/' */
	char *name; /* beside the file that it will be */
	int fd;	    /* of one without a name; else -1 */
	bool named; /* it has its name in the directory yet */
};

/* Some name beside path, not taken yet as far as can be told; `attempt` makes it another one. */
static int set_name(struct temporary *t, const char *path, int attempt)
{
	const char *slash = strrchr(path, '/');

	free(t->name);
	/* Cut, so that a file name of the greatest length gives no longer one. */
	if (asprintf(&t->name, "%s.%.200s.tmp.%ld-%d", t->dir, slash ? slash + 1 : path,
		     (long)getpid(), attempt) < 0) {
		t->name = NULL;
		return -ENOMEM;
	}
	return 0;
}

/*
 * Open a temporary file: one without a name where the file system has such, for it vanishes with
 * the process, whatever ends that; else one with a name. Returns the descriptor.
 */
static int temporary_open(struct temporary *t, const char *path, bool may_be_unnamed,
			  struct err *err)
{
	int num = EEXIST, fd;

	/* It can get its name by way of /proc only. */
	if (may_be_unnamed && !access("/proc/self/fd", X_OK)) {
		fd = open(t->dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
	}
	for (int i = 0; i < 100 && num == EEXIST; i++) {
		if (set_name(t, path, i))
			return err_set(err, ENOMEM, "malloc", "%s", path);
		fd = open(t->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0) {
			t->named = true;
			return fd;
		}
		num = errno;
	}
	return err_set(err, num, "open", "%s", path);
}

/* What its owner has hidden stays hidden. File systems that know no modes need not obey. */
static void keep_mode(int fd, const char *path)
{
	struct stat st;

	if (!stat(path, &st) && S_ISREG(st.st_mode))
		(void)!fchmod(fd, st.st_mode & 0777);
}

/* Make the temporary file, with the result in it, on the disk. */
static int temporary_write(struct temporary *t, const struct save *s, const struct result *r,
			   bool may_be_unnamed, struct err *err)
{
	int fd = temporary_open(t, s->path, may_be_unnamed, err);

	if (fd < 0)
		return fd;
	if (!s->fresh)
		keep_mode(fd, s->path);
	/* Writing closes the descriptor, to see the error that close() may give. */
	if (!t->named) {
		t->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (t->fd < 0) {
			err_set(err, errno, "fcntl", "%s", s->path);
			close(fd);
			return -err->num;
		}
	}
	return write_out(fd, s->path, r, true, err);
}

/* Give the file without a name this one, where nothing has it. Returns 0 or a negative errno. */
static int link_nameless(const struct temporary *t, const char *name)
{
	char proc[64];

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", t->fd);
	return linkat(AT_FDCWD, proc, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/*
 * Move a file to a name where nothing has it. NFS knows no renameat2(), FAT no links, some shared
 * folders of virtual machines neither: there, and only there, an empty file holds the name for a
 * moment. Returns 0 or a negative errno.
 */
static int move_to_free(const char *from, const char *to)
{
	int fd, ret;

#ifdef HAVE_RENAMEAT2
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno == EEXIST)
		return -EEXIST;
#endif
	if (!linkat(AT_FDCWD, from, AT_FDCWD, to, 0)) {
		unlink(from);
		return 0;
	}
	if (errno == EEXIST)
		return -EEXIST;
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	close(fd);
	if (!rename(from, to))
		return 0;
	ret = -errno;
	unlink(to);
	return ret;
}

/* Let the file appear at s->path, or under the next default name that nothing has. */
static int become_new(struct temporary *t, struct save *s, struct err *err)
{
	for (;;) {
		int ret = t->named ? move_to_free(t->name, s->path) : link_nameless(t, s->path);

		if (!ret)
			return 0;
		if (ret != -EEXIST)
			return err_set(err, -ret, t->named ? "rename" : "linkat", "%s", s->path);
		ret = save_name_next(s, err);
		if (ret)
			return ret;
	}
}

/*
 * Let the file take the place of the one at s->path. No call can do so with a file that has no
 * name, so it gets one just before: a process killed in between leaves that behind.
 */
static int take_place(struct temporary *t, struct save *s, struct err *err)
{
	int ret = -EEXIST;

	for (int i = 0; i < 100 && ret == -EEXIST && !t->named; i++) {
		if (set_name(t, s->path, i))
			return err_set(err, ENOMEM, "malloc", "%s", s->path);
		ret = link_nameless(t, t->name);
		t->named = !ret;
	}
	if (!t->named)
		return err_set(err, -ret, "linkat", "%s", s->path);
	return rename(t->name, s->path) ? err_set(err, errno, "rename", "%s", s->path) : 0;
}

/* The new name is on the disk only when the directory is. Not every file system can do it. */
static void sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* How a temporary file gets its final name. */
typedef int finish_fn(struct temporary *t, struct save *s, struct err *err);

static int write_by(finish_fn *finish, struct temporary *t, struct save *s, const struct result *r,
		    bool may_be_unnamed, struct err *err)
{
	int ret = temporary_write(t, s, r, may_be_unnamed, err);

	if (!ret)
		ret = finish(t, s, err);
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	if (ret && t->named)
		unlink(t->name);
	if (!ret)
		sync_dir(t->dir);
	return ret;
}

static int save_by(finish_fn *finish, struct save *s, const struct result *r, struct err *err)
{
	struct temporary t = { .dir = save_directory(s->path), .fd = -1 };
	struct statvfs fs;
	int ret;

	if (!t.dir)
		return err_set(err, ENOMEM, "malloc", "%s", s->path);
	ret = write_by(finish, &t, s, r, true, err);
	/* Some file systems make files without a name and then cannot name them. */
	if (ret && !strcmp(err->call, "linkat"))
		ret = write_by(finish, &t, s, r, false, err);
	if (ret)
		err_explain_file(err);
	if (ret == -ENOSPC && !statvfs(t.dir, &fs))
		err_limit(err, "free space there", "%llu bytes",
			  (unsigned long long)fs.f_bavail * fs.f_frsize);
	free(t.dir);
	free(t.name);
	return ret;
}

int save_create(struct save *s, const struct result *r, struct err *err)
{
	return save_by(become_new, s, r, err);
}

int save_replace(struct save *s, const struct result *r, struct err *err)
{
	return save_by(take_place, s, r, err);
}

int save_own_descriptor(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat named, ours;
	int fd;

	if (!strcmp(path, "-"))
		return STDOUT_FILENO;
	if (!slash || !save_is_descriptor(path))
		return -1;
	fd = atoi(slash + 1);
	if (stat(path, &named) || fstat(fd, &ours) || named.st_dev != ours.st_dev ||
	    named.st_ino != ours.st_ino)
		return -1;
	return fd;
}

/*
 * A descriptor of our own is duplicated: opening its name would start at the file's beginning
 * again, over what was written there.
 */
static int open_stream(const char *path)
{
	int own = save_own_descriptor(path);

	if (own >= 0)
		return fcntl(own, F_DUPFD_CLOEXEC, 0);
	return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

int save_stream(const char *path, const struct result *r, struct err *err)
{
	const char *name = strcmp(path, "-") ? path : "standard output";
	int fd;

	/* What was printed before comes before it. */
	if (fflush(stdout))
		return err_set(err, errno, "write", "%s", "standard output");
	fd = open_stream(path);
	if (fd < 0)
		return err_set(err, errno, "open", "%s", name);
	return write_out(fd, name, r, false, err);
}
