/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch-once: built together with a touch loop by the most eager compilation there is, checks that
 * the loop touches each page once, one byte of it, though nobody reads the memory.
 */
#include "config.h"

#include "touch.h"

#ifdef HAVE_MALLOPT
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

extern const struct touch_ops write_ops;

enum { PAGES = 4096 };

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static int check(const char *what, long counted, long least, long most)
{
	if (counted >= least && counted <= most)
		return 0;
	printf("%s: %ld, not %ld to %ld\n", what, counted, least, most);
	return 1;
}

/* Memory whose whole life the compiler sees, and that is never read. */
static int touch_unread(size_t page_size)
{
	long before = faults();
	char *p = malloc(PAGES * page_size);

	if (!p)
		return 1;
	write_ops.run(p, PAGES, page_size);
	free(p);
	return check("faults on memory that is not read", faults() - before, PAGES, PAGES + 8);
}

/*
 * With "pages" of one byte, the loop is a memset() to a compiler that may take it for one; that to
 * memory which nobody reads is the first thing it drops.
 */
static int touch_bytes(size_t page_size)
{
	long before = faults();
	char *p = malloc(PAGES * page_size);

	if (!p)
		return 1;
	write_ops.run(p, PAGES * page_size, 1);
	free(p);
	return check("faults of a touch of each byte", faults() - before, PAGES, PAGES + 8);
}

/* Memory that is cleared: malloc() and memset() must not become a calloc() that touches nothing. */
static int touch_cleared(size_t page_size)
{
	long before = faults(), between;
	char *p = malloc(PAGES * page_size);
	int bad;

	if (!p)
		return 1;
	write_ops.run(p, PAGES, page_size);
	between = faults();
	memset(p, 0, PAGES * page_size);
	write_ops.run(p, PAGES, page_size);
	bad = check("faults of the first touch", between - before, PAGES, PAGES + 8);
	bad |= check("faults of what comes after", faults() - between, 0, 8);
	free(p);
	return bad;
}

/* What the loop wrote: one byte in each page, and none behind them. */
static int touch_and_look(size_t page_size)
{
	size_t len = (PAGES + 1) * page_size;
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long written = 0, first = 0;
	int bad;

	if (p == MAP_FAILED)
		return 1;
	madvise(p, len, MADV_NOHUGEPAGE);
	write_ops.run(p, PAGES, page_size);
	for (size_t i = 0; i < len; i++)
		written += p[i] != 0;
	for (size_t i = 0; i < PAGES; i++)
		first += p[i * page_size] != 0;
	bad = check("bytes written", written, PAGES, PAGES);
	bad |= check("first bytes of pages written", first, PAGES, PAGES);
	munmap(p, len);
	return bad;
}

int main(void)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	int bad = touch_and_look(page_size);

#ifdef HAVE_MALLOPT
	/* Else glibc keeps memory that was freed, and gives it out again. */
	mallopt(M_MMAP_THRESHOLD, 65536);
#endif
	bad |= touch_unread(page_size);
	bad |= touch_bytes(page_size);
	bad |= touch_cleared(page_size);
	return bad;
}
