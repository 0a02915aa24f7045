/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch write: one byte stored in each page. */
#include "config.h"

#include "touch.h"

extern const struct touch_ops write_ops;

/*
 * volatile: each store stays one store of one byte, in order, at any level of optimisation. Not
 * instrumented by AddressSanitizer, whose shadow memory would fault in the timed loop.
 */
__attribute__((no_sanitize("address", "undefined"))) static void write_run(char *base, size_t pages,
									   size_t page_size)
{
	for (volatile char *p = base; pages; pages--, p += page_size)
		*p = 1;
}

const struct touch_ops write_ops = {
	.name = "write",
	.summary = "store one byte in each page",
	.run = write_run,
};
