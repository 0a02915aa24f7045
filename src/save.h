/* SPDX-License-Identifier: GPL-2.0-or-later */
/* save: where a result file goes, and writing it so that there is always a whole one. */
#ifndef PFSCALE_SAVE_H
#define PFSCALE_SAVE_H

#include "err.h"
#include "result.h"

#include <stdbool.h>

struct save {
	char *path;   /* the file; owned. A default name is certain when it has been written to */
	char *stem;   /* of a default name: all before its number; owned. NULL: path was given */
	int number;   /* of a default name; 1 is not shown */
	bool regular; /* written anew each time, by rename; else (device, pipe) once, at the end */
	bool fresh;   /* there was no such file, and we have not made it yet */
	bool overwrite; /* what is there at a given path may be replaced */
	bool written;	/* what is no regular file has been written */
};

/*
 * Settle where the result goes, and find out what can be known without making anything there: that
 * is left to the first save_write(), so that no empty file is ever seen. path NULL:
 * `pfscale-KERNEL-UTCTIME.json` in $PFSCALE_RESULTS or the current directory, with -2, -3 … before
 * .json when that is taken by the time of the first write; s->path tells the name after that.
 * path given: an existing regular file is refused unless overwrite. A symbolic link is followed to
 * the file that it names, there or not. "-" is standard output; that and names like /dev/stdout
 * are never replaced, whatever file they lead to. kernel: uname's release. Returns 0 or a negative
 * errno (-EEXIST: refused); then there is nothing to close.
 */
int save_open(struct save *s, const char *path, const char *kernel, bool overwrite,
	      struct err *err);

/*
 * Write the result, flushed and fsync'ed before it has a name that anybody looks for: the first
 * time to a new file, which takes the place of no other (-EEXIST: one is at the given path by now,
 * and overwrite was not said; two runs never share a default name), later to a temporary file
 * beside s->path that is renamed over it. The permissions of the file from before are kept.
 * What is no regular file is written straight into, and only when r->complete or `last`.
 * Each of write, flush and close is checked. On failure the file from before stays, and nothing
 * else does.
 */
int save_write(struct save *s, const struct result *r, bool last, struct err *err);

/* Free what s holds. */
void save_close(struct save *s);

#endif
