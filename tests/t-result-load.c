/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-result-load: which files are refused as results, and what is said about them. */
#include "config.h"

#include "result.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/pfscale-t-load.XXXXXX";
static char path[64];

static void write_file(const char *text, size_t len)
{
	FILE *out = fopen(path, "w");

	if (!out || fwrite(text, 1, len, out) != len || fclose(out))
		exit(99);
}

/* What result_load() says of a file; "" when it reads it. */
static const char *load_named(const char *name)
{
	static char text[700];
	struct err err = { 0 };
	struct result *r = NULL;

	if (!result_load(name, &r, &err)) {
		result_free(r);
		return "";
	}
	err_text(&err, text, sizeof(text));
	return text;
}

static const char *load_text(const char *text)
{
	write_file(text, strlen(text));
	return load_named(path);
}

/*
 * A small whole result. Tests replace parts of it; '%' stands for nothing and can be replaced by
 * more members of the same object: % the whole, & the first point, @ its repeat.
 */
static const char whole[] =
	"{\"format\":\"pfscale\",\"format_version\":1,\"complete\":true,\"label\":\"l\","
	"\"command\":[\"a\"],\"warnings\":[\"w\"],\"system\":{},%\"points\":["
	"{\"type\":\"fork\",\"model\":\"fork\",\"object\":\"malloc\",\"touch\":\"write\","
	"\"shared\":false,\"workers\":2,\"pages\":7,&\"status\":\"ok\",\"repeats\":["
	"{\"order\":0,\"warmup\":false,@\"node\":[0,null],\"wall_ns\":[5,6]}],"
	"\"summary\":{\"max_wall_s\":1.5,\"faults\":14,\"nodes\":null}},"
	"{\"type\":\"fork\",\"model\":\"fork\",\"object\":\"malloc\",\"touch\":\"write\","
	"\"shared\":false,\"workers\":3,\"pages\":7,\"status\":\"failed\",\"reason\":\"why\"}]}";

/* `whole` with the first `from` replaced by `to`, in *buf, the marks taken out. */
static void replaced(char *buf, size_t size, const char *from, const char *to)
{
	const char *at = strstr(whole, from);
	char *w = buf;

	if (!at)
		exit(99);
	snprintf(buf, size, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
	for (const char *c = buf; *c; c++)
		if (!strchr("%&@", *c))
			*w++ = *c;
	*w = '\0';
}

static const struct change {
	const char *from, *to;
	const char *says; /* "" = is read */
} changes[] = {
	{ "%", "", "" },
	/* what readers of this version need not know */
	{ "%", "\"later\":[1,{}],", "" },
	{ "&", "\"later\":null,", "" },
	{ "@", "\"later\":{},", "" },
	/* may be absent */
	{ "\"label\":\"l\",", "", "" },
	{ "\"command\":[\"a\"],\"warnings\":[\"w\"],\"system\":{},", "", "" },
	{ "\"label\":\"l\",", "\"label\":null,", "" },
	{ "\"pages\":7", "\"pages\":null", "" },
	{ "\"pages\":7", "\"pages\":0", "" },
	{ "\"wall_ns\":[5,6]", "\"wall_ns\":null", "" },
	{ "1.5", "2", "" },
	{ "@", "\"start_ns\":[-1,0],", "" },
	{ "@", "\"shared_map_ns\":0,", "" },
	/* not this format */
	{ "\"format\":\"pfscale\",", "", "not a pfscale result: it names no format" },
	{ "pfscale", "fio", "not a pfscale result: its format is fio" },
	{ "\"pfscale\"", "1", "not a pfscale result: it names no format" },
	{ "\"format_version\":1", "\"format_version\":2",
	  "format_version 2 is newer than this pfscale reads (1)" },
	{ "\"format_version\":1", "\"format_version\":0", "format_version: 0 is less than 1" },
	{ "\"format_version\":1", "\"format_version\":1.0",
	  "format_version: a whole number is wanted here, not a decimal number" },
	{ "\"format_version\":1,", "", "format_version: missing" },
	/* the whole */
	{ "\"complete\":true", "\"complete\":1",
	  "complete: true or false is wanted here, not a whole number" },
	{ "\"complete\":true,", "", "complete: missing" },
	{ "\"l\"", "[]", "label: a string is wanted here, not an array" },
	{ "[\"a\"]", "\"a\"", "command: an array is wanted here, not a string" },
	{ "[\"a\"]", "[\"a\",7]", "command[1]: a string is wanted here" },
	{ "[\"w\"]", "[null]", "warnings[0]: a string is wanted here, not null" },
	{ "[\"w\"]", "{}", "warnings: an array is wanted here" },
	{ "{},%", "[],", "system: an object is wanted here, not an array" },
	{ "%", "\"plan\":true,", "plan: an object is wanted here, not true" },
	{ "%", "\"tool\":\"\",", "tool: an object is wanted here" },
	{ "%", "\"created\":5,", "created: a string is wanted here" },
	{ "\"points\"", "\"pts\"", "points: missing; an array is wanted here" },
	{ "\"points\":[", "\"points\":[[],", "points[0]: an object is wanted here, not an array" },
	{ "\"points\":[", "\"points\":[null,", "points[0]: an object is wanted here, not null" },
	/* points */
	{ "\"type\":\"fork\",", "", "points[0].type: missing" },
	{ "\"type\":\"fork\"", "\"type\":\"\"", "points[0].type: empty" },
	{ "\"type\":\"fork\"", "\"type\":\"a b\"",
	  "points[0].type: 'a b' has a blank or a control" },
	{ "\"type\":\"fork\"", "\"type\":\"a\\u001b[2J\"",
	  "points[0].type: 'a?[2J' has a blank or" },
	{ "\"type\":\"fork\"", "\"type\":\"a\\n\"", "points[0].type: 'a ' has a blank or" },
	{ "\"type\":\"fork\"", "\"type\":\"a\\u009b2J\"", "has a blank or a control character" },
	{ "\"type\":\"fork\"", "\"type\":\"a\\u00a0\"", "has a blank or a control character" },
	{ "\"type\":\"fork\"", "\"type\":\"f\\u00f6rk|\"", "" },
	{ "\"model\":\"fork\",", "\"model\":1,", "points[0].model: a string is wanted" },
	{ "\"object\":\"malloc\",", "", "points[0].object: missing" },
	{ "\"touch\":\"write\",", "\"touch\":null,", "points[0].touch: missing" },
	{ "\"shared\":false", "\"shared\":0", "points[0].shared: true or false" },
	{ "\"workers\":2", "\"workers\":0", "points[0].workers: 0 is less than 1" },
	{ "\"workers\":2", "\"workers\":-1", "points[0].workers: -1 is less than 1" },
	{ "\"workers\":2", "\"workers\":1000001", "points[0].workers: 1000001 is more than" },
	{ "\"workers\":2", "\"workers\":4294967298", "points[0].workers: 4294967298 is more" },
	{ "\"workers\":2", "\"workers\":2.0", "points[0].workers: a whole number is wanted" },
	{ "\"workers\":2", "\"workers\":1000000",
	  "points[0].repeats[0].node: 2 entries for 1000000 workers" },
	{ "\"workers\":2,", "", "points[0].workers: missing" },
	{ "\"workers\":2", "\"workers\":3", "points[0].repeats[0].node: 2 entries for 3 workers" },
	{ "\"workers\":3", "\"workers\":2", "points[1]: 'fork' with 2 workers is points[0]" },
	{ "\"pages\":7", "\"pages\":-7", "points[0].pages: -7 is less than 0" },
	{ "\"status\":\"ok\"", "\"status\":\"fine\"", "points[0].status: 'fine' is none of" },
	{ "\"status\":\"ok\",", "", "points[0].status: missing" },
	{ "&", "\"reason\":\"r\",", "points[0].reason: the status is ok" },
	{ "\"status\":\"ok\"", "\"status\":\"skipped\"", "points[0].reason: missing" },
	{ "\"ok\"", "\"skipped\",\"reason\":\"r\"", "points[0].summary: the status is skipped" },
	{ "\"ok\"", "\"failed\",\"reason\":\"r\"", "points[0].summary: the status is failed" },
	{ ",\"reason\":\"why\"", "", "points[1].reason: missing, but the status is failed" },
	{ ",\"reason\":\"why\"", ",\"reason\":\"\"", "points[1].reason: missing" },
	{ ",\"reason\":\"why\"", ",\"reason\":4", "points[1].reason: a string is wanted" },
	{ "\"failed\",\"reason\":\"why\"", "\"ok\"",
	  "points[1].summary: missing, but the status is ok" },
	{ "\"summary\":{", "\"other\":{", "points[0].summary: missing, but the status is ok" },
	{ "\"warmup\":false", "\"warmup\":true", "points[0].summary: there are only warm-ups" },
	{ "\"repeats\":[", "\"repeats\":7,\"x\":[", "points[0].repeats: an array is wanted" },
	/* repeats */
	{ "\"repeats\":[", "\"repeats\":[[],", "points[0].repeats[0]: an object is wanted" },
	{ "\"order\":0,", "", "points[0].repeats[0].order: missing" },
	{ "\"order\":0", "\"order\":-1", "points[0].repeats[0].order: -1 is less than 0" },
	{ "\"warmup\":false,", "", "points[0].repeats[0].warmup: missing" },
	{ "[5,6]", "[5,-6]", "points[0].repeats[0].wall_ns[1]: -6 is less than 0" },
	{ "[5,6]", "[5,6.5]", "points[0].repeats[0].wall_ns[1]: a whole number is wanted" },
	{ "[5,6]", "[5,null]", "wall_ns[1]: a whole number is wanted here, not null" },
	{ "[5,6]", "[5,\"6\"]", "points[0].repeats[0].wall_ns[1]: a whole number is wanted" },
	{ "[5,6]", "[5,6,7]", "points[0].repeats[0].wall_ns: 3 entries for 2 workers" },
	{ "[5,6]", "[]", "points[0].repeats[0].wall_ns: 0 entries for 2 workers" },
	{ "@", "\"disturbed\":[\"steal\",\"a cause of later\"],", "" },
	{ "@", "\"disturbed\":[],\"nvcsw\":[0,1],\"freq_khz\":[null,1],\"steal_ns\":0,", "" },
	{ "@", "\"disturbed\":\"steal\",", "points[0].repeats[0].disturbed: an array is wanted" },
	{ "@", "\"disturbed\":[7],", "points[0].repeats[0].disturbed[0]: a string is wanted" },
	{ "@", "\"steal_ns\":-1,", "points[0].repeats[0].steal_ns: -1 is less than 0" },
	{ "@", "\"lived_ns\":0.5,", "points[0].repeats[0].lived_ns: a whole number is wanted" },
	{ "@", "\"end_cpu\":[0],", "points[0].repeats[0].end_cpu: 1 entries for 2 workers" },
	{ "@", "\"nivcsw\":[0,null],", "nivcsw[1]: a whole number is wanted here, not null" },
	{ "&", "\"stopped\":\"precision\",", "" },
	{ "&", "\"stopped\":\"a reason of later\",", "" },
	{ "&", "\"stopped\":1,", "points[0].stopped: a string is wanted here" },
	{ "%", "\"canary\":[],", "" },
	{ "%", "\"canary\":[7,null],", "" },
	{ "%", "\"canary\":{},", "canary: an array is wanted here, not an object" },
	{ "[5,6]", "5", "points[0].repeats[0].wall_ns: an array is wanted here" },
	{ "[0,null]", "[0,-1]", "points[0].repeats[0].node[1]: -1 is less than 0" },
	{ "@", "\"shared_map_ns\":-1,", "points[0].repeats[0].shared_map_ns: -1 is less" },
	{ "@", "\"shared_unmap_ns\":1e3,", "points[0].repeats[0].shared_unmap_ns: a whole" },
	/* the summary */
	{ "\"summary\":{", "\"summary\":[],\"x\":{", "points[0].summary: an object is wanted" },
	{ "1.5", "-1.5", "points[0].summary.max_wall_s: -1.5 is negative" },
	{ "1.5", "\"1.5\"", "points[0].summary.max_wall_s: a number is wanted here" },
	{ ":14", ":14.5", "points[0].summary.faults: a whole number is wanted here" },
	{ ":14", ":-14", "points[0].summary.faults: -14 is less than 0" },
	/* not JSON; the column is where jansson saw it */
	{ "1.5", "NaN", ":1:" },
	{ "1.5", "Infinity", ":1:" },
	{ "1.5", "1e999", ":1:" },
	{ "[5,6]", "[5,9223372036854775808]", ":1:" },
	{ "[5,6]", "[5,-9223372036854775809]", ":1:" },
	{ "[5,6]", "[5,6,]", ":1:" },
	{ "[5,6]", "[5,06]", ":1:" },
	{ "\"l\"", "\"l\\u0000m\"", ":1:" },
	{ "\"l\"", "\"\xff\"", ":1:" },
	{ "\"l\"", "\"\xed\xa0\x80\"", ":1:" },
	{ "%", "\"format\":\"pfscale\",", "duplicate object key" },
	{ "&", "\"workers\":2,", "duplicate object key" },
};

static void test_changes(void)
{
	char text[2 * sizeof(whole)];

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const struct change *c = &changes[i];
		const char *says;

		replaced(text, sizeof(text), c->from, c->to);
		says = load_text(text);
		if (!ok(*c->says ? strstr(says, path) && strstr(says, c->says) : !*says,
			"'%s' as '%s': %s", c->from, c->to, *c->says ? c->says : "is read"))
			printf("# says: %s\n", says);
	}
}

/* A run that was broken off: points not begun, or only warmed up. */
static void test_incomplete(void)
{
	char text[2 * sizeof(whole)];

	replaced(text, sizeof(text), "\"complete\":true", "\"complete\":false");
	memcpy(strstr(text, "\"summary\""), "\"another\"", 9);
	has_str(load_text(text), "points[0].summary: missing", "timed, incomplete, no summary");
	memcpy(strstr(text, "false,\"node\""), " true", 5);
	is_str(load_text(text), "", "only warmed up, incomplete, no summary: is read");
	memcpy(strstr(text, "\"repeats\""), "\"repeatz\"", 9);
	is_str(load_text(text), "", "not begun, incomplete: is read");
	memcpy(strstr(text, ":false"), ": true", 6);
	has_str(load_text(text), "points[0].summary: missing", "not begun, but complete");
}

static void test_cut_short(void)
{
	char text[2 * sizeof(whole)];
	size_t refused = 0, named = 0, len;

	replaced(text, sizeof(text), "%", "");
	len = strlen(text);
	for (size_t i = 0; i < len; i++) {
		const char *says;

		write_file(text, i);
		says = load_named(path);
		refused += *says != '\0';
		named += strstr(says, path) && (!i || strstr(says, ":1:"));
	}
	is_int((int64_t)refused, (int64_t)len, "cut at any byte, a file is refused");
	is_int((int64_t)named, (int64_t)len, "with its name and the position");
	write_file(text, len - 1);
	has_str(load_named(path), "cut short", "it is said that it is cut short");
	strcat(text, "x");
	has_str(load_text(text), "end of file expected", "something after the end");
	text[len] = '{';
	has_str(load_text(text), "end of file expected", "another one after the end");
	text[len] = '\n';
	is_str(load_text(text), "", "a line break after the end: is read");
	write_file(text, len + 2);
	has_str(load_named(path), ":2:", "a NUL after the end, on the second line");
}

/* Every byte replaced by others: refused or read, but never more than that. */
static void test_mutations(void)
{
	static const char bytes[] = { '\0', '"', '[', ']', '{', '}', ',', '-', '9', '\\', '\xff' };
	char text[2 * sizeof(whole)];
	size_t len, n_read = 0, unnamed = 0;

	replaced(text, sizeof(text), "%", "");
	len = strlen(text);
	for (size_t i = 0; i < len; i++) {
		char was = text[i];

		for (size_t b = 0; b < sizeof(bytes); b++) {
			const char *says;

			text[i] = bytes[b];
			write_file(text, len);
			says = load_named(path);
			n_read += !*says;
			unnamed += *says && !strstr(says, path);
		}
		text[i] = was;
	}
	ok(n_read > 0 && n_read < len * sizeof(bytes), "changed bytes: some are read (%zu of %zu)",
	   n_read, len * sizeof(bytes));
	is_int((int64_t)unnamed, 0, "changed bytes: all that is refused is named");
}

static void test_not_json(void)
{
	static char deep[100000];

	has_str(load_text(""), "empty, not a result", "an empty file");
	has_str(load_text("  \n"), ":2:", "only white space");
	has_str(load_text("TYPE CPUS\nfork 1\n"), ":1:", "a table");
	has_str(load_text("\xef\xbb\xbf{}"), ":1:", "a byte order mark");
	has_str(load_text("[]"), "it names no format", "an array");
	has_str(load_text("{}"), "it names no format", "an empty object");
	has_str(load_text("{\"format\": \"pfscale\",\n \"format_version\": oops}"),
		":2:", "an error on the second line");
	memset(deep, '[', sizeof(deep) - 1);
	has_str(load_text(deep), "maximum parsing depth", "deep nesting");
}

static void test_not_files(void)
{
	char name[96], longer[400];

	snprintf(name, sizeof(name), "%s/nothing", dir);
	has_str(load_named(name), "open: ENOENT", "no file");
	has_str(load_named(name), name, "by its name");
	has_str(load_named(dir), "EISDIR", "a directory");
	has_str(load_named(dir), dir, "by its name");
	has_str(load_named(""), "open: ENOENT", "no name");
	memset(longer, 'd', sizeof(longer));
	memcpy(longer, "/start/", 7);
	memcpy(longer + sizeof(longer) - 5, "/end", 5);
	has_str(load_named(longer), "ddd/end", "of a long name, the end is shown");
	snprintf(name, sizeof(name), "%s/fifo", dir);
	if (mkfifo(name, 0600)) {
		skip("a FIFO that nobody writes into", "no FIFO can be made");
	} else {
		has_str(load_named(name), "empty, not a result", "a FIFO that nobody writes into");
		unlink(name);
	}
	has_str(load_named("/dev/zero"), ":1:", "a file without an end");
	if (geteuid()) {
		write_file("{}", 2);
		chmod(path, 0);
		has_str(load_named(path), "open: EACCES", "a file without permission");
		chmod(path, 0600);
	} else {
		skip("a file without permission", "root may read everything");
	}
}

/* Give `text` to result_load() by way of standard input and return what it says. */
static const char *load_stdin(const char *text)
{
	int fd;

	write_file(text, strlen(text));
	fd = open(path, O_RDONLY);
	if (fd < 0 || dup2(fd, 0) < 0)
		exit(99);
	close(fd);
	return load_named("-");
}

static void test_stdin(void)
{
	char text[2 * sizeof(whole)];

	replaced(text, sizeof(text), "%", "");
	is_str(load_stdin(text), "", "standard input is read");
	is_int(lseek(0, 0, SEEK_CUR), (int64_t)strlen(text), "to its end, and left open");
	has_str(load_stdin("{"), "standard input:1:", "standard input is named");
	close(0);
	has_str(load_named("-"), "read: EBADF", "standard input is closed");
}

int main(void)
{
	if (!mkdtemp(dir))
		return 99;
	snprintf(path, sizeof(path), "%s/r.json", dir);
	test_changes();
	test_incomplete();
	test_cut_short();
	test_mutations();
	test_not_json();
	test_not_files();
	test_stdin();
	unlink(path);
	rmdir(dir);
	return tap_done();
}
