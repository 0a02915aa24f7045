/* SPDX-License-Identifier: GPL-2.0-or-later */
/* monitor_file: a file of /proc, /sys or a cgroup that is read again and again. */
#include "config.h"

#include "monitor_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Enough for most of these files; it doubles where a line is longer. */
enum { FIRST_SIZE = 16384 };

bool monitor_file_open(struct monitor_file *f, const char *path)
{
	f->buf = NULL;
	f->size = 0;
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	return f->fd >= 0;
}

void monitor_file_close(struct monitor_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->buf);
	f->fd = -1;
	f->buf = NULL;
	f->size = 0;
}

static int grow(struct monitor_file *f)
{
	size_t size = f->size ? 2 * f->size : FIRST_SIZE;
	char *buf = realloc(f->buf, size);

	if (!buf)
		return -ENOMEM;
	f->buf = buf;
	f->size = size;
	return 0;
}

/*
 * Visit the whole lines among the first `used` bytes; at the end of the file, what is left is one,
 * too. Returns how many bytes are done with, or -1 when a visit has seen enough.
 */
static ssize_t visit_lines(const struct monitor_file *f, size_t used, bool at_end,
			   monitor_line visit, void *arg)
{
	size_t begin = 0;

	while (begin < used) {
		char *end = memchr(f->buf + begin, '\n', used - begin);

		if (!end && !at_end)
			break;
		if (!end)
			end = f->buf + used;
		*end = '\0';
		if (!visit(f->buf + begin, arg))
			return -1;
		begin = (size_t)(end - f->buf) + 1;
	}
	return (ssize_t)begin;
}

int monitor_file_lines(struct monitor_file *f, monitor_line visit, void *arg)
{
	off_t position = 0;
	size_t used = 0;

	for (;;) {
		ssize_t n, done;
		int ret;

		/* One byte stays free for the NUL after a last line that has no end. */
		if (used + 1 >= f->size) {
			ret = grow(f);
			if (ret)
				return ret;
		}
		n = pread(f->fd, f->buf + used, f->size - 1 - used, position);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		used += (size_t)n;
		position += n;
		done = visit_lines(f, used, !n, visit, arg);
		if (done < 0 || !n)
			return 0;
		used -= (size_t)done;
		memmove(f->buf, f->buf + done, used);
	}
}

int64_t monitor_file_number(const char **text)
{
	unsigned long long value;
	char *end;

	while (**text == ' ' || **text == '\t')
		++*text;
	if (!isdigit((unsigned char)**text))
		return -1;
	errno = 0;
	value = strtoull(*text, &end, 10);
	*text = end;
	return errno || value > INT64_MAX ? -1 : (int64_t)value;
}

bool monitor_file_cpu(const char *line, int *cpu, const char **rest)
{
	int64_t number;

	/* "cpu " is the sum of all. */
	if (strncmp(line, "cpu", 3) || !isdigit((unsigned char)line[3]))
		return false;
	line += 3;
	number = monitor_file_number(&line);
	if (number < 0 || number > INT_MAX)
		return false;
	*cpu = (int)number;
	*rest = line;
	return true;
}
