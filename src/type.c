/* SPDX-License-Identifier: GPL-2.0-or-later */
/* type: MODEL[:OBJECT][:TOUCH][:shared], from labels and globs to kinds and back (pure). */
#include "config.h"

#include "type.h"

#include "util.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any label; longer patterns could keep fnmatch() busy for ages. */
enum { ARGUMENT_LEN = 128 };

static const char default_object[] = "malloc";
static const char default_touch[] = "write";
static const char shared_word[] = "shared";

/*
 * Write the label of *type. A default is left out unless with_* asks for it, or the next part could
 * be mistaken for the one that is missing: a touch that bears an object's name.
 */
static void write_label(const struct type *type, bool with_object, bool with_touch, char *buf,
			size_t len)
{
	const char *object = type->object->name, *touch = type->touch->name;

	with_touch |= strcmp(touch, default_touch) != 0;
	with_object |= strcmp(object, default_object) || (with_touch && object_find(touch));
	snprintf(buf, len, "%s%s%s%s%s%s%s", type->model->name, with_object ? ":" : "",
		 with_object ? object : "", with_touch ? ":" : "", with_touch ? touch : "",
		 type->shared ? ":" : "", type->shared ? shared_word : "");
}

/* Every type there is, in the order of the report. */
static struct type *make_all(size_t *n_out)
{
	size_t n = n_models * n_objects * n_touches * 2;
	struct type *all = calloc(n + 1, sizeof(*all));

	for (size_t i = 0; all && i < n; i++) {
		struct type *type = &all[i];

		type->shared = i % 2;
		type->touch = touches[i / 2 % n_touches];
		type->object = objects[i / 2 / n_touches % n_objects];
		type->model = models[i / 2 / n_touches / n_objects];
		write_label(type, false, false, type->label, sizeof(type->label));
	}
	*n_out = n;
	return all;
}

/*
 * Read a label into *type: any order of the parts after the model if `loose`. Returns whether it is
 * one.
 */
static bool parse(const char *text, bool loose, struct type *type)
{
	enum { OBJECT = 1, TOUCH, SHARED };
	char part[TYPE_LABEL_LEN];
	int last = 0, seen = 0;

	*type = (struct type){ .object = object_find(default_object),
			       .touch = touch_find(default_touch) };
	for (;; text++) {
		size_t len = strcspn(text, ":");
		int kind;

		if (len >= sizeof(part))
			return false;
		memcpy(part, text, len);
		part[len] = '\0';
		text += len;
		if (!type->model) {
			kind = 0;
			type->model = model_find(part);
			if (!type->model)
				return false;
		} else if (!strcmp(part, shared_word)) {
			kind = SHARED;
			type->shared = true;
		} else if (!(seen & 1 << OBJECT) && object_find(part)) {
			kind = OBJECT;
			type->object = object_find(part);
		} else if (touch_find(part)) {
			kind = TOUCH;
			type->touch = touch_find(part);
		} else {
			return false;
		}
		if ((kind && seen & 1 << kind) || (kind < last && !loose))
			return false;
		seen |= 1 << kind;
		last = kind;
		if (!*text)
			return type->object && type->touch;
	}
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[\\") != NULL;
}

/* A glob means a type if it fits its label in any spelling: with defaults left out or not. */
static bool glob_matches(const char *glob, const struct type *type)
{
	char label[2 * TYPE_LABEL_LEN];

	for (int spelling = 0; spelling < 4; spelling++) {
		write_label(type, spelling & 1, spelling & 2, label, sizeof(label));
		if (!fnmatch(glob, label, 0))
			return true;
	}
	return false;
}

static bool argument_matches(const char *arg, const struct type *type)
{
	struct type named;

	if (is_glob(arg))
		return glob_matches(arg, type);
	return parse(arg, false, &named) && named.model == type->model &&
	       named.object == type->object && named.touch == type->touch &&
	       named.shared == type->shared;
}

/* What may have been meant: the same parts in the right order, else the nearest label. */
static void suggest(const char *arg, const struct type *all, size_t n_all, char *buf, size_t len)
{
	char(*written_out)[TYPE_LABEL_LEN];
	const char **labels, *near;
	struct type loose;

	buf[0] = '\0';
	if (is_glob(arg))
		return;
	if (parse(arg, true, &loose)) {
		write_label(&loose, false, false, buf, len);
		return;
	}
	/* Also with malloc written out, as some do; what is suggested is the usual label then. */
	labels = malloc(2 * n_all * sizeof(*labels));
	written_out = malloc(n_all * sizeof(*written_out));
	for (size_t i = 0; labels && written_out && i < n_all; i++) {
		write_label(&all[i], true, false, written_out[i], sizeof(written_out[i]));
		labels[2 * i] = all[i].label;
		labels[2 * i + 1] = written_out[i];
	}
	near = labels && written_out ? util_nearest(arg, labels, 2 * n_all) : NULL;
	if (near)
		snprintf(buf, len, "%s", near);
	free(labels);
	free(written_out);
}

static int refuse(const char *arg, const struct type *all, size_t n_all, struct err *err)
{
	char near[TYPE_LABEL_LEN];

	suggest(arg, all, n_all, near, sizeof(near));
	if (near[0])
		return err_usage(err, "type", arg,
				 "unknown; did you mean '%s'? ('pfscale list' shows what there is)",
				 near);
	if (is_glob(arg))
		return err_usage(err, "type", arg,
				 "matches no type ('pfscale list' shows what there is)");
	return err_usage(err, "type", arg,
			 "unknown; a type is MODEL[:OBJECT][:TOUCH][:shared] "
			 "('pfscale list' shows what there is)");
}

/* Append to `out` what one argument means and is not there yet. */
static int select_one(const char *arg, const struct type *all, size_t n_all, bool *taken,
		      struct type *out, size_t *n_out, struct err *err)
{
	bool any = false;

	if (strlen(arg) > ARGUMENT_LEN)
		return err_usage(err, "type", arg,
				 "too long for a type ('pfscale list' shows them)");
	for (size_t i = 0; i < n_all; i++) {
		if (!argument_matches(arg, &all[i]))
			continue;
		any = true;
		if (!taken[i])
			out[(*n_out)++] = all[i];
		taken[i] = true;
	}
	return any ? 0 : refuse(arg, all, n_all, err);
}

static void select_default(const struct type *all, size_t n_all, struct type *out, size_t *n_out)
{
	for (size_t i = 0; i < n_all; i++) {
		if (!strcmp(all[i].touch->name, default_touch))
			out[(*n_out)++] = all[i];
	}
}

int type_select(char *const *args, size_t n_args, struct type **out, size_t *n_out, struct err *err)
{
	size_t n_all, n = 0;
	struct type *all = make_all(&n_all);
	struct type *chosen = calloc(n_all + 1, sizeof(*chosen));
	bool *taken = calloc(n_all + 1, sizeof(*taken));
	int ret = 0;

	if (!all || !chosen || !taken)
		ret = err_set(err, ENOMEM, "calloc", "%zu types", n_all);
	for (size_t i = 0; !ret && i < n_args; i++)
		ret = select_one(args[i], all, n_all, taken, chosen, &n, err);
	if (!ret && !n_args)
		select_default(all, n_all, chosen, &n);
	free(all);
	free(taken);
	if (ret) {
		free(chosen);
		return ret;
	}
	*out = chosen;
	*n_out = n;
	return 0;
}
