/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree: recorded /proc and cgroup files below a scratch directory, for limit_set_root(). */
#ifndef PFSCALE_TEST_TREE_H
#define PFSCALE_TEST_TREE_H

#include "tap.h"

#include "limit.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define MB UINT64_C(1000000)

static char tree_scratch[PATH_MAX], tree[2 * PATH_MAX];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Start an empty tree. */
static void new_tree(void)
{
	static int n;

	snprintf(tree, sizeof(tree), "%s/%d", tree_scratch, ++n);
	if (mkdir(tree, 0700))
		exit(99);
	limit_set_root(tree);
}

/* Write a file of the tree, with the directories it needs. */
__attribute__((format(printf, 2, 3))) static void put(const char *path, const char *fmt, ...)
{
	char full[4 * PATH_MAX];
	va_list ap;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", tree, path);
	for (char *slash = full + strlen(tree); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		if (mkdir(full, 0700) && errno != EEXIST)
			exit(99);
		*slash = '/';
	}
	f = fopen(full, "w");
	if (!f)
		exit(99);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	if (fclose(f))
		exit(99);
}

__attribute__((unused)) static void put_meminfo(uint64_t available)
{
	put("/proc/meminfo",
	    "MemTotal:        8000000 kB\nMemFree:          100000 kB\nMemAvailable:%12" PRIu64
	    " kB\nSwapTotal:             0 kB\nCommitLimit:     4000000 kB\n"
	    "Committed_AS:    1000000 kB\n",
	    available / 1024);
}

/* Make the scratch directory; tree_end() removes it. */
static void tree_begin(void)
{
	const char *dir = getenv("TMPDIR");

	snprintf(tree_scratch, sizeof(tree_scratch), "%s/pfscale-test.XXXXXX", dir ? dir : "/tmp");
	if (!mkdtemp(tree_scratch)) {
		perror(tree_scratch);
		exit(99);
	}
}

static void tree_end(void)
{
	nftw(tree_scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#define V1_MOUNT                                                                                   \
	"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
#define V2_MOUNT "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"
#define PURE_V2                                                                                    \
	"30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,memory_recursiveprot\n"

#endif
