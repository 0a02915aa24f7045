/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch: how pages come into being. One file per way in touch/, one row each in touch.c. */
#ifndef PFSCALE_TOUCH_H
#define PFSCALE_TOUCH_H

#include <stddef.h>

struct touch_ops {
	const char *name;    /* as in labels */
	const char *summary; /* one line for `list` and the man page */

	/*
	 * Touch `pages` pages of page_size bytes from base on, in order. This is all that is timed:
	 * it does nothing else, and no system call unless that is the way to touch.
	 */
	void (*run)(char *base, size_t pages, size_t page_size);
};

extern const struct touch_ops *const touches[];
extern const size_t n_touches;

/* The way called name, or NULL. */
const struct touch_ops *touch_find(const char *name);

#endif
