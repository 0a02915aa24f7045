/* SPDX-License-Identifier: GPL-2.0-or-later */
/* team: the table of models, and the only caller of their hooks. */
#include "config.h"

#include "team.h"

#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct model_ops fork_ops, pthread_ops;

const struct model_ops *const models[] = { &fork_ops, &pthread_ops };
const size_t n_models = ARRAY_SIZE(models);

const struct model_ops *model_find(const char *name)
{
	for (size_t i = 0; i < n_models; i++) {
		if (!strcmp(models[i]->name, name))
			return models[i];
	}
	return NULL;
}

int team_run(struct team *team, struct err *err)
{
	struct err ignored;
	int made = 0, joined;

	team->handles = calloc(team->workers, team->model->handle_size);
	if (!team->handles)
		return err_set(err, ENOMEM, "calloc", "handles of %u workers", team->workers);
	/* Once a worker has failed, there is no use in making more of them. */
	for (team->made = 0; team->made < team->workers && !gate_broken(team->gate); team->made++) {
		made = team->model->start(team, err);
		if (made)
			break;
	}
	if (team->made < team->workers)
		gate_break(team->gate);
	else if (team->all_made)
		team->all_made(team->arg);
	joined = team->model->join(team, made ? &ignored : err);
	free(team->handles);
	team->handles = NULL;
	return made ? made : joined;
}
