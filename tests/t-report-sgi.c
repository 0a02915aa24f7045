/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SGI format: the ticks of 2004 become the tables of 2004; wide, missing and odd values. */
#include "config.h"

#include "report_sgi.h"

#include "tap.h"
#include "text.h"

#include <math.h>

enum { PAGES = 6104, TICKS_PER_S = 1024, MAX_ROWS = 64 };

static struct tick_row {
	char type[32];
	unsigned workers;
	long max_wall, min_wall, sys, user;
} tick_rows[MAX_ROWS];
static size_t n_tick_rows;

static void load_ticks(void)
{
	char *text = read_data("sgi-2004/ticks.tsv"), *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		struct tick_row *t = &tick_rows[n_tick_rows];

		if (n_tick_rows < MAX_ROWS &&
		    sscanf(line, "%31s %u %ld %ld %ld %ld", t->type, &t->workers, &t->max_wall,
			   &t->min_wall, &t->sys, &t->user) == 6)
			n_tick_rows++;
	}
	free(text);
}

static void test_ticks(const char *type, const char *file)
{
	char *want = read_data(file), *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	int rows = 0;

	sgi_write_header(out);
	for (size_t i = 0; i < n_tick_rows; i++) {
		const struct tick_row *t = &tick_rows[i];

		if (strcmp(t->type, type))
			continue;
		sgi_write_row(out, &(struct sgi_row){
					   .type = type,
					   .workers = t->workers,
					   .max_wall_s = (double)t->max_wall / TICKS_PER_S,
					   .min_wall_s = (double)t->min_wall / TICKS_PER_S,
					   .sys_s = (double)t->sys / TICKS_PER_S,
					   .user_s = (double)t->user / TICKS_PER_S,
					   .faults = (int64_t)PAGES * t->workers,
				   });
		rows++;
	}
	fclose(out);
	is_int(rows, 10, file);
	is_text(got, want, file);
	free(got);
	free(want);
}

static struct sgi_row some_row(void)
{
	return (struct sgi_row){
		.type = "fork",
		.workers = 2,
		.max_wall_s = 0.5,
		.min_wall_s = 0.25,
		.sys_s = 0.75,
		.user_s = 0.125,
		.faults = 3000,
		.nodes = 1,
	};
}

static void is_row(const struct sgi_row *row, const char *want, const char *what)
{
	char *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	sgi_write_row(out, row);
	fclose(out);
	is_text(got, want, what);
	free(got);
}

static void test_missing(void)
{
	struct sgi_row row = some_row();

	is_row(&row,
	       "fork                   2      0.500      0.250      0.750    0.125      0.875     "
	       "0.438         6000      4000      3000       1\n",
	       "a plain row");
	row.nodes = -1;
	row.faults = -1;
	is_row(&row,
	       "fork                   2      0.500      0.250      0.750    0.125      0.875     "
	       "0.438          n/a       n/a       n/a     n/a\n",
	       "faults and nodes not known");
	row = some_row();
	row.sys_s = 0;
	is_row(&row,
	       "fork                   2      0.500      0.250      0.000    0.125      0.125     "
	       "0.062         6000       n/a      3000       1\n",
	       "no system time, no rate of it");
	row = some_row();
	row.max_wall_s = 0;
	is_row(&row,
	       "fork                   2      0.000      0.250      0.750    0.125      0.875     "
	       "0.438          n/a      4000       n/a       1\n",
	       "no wall time, no rates of it");
	row = some_row();
	row.wall_too_short = true;
	is_row(&row,
	       "fork                   2      0.500      0.250      0.750    0.125      0.875     "
	       "0.438          n/a      4000       n/a       1\n",
	       "an interval too short for the clock");
	row = some_row();
	row.sys_too_short = true;
	is_row(&row,
	       "fork                   2      0.500      0.250      0.750    0.125      0.875     "
	       "0.438         6000       n/a      3000       1\n",
	       "a system time too short for the clock");
	row = some_row();
	row.max_wall_s = NAN;
	row.min_wall_s = INFINITY;
	row.user_s = -1;
	is_row(&row,
	       "fork                   2        n/a        n/a      0.750      n/a        n/a      "
	       " "
	       "n/a          n/a      4000       n/a       1\n",
	       "times not known");
	row = some_row();
	row.faults = 0;
	is_row(&row,
	       "fork                   2      0.500      0.250      0.750    0.125      0.875     "
	       "0.438            0         0         0       1\n",
	       "no faults at all is a rate of 0");
}

static void test_given(void)
{
	struct sgi_row row = some_row();

	row.given_rates = true;
	row.faults_per_wall_s = 96161;
	row.faults_per_sys_s = NAN;
	row.faults_per_wall_s_per_cpu = 48080;
	row.totcpu_s = 0.874;
	row.totcpu_per_cpu_s = 0.437;
	is_row(&row,
	       "fork                   2      0.500      0.250      0.750    0.125      0.874     "
	       "0.437        96161       n/a     48080       1\n",
	       "rates and sums that are given are not computed");
	row.totcpu_s = row.totcpu_per_cpu_s = NAN;
	is_row(&row,
	       "fork                   2      0.500      0.250      0.750    0.125      0.875     "
	       "0.438        96161       n/a     48080       1\n",
	       "sums that are not given are computed");
}

static void test_wide(void)
{
	struct sgi_row row = some_row();

	row.max_wall_s = 12345678.5;
	row.min_wall_s = 1234567.5;
	row.sys_s = 1e9 + 0.5;
	is_row(&row,
	       "fork                   2 12345678.500 1234567.500 1000000000.500 0.125 "
	       "1000000000.625 "
	       "500000000.312 0        0         0       1\n",
	       "numbers too wide push the rest, until there is room");
	row = some_row();
	row.type = "pthread:tmpfs:populate:shared";
	row.workers = 123456;
	is_row(&row,
	       "pthread:tmpfs:populate:shared 123456 0.500 0.250    0.750    0.125      0.875     "
	       "0.000         6000      4000         0       1\n",
	       "a long type pushes");
	row = some_row();
	row.type = "pthread:tmpfs:shared";
	row.workers = 510;
	is_row(&row,
	       "pthread:tmpfs:shared 510      0.500      0.250      0.750    0.125      0.875     "
	       "0.002         6000      4000        11       1\n",
	       "the longest type of today fits");
	row = some_row();
	row.faults = INT64_MAX;
	row.max_wall_s = 1e-9;
	row.workers = 1;
	is_row(&row,
	       "fork                   1      0.000      0.250      0.750    0.125      0.875     "
	       "0.875 9223372036854775808000000000 12297829748976910336 "
	       "9223372036854775808000000000 "
	       "1\n",
	       "a rate beyond any integer type");
}

static void test_words(void)
{
	char *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	sgi_write_word(out, "fork:zero", 4, "failed");
	sgi_write_word(out, "pthread:tmpfs:populate:shared", 1024, "skipped");
	fclose(out);
	is_text(got,
		"fork:zero              4     failed\n"
		"pthread:tmpfs:populate:shared 1024 skipped\n",
		"points without numbers");
	free(got);
}

int main(void)
{
	load_ticks();
	is_int((int64_t)n_tick_rows, 30, "rows of ticks");
	test_ticks("fork", "sgi-2004/fork.txt");
	test_ticks("fork:zero", "sgi-2004/fork-zero.txt");
	test_ticks("fork:shmem", "sgi-2004/fork-shmem.txt");
	test_missing();
	test_given();
	test_wide();
	test_words();
	return tap_done();
}
