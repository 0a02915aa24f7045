/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_check: whether the numbers of an imported row agree with each other (pure). */
#ifndef PFSCALE_IMPORT_CHECK_H
#define PFSCALE_IMPORT_CHECK_H

#include "import_row.h"

/*
 * What is wrong with a row whose numbers contradict each other by more than their rounding can
 * explain ("TOTCPU is not SYS + USER"), or NULL. What is n/a contradicts nothing.
 */
const char *import_check(const struct import_row *row);

#endif
