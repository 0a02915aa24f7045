/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Import: tables of 2004, as they stand in mail, and back; odd rows; what is refused, and where. */
#include "config.h"

#include "import.h"
#include "report.h"

#include "tap.h"
#include "text.h"

#include <errno.h>
#include <math.h>

#define HEADER                                                                                     \
	"TYPE:               CPUS       WALL       WALL        SYS     USER     TOTCPU       CPU " \
	"    WALL_SEC   SYS_SEC       CPU   NODES\n"
#define ROW(type, cpus)                                                                            \
	type " " cpus " 0.059 0.059 0.059 0.000 0.059 0.059 104174 104174 104174 0\n"

static int import(const char *text, size_t len, struct result **out, struct err *err)
{
	FILE *in = fmemopen((void *)text, len, "r");
	int ret;

	memset(err, 0, sizeof(*err));
	*out = NULL;
	ret = import_sgi(in, "mails/a.txt", out, err);
	fclose(in);
	return ret;
}

static struct result *accept(const char *text, const char *what)
{
	struct result *r;
	struct err err;

	if (!is_int(import(text, strlen(text), &r, &err), 0, what))
		printf("# %s\n", err.detail);
	return r;
}

static void is_refused(const char *text, const char *why)
{
	struct result *r;
	struct err err;

	ok(import(text, strlen(text), &r, &err) == -EINVAL && !r, "refused: %s", why);
	has_str(err.detail, why, "says why and where");
	result_free(r);
}

/* Importing text and reporting gives tables. */
static void is_tables(const char *text, const char *tables, const char *what)
{
	struct result *r = accept(text, what);
	char *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct err err;

	if (r)
		report_write(out, report_find("sgi"), (const struct result *const *)&r, 1, &err);
	fclose(out);
	is_text(got, tables, what);
	free(got);
	result_free(r);
}

/* Every line of text between two strings. */
static char *around(const char *text, const char *before, const char *after)
{
	char *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	while (*text) {
		size_t n = strcspn(text, "\n");

		fprintf(out, "%s%.*s%s\n", before, (int)n, text, after);
		text += n + (text[n] == '\n');
	}
	fclose(out);
	return got;
}

/* Lines broken at blanks, where they would be longer than width, as mailers do. */
static char *wrap(const char *text, int width)
{
	char *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	while (*text) {
		int n = (int)strcspn(text, "\n"), cut = n;

		if (n > width) {
			for (cut = width; cut && text[cut] != ' ';)
				cut--;
		}
		fprintf(out, "%.*s\n", cut, text);
		text += cut;
		if (*text == '\n')
			text++;
		else
			text += strspn(text, " ");
	}
	fclose(out);
	return got;
}

static char *concat(const char *a, const char *b, const char *c)
{
	size_t len = strlen(a) + strlen(b) + strlen(c) + 1;
	char *all = malloc(len);

	snprintf(all, len, "%s%s%s", a, b, c);
	return all;
}

static void is_tables_in(char *text, const char *tables, const char *what)
{
	is_tables(text, tables, what);
	free(text);
}

static void test_originals(void)
{
	char *fork = read_data("sgi-2004/fork.txt"), *zero = read_data("sgi-2004/fork-zero.txt");
	char *shmem = read_data("sgi-2004/fork-shmem.txt"), *all = concat(fork, zero, shmem);
	char *quoted, *text;

	is_tables(fork, fork, "fork.txt");
	is_tables(zero, zero, "fork-zero.txt");
	is_tables(shmem, shmem, "fork-shmem.txt");
	is_tables(all, all, "three tables in one file");
	is_tables_in(around(all, "> ", ""), all, "quoted");
	is_tables_in(around(all, ">", ""), all, "quoted without a blank");
	is_tables_in(around(all, "> > >> ", "  "), all, "quoted four deep, with trailing blanks");
	is_tables_in(around(all, "| > |", ""), all, "quoted with a bar");
	is_tables_in(around(all, " > ", "\r"), all, "quoted, with CRLF");
	is_tables_in(around(all, "\t", " \t\r"), all, "indented by a tab");
	is_tables_in(around(all, "", "\n"), all, "a blank line after each line");
	is_tables_in(around(all, "\xc2\xa0", ""), all, "with a no-break space");
	is_tables_in(concat("\xef\xbb\xbf", all, ""), all, "with a byte order mark");
	is_tables_in(wrap(all, 80), all, "wrapped at 80");
	is_tables_in(wrap(all, 72), all, "wrapped at 72");
	is_tables_in(wrap(all, 40), all, "wrapped at 40");
	quoted = around(all, "> ", "");
	text = concat("On Monday somebody wrote:\n> Version 2 of this patch, for 510 CPUs:\n>\n",
		      quoted, ">\n> Patch 3 follows.\nThank you. Table 1 0.5 is better.\n1 2 3\n");
	is_tables_in(text, all, "a mail with text around the tables");
	text = concat(all, quoted, "");
	is_tables_in(text, all, "the same tables twice, once quoted");
	all[strlen(all) - 1] = '\0';
	text = concat(all, "\n", "");
	is_tables(all, text, "no line break at the end");
	free(text);
	free(quoted);
	free(all);
	free(fork);
	free(zero);
	free(shmem);
}

static void test_own_output(void)
{
	char *sample = read_data("report/sample.sgi.txt"), *end = strstr(sample, "pthread:a|b");

	is_tables(sample, sample, "pfscale's own tables with n/a, failed and skipped rows");
	/* cut within the last row */
	end[60] = '\0';
	is_refused(sample, "mails/a.txt:22: the row is cut short: 5 of 12 columns");
	free(sample);
}

static void is_point(const struct result *r, size_t i, const char *model, const char *object,
		     const char *touch, bool shared)
{
	const struct point *p = &r->points[i];

	ok(!strcmp(p->model, model) && !strcmp(p->object, object) && !strcmp(p->touch, touch) &&
		   p->shared == shared,
	   "%s is %s, %s, %s, %s", p->type, model, object, touch, shared ? "shared" : "private");
}

static void test_types(void)
{
	struct result *r = accept(
		HEADER ROW("fork", "1") ROW("pthread:shmem", "1") ROW("fork:zero:shared", "1")
			ROW("fork:read", "1") ROW("fork:tmpfs:populate:shared", "1")
				ROW("pthread:shared", "1") ROW("fork:hugetlb", "1")
					ROW("page_fault1", "1") ROW("fork:", "1") ROW("fork:"
										      "a:"
										      "b",
										      "1"),
		"types of all kinds");

	is_int((int64_t)r->n_points, 10, "as many points as rows");
	is_point(r, 0, "fork", "malloc", "write", false);
	is_point(r, 1, "pthread", "shmem", "write", false);
	is_point(r, 2, "fork", "zero", "write", true);
	is_point(r, 3, "fork", "malloc", "read", false);
	is_point(r, 4, "fork", "tmpfs", "populate", true);
	is_point(r, 5, "pthread", "malloc", "write", true);
	is_point(r, 6, "fork", "hugetlb", "write", false);
	is_point(r, 7, "page_fault1", "unknown", "unknown", false);
	is_point(r, 8, "fork:", "unknown", "unknown", false);
	is_point(r, 9, "fork:a:b", "unknown", "unknown", false);
	result_free(r);
}

static void test_point(void)
{
	struct result *r = accept(HEADER "fork 2 0.091 0.090 0.178 0.003 0.181 0.090 134419 68686 "
					 "n/a n/a\nfork 4 failed\n",
				  "two points");
	const struct point *p = r->points;

	is_str(r->label, "a.txt", "the label is the file's name");
	ok(r->complete && !*r->created, "complete, of unknown date");
	is_int(p->workers, 2, "CPUS");
	is_int((int64_t)p->pages, 0, "pages not known");
	is_int((int64_t)p->n_repeats, 0, "no samples");
	ok(p->has_summary && p->status == POINT_OK, "a summary");
	ok(p->summary.max_wall_s == 0.091 && p->summary.min_wall_s == 0.090 &&
		   p->summary.sys_s == 0.178 && p->summary.user_s == 0.003 &&
		   p->summary.totcpu_s == 0.181 && p->summary.totcpu_per_cpu_s == 0.090,
	   "the times as printed");
	ok(p->summary.faults_per_wall_s == 134419 && p->summary.faults_per_sys_s == 68686 &&
		   isnan(p->summary.faults_per_wall_s_per_cpu),
	   "the rates as printed");
	is_int(p->summary.faults, -1, "faults not known");
	is_int(p->summary.nodes, -1, "nodes n/a");
	ok(p[1].status == POINT_FAILED && !p[1].has_summary && p[1].reason && *p[1].reason,
	   "a failed point has a reason and no summary");
	result_free(r);
}

static void test_run_together(void)
{
	struct result *r = accept(HEADER "fork 1 12345.67812345.678 123.456 0.000123456.7891234.567"
					 "104174 104174 104174 0\n",
				  "columns run together");

	ok(r->points[0].summary.min_wall_s == 12345.678 &&
		   r->points[0].summary.totcpu_s == 123456.789 &&
		   r->points[0].summary.totcpu_per_cpu_s == 1234.567 &&
		   r->points[0].summary.faults_per_wall_s == 104174,
	   "three decimals end a column");
	result_free(r);
}

static void test_refused(void)
{
	is_refused("", "no table in the SGI format");
	is_refused("Hello,\nnothing here.\n", "mails/a.txt: no table");
	is_refused(HEADER, "but no rows");
	is_refused(ROW("fork", "1"), "mails/a.txt:1: a row with no header line");
	is_refused("> " HEADER "> fork 1 0.059 0.0x9 0.059 0.000 0.059 0.059 1 1 1 0\n",
		   "mails/a.txt:2: MIN WALL is '0.0x9', not seconds with three decimals");
	is_refused(HEADER "fork 1 x 0.059 0.059 0.000 0.059 0.059 1 1 1 0\n",
		   "mails/a.txt:2: MAX WALL is 'x'");
	is_refused(HEADER "other 1 0.059 0.059 0.059 0.000 0.059 0.059 1 1.5 1 0\n",
		   ":2: TOT_PF/SYS_SEC is '1.5', not a whole number");
	is_refused(HEADER "fork 1 0.059 0.059 0.059 0.000 0.059 0.059 -1 1 1 0\n", "is '-1'");
	is_refused(HEADER "fork 1 0.059 0.059 0.059 0.000 0.059 0.059 inf 1 1 0\n", "is 'inf'");
	is_refused(HEADER "fork 1 0,059 0,059 0,059 0,000 0,059 0,059 1 1 1 0\n", "is '0,059'");
	is_refused(HEADER "fork 1 0.059 0.059 0.059 0.000 0.059 0.0591 1 1 1 0\n",
		   ":2: more than 12");
	is_refused(HEADER "fork 0 0.059 0.059 0.059 0.000 0.059 0.059 1 1 1 0\n", "CPUS is '0'");
	is_refused(HEADER "fork -4 0.059 0.059 0.059 0.000 0.059 0.059 1 1 1 0\n", "CPUS is '-4'");
	is_refused(HEADER ROW("fork", "99999999999999999999"), "CPUS is '99999999999999999999'");
	is_refused(HEADER "fork 5100.059 0.059 0.059 0.000 0.059 0.059 1 1 1 0\n", "CPUS is");
	is_refused(HEADER "fork 1 0.059 0.059 0.059 0.000 0.059 0.059 1 1 1 0 0\n",
		   "more than 12 columns, from '0' on");
	is_refused(HEADER "+" ROW("fork", "1"), "does not begin with a TYPE");
	is_refused(HEADER ROW("f\xc3\xb6rk", "1"), "does not begin with a TYPE");
	is_refused(HEADER "fork 4\n\n", ":2: the row is cut short: 2 of 12 columns");
	is_refused(HEADER "fork 1 0.059 0.059 0.059\n" ROW("fork", "2"),
		   ":2: the row is cut short");
	is_refused(HEADER "fork 1 0.059 0.059 0.059 0.000\n0.059 0.059 1\n", "9 of 12 columns");
	is_refused(HEADER ROW("fork", "1") "fork 2 failed badly\n", ":3: MAX WALL is 'failed'");
	is_refused("TYPE: CPUS WALL WALL SYS USER TOTCPU CPU WALL_SEC SYS_SEC CPU\n\n",
		   ":1: the header line is cut short");
	is_refused("x\nTYPE: CPUS WALL WALL SYS USER IDLE\n",
		   ":2: a header line with other columns");
	is_refused(HEADER ROW("fork", "1") ROW("fork", "2") HEADER
		   "fork 1 0.060 0.059 0.059 0.000 0.059 0.059 104174 104174 104174 0\n",
		   ":5: 'fork' on 1 CPUs is in line 2 already, with other numbers");
}

/* A table that would be lost without a word, since nothing of it is recognised. */
static void test_hidden(void)
{
	static const char says[] = ":1: the header line of a table, but behind other text";

	is_refused("+" HEADER "+" ROW("fork", "1"), says);
	is_refused("JS> " HEADER "JS> " ROW("fork", "1"), says);
	is_refused("<pre>" HEADER ROW("fork", "1"), says);
	is_refused("TYPE:\xa0\xa0 CPUS\xa0 WALL\n", says);
	is_refused("TYPE:&nbsp;CPUS&nbsp;WALL\n", says);
	is_refused("\x1b[1m" HEADER, says);
	is_refused(HEADER ROW("fork", "1") "\n+" ROW("fork", "2"),
		   ":4: the row does not begin with a TYPE");
	is_refused(HEADER "fork 1 0.059 0.0=\n59 0.059 0.000 0.059 0.059 104174 104174 104174 0\n",
		   ":2: MIN WALL is '0.0='");
}

/* A row with one number changed, and what is said of it; NULL: nothing. */
static void is_doubted(const char *row, const char *why)
{
	char text[1000];
	struct result *r;

	snprintf(text, sizeof(text), "%s%s\n", HEADER, row);
	r = accept(text, why ? why : row);
	if (!ok(r && r->n_warnings == (why ? 1 : 0) &&
			(!why || (strstr(r->warnings[0], why) &&
				  strstr(r->warnings[0], "line 2, 'fork' with 510 CPUs: "))),
		"%s: %s", row, why ? "a warning" : "no warning"))
		printf("# %s\n", r && r->n_warnings ? r->warnings[0] : "no warning");
	ok(r && r->n_points == 1, "but it is read as it stands");
	result_free(r);
}

static void test_contradictions(void)
{
	is_doubted("fork 510 0.094 0.057 45.409 0.657 46.066 0.090 33205760 68555 65109 0", NULL);
	is_doubted("fork 510 0.049 0.057 45.409 0.657 46.066 0.090 33205760 68555 65109 0",
		   "MIN WALL is more than MAX WALL");
	is_doubted("fork 510 0.094 0.057 54.409 0.657 46.066 0.090 33205760 68555 65109 0",
		   "TOTCPU is not SYS + USER");
	is_doubted("fork 510 0.094 0.057 45.409 0.657 46.066 0.900 33205760 68555 65109 0",
		   "TOTCPU/CPU is not TOTCPU over CPUS");
	is_doubted("fork 510 0.094 0.057 45.409 0.657 46.066 0.090 33205760 68555 65190 0",
		   "PF/WSEC/CPU is not TOT_PF/WALL_SEC over CPUS");
	is_doubted("fork 510 0.094 0.057 45.409 0.657 46.066 0.090 3320576 68555 65109 0",
		   "PF/WSEC/CPU is not TOT_PF/WALL_SEC over CPUS");
	is_doubted("fork 510 0.094 0.057 45.409 0.657 46.066 0.090 33205760 68055 65109 0",
		   "come from different numbers of faults");
	is_doubted("fork 510 0.094 n/a n/a 0.657 46.066 n/a 33205760 68555 n/a 0", NULL);
	is_doubted("fork 510 0.000 0.000 0.000 0.000 0.000 0.000 n/a n/a n/a 0", NULL);
}

static void test_long_name(void)
{
	char name[300];
	FILE *in = fmemopen((void *)"x\n", 2, "r");
	struct result *r = NULL;
	struct err err = { 0 };

	memset(name, 'd', sizeof(name));
	memcpy(name + sizeof(name) - 7, "/a.txt", 7);
	is_int(import_sgi(in, name, &r, &err), -EINVAL, "no table in a file with a long name");
	has_str(err.detail, "ddd/a.txt: no table", "the end of the name is shown");
	fclose(in);
}

static void test_bytes(void)
{
	static const char nul[] = HEADER "what\0is this\n" ROW("fork", "2");
	struct result *r;
	struct err err;
	FILE *dir = fopen("/", "r");

	is_int(import(nul, sizeof(nul) - 1, &r, &err), 0, "a NUL in a line of text");
	is_int(r ? (int64_t)r->n_points : -1, 1, "and the row after it is read");
	result_free(r);
	is_int(import_sgi(dir, "/", &r, &err), -EISDIR, "a directory cannot be read");
	is_str(err.call, "read", "says the call");
	fclose(dir);
}

int main(void)
{
	test_originals();
	test_own_output();
	test_types();
	test_point();
	test_run_together();
	test_refused();
	test_hidden();
	test_contradictions();
	test_long_name();
	test_bytes();
	return tap_done();
}
