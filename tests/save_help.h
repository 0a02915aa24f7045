/* SPDX-License-Identifier: GPL-2.0-or-later */
/* save_help: what the tests of save share: results to save, and a directory to look into. */
#ifndef PFSCALE_SAVE_HELP_H
#define PFSCALE_SAVE_HELP_H

#include "save.h"
#include "tap.h"

#include <dirent.h>
#include <unistd.h>

static char dir[] = "/tmp/pfscale-t-save.XXXXXX";

static struct result *new_result(int warnings)
{
	struct result *r = result_new();
	char text[64];

	for (int i = 0; i < warnings && r; i++) {
		snprintf(text, sizeof(text), "warning number %d of a result", i);
		if (result_add_warning(r, text))
			exit(99);
	}
	if (!r)
		exit(99);
	r->complete = true;
	return r;
}

__attribute__((unused)) static const char *text_of(const struct err *err)
{
	static char text[700];

	err_text(err, text, sizeof(text));
	return text;
}

/* How many warnings the result at path has; -1 = it is none. */
__attribute__((unused)) static int64_t saved_warnings(const char *path)
{
	struct err err = { 0 };
	struct result *r;
	int64_t n;

	if (result_load(path, &r, &err))
		return -1;
	n = (int64_t)r->n_warnings;
	result_free(r);
	return n;
}

/* Open, write a result with so many warnings, close; path as in save_open(). */
__attribute__((unused)) static int save_once(const char *path, bool overwrite, int warnings,
					     struct err *err)
{
	struct result *r = new_result(warnings);
	struct save s;
	int ret = save_open(&s, path, "6.1", overwrite, err);

	if (!ret) {
		ret = save_write(&s, r, true, err);
		save_close(&s);
	}
	result_free(r);
	return ret;
}

/* How many files there are in the directory. */
__attribute__((unused)) static int64_t count_files(void)
{
	DIR *d = opendir(dir);
	int64_t n = 0;

	if (!d)
		exit(99);
	for (const struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

static void clear_dir(void)
{
	DIR *d = opendir(dir);

	if (!d)
		exit(99);
	for (const struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

static const char *in_dir(const char *name)
{
	static char path[2][512];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

#endif
