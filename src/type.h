/* SPDX-License-Identifier: GPL-2.0-or-later */
/* type: MODEL[:OBJECT][:TOUCH][:shared], from labels and globs to kinds and back (pure). */
#ifndef PFSCALE_TYPE_H
#define PFSCALE_TYPE_H

#include "err.h"
#include "object.h"
#include "team.h"
#include "touch.h"

#include <stdbool.h>
#include <stddef.h>

enum { TYPE_LABEL_LEN = 64 };

struct type {
	const struct model_ops *model;
	const struct object_ops *object;
	const struct touch_ops *touch;
	bool shared;
	char label[TYPE_LABEL_LEN]; /* canonical: defaults (malloc, write) left out */
};

/*
 * All types that a command line names, in the order given, each once; globs expand in table order.
 * Globs are matched against the canonical label and against the one with malloc written out
 * ("fork:*" takes in "fork"). With n_args 0: every type of touch `write`. An unknown type, or a
 * glob that matches none, is refused, with the nearest label as a suggestion. *out is malloc'd.
 * Returns 0 or a negative errno.
 */
int type_select(char *const *args, size_t n_args, struct type **out, size_t *n_out,
		struct err *err);

#endif
