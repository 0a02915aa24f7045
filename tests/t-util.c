/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-util: sizes, numbers, small files, rows and the nearest word. */
#include "config.h"

#include "tap.h"

#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void test_sizes(void)
{
	static const struct {
		const char *text;
		uint64_t want;
	} rows[] = {
		{ "1", 1 },
		{ "1B", 1 },
		{ "100MB", 100000000 },
		{ "100mb", 100000000 },
		{ "3kB", 3000 },
		{ "3KB", 3000 },
		{ "3KiB", 3072 },
		{ "2MiB", 2097152 },
		{ "2GB", 2000000000 },
		{ "2GiB", UINT64_C(2147483648) },
		{ "5GB", UINT64_C(5000000000) },
		{ "1TB", UINT64_C(1000000000000) },
		{ "1tib", UINT64_C(1) << 40 },
		{ "007", 7 },
		{ "9223372036854775807", INT64_MAX },
		{ "8388607TiB", UINT64_C(8388607) << 40 },
	};
	static const char *const bad[] = { "",	   "0",	   "0MB",  "-1",    "+1",  " 1",
					   "1 ",   "1 MB", "MB",   "1.5MB", "1e9", "0x10",
					   "1k",   "1M",   "1MBB", "1MiBs", "abc", "1,000",
					   "\xff", "%s%n", "1\nMB" };
	static const char *const large[] = { "9223372036854775808", "18446744073709551616",
					     "99999999999999999999", "8388608TiB", "9300000000GB" };
	struct err err = { 0 };
	uint64_t got = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(!util_parse_size("--size", rows[i].text, &got, &err) && got == rows[i].want,
		   "size %s", rows[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		is_int(util_parse_size("--size", bad[i], &got, &err), -EINVAL, "not a size");
		has_str(err.detail, bad[i], "… the message has the value");
		has_str(err.detail, "a size of at least 1 byte", "… and what is allowed");
	}
	for (size_t i = 0; i < ARRAY_SIZE(large); i++) {
		is_int(util_parse_size("--size", large[i], &got, &err), -EINVAL, large[i]);
		has_str(err.detail, "too large", "… is too large");
	}
}

static void test_times(void)
{
	static const struct {
		const char *text;
		int64_t want;
	} rows[] = {
		{ "0", 0 },
		{ "90", INT64_C(90000000000) },
		{ "90s", INT64_C(90000000000) },
		{ "1.5S", 1500000000 },
		{ ".25", 250000000 },
		{ "3.", INT64_C(3000000000) },
		{ "250ms", 250000000 },
		{ "2min", INT64_C(120000000000) },
		{ "10000h", INT64_C(36000000000000000) },
	};
	static const char *const bad[] = {
		"",
		" ",
		".",
		"s",
		"-1",
		"+1",
		"1 s",
		"1e3",
		"0x1",
		"1.2.3",
		"nan",
		"inf",
		"1m",
		"1,5",
		"1d",
		"10000.1h",
		"99999999999999999999999999999999999999999999999999999999999999999"
	};
	struct err err = { 0 };
	int64_t got = -1;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(!util_parse_time("--time-limit", rows[i].text, &got, &err) &&
			   got == rows[i].want,
		   "time %s", rows[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		is_int(util_parse_time("--time-limit", bad[i], &got, &err), -EINVAL, "not a time");
		has_str(err.detail, "--time-limit '", "… the option is named");
		has_str(err.detail, "a time of at most 10000 h", "… and what is allowed");
	}
}

static void test_percentages(void)
{
	static const struct {
		const char *text;
		double want;
	} rows[] = {
		{ "1", 0.01 }, { "1%", 0.01 }, { "0.5%", 0.005 }, { ".5", 0.005 }, { "100%", 1 }
	};
	static const char *const bad[] = { "",	  "0",	 "0%",	"%",   "-1%", "+1",
					   "1 %", "1%%", "101", "1e1", "." };
	struct err err = { 0 };
	double got = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(!util_parse_percent("--precision", rows[i].text, &got, &err) &&
			   got == rows[i].want,
		   "share %s", rows[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		is_int(util_parse_percent("--precision", bad[i], &got, &err), -EINVAL,
		       "not a share");
		has_str(err.detail, "a percentage above 0", "… and what is allowed");
	}
}

static void test_numbers(void)
{
	static const char *const bad[] = { "",	 "-1",	"+3", " 3", "3 ",
					   "3x", "0x3", "2",  "11", "99999999999999999999" };
	struct err err = { 0 };
	uint64_t got = 0;

	ok(!util_parse_uint("--repeats", "3", 3, 10, &got, &err) && got == 3, "the least");
	ok(!util_parse_uint("--repeats", "10", 3, 10, &got, &err) && got == 10, "the most");
	ok(!util_parse_uint("--seed", "18446744073709551615", 0, UINT64_MAX, &got, &err) &&
		   got == UINT64_MAX,
	   "2^64 - 1");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		is_int(util_parse_uint("--repeats", bad[i], 3, 10, &got, &err), -EINVAL, "refused");
		has_str(err.detail, "--repeats '", "… naming the option");
		has_str(err.detail, "a whole number from 3 to 10", "… and the range");
	}
	is_int(util_parse_uint("--seed", "18446744073709551616", 0, UINT64_MAX, &got, &err),
	       -EINVAL, "2^64 does not wrap round");
}

static void test_files(void)
{
	char path[] = "/tmp/pfscale-test.XXXXXX", buf[8];
	int64_t number = 0;
	int fd = mkstemp(path);

	if (fd < 0)
		exit(99);
	is_int(util_read_file(path, buf, sizeof(buf)), 0, "an empty file");
	is_int(util_read_int(path, &number), -EINVAL, "… holds no number");
	ok(write(fd, "-42 \n\n", 6) == 6, "(write)");
	is_int(util_read_file(path, buf, sizeof(buf)), 3, "white space at the end is dropped");
	is_str(buf, "-42", "… from the text");
	ok(!util_read_int(path, &number) && number == -42, "a number");
	ok(pwrite(fd, "12345678901234567890", 20, 0) == 20, "(write)");
	is_int(util_read_file(path, buf, sizeof(buf)), 7, "a file longer than the buffer is cut");
	is_str(buf, "1234567", "… and ends with NUL");
	is_int(util_read_int(path, &number), -EINVAL, "a number over 2^63");
	ok(pwrite(fd, "12 34                 ", 20, 0) == 20, "(write)");
	is_int(util_read_int(path, &number), -EINVAL, "two numbers are no number");
	close(fd);
	unlink(path);
	strcpy(buf, "old");
	is_int(util_read_file(path, buf, sizeof(buf)), -ENOENT, "a missing file");
	is_str(buf, "", "… leaves an empty text");
	is_int(util_read_int(path, &number), -ENOENT, "… and no number");
	strcpy(buf, "old");
	is_int(util_read_file("/", buf, sizeof(buf)), -EISDIR, "a directory");
	is_str(buf, "", "… leaves an empty text");
}

static void test_rows(void)
{
	static const char text[] = "MemTotal:  12 kB\nMemTotalX: 13\nempty\nlast\t5";

	is_str(util_find_row(text, "last"), "5", "the last row, a tab");
	ok(!strncmp(util_find_row(text, "MemTotal"), "12 kB\n", 6), "the first row, a colon");
	ok(!strncmp(util_find_row(text, "MemTotalX"), "13\n", 3), "a key that starts like another");
	ok(!strncmp(util_find_row(text, "empty"), "\n", 1), "a row without value ends at once");
	ok(!util_find_row(text, "Mem"), "a part of a key is none");
	ok(!util_find_row(text, "Total"), "nor is its end");
	ok(!util_find_row("", "x"), "no text");
	ok(!util_find_row("\n\n", "x"), "empty rows");
	ok(!util_find_row("x", "x"), "a row cut short");
}

static void test_distance(void)
{
	char long_a[200], long_b[200];

	is_int(util_edit_distance("", ""), 0, "nothing and nothing");
	is_int(util_edit_distance("abc", ""), 3, "deletes");
	is_int(util_edit_distance("", "abc"), 3, "inserts");
	is_int(util_edit_distance("kitten", "sitting"), 3, "kitten and sitting");
	is_int(util_edit_distance("frok", "fork"), 1, "a swap");
	is_int(util_edit_distance("FORK", "fork"), 0, "case does not count");
	is_int(util_edit_distance("ca", "abc"), 3, "optimal string alignment");
	memset(long_a, 'a', sizeof(long_a));
	memset(long_b, 'a', sizeof(long_b));
	long_a[199] = '\0';
	long_b[64] = '\0';
	is_int(util_edit_distance(long_a, long_b), 135, "what is past 64 bytes counts");
	is_int(util_edit_distance(long_b, long_a), 135, "… on either side");
}

static void test_nearest(void)
{
	static const char *const names[] = { "cpus", "size", "seed", "repeats", "oversubscribe" };
	static char long_one[5000];

	is_str(util_nearest("cpu", names, 5), "cpus", "cpu");
	is_str(util_nearest("szie", names, 5), "size", "szie");
	is_str(util_nearest("oversuscrbe", names, 5), "oversubscribe", "two slips in a long word");
	is_str(util_nearest("REPEAT", names, 5), "repeats", "upper case");
	ok(!util_nearest("placement", names, 5), "nothing near");
	ok(!util_nearest("", names, 5), "the empty word");
	ok(!util_nearest("cpus", names, 0), "no names");
	memset(long_one, 's', sizeof(long_one) - 1);
	ok(!util_nearest(long_one, names, 5), "a very long word is near to none");
}

static void test_path_tail(void)
{
	char buf[12];

	util_path_tail(buf, sizeof(buf), "/a/bcd.json");
	is_str(buf, "/a/bcd.json", "a path that just fits");
	util_path_tail(buf, sizeof(buf), "/a/bcde.json");
	is_str(buf, "…cde.json", "a longer one keeps its end");
	util_path_tail(buf, sizeof(buf),
		       "/a/\xc3\xa4"
		       "cd.json");
	is_str(buf, "…cd.json", "and no part of a character");
	util_path_tail(buf, sizeof(buf), "");
	is_str(buf, "", "an empty one");
}

int main(void)
{
	test_path_tail();
	is_int((int64_t)util_page_size(), sysconf(_SC_PAGESIZE), "page size");
	test_sizes();
	test_times();
	test_percentages();
	test_numbers();
	test_files();
	test_rows();
	test_distance();
	test_nearest();
	return tap_done();
}
