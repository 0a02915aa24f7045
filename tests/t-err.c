/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-err: one line that says what failed, whatever stands in it. */
#include "config.h"

#include "tap.h"

#include "err.h"

#include <errno.h>

static const char *text_of(const struct err *err)
{
	static char text[1000];

	err_text(err, text, sizeof(text));
	return text;
}

static void test_set(void)
{
	struct err err;

	memset(&err, 'x', sizeof(err));
	is_int(err_set(&err, EINVAL, "shmget", "%d bytes", 5), -EINVAL,
	       "returns the negative errno");
	is_str(text_of(&err), "shmget: EINVAL (Invalid argument): 5 bytes", "call, errno, detail");
	is_str(err.limit, "", "no limit yet");
	err_limit(&err, "kernel.shmmax", "%d bytes", 33554432);
	is_str(text_of(&err),
	       "shmget: EINVAL (Invalid argument): 5 bytes; kernel.shmmax is 33554432 bytes",
	       "with its limit");
	err_set(&err, ENOMEM, "mmap", "%s", "");
	is_str(text_of(&err), "mmap: ENOMEM (Cannot allocate memory)", "the old limit is gone");
	err_limit(&err, "the address space", "%s", "");
	is_str(text_of(&err), "mmap: ENOMEM (Cannot allocate memory); the address space",
	       "a limit without a value");
	err_set(&err, 9999, "x", "y");
	has_str(text_of(&err), "x: errno (", "an errno that nobody knows");
	err_set(&err, EINVAL, "", "all is in here");
	is_str(text_of(&err), "all is in here", "a detail alone");
}

/* Callers put more words before what *err has already. */
static void test_nesting(void)
{
	struct err err;

	err_set(&err, ENOMEM, "mmap", "5 bytes");
	is_int(err_set(&err, err.num, err.call, "worker %d: %s", 3, err.detail), -ENOMEM, "nested");
	is_str(text_of(&err), "mmap: ENOMEM (Cannot allocate memory): worker 3: 5 bytes",
	       "arguments taken from the same err");
	err_limit(&err, "a", "b");
	err_limit(&err, err.limit, "%s, %s", err.value, "c");
	has_str(text_of(&err), "; a is b, c", "likewise for the limit");
}

static void test_long(void)
{
	char big[5000], small[8] = "xxxxxxx";
	struct err err;

	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&err, EIO, big, "%s", big);
	err_limit(&err, big, "%s", big);
	is_int((int64_t)strlen(err.call), sizeof(err.call) - 1, "a long call is cut");
	is_int((int64_t)strlen(err.detail), sizeof(err.detail) - 1, "a long detail is cut");
	is_int((int64_t)strlen(err.limit), sizeof(err.limit) - 1, "a long limit is cut");
	is_int((int64_t)strlen(err.value), sizeof(err.value) - 1, "a long value is cut");
	err_text(&err, small, sizeof(small));
	is_str(small, "aaaaaaa", "text is cut to the buffer");
	for (size_t len = 1; len < sizeof(big); len += 7) {
		memset(big, 'x', sizeof(big));
		err_text(&err, big, len);
		if (memchr(big, '\0', sizeof(big)) > (void *)(big + len - 1) || big[len] != 'x') {
			ok(false, "text of %zu bytes stays within", len);
			return;
		}
	}
	ok(true, "text stays within buffers of any length");
	memset(small, 'x', sizeof(small));
	err_text(&err, small, 0);
	is_int(small[0], 'x', "no buffer, nothing is written");
}

static void test_usage(void)
{
	char value[200] = "";
	struct err err;

	is_int(err_usage(&err, "--cpus", "0", "from %d to %d", 1, 2), -EINVAL, "usage");
	is_str(text_of(&err), "--cpus '0': from 1 to 2", "option, value, what is allowed");
	is_int(err.num, EINVAL, "its errno");
	memset(value, '9', 60);
	err_usage(&err, "-c", value, "no");
	ok(!strstr(err.detail, "…"), "60 bytes are shown");
	memset(value, '9', 61);
	err_usage(&err, "-c", value, "no");
	has_str(err.detail, "9…': no", "61 bytes are cut");
	memset(value, '9', 59);
	strcpy(value + 59, "ö9");
	err_usage(&err, "-c", value, "no");
	has_str(err.detail, "99…': no", "no character is cut in two");
	strcpy(value + 58, "öö");
	err_usage(&err, "-c", value, "no");
	has_str(err.detail, "9ö…': no", "a character that just fits stays");
	memset(value, 0xbf, 199);
	err_usage(&err, "-c", value, "no");
	has_str(err.detail, "…': no", "bytes that are no characters");
}

static void test_clean(void)
{
	struct err err;

	err_usage(&err, "type", "a\nb\tc\r\x1b[31m\x7f\xc2\x9bz\xc2\xa0%s%n", "x");
	is_str(text_of(&err), "type 'a b c ?[31m???z\xc2\xa0%s%n': x",
	       "one line, nothing that moves a terminal");
}

static void test_names(void)
{
	is_str(err_name(ENOMEM), "ENOMEM", "ENOMEM");
	is_str(err_name(EAGAIN), "EAGAIN", "EAGAIN");
	is_str(err_name(ENOSPC), "ENOSPC", "ENOSPC");
	is_str(err_name(EEXIST), "EEXIST", "EEXIST");
	is_str(err_name(ENOTDIR), "ENOTDIR", "ENOTDIR");
	is_str(err_name(12345), "errno", "no such errno");
	is_str(err_name(-1), "errno", "a negative errno");
}

int main(void)
{
	test_set();
	test_nesting();
	test_long();
	test_usage();
	test_clean();
	test_names();
	return tap_done();
}
