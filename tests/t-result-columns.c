/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-result-columns: samples of teams of every size are kept, and given back; children lack many. */
#include "config.h"

#include "result_internal.h"
#include "tap.h"
#include "util.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 3 };

static bool is_mapped(const void *p)
{
	uintptr_t page = (uintptr_t)p / util_page_size() * util_page_size();
	unsigned char there;

	return !mincore((void *)page, 1, &there);
}

/* Every entry of every column can hold a number of its own, and is 0 before. */
static bool fill(struct point *p, int64_t base)
{
	bool zero = true;

	for (size_t n = 0; n < p->n_repeats; n++) {
		for (size_t i = 0; i < RESULT_N_COLUMNS; i++) {
			int64_t *column = *repeat_column(&p->repeats[n], &result_columns[i]);

			for (unsigned w = 0; w < p->workers; w++) {
				zero &= !column[w];
				column[w] = base++;
			}
		}
	}
	return zero;
}

static bool holds(const struct point *p, int64_t base)
{
	bool right = true;

	for (size_t n = 0; n < p->n_repeats; n++) {
		for (size_t i = 0; i < RESULT_N_COLUMNS; i++) {
			int64_t *column = *repeat_column(&p->repeats[n], &result_columns[i]);

			for (unsigned w = 0; w < p->workers; w++)
				right &= column[w] == base++;
		}
	}
	return right;
}

static void test_team(unsigned workers)
{
	struct point p = { .workers = workers };
	int64_t *column;
	int status = -1;
	pid_t child;

	for (int i = 0; i < REPEATS; i++) {
		if (!point_add_repeat(&p))
			exit(99);
	}
	ok(fill(&p, 100), "%u workers: columns are 0 at first", workers);
	ok(holds(&p, 100), "… and each entry is its own");
	column = p.repeats[1].wall_ns;
	child = fork();
	if (!child)
		_exit(is_mapped(column));
	waitpid(child, &status, 0);
	is_int(WEXITSTATUS(status), workers < 100, "… a child has them only where they are few");
	repeat_drop_column(&p.repeats[1], &p.repeats[1].freq_khz);
	ok(!p.repeats[1].freq_khz && p.repeats[1].wall_ns, "… one column is dropped");
	ok(p.repeats[1].wall_ns[workers - 1] == column[workers - 1], "… the others stay");
	point_drop_repeat(&p);
	is_int((int64_t)p.n_repeats, REPEATS - 1, "… a repeat is dropped");
	ok(workers < 100 || is_mapped(p.repeats[0].wall_ns), "… the others stay");
	column = p.repeats[0].wall_ns;
	while (p.n_repeats)
		point_drop_repeat(&p);
	free(p.repeats);
	ok(workers < 100 || !is_mapped(column), "… all of it is given back");
}

int main(void)
{
	static const unsigned teams[] = { 1, 3, 1000, 4096 };

	for (size_t i = 0; i < ARRAY_SIZE(teams); i++)
		test_team(teams[i]);
	return tap_done();
}
