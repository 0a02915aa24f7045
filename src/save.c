/* SPDX-License-Identifier: GPL-2.0-or-later */
/* save: where a result file goes, and writing it so that there is always a whole one. */
#include "config.h"

#include "save.h"
#include "save_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

/* What the symbolic link `path` points at, as a path from here; NULL with errno set. */
static char *link_target(const char *path)
{
	const char *slash = strrchr(path, '/');
	char target[PATH_MAX], *joined;
	ssize_t len = readlink(path, target, sizeof(target) - 1);

	if (len < 0)
		return NULL;
	target[len] = '\0';
	if (target[0] == '/' || !slash)
		return strdup(target);
	if (asprintf(&joined, "%.*s%s", (int)(slash - path) + 1, path, target) < 0)
		return NULL;
	return joined;
}

/*
 * Replace *path, a symbolic link, by the file at its end: renaming over the link would leave that
 * file untouched. By hand, because realpath() fails where the file is not there yet.
 */
static int follow(char **path, struct err *err)
{
	struct stat st;

	for (int i = 0; i < MAX_LINKS; i++) {
		char *target;

		if (lstat(*path, &st) || !S_ISLNK(st.st_mode) || save_is_descriptor(*path))
			return 0;
		target = link_target(*path);
		if (!target)
			return err_set(err, errno, "readlink", "%s", *path);
		free(*path);
		*path = target;
	}
	return err_set(err, ELOOP, "open", "%s", *path);
}

/* The file is there: whether it may be used. */
static int check_existing(struct save *s, const struct stat *st, bool overwrite, struct err *err)
{
	s->regular = S_ISREG(st->st_mode) && !save_is_descriptor(s->path);
	if (S_ISDIR(st->st_mode))
		return err_set(err, EISDIR, "open", "%s", s->path);
	if (!S_ISREG(st->st_mode) && !S_ISCHR(st->st_mode) && !S_ISFIFO(st->st_mode) &&
	    !save_is_descriptor(s->path))
		return err_set(err, EINVAL, "", "%s: not a kind of file to save a result in",
			       s->path);
	if (s->regular && !overwrite)
		return err_set(err, EEXIST, "", "%s: exists already (--force replaces it)",
			       s->path);
	/* By name, a file can be replaced in spite of its own permissions: they are kept here. */
	if (!save_is_descriptor(s->path) && access(s->path, W_OK))
		return err_set(err, errno, "access", "%s", s->path);
	return 0;
}

/* There is no such file: whether one can be made. Shows now, not when something was measured. */
static int check_new(struct save *s, struct err *err)
{
	size_t len = strlen(s->path);

	if (!len)
		return err_set(err, ENOENT, "open", "%s", s->path);
	if (s->path[len - 1] == '/')
		return err_set(err, EISDIR, "open", "%s", s->path);
	s->regular = s->fresh = true;
	return save_try_directory(s->path, err);
}

/* A descriptor of our own may be closed, or open for reading only: shows now. */
static int check_own_descriptor(const char *path, struct err *err)
{
	int fd = save_own_descriptor(path), flags;

	if (fd < 0)
		return 0;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return err_set(err, EBADF, "write", "%s",
			       strcmp(path, "-") ? path : "standard output");
	return 0;
}

static int open_given(struct save *s, const char *path, bool overwrite, struct err *err)
{
	struct stat st;
	int ret;

	s->overwrite = overwrite;
	s->path = strdup(path);
	if (!s->path)
		return err_set(err, ENOMEM, "malloc", "the name of the result file");
	if (!strcmp(path, "-"))
		return check_own_descriptor(path, err);
	ret = follow(&s->path, err);
	if (!ret)
		ret = check_own_descriptor(s->path, err);
	if (ret)
		return ret;
	if (!stat(s->path, &st))
		return check_existing(s, &st, overwrite, err);
	if (errno != ENOENT)
		return err_set(err, errno, "stat", "%s", s->path);
	return check_new(s, err);
}

static int open_default(struct save *s, const char *kernel, struct err *err)
{
	int ret = save_name_first(s, kernel, err);

	return ret ? ret : check_new(s, err);
}

int save_open(struct save *s, const char *path, const char *kernel, bool overwrite, struct err *err)
{
	int ret;

	memset(s, 0, sizeof(*s));
	ret = path ? open_given(s, path, overwrite, err) : open_default(s, kernel, err);
	if (ret)
		save_close(s);
	return ret;
}

static int write_file(struct save *s, const struct result *r, struct err *err)
{
	if (s->fresh) {
		int ret = save_create(s, r, err);

		s->fresh = ret != 0;
		if (ret != -EEXIST || !s->overwrite)
			return ret;
		s->fresh = false; /* somebody has made one meanwhile, which may be replaced */
	}
	return save_replace(s, r, err);
}

int save_write(struct save *s, const struct result *r, bool last, struct err *err)
{
	if (s->regular)
		return write_file(s, r, err);
	if (s->written || !(r->complete || last))
		return 0;
	s->written = true;
	return save_stream(s->path, r, err);
}

void save_close(struct save *s)
{
	free(s->path);
	free(s->stem);
	memset(s, 0, sizeof(*s));
}
