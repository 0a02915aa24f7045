/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result: the memory that sample columns lie in. */
#include "config.h"

#include "result_internal.h"

#include "util.h"

#include <stdlib.h>
#include <sys/mman.h>

/*
 * Workers of the model fork are copies of the main process, page table by page table: some 100 ns
 * for each page that it holds, and so for all that was measured before. So the columns of a team
 * that is not small get a mapping of their own, which is left out of children. (No child looks at
 * samples.)
 */
static int map_block(struct repeat *r, size_t column_bytes)
{
	size_t bytes = RESULT_N_COLUMNS * column_bytes;
	char *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED)
		return -1;
	(void)madvise(block, bytes, MADV_DONTFORK);
	r->block = block;
	r->block_bytes = bytes;
	for (size_t i = 0; i < RESULT_N_COLUMNS; i++)
		*repeat_column(r, &result_columns[i]) = (int64_t *)(block + i * column_bytes);
	return 0;
}

int repeat_alloc_columns(struct repeat *r, unsigned workers)
{
	size_t column_bytes = sizeof(int64_t) * (workers ? workers : 1);

	if (RESULT_N_COLUMNS * column_bytes >= util_page_size())
		return map_block(r, column_bytes);
	for (size_t i = 0; i < RESULT_N_COLUMNS; i++) {
		int64_t **column = repeat_column(r, &result_columns[i]);

		*column = calloc(1, column_bytes);
		if (!*column) {
			repeat_free_columns(r);
			return -1;
		}
	}
	return 0;
}

void repeat_drop_column(const struct repeat *r, int64_t **column)
{
	if (!r->block)
		free(*column);
	*column = NULL;
}

void repeat_free_columns(struct repeat *r)
{
	for (size_t i = 0; i < RESULT_N_COLUMNS; i++)
		repeat_drop_column(r, repeat_column(r, &result_columns[i]));
	if (r->block)
		munmap(r->block, r->block_bytes);
	r->block = NULL;
}
