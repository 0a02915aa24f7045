/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guard: a process that ends when told to, and with its parent, but never in the middle of
 * something. */
#ifndef PFSCALE_GUARD_H
#define PFSCALE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * From now on INT, TERM, HUP and QUIT end this process only when none of its threads is between
 * guard_begin() and guard_end(). Holds for forked children, too.
 */
void guard_signals(void);

/*
 * From now on, this process ends when its parent does, as if by TERM, also while it is stopped. For
 * children of its own it does not hold. Returns false when `parent` is the parent no more.
 */
bool guard_parent(pid_t parent);

/*
 * Nothing of this process is between guard_begin() and guard_end(), nor will be: from now on it
 * ends with its parent by KILL, also when it is deaf to signals.
 */
void guard_parent_at_once(void);

/* What is between them is finished, or not begun. By any number of threads at once. */
void guard_begin(void);
void guard_end(void);

#endif
