/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_row: one line of text → a row of an SGI table, if it is one (pure). */
#ifndef PFSCALE_IMPORT_ROW_H
#define PFSCALE_IMPORT_ROW_H

#include "result.h"

#include <stdbool.h>
#include <stddef.h>

/* The columns of a row, TYPE and CPUS included. */
enum { IMPORT_COLUMNS = 12 };

struct import_row {
	const char *type; /* within the text; not terminated */
	size_t type_len;
	unsigned workers;
	enum point_status status;
	struct summary summary; /* the numbers as printed; faults -1 */
	size_t columns;		/* how many were read */
	char why[160];		/* what is wrong, where something is */
};

enum import_match {
	IMPORT_TEXT,  /* no row and no part of one */
	IMPORT_ROW,   /* a whole row */
	IMPORT_PART,  /* right as far as it goes: the rest may stand on the next line */
	IMPORT_WRONG, /* meant as a row, but it cannot be read; `why` says why */
};

/*
 * Match a line from which quote marks are removed. in_table: the line before was a row or a header,
 * so that little is needed to take this one for a row; elsewhere it may as well be prose. is_known:
 * whether a type of that name is known or was met before.
 */
enum import_match import_row_match(const char *text, bool in_table,
				   bool (*is_known)(const void *ctx, const char *type, size_t len),
				   const void *ctx, struct import_row *out);

/* Whether a line holds nothing but numbers and n/a: the rest of a row that was wrapped. */
bool import_is_rest(const char *text);

/*
 * Match the last of the three header lines, the one that names each column: IMPORT_ROW, IMPORT_PART
 * (wrapped), IMPORT_WRONG (begins like it, then has other columns) or IMPORT_TEXT.
 */
enum import_match import_header_match(const char *text);

/*
 * Whether a line that is no header has the words of one nevertheless: behind marks that are not
 * known, or with other characters than blanks and tabs between them. Its table would be lost.
 */
bool import_header_is_hidden(const char *text);

/* Skip blanks and tabs. */
const char *import_skip_blanks(const char *text);

#endif
