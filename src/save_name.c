/* SPDX-License-Identifier: GPL-2.0-or-later */
/* save_name: the names that results take by default, and where files can be made. */
#include "config.h"

#include "save_internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SAME_NAME = 10000 };

char *save_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

/*
 * A file without a name shows a full disk and a used-up quota. Where it cannot be made for another
 * reason, one with a name perhaps can: permissions tell.
 */
static int try_directory(const char *dir, const char **call)
{
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

	*call = "open";
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == ENOSPC || errno == EDQUOT)
		return -errno;
	*call = "access";
	return access(dir, W_OK | X_OK) ? -errno : 0;
}

int save_try_directory(const char *path, struct err *err)
{
	char *dir = save_directory(path);
	const char *call;
	int ret;

	if (!dir)
		return err_set(err, ENOMEM, "malloc", "%s", path);
	ret = try_directory(dir, &call);
	free(dir);
	return ret ? err_set(err, -ret, call, "%s", path) : 0;
}

/* The part of a default name that does not change: up to the kernel's release and the time. */
static int name_stem(char *buf, size_t len, const char *kernel, struct err *err)
{
	char release[100], when[32];
	time_t now = time(NULL);
	struct tm tm;

	snprintf(release, sizeof(release), "%s", *kernel ? kernel : "unknown");
	for (char *c = release; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._+-~", *c))
			*c = '_';
	if (!gmtime_r(&now, &tm) || !strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm))
		return err_set(err, EOVERFLOW, "gmtime", "the time of day is %lld", (long long)now);
	snprintf(buf, len, "pfscale-%s-%s", release, when);
	return 0;
}

/* The directory for default names, as one writes it before a name: "" for the current one. */
static int results_dir(const char **dir, const char **slash, struct err *err)
{
	struct stat st;

	*dir = getenv("PFSCALE_RESULTS");
	*slash = "";
	if (!*dir || !**dir) {
		*dir = "";
		return 0;
	}
	if (stat(*dir, &st))
		return err_set(err, errno, "stat", "%.300s, from PFSCALE_RESULTS", *dir);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ENOTDIR, "stat", "%.300s, from PFSCALE_RESULTS", *dir);
	if ((*dir)[strlen(*dir) - 1] != '/')
		*slash = "/";
	return 0;
}

static int set_path(struct save *s, struct err *err)
{
	char number[16] = "", *path;

	if (s->number > 1)
		snprintf(number, sizeof(number), "-%d", s->number);
	if (asprintf(&path, "%s%s.json", s->stem, number) < 0)
		return err_set(err, ENOMEM, "malloc", "the name of the result file");
	free(s->path);
	s->path = path;
	return 0;
}

int save_name_first(struct save *s, const char *kernel, struct err *err)
{
	const char *dir, *slash;
	char stem[160];
	int ret = name_stem(stem, sizeof(stem), kernel, err);

	if (!ret)
		ret = results_dir(&dir, &slash, err);
	if (ret)
		return ret;
	if (asprintf(&s->stem, "%s%s%s", dir, slash, stem) < 0) {
		s->stem = NULL;
		return err_set(err, ENOMEM, "malloc", "the name of the result file");
	}
	s->number = 1;
	return set_path(s, err);
}

int save_name_next(struct save *s, struct err *err)
{
	if (!s->stem)
		return err_set(err, EEXIST, "", "%s: appeared just now, and is not overwritten",
			       s->path);
	if (s->number >= MAX_SAME_NAME)
		return err_set(err, EEXIST, "", "%s: taken, as are all before it", s->path);
	s->number++;
	return set_path(s, err);
}
