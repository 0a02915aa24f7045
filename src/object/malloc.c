/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object malloc: what the C library's malloc() hands out. */
#include "config.h"

#include "limit.h"
#include "object.h"
#include "util.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

extern const struct object_ops malloc_ops;

#ifdef HAVE_MALLOPT
static pthread_once_t threshold_set = PTHREAD_ONCE_INIT;

/*
 * Once in a process: where another library gives malloc(), mallopt() is what first sets up glibc's
 * own, and threads that do so at the same time break it.
 */
static void set_threshold(void)
{
	mallopt(M_MMAP_THRESHOLD, (int)util_page_size());
}
#endif

/*
 * Memory that was freed before must not come back with its pages. glibc maps large requests afresh,
 * but raises what it calls large with each free, unless told a threshold; and it takes whatever
 * fits from the free end of its heap first, which may have been used before. So the pages of the
 * range are dropped as well, whichever malloc() this is.
 */
static int malloc_map(struct object *o, struct err *err)
{
	size_t page = util_page_size();
	/* One page more: malloc aligns to 16 bytes only, and has written its header before them. */
	size_t bytes = o->bytes + page;

#ifdef HAVE_MALLOPT
	pthread_once(&threshold_set, set_threshold);
#endif
	errno = ENOMEM;
	o->mapping = bytes > o->bytes ? malloc(bytes) : NULL;
	if (!o->mapping) {
		int ret = err_set(err, errno, "malloc", "%zu bytes", bytes);

		limit_explain_nomem(err, bytes);
		return ret;
	}
	o->base = (char *)(((uintptr_t)o->mapping + page - 1) / page * page);
	/* Where it cannot be done (locked memory), the fault counts tell. */
	(void)madvise(o->base, o->bytes, MADV_DONTNEED);
	return 0;
}

static int malloc_unmap(struct object *o, struct err *err)
{
	(void)err;
	free(o->mapping);
	return 0;
}

const struct object_ops malloc_ops = {
	.name = "malloc",
	.summary = "memory from malloc(3), mapped afresh for each repeat",
	.map = malloc_map,
	.unmap = malloc_unmap,
};
