/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err: what failed, recorded at the place that failed. */
#include "config.h"

#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Both build a copy first: the arguments may be taken from *err itself, to be added to. */
int err_set(struct err *err, int num, const char *call, const char *fmt, ...)
{
	struct err new = { .num = num };
	va_list ap;

	snprintf(new.call, sizeof(new.call), "%s", call);
	va_start(ap, fmt);
	vsnprintf(new.detail, sizeof(new.detail), fmt, ap);
	va_end(ap);
	*err = new;
	return -num;
}

void err_limit(struct err *err, const char *limit, const char *fmt, ...)
{
	struct err new = *err;
	va_list ap;

	snprintf(new.limit, sizeof(new.limit), "%s", limit);
	va_start(ap, fmt);
	vsnprintf(new.value, sizeof(new.value), fmt, ap);
	va_end(ap);
	*err = new;
}

void err_explain_file(struct err *err)
{
	struct rlimit limit;

	if (err->num == EFBIG && !getrlimit(RLIMIT_FSIZE, &limit))
		err_limit(err, "RLIMIT_FSIZE", "%llu bytes", (unsigned long long)limit.rlim_cur);
	else if (err->num == EMFILE && !getrlimit(RLIMIT_NOFILE, &limit))
		err_limit(err, "RLIMIT_NOFILE", "%llu descriptors",
			  (unsigned long long)limit.rlim_cur);
}

/* How many of the first max bytes of text make whole UTF-8 characters. */
static int whole_characters(const char *text, int max)
{
	int len = (int)strnlen(text, (size_t)max + 1);

	if (len <= max)
		return len;
	for (len = max; len > max - 4 && ((unsigned char)text[len] & 0xc0) == 0x80; len--)
		;
	return len;
}

int err_usage(struct err *err, const char *what, const char *value, const char *allowed_fmt, ...)
{
	enum { SHOWN_BYTES = 60 };
	int shown = whole_characters(value, SHOWN_BYTES);
	char allowed[300];
	va_list ap;

	va_start(ap, allowed_fmt);
	vsnprintf(allowed, sizeof(allowed), allowed_fmt, ap);
	va_end(ap);
	return err_set(err, EINVAL, "", "%s '%.*s%s': %s", what, shown, value,
		       value[shown] ? "…" : "", allowed);
}

#ifndef HAVE_STRERRORNAME_NP
/* Those that the calls of this program are documented to give. */
#define NAME(num)                                                                                  \
	{                                                                                          \
		num, #num                                                                          \
	}
static const struct {
	int num;
	const char *name;
} names[] = {
	NAME(E2BIG),	    NAME(EACCES),    NAME(EAGAIN),  NAME(EBADF),   NAME(EBUSY),
	NAME(ECANCELED),    NAME(ECHILD),    NAME(EDEADLK), NAME(EDQUOT),  NAME(EEXIST),
	NAME(EFAULT),	    NAME(EFBIG),     NAME(EIDRM),   NAME(EINTR),   NAME(EINVAL),
	NAME(EIO),	    NAME(EISDIR),    NAME(ELOOP),   NAME(EMFILE),  NAME(EMLINK),
	NAME(ENAMETOOLONG), NAME(ENFILE),    NAME(ENODEV),  NAME(ENOENT),  NAME(ENOEXEC),
	NAME(ENOMEM),	    NAME(ENOSPC),    NAME(ENOSYS),  NAME(ENOTDIR), NAME(ENXIO),
	NAME(EOPNOTSUPP),   NAME(EOVERFLOW), NAME(EPERM),   NAME(EPIPE),   NAME(ERANGE),
	NAME(EROFS),	    NAME(ESRCH),     NAME(ETXTBSY), NAME(EXDEV),
};
#endif

const char *err_name(int num)
{
#ifdef HAVE_STRERRORNAME_NP
	const char *name = strerrorname_np(num);

	return name ? name : "errno";
#else
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].num == num)
			return names[i].name;
	}
	return "errno";
#endif
}

static void clean(char *buf)
{
	for (unsigned char *p = (unsigned char *)buf; *p; p++) {
		if (*p == '\n' || *p == '\t' || *p == '\r')
			*p = ' ';
		else if (*p < 0x20 || *p == 0x7f)
			*p = '?';
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* U+0080 to U+009F */
			p[0] = p[1] = '?';
	}
}

void err_text(const struct err *err, char *buf, size_t len)
{
	int used = 0;

	if (!len)
		return;
	buf[0] = '\0';
	if (err->call[0])
		used = snprintf(buf, len, "%s: %s (%s)%s", err->call, err_name(err->num),
				strerror(err->num), err->detail[0] ? ": " : "");
	if (used >= 0 && (size_t)used < len)
		used += snprintf(buf + used, len - (size_t)used, "%s", err->detail);
	if (used >= 0 && (size_t)used < len && err->limit[0])
		snprintf(buf + used, len - (size_t)used, "; %s%s%s", err->limit,
			 err->value[0] ? " is " : "", err->value);
	clean(buf);
}
