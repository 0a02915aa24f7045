/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch: the table of ways to touch. */
#include "config.h"

#include "touch.h"

#include "util.h"

#include <string.h>

extern const struct touch_ops write_ops;

const struct touch_ops *const touches[] = { &write_ops };
const size_t n_touches = ARRAY_SIZE(touches);

const struct touch_ops *touch_find(const char *name)
{
	for (size_t i = 0; i < n_touches; i++) {
		if (!strcmp(touches[i]->name, name))
			return touches[i];
	}
	return NULL;
}
