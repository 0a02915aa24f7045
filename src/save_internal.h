/* SPDX-License-Identifier: GPL-2.0-or-later */
/* save_internal: the parts of save: names in save_name.c, writing in save_write.c. */
#ifndef PFSCALE_SAVE_INTERNAL_H
#define PFSCALE_SAVE_INTERNAL_H

#include "err.h"
#include "result.h"
#include "save.h"

#include <stdbool.h>

/*
 * Whether path is a name for an open descriptor (/dev/stdout, /dev/fd/3, /proc/self/fd/3), which is
 * to be written to as it is, whatever file it leads to.
 */
bool save_is_descriptor(const char *path);

/*
 * The open descriptor of this process that path names ("-" is standard output), or -1: that is to
 * be used as it is, at the place in the file where it stands.
 */
int save_own_descriptor(const char *path);

/* The directory that path lies in, with a final '/'; to be freed. NULL: no memory. */
char *save_directory(const char *path);

/* Whether a file can be made at s->path, as far as can be told without making one. */
int save_try_directory(const char *path, struct err *err);

/* Set s to the first default name of this second. */
int save_name_first(struct save *s, const char *kernel, struct err *err);

/* s->path is taken: set it to the next default name. -EEXIST: there is none, or path was given. */
int save_name_next(struct save *s, struct err *err);

/*
 * Make a new file that holds the result, when that is safely on the disk: at s->path, or at the
 * first default name from there on that nothing has yet. On failure, nothing is left.
 * Returns 0 or a negative errno.
 */
int save_create(struct save *s, const struct result *r, struct err *err);

/*
 * Replace the regular file at s->path by a temporary file beside it that holds the result, when
 * that is safely on the disk. On failure, the old file stays and nothing else does. Returns 0 or a
 * negative errno.
 */
int save_replace(struct save *s, const struct result *r, struct err *err);

/* Write the result straight into a device, a pipe, a descriptor or standard output ("-"). */
int save_stream(const char *path, const struct result *r, struct err *err);

#endif
