/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_list: `pfscale list`: what can be measured here, and what cannot, and why. */
#include "config.h"

#include "object.h"
#include "options.h"
#include "place.h"
#include "team.h"
#include "touch.h"
#include "type.h"

#include <stdlib.h>

struct list_options {
	struct object_env env;
	bool types;
};

static int set_tmpfs_dir(void *ctx, const char *value, struct err *err)
{
	struct list_options *o = ctx;

	if (!*value)
		return err_usage(err, "--tmpfs-dir", value, "a directory on a tmpfs");
	o->env.tmpfs_dir = value;
	return 0;
}

static const struct option_def list_option_defs[] = {
	{ "tmpfs-dir", 0, "DIR",
	  "the directory that tmpfs files would be made in,\n" OBJECT_TMPFS_DIR " by default",
	  .set = set_tmpfs_dir },
	{ "types", 0, NULL, "only the types, one a line",
	  .offset = offsetof(struct list_options, types) },
	{ 0 },
};

static int print_types(struct err *err)
{
	struct type *types = NULL;
	size_t n = 0;
	int ret = type_select(NULL, 0, &types, &n, err);

	for (size_t i = 0; !ret && i < n; i++)
		puts(types[i].label);
	free(types);
	return ret;
}

static void print_row(const char *name, const char *summary)
{
	printf("  %-12s %s\n", name, summary);
}

static void print_objects(const struct object_env *env)
{
	printf("\nObjects: the memory that is faulted in\n");
	for (size_t i = 0; i < n_objects; i++) {
		struct err err = { 0 };
		char text[800];

		print_row(objects[i]->name, objects[i]->summary);
		if (!object_check(objects[i], env, &err))
			continue;
		err_text(&err, text, sizeof(text));
		printf("  %-12s cannot run here: %s\n", "", text);
	}
}

static void print_kinds(const struct object_env *env)
{
	printf("Types are written MODEL[:OBJECT][:TOUCH][:shared]; list --types names them all.\n");
	printf("\nModels: how workers are made\n");
	for (size_t i = 0; i < n_models; i++)
		print_row(models[i]->name, models[i]->summary);
	print_objects(env);
	printf("\nTouches: how pages come into being\n");
	for (size_t i = 0; i < n_touches; i++)
		print_row(touches[i]->name, touches[i]->summary);
	printf("\nPlacements: which CPUs workers run on; the first is the default\n");
	for (size_t i = 0; i < n_place_policies; i++)
		print_row(place_policies[i]->name, place_policies[i]->summary);
}

static int list_run(const struct command *self, int argc, char **argv)
{
	struct list_options o = { .env = { .tmpfs_dir = OBJECT_TMPFS_DIR } };
	struct err err = { 0 };
	int first, ret = options_parse(self, &o, argc, argv, &first, &err);

	if (ret > 0)
		return command_finish(self, EXIT_OK);
	if (!ret && o.types)
		ret = print_types(&err);
	else if (!ret)
		print_kinds(&o.env);
	return ret ? command_trouble(self, &err) : command_finish(self, EXIT_OK);
}

const struct command cmd_list = {
	.name = "list",
	.summary = "models, objects, touches, placements; what cannot run here, and why",
	.operands = "",
	.options = list_option_defs,
	.run = list_run,
};
