/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object tmpfs: an unlinked file on a tmpfs, mapped shared. */
#include "config.h"

#include "limit.h"
#include "object.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

extern const struct object_ops tmpfs_ops;

/* f_type's kind differs between machines; the magic number is 32 bits wide on all. */
static bool is_tmpfs(const struct statfs *fs)
{
	return (uint32_t)fs->f_type == TMPFS_MAGIC;
}

static int tmpfs_check(const struct object_env *env, struct err *err)
{
	struct statfs fs;

	if (statfs(env->tmpfs_dir, &fs)) {
		int num = errno;

		return err_set(err, EOPNOTSUPP, "", "%s: %s (%s)", env->tmpfs_dir, strerror(num),
			       err_name(num));
	}
	if (!is_tmpfs(&fs))
		return err_set(err, EOPNOTSUPP, "", "%s is not on a tmpfs", env->tmpfs_dir);
	if (access(env->tmpfs_dir, W_OK | X_OK)) {
		int num = errno;

		return err_set(err, EOPNOTSUPP, "", "%s cannot be written to: %s", env->tmpfs_dir,
			       err_name(num));
	}
	return 0;
}

static uint64_t free_bytes(const struct statfs *fs)
{
	return (uint64_t)fs->f_bavail * (uint64_t)fs->f_bsize;
}

static int tmpfs_preflight(const struct object_env *env, const struct object_need *need,
			   struct err *err)
{
	uint64_t bytes = need->objects * need->bytes_per_object;
	struct rlimit fsize;
	struct statfs fs;

	if (!getrlimit(RLIMIT_FSIZE, &fsize) && need->bytes_per_object > fsize.rlim_cur) {
		err_set(err, EFBIG, "preflight", "files of %llu bytes needed",
			(unsigned long long)need->bytes_per_object);
		err_limit(err, "RLIMIT_FSIZE", "%llu bytes", (unsigned long long)fsize.rlim_cur);
		return -EFBIG;
	}
	/* No blocks at all: mounted with nr_blocks=0, that is, without a limit. */
	if (statfs(env->tmpfs_dir, &fs) || !fs.f_blocks)
		return 0;
	if (bytes > free_bytes(&fs)) {
		err_set(err, ENOSPC, "preflight", "%llu bytes needed, %llu available",
			(unsigned long long)bytes, (unsigned long long)free_bytes(&fs));
		err_limit(err, "size of the tmpfs", "%llu bytes (%s)",
			  (unsigned long long)fs.f_blocks * (unsigned long long)fs.f_bsize,
			  env->tmpfs_dir);
		return -ENOSPC;
	}
	if (fs.f_files && need->objects > fs.f_ffree) {
		err_set(err, ENOSPC, "preflight", "%llu files needed",
			(unsigned long long)need->objects);
		err_limit(err, "nr_inodes of the tmpfs", "%llu, %llu of them free (%s)",
			  (unsigned long long)fs.f_files, (unsigned long long)fs.f_ffree,
			  env->tmpfs_dir);
		return -ENOSPC;
	}
	return 0;
}

/* A file without a name; made under one that tells its creator, where the kernel knows no
 * O_TMPFILE. */
static int open_unlinked(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if ((size_t)snprintf(path, sizeof(path), "%s/.pfscale-%d-%d", dir, (int)getpid(),
			     (int)gettid()) >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Why a call on a file failed: limits of the process, and tmpfs's own as far as they show now. */
static void explain(const struct object_env *env, struct err *err)
{
	struct statfs fs;

	err_explain_file(err);
	if (err->num != ENOSPC)
		return;
	if (!statfs(env->tmpfs_dir, &fs) && fs.f_blocks)
		err_limit(err, "size of the tmpfs", "%llu bytes, %llu of them free (%s)",
			  (unsigned long long)fs.f_blocks * (unsigned long long)fs.f_bsize,
			  (unsigned long long)free_bytes(&fs), env->tmpfs_dir);
}

/* The mapping keeps the file: no descriptor is held, of which a process may have but some 1000. */
static int tmpfs_map(struct object *o, struct err *err)
{
	const char *dir = o->env->tmpfs_dir;
	int ret = 0, fd = open_unlinked(dir);
	struct statfs fs;

	if (fd < 0) {
		ret = err_set(err, errno, "open", "a file in %s", dir);
		explain(o->env, err);
		return ret;
	}
	/* The directory was on a tmpfs; it may have been unmounted since. */
	if (fstatfs(fd, &fs)) {
		ret = err_set(err, errno, "fstatfs", "a file in %s", dir);
	} else if (!is_tmpfs(&fs)) {
		ret = err_set(err, ENODEV, "open", "%s is not on a tmpfs any more", dir);
	} else if (ftruncate(fd, (off_t)o->bytes)) {
		ret = err_set(err, errno, "ftruncate", "%zu bytes in %s", o->bytes, dir);
		explain(o->env, err);
	} else {
		o->base = mmap(NULL, o->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (o->base == MAP_FAILED) {
			ret = err_set(err, errno, "mmap", "%zu bytes in %s, shared", o->bytes, dir);
			limit_explain_nomem(err, o->bytes);
		}
	}
	close(fd);
	return ret;
}

static int tmpfs_unmap(struct object *o, struct err *err)
{
	if (munmap(o->base, o->bytes))
		return err_set(err, errno, "munmap", "%zu bytes in %s", o->bytes,
			       o->env->tmpfs_dir);
	return 0;
}

static void tmpfs_explain_sigbus(const struct object_env *env, struct err *err)
{
	err->num = ENOSPC;
	explain(env, err);
}

static void tmpfs_sweep(const struct object_env *env, pid_t creator)
{
	DIR *dir = opendir(env->tmpfs_dir);
	struct dirent *entry;
	char prefix[40];

	if (!dir)
		return;
	snprintf(prefix, sizeof(prefix), ".pfscale-%d-", (int)creator);
	while ((entry = readdir(dir))) {
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	closedir(dir);
}

const struct object_ops tmpfs_ops = {
	.name = "tmpfs",
	.summary = "an unlinked file on a tmpfs (--tmpfs-dir), mapped shared",
	.check = tmpfs_check,
	.preflight = tmpfs_preflight,
	.map = tmpfs_map,
	.unmap = tmpfs_unmap,
	.explain_sigbus = tmpfs_explain_sigbus,
	.sweep = tmpfs_sweep,
};
