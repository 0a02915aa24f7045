/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tap: the few words that C tests need to speak TAP. Include it once per test program. */
#ifndef PFSCALE_TAP_H
#define PFSCALE_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failed;

/* One test point; fmt names what is checked. Returns cond. */
__attribute__((format(printf, 2, 3), unused)) static bool ok(bool cond, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", cond ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	tap_failed += !cond;
	return cond;
}

__attribute__((unused)) static bool is_int(int64_t got, int64_t want, const char *what)
{
	if (ok(got == want, "%s", what))
		return true;
	printf("# got %" PRId64 ", want %" PRId64 "\n", got, want);
	return false;
}

__attribute__((unused)) static bool is_str(const char *got, const char *want, const char *what)
{
	if (ok(got && !strcmp(got, want), "%s", what))
		return true;
	printf("# got:  %s\n# want: %s\n", got ? got : "(null)", want);
	return false;
}

/* Whether got contains part. */
__attribute__((unused)) static bool has_str(const char *got, const char *part, const char *what)
{
	if (ok(got && strstr(got, part), "%s", what))
		return true;
	printf("# got:      %s\n# wants in: %s\n", got ? got : "(null)", part);
	return false;
}

__attribute__((unused)) static void skip(const char *what, const char *reason)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_count, what, reason);
	fflush(stdout);
}

/* Ends the test: `return tap_done();`. */
__attribute__((unused)) static int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
