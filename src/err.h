/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err: what failed, recorded at the place that failed. */
#ifndef PFSCALE_ERR_H
#define PFSCALE_ERR_H

#include <stddef.h>

/*
 * One failure. It holds no pointers, so it can stand in memory that several processes share.
 * An err with num == 0 says that nothing failed; zero the struct before use.
 */
struct err {
	int num;       /* positive errno; 0 = nothing failed */
	char call[48]; /* the call that failed, as the man pages name it ("shmget"); "" = none, the
			  detail says all (bad input) */
	char detail[400]; /* what was asked for, or the whole message where call is "" */
	char limit[160];  /* the limit or resource that was hit ("kernel.shmmax"); "" = not known */
	char value[80];	  /* that limit's value, with its unit */
};

/*
 * Fill *err with errno value num (positive), the call and a detail made by fmt, and clear its
 * limit. Returns -num, so that a caller can write `return err_set(err, errno, "mmap", …)`.
 */
int err_set(struct err *err, int num, const char *call, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Add to *err the limit that was hit and its value, made by fmt. */
void err_limit(struct err *err, const char *limit, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * *err says that a call on a file failed: add the limit of the process where it was one:
 * RLIMIT_FSIZE for EFBIG, RLIMIT_NOFILE for EMFILE.
 */
void err_explain_file(struct err *err);

/*
 * Bad input from the user: no call, num EINVAL, detail "WHAT 'VALUE': ALLOWED".
 * Returns -EINVAL.
 */
int err_usage(struct err *err, const char *what, const char *value, const char *allowed_fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Write *err as one line without a newline: "shmget: EINVAL (Invalid argument): DETAIL;
 * kernel.shmmax is 33554432 bytes". The result is cut to len bytes with its final NUL. Line breaks
 * and control characters become blanks or '?'.
 */
void err_text(const struct err *err, char *buf, size_t len);

/* The symbol of a positive errno value ("ENOMEM"), or "errno" where the C library knows none. */
const char *err_name(int num);

#endif
