/* SPDX-License-Identifier: GPL-2.0-or-later */
/* util: small things that many modules need. */
#ifndef PFSCALE_UTIL_H
#define PFSCALE_UTIL_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The run-time page size in bytes, from sysconf(3). The only place that asks. */
size_t util_page_size(void);

/* A time of struct timeval in nanoseconds. */
int64_t util_timeval_ns(const struct timeval *tv);

/*
 * Read a size: a whole number with an optional unit, kB MB GB TB (powers of 1000) or KiB MiB GiB
 * TiB (of 1024), without regard to case; a bare number, or B, is bytes. what: the option's name,
 * for the message. Returns 0, or -EINVAL (not a size, 0, or over 2^63 - 1).
 */
int util_parse_size(const char *what, const char *text, uint64_t *bytes, struct err *err);

/* Read a whole number within [min, max]. Returns 0 or -EINVAL with a message naming both. */
int util_parse_uint(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *out,
		    struct err *err);

/*
 * Read a time: a number, with decimals if need be, and an optional unit, ms s min h; a bare number
 * is seconds. At most 10,000 hours. Returns 0 or -EINVAL.
 */
int util_parse_time(const char *what, const char *text, int64_t *ns, struct err *err);

/*
 * Read a share: a number in percent, with or without the sign, above 0 and at most 100; *out is 1
 * for 100 %. Returns 0 or -EINVAL.
 */
int util_parse_percent(const char *what, const char *text, double *out, struct err *err);

/*
 * Read a file of at most a few pages (from /proc or /sys) into buf, NUL-terminated, without
 * trailing white space. Returns the length or a negative errno; buf is then "". A longer file is
 * cut.
 */
int util_read_file(const char *path, char *buf, size_t len);

/* As above for a single number, decimal. Returns 0 or a negative errno (-EINVAL: no number). */
int util_read_int(const char *path, int64_t *out);

/*
 * In a text of rows "key value" or "key: value", as in /proc/meminfo and memory.stat: the value's
 * first character in the row called key, or NULL. It ends with its line, not with a NUL.
 */
const char *util_find_row(const char *text, const char *key);

/*
 * Copy a file's name for a message. One that is longer than the buffer of len bytes (at least 8)
 * loses its beginning and shows "…" there: the end tells more.
 */
void util_path_tail(char *buf, size_t len, const char *path);

/* Of n names, the one nearest to text by edit distance, or NULL when none is near. */
const char *util_nearest(const char *text, const char *const *names, size_t n);

/*
 * How many edits (insert, delete, replace, swap of neighbours) turn a into b. Upper and lower case
 * count as the same.
 */
unsigned util_edit_distance(const char *a, const char *b);

#endif
