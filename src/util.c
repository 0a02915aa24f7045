/* SPDX-License-Identifier: GPL-2.0-or-later */
/* util: small things that many modules need. */
#include "config.h"

#include "util.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

size_t util_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int64_t util_timeval_ns(const struct timeval *tv)
{
	return (int64_t)tv->tv_sec * 1000000000 + (int64_t)tv->tv_usec * 1000;
}

static const struct {
	const char *name;
	uint64_t bytes;
} units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "kB", 1000 },
	{ "MB", 1000000 },
	{ "GB", 1000000000 },
	{ "TB", 1000000000000 },
	{ "KiB", 1ULL << 10 },
	{ "MiB", 1ULL << 20 },
	{ "GiB", 1ULL << 30 },
	{ "TiB", 1ULL << 40 },
};

/* Digits only: strtoull() alone would take signs, blanks and hexadecimal. */
static int parse_digits(const char *text, const char **end, uint64_t *out)
{
	char *stop;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*out = strtoull(text, &stop, 10);
	*end = stop;
	return errno ? -ERANGE : 0;
}

int util_parse_size(const char *what, const char *text, uint64_t *bytes, struct err *err)
{
	static const char allowed[] =
		"a size of at least 1 byte: a whole number, with kB MB GB TB or KiB MiB GiB TiB";
	const char *unit;
	uint64_t n;
	int ret = parse_digits(text, &unit, &n);

	if (ret == -ERANGE)
		return err_usage(err, what, text, "too large (at most 2^63 - 1 bytes)");
	if (ret || !n)
		return err_usage(err, what, text, "%s", allowed);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcasecmp(unit, units[i].name))
			continue;
		if (n > (uint64_t)INT64_MAX / units[i].bytes)
			return err_usage(err, what, text, "too large (at most 2^63 - 1 bytes)");
		*bytes = n * units[i].bytes;
		return 0;
	}
	return err_usage(err, what, text, "%s", allowed);
}

int util_parse_uint(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *out,
		    struct err *err)
{
	const char *end;
	int ret = parse_digits(text, &end, out);

	if (ret || *end || *out < min || *out > max)
		return err_usage(err, what, text, "a whole number from %llu to %llu",
				 (unsigned long long)min, (unsigned long long)max);
	return 0;
}

/*
 * Digits with at most one point among them, such as "1", "0.5" and ".5": strtod() alone would take
 * signs, blanks, exponents, hexadecimal and "nan". The program never sets a locale, so the point is
 * a point.
 */
static int parse_decimal(const char *text, const char **end, double *out)
{
	size_t whole = strspn(text, "0123456789"), all = whole;
	char copy[64];

	if (text[whole] == '.')
		all += 1 + strspn(text + whole + 1, "0123456789");
	if (all == 0 || (all == 1 && !whole) || all >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, all);
	copy[all] = '\0';
	*out = strtod(copy, NULL);
	*end = text + all;
	return 0;
}

int util_parse_time(const char *what, const char *text, int64_t *ns, struct err *err)
{
	static const struct {
		const char *name;
		double ns;
	} time_units[] = {
		{ "s", 1e9 }, { "", 1e9 }, { "ms", 1e6 }, { "min", 6e10 }, { "h", 3.6e12 }
	};
	const double most_ns = 1e4 * 3.6e12;
	const char *unit;
	double n;

	for (size_t i = 0; !parse_decimal(text, &unit, &n) && i < ARRAY_SIZE(time_units); i++) {
		if (strcasecmp(unit, time_units[i].name) || n * time_units[i].ns > most_ns)
			continue;
		*ns = (int64_t)(n * time_units[i].ns);
		return 0;
	}
	return err_usage(err, what, text,
			 "a time of at most 10000 h: a number, with ms, s, min or h (else it is "
			 "seconds)");
}

int util_parse_percent(const char *what, const char *text, double *out, struct err *err)
{
	const char *end;
	double n = 0;
	int ret = parse_decimal(text, &end, &n);

	if (ret || (*end && strcmp(end, "%")) || n <= 0 || n > 100)
		return err_usage(err, what, text,
				 "a percentage above 0 and up to 100, such as 0.5 or 1%%");
	*out = n / 100;
	return 0;
}

int util_read_file(const char *path, char *buf, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	while (used < len - 1) {
		ssize_t n = read(fd, buf + used, len - 1 - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int ret = -errno;

			close(fd);
			buf[0] = '\0';
			return ret;
		}
		if (!n)
			break;
		used += (size_t)n;
	}
	close(fd);
	while (used && isspace((unsigned char)buf[used - 1]))
		used--;
	buf[used] = '\0';
	return (int)used;
}

int util_read_int(const char *path, int64_t *out)
{
	char buf[64], *end;
	int ret = util_read_file(path, buf, sizeof(buf));

	if (ret < 0)
		return ret;
	errno = 0;
	*out = strtoll(buf, &end, 10);
	return errno || end == buf || *end ? -EINVAL : 0;
}

const char *util_find_row(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len))
			continue;
		line += len;
		if (*line == ':' || isspace((unsigned char)*line)) {
			line += *line == ':';
			return line + strspn(line, " \t");
		}
	}
	return NULL;
}

void util_path_tail(char *buf, size_t len, const char *path)
{
	static const char mark[] = "…";
	size_t size = strlen(path) + 1;

	if (size <= len) {
		memcpy(buf, path, size);
		return;
	}
	path += size - (len - strlen(mark));
	while (((unsigned char)*path & 0xc0) == 0x80) /* not from within a character */
		path++;
	snprintf(buf, len, "%s%s", mark, path);
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Optimal string alignment: Levenshtein with swaps of neighbours, three rows at a time. Beyond MAX
 * bytes, nothing is aligned: every byte there counts as an edit.
 */
unsigned util_edit_distance(const char *a, const char *b)
{
	enum { MAX = 64 };
	unsigned rows[3][MAX + 1];
	size_t la = strnlen(a, MAX), lb = strnlen(b, MAX);
	size_t rest_a = strlen(a + la), rest_b = strlen(b + lb);
	unsigned rest = (unsigned)(rest_a > rest_b ? rest_a : rest_b);

	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *cur = rows[i % 3], *prev = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			cur[j] = min3(cur[j - 1] + 1, prev[j] + 1,
				      prev[j - 1] + !same_letter(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]) && before[j - 2] + 1 < cur[j])
				cur[j] = before[j - 2] + 1;
		}
	}
	return rows[la % 3][lb] + rest;
}

const char *util_nearest(const char *text, const char *const *names, size_t n)
{
	const char *best = NULL;
	unsigned best_distance = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned d = util_edit_distance(text, names[i]);

		if (!best || d < best_distance) {
			best = names[i];
			best_distance = d;
		}
	}
	/* Farther than a third of the word is no slip of the finger. */
	if (!best || best_distance > 1 + strlen(text) / 3)
		return NULL;
	return best;
}
