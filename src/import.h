/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import: tables as found in mail → results without samples. */
#ifndef PFSCALE_IMPORT_H
#define PFSCALE_IMPORT_H

#include "err.h"
#include "result.h"

#include <stdio.h>

/*
 * Read every table in the SGI format in a text: quoted with "> " or "| " at any depth, with other
 * text around, several in one file. name: the file's name for messages and the label. Refuses a
 * text with no table, and a header or row that looks like one of a table but cannot be read, with
 * its line number. A row whose numbers contradict each other gets a warning in the result. *out is
 * the caller's. Returns 0 or a negative errno.
 */
int import_sgi(FILE *in, const char *name, struct result **out, struct err *err);

#endif
