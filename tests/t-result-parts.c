/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-result-parts: texts of any bytes, looking into the system, a point's status, a full disk. */
#include "config.h"

#include "result.h"
#include "tap.h"

#include <errno.h>
#include <unistd.h>

static void *need(void *p)
{
	if (!p)
		exit(99);
	return p;
}

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = need(strdup(text));
}

static struct point *add_point(struct result *r, const char *type, unsigned workers)
{
	return need(result_add_point(r, type, "fork", "malloc", "write", false, workers, 24415));
}

/* Write a result to a file, free it, and read it back. */
static struct result *reread(struct result *r)
{
	char path[] = "/tmp/pfscale-t-result.XXXXXX", text[700];
	int fd = mkstemp(path);
	FILE *out = need(fd < 0 ? NULL : fdopen(fd, "w"));
	struct err err = { 0 };
	int ret = result_write(out, r);

	result_free(r);
	if (fclose(out) || ret)
		exit(99);
	ret = result_load(path, &r, &err);
	unlink(path);
	if (ret) {
		err_text(&err, text, sizeof(text));
		printf("Bail out! %s\n", text);
		exit(1);
	}
	return r;
}

static void is_json_text(const char *text, const char *want, const char *what)
{
	json_t *json = result_json_text(text);

	is_str(json_string_value(json), want, what);
	json_decref(json);
}

#define BAD "\xef\xbf\xbd"

static void test_utf8(void)
{
	is_json_text("", "", "text: empty");
	is_json_text("plain", "plain", "text: ASCII");
	is_json_text("ü€😀", "ü€😀", "text: two, three and four bytes");
	is_json_text("a\xff"
		     "b\xfe",
		     "a" BAD "b" BAD, "text: bytes that never stand in UTF-8");
	is_json_text("\xe4rger", BAD "rger", "text: Latin-1");
	is_json_text("ü\x80z", "ü" BAD "z", "text: a lone continuation");
	is_json_text("x\xe2\x82", "x" BAD BAD, "text: cut within a character");
	is_json_text("\xc0\x80", BAD BAD, "text: overlong, two bytes");
	is_json_text("\xe0\x80\x80", BAD BAD BAD, "text: overlong, three bytes");
	is_json_text("\xf0\x80\x80\x80", BAD BAD BAD BAD, "text: overlong, four bytes");
	is_json_text("\xed\xa0\x80", BAD BAD BAD, "text: a surrogate");
	is_json_text("\xf4\x90\x80\x80", BAD BAD BAD BAD, "text: beyond Unicode");
	is_json_text("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", "text: the last of Unicode");
	is_json_text("\xf8\x88\x80\x80\x80", BAD BAD BAD BAD BAD, "text: five bytes");
}

static void test_bad_bytes(void)
{
	struct result *a = need(result_new()), *b;

	set_text(&a->label, "\xff label");
	result_add_warning(a, "w\xc3");
	is_int(point_set_status(add_point(a, "ty\xe4pe", 1), POINT_SKIPPED, "\x80"), 0, "skipped");
	b = reread(a);
	is_str(b->label, BAD " label", "bad bytes: label");
	is_str(b->warnings[0], "w" BAD, "bad bytes: warning");
	is_str(b->points[0].type, "ty" BAD "pe", "bad bytes: type");
	is_str(b->points[0].reason, BAD, "bad bytes: reason");
	result_free(b);
}

/* Every byte that is not text by itself comes back. */
static void test_controls(void)
{
	struct result *a = need(result_new()), *b;
	char label[128];

	for (int i = 0; i < 127; i++)
		label[i] = (char)(i + 1);
	label[127] = '\0';
	set_text(&a->label, label);
	b = reread(a);
	is_str(b->label, label, "control characters come back");
	result_free(b);
}

static void test_system(void)
{
	struct result *r = need(result_new());

	json_decref(r->system);
	r->system = need(json_pack("{s:s, s:{s:s}, s:f, s:n}", "hostname", "box", "kernel",
				   "release", "6.1.0", "real", 0.1, "null"));
	is_str(result_system_string(r, "hostname"), "box", "system: a string");
	is_str(result_system_string(r, "kernel.release"), "6.1.0", "system: a string further in");
	ok(!result_system_string(r, "kernel"), "system: an object is no string");
	ok(!result_system_string(r, "kernel.release.x"), "system: a string has no members");
	ok(!result_system_string(r, "kernel.nothing"), "system: absent");
	ok(!result_system_string(r, ""), "system: no name");
	ok(!result_system_string(r, "."), "system: no names");
	ok(!result_system_string(r, "null"), "system: null is no string");
	json_object_set_new(r->system, "page_size", json_integer(65536));
	json_object_set_new(json_object_get(r->system, "kernel"), "n", json_integer(0));
	is_int(result_system_int(r, "page_size"), 65536, "system: a number");
	is_int(result_system_int(r, "kernel.n"), 0, "system: a number further in");
	is_int(result_system_int(r, "hostname"), -1, "system: a string is no number");
	is_int(result_system_int(r, "real"), -1, "system: nor is a decimal one");
	is_int(result_system_int(r, "clock.step_ns"), -1, "system: absent number");
	result_free(r);
}

static void test_status(void)
{
	struct result *r = need(result_new());
	struct point *p = add_point(r, "fork", 1);

	p->has_summary = true;
	is_int(point_set_status(p, POINT_FAILED, "a"), 0, "failed");
	is_str(p->reason, "a", "with its reason");
	is_int(point_set_status(p, POINT_SKIPPED, NULL), 0, "skipped, nobody says why");
	ok(p->reason && p->reason[0], "there is a reason nevertheless");
	is_int(point_set_status(p, POINT_OK, "ignored"), 0, "ok again");
	ok(!p->reason, "without a reason");
	is_str(point_status_name(POINT_OK), "ok", "status name: ok");
	is_str(point_status_name(POINT_FAILED), "failed", "status name: failed");
	is_str(point_status_name(POINT_SKIPPED), "skipped", "status name: skipped");
	result_free(r);
}

static void test_full_disk(void)
{
	struct result *r = need(result_new());
	FILE *out = fopen("/dev/full", "w");
	int ret;

	if (!out) {
		skip("a full disk is an error", "no /dev/full here");
	} else {
		setvbuf(out, NULL, _IONBF, 0);
		ret = result_write(out, r);
		fclose(out);
		is_int(ret, -ENOSPC, "a full disk is an error, by its errno");
	}
	result_free(r);
}

int main(void)
{
	test_utf8();
	test_bad_bytes();
	test_controls();
	test_system();
	test_status();
	test_full_disk();
	return tap_done();
}
