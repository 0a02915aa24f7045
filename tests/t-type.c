/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-type: labels and globs, over tables of the test's own. */
#include "config.h"

#include "tap.h"

#include "type.h"
#include "util.h"

#include <errno.h>

static const struct model_ops fork_model = { .name = "fork" };
static const struct model_ops pthread_model = { .name = "pthread", .one_process = true };
static const struct object_ops malloc_object = { .name = "malloc" },
			       zero_object = { .name = "zero" };
static const struct object_ops shmem_object = { .name = "shmem" }, huge_object = { .name = "huge" };
static const struct touch_ops write_touch = { .name = "write" }, read_touch = { .name = "read" };
static const struct touch_ops huge_touch = { .name = "huge" }; /* named like an object */

const struct model_ops *const models[] = { &fork_model, &pthread_model };
const size_t n_models = ARRAY_SIZE(models);
const struct object_ops *const objects[] = { &malloc_object, &zero_object, &shmem_object,
					     &huge_object };
const size_t n_objects = ARRAY_SIZE(objects);
const struct touch_ops *const touches[] = { &write_touch, &read_touch, &huge_touch };
const size_t n_touches = ARRAY_SIZE(touches);

const struct model_ops *model_find(const char *name)
{
	for (size_t i = 0; i < n_models; i++) {
		if (!strcmp(models[i]->name, name))
			return models[i];
	}
	return NULL;
}

const struct object_ops *object_find(const char *name)
{
	for (size_t i = 0; i < n_objects; i++) {
		if (!strcmp(objects[i]->name, name))
			return objects[i];
	}
	return NULL;
}

const struct touch_ops *touch_find(const char *name)
{
	for (size_t i = 0; i < n_touches; i++) {
		if (!strcmp(touches[i]->name, name))
			return touches[i];
	}
	return NULL;
}

/* Select by arguments separated by blanks ("" = none) and join the labels likewise. */
static const char *labels(const char *args)
{
	static char joined[8192];
	char copy[512], *argv[32], *save = NULL;
	struct type *types = NULL;
	struct err err = { 0 };
	size_t n_args = 0, n = 0;

	snprintf(copy, sizeof(copy), "%s", args);
	for (char *arg = strtok_r(copy, " ", &save); arg; arg = strtok_r(NULL, " ", &save))
		argv[n_args++] = arg;
	joined[0] = '\0';
	if (type_select(argv, n_args, &types, &n, &err)) {
		snprintf(joined, sizeof(joined), "error: %s", err.detail);
		return joined;
	}
	for (size_t i = 0; i < n; i++)
		snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%s",
			 i ? " " : "", types[i].label);
	free(types);
	return joined;
}

static size_t count(const char *args)
{
	const char *text = labels(args);
	size_t n = *text != '\0';

	for (; *text; text++)
		n += *text == ' ';
	return n;
}

static void test_labels(void)
{
	static const struct {
		const char *args, *want;
	} rows[] = {
		{ "fork", "fork" },
		{ "fork:malloc", "fork" },
		{ "fork:malloc:write", "fork" },
		{ "fork:write", "fork" },
		{ "fork:shared", "fork:shared" },
		{ "fork:malloc:shared", "fork:shared" },
		{ "fork:write:shared", "fork:shared" },
		{ "fork:malloc:write:shared", "fork:shared" },
		{ "fork:zero:write", "fork:zero" },
		{ "pthread:zero:read:shared", "pthread:zero:read:shared" },
		{ "pthread:read", "pthread:read" },
		{ "pthread:malloc:read", "pthread:read" },
		{ "fork:huge", "fork:huge" },
		{ "fork:huge:huge", "fork:huge:huge" },
		{ "fork:malloc:huge", "fork:malloc:huge" },
		{ "fork:zero:huge:shared", "fork:zero:huge:shared" },
		{ "pthread fork", "pthread fork" },
		{ "fork fork:malloc fork:zero fork", "fork fork:zero" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		is_str(labels(rows[i].args), rows[i].want, rows[i].args);
}

static void test_parts(void)
{
	char arg[] = "pthread:malloc:huge:shared", *args[] = { arg };
	struct type *types = NULL;
	struct err err = { 0 };
	size_t n = 0;

	if (!ok(!type_select(args, 1, &types, &n, &err) && n == 1, "one label, one type"))
		return;
	ok(types[0].model == &pthread_model, "its model");
	ok(types[0].object == &malloc_object, "its object, not the one named like the touch");
	ok(types[0].touch == &huge_touch, "its touch");
	ok(types[0].shared, "it is shared");
	is_str(types[0].label, arg, "its label keeps what tells the two apart");
	free(types);
}

static void test_order(void)
{
	is_str(labels(""),
	       "fork fork:shared fork:zero fork:zero:shared fork:shmem fork:shmem:shared "
	       "fork:huge fork:huge:shared pthread pthread:shared pthread:zero "
	       "pthread:zero:shared pthread:shmem pthread:shmem:shared pthread:huge "
	       "pthread:huge:shared",
	       "without arguments: all that write, in the order of the report");
	is_int((int64_t)count("*"), 48, "* is everything");
	is_str(labels("fork:zero:*"),
	       "fork:zero fork:zero:shared fork:zero:read fork:zero:read:shared "
	       "fork:zero:huge fork:zero:huge:shared",
	       "a glob, in the order of the tables, with the default touch written out");
	is_int((int64_t)count("fork:*"), 24, "fork:* takes in fork");
	is_str(labels("pthread:zero:shared *:zero?shared"), "pthread:zero:shared fork:zero:shared",
	       "what was named before a glob is not repeated");
	is_str(labels("fork:zero fork:z*"),
	       "fork:zero fork:zero:shared fork:zero:read fork:zero:read:shared fork:zero:huge "
	       "fork:zero:huge:shared",
	       "a first mention keeps its place, the rest of a glob follows");
	is_str(labels("*:zero:shared *:zero:shared"), "fork:zero:shared pthread:zero:shared",
	       "the same glob twice");
	is_str(labels("????"), "fork", "?");
	is_str(labels("[!f]*:malloc"), "pthread", "[!f], malloc written out");
	is_str(labels("*:malloc:write:shared"), "fork:shared pthread:shared", "all written out");
}

static void refused(const char *arg, const char *part)
{
	char copy[1 << 17], *args[] = { copy };
	struct type *types = NULL;
	struct err err = { 0 };
	size_t n = 0;
	int ret;

	snprintf(copy, sizeof(copy), "%s", arg);
	ret = type_select(args, 1, &types, &n, &err);
	ok(ret == -EINVAL && err.num == EINVAL && !err.call[0], "'%.40s' is refused", arg);
	has_str(err.detail, part, "… saying why");
	snprintf(copy, sizeof(copy), "type '%.50s", arg);
	has_str(err.detail, copy, "… and naming the value");
	has_str(err.detail, "pfscale list", "… and where to look");
	ok(!types && !n, "… giving nothing");
}

static void test_refusals(void)
{
	static char long_one[100000];

	refused("frok", "did you mean 'fork'?");
	refused("fork:zreo:shared", "did you mean 'fork:zero:shared'?");
	refused("fork:zer", "did you mean 'fork:zero'?");
	refused("fork:mallok", "did you mean 'fork:malloc'?");
	refused("fork:malok:shared", "did you mean 'fork:malloc:shared'?");
	refused("FORK", "did you mean 'fork'?");
	refused("Fork:Zero", "did you mean 'fork:zero'?");
	refused("fork:", "did you mean 'fork'?");
	refused(":fork", "did you mean 'fork'?");
	refused("fork::shared", "did you mean 'fork:shared'?");
	refused("fork:shared:zero", "did you mean 'fork:zero:shared'?");
	refused("fork:shared:read:zero", "did you mean 'fork:zero:read:shared'?");
	refused("fork:shared:shared", "unknown");
	refused("fork:read:zero", "did you mean 'fork:zero:read'?");
	refused("fork:zero:malloc", "unknown");
	refused("fork:malloc:malloc", "unknown");
	refused("fork:read:write", "unknown");
	refused("fork:fork", "unknown");
	refused("fork zero", "unknown");
	refused(" fork", "did you mean 'fork'?");
	refused("", "MODEL[:OBJECT][:TOUCH][:shared]");
	refused("shared", "MODEL[:OBJECT][:TOUCH][:shared]");
	refused("zero", "MODEL[:OBJECT][:TOUCH][:shared]");
	refused(":", "unknown");
	refused("::::", "unknown");
	refused("-1", "unknown");
	refused("%s%n", "unknown");
	refused("vfork:*", "matches no type");
	refused("[", "matches no type");
	refused("fork\\", "matches no type");
	memset(long_one, 'f', sizeof(long_one) - 1);
	refused(long_one, "too long");
	memset(long_one, '*', sizeof(long_one) - 1);
	refused(long_one, "too long");
	memset(long_one, ':', 128);
	long_one[128] = '\0';
	refused(long_one, "unknown");
	has_str(labels("fork frok zero"), "error: type 'frok'", "the first wrong one is named");
}

int main(void)
{
	test_labels();
	test_parts();
	test_order();
	test_refusals();
	return tap_done();
}
