/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import: tables as found in mail → results without samples. */
#include "config.h"

#include "import.h"

#include "import_check.h"
#include "import_row.h"
#include "util.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A text being read. */
struct reader {
	const char *path;
	char name[100]; /* the path as messages show it */
	struct result *result;
	struct err *err;
	size_t line;	  /* the current one, from 1 */
	bool header_seen; /* anywhere before */
	bool in_table;	  /* the line before was a row or a header */
	char *pending;	  /* a row or header of which the rest has not come yet, or NULL */
	size_t pending_line;
	size_t *row_lines; /* where each point of the result stands */
};

__attribute__((format(printf, 3, 4))) static int refuse(struct reader *r, size_t line,
							const char *fmt, ...)
{
	char why[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return err_set(r->err, EINVAL, "", "%s:%zu: %s", r->name, line, why);
}

static int no_memory(struct reader *r)
{
	return err_set(r->err, ENOMEM, "malloc", "%s:%zu", r->name, r->line);
}

/*
 * What the label of a type says. The names are those of the label's grammar only where the model is
 * one of pfscale's: another program's "page_fault1" says nothing of objects.
 */
struct parts {
	char *model;
	const char *object, *touch;
	bool shared;
};

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++) {
		if (!strcmp(word, *words))
			return true;
	}
	return false;
}

static const char *const models[] = { "fork", "pthread", NULL };
static const char *const touches[] = { "write", "read", "populate", "cow", NULL };

/* Fill parts from MODEL[:OBJECT][:TOUCH][:shared]; label is cut up. False where it is none. */
static bool split_label(char *label, struct parts *parts)
{
	char *rest = label, *word = strsep(&rest, ":");

	*parts = (struct parts){ .model = word, .object = "malloc", .touch = "write" };
	if (!is_one_of(word, models))
		return false;
	word = strsep(&rest, ":");
	if (word && *word && !is_one_of(word, touches) && strcmp(word, "shared")) {
		parts->object = word;
		word = strsep(&rest, ":");
	}
	if (word && is_one_of(word, touches)) {
		parts->touch = word;
		word = strsep(&rest, ":");
	}
	if (word && !strcmp(word, "shared")) {
		parts->shared = true;
		word = strsep(&rest, ":");
	}
	return !word;
}

static struct point *add_point(struct result *r, const char *type, unsigned workers)
{
	char *copy = strdup(type);
	struct point *p;
	struct parts parts;

	if (!copy)
		return NULL;
	if (split_label(copy, &parts))
		p = result_add_point(r, type, parts.model, parts.object, parts.touch, parts.shared,
				     workers, 0);
	else
		p = result_add_point(r, type, type, "unknown", "unknown", false, workers, 0);
	free(copy);
	return p;
}

static bool is_type(const struct point *p, const char *type, size_t len)
{
	return !strncmp(p->type, type, len) && !p->type[len];
}

static bool is_known(const void *ctx, const char *type, size_t len)
{
	const struct reader *r = ctx;
	size_t model_len = strcspn(type, ": \t");

	for (size_t i = 0; i < r->result->n_points; i++) {
		if (is_type(&r->result->points[i], type, len))
			return true;
	}
	for (size_t i = 0; models[i]; i++) {
		if (strlen(models[i]) == model_len && !strncmp(type, models[i], model_len))
			return true;
	}
	return false;
}

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_numbers(const struct point *p, const struct import_row *row)
{
	const struct summary *a = &p->summary, *b = &row->summary;

	if (p->status != row->status)
		return false;
	return p->status != POINT_OK ||
	       (same(a->max_wall_s, b->max_wall_s) && same(a->min_wall_s, b->min_wall_s) &&
		same(a->sys_s, b->sys_s) && same(a->user_s, b->user_s) &&
		same(a->totcpu_s, b->totcpu_s) && same(a->totcpu_per_cpu_s, b->totcpu_per_cpu_s) &&
		same(a->faults_per_wall_s, b->faults_per_wall_s) &&
		same(a->faults_per_sys_s, b->faults_per_sys_s) &&
		same(a->faults_per_wall_s_per_cpu, b->faults_per_wall_s_per_cpu) &&
		a->nodes == b->nodes);
}

static int set_point(struct point *p, const struct import_row *row)
{
	if (row->status != POINT_OK)
		return point_set_status(p, row->status,
					"so in the imported table, which gives no reason");
	p->summary = row->summary;
	p->has_summary = true;
	return 0;
}

/* A row that is read as it stands, but cannot be right. */
static int warn_of_row(struct reader *r, const struct point *p, const struct import_row *row,
		       size_t line)
{
	const char *wrong = import_check(row);
	char text[300];

	if (!wrong)
		return 0;
	snprintf(text, sizeof(text), "line %zu, '%.60s' with %u CPU%s: %s", line, p->type,
		 p->workers, p->workers == 1 ? "" : "s", wrong);
	return result_add_warning(r->result, text) ? no_memory(r) : 0;
}

/*
 * A table that is quoted twice in one mail comes to the same; two tables of one type with other
 * numbers are two results, and which is which only the user can say.
 */
static int add_row(struct reader *r, const struct import_row *row, size_t line)
{
	struct result *result = r->result;
	size_t *row_lines;
	struct point *p;
	char *type;

	for (size_t i = 0; i < result->n_points; i++) {
		p = &result->points[i];
		if (p->workers != row->workers || !is_type(p, row->type, row->type_len))
			continue;
		if (same_numbers(p, row))
			return 0;
		return refuse(
			r, line,
			"'%.60s' on %u CPUs is in line %zu already, with other numbers: split "
			"the text, one file for each set of tables",
			p->type, p->workers, r->row_lines[i]);
	}
	row_lines = realloc(r->row_lines, (result->n_points + 1) * sizeof(*row_lines));
	if (!row_lines)
		return no_memory(r);
	r->row_lines = row_lines;
	row_lines[result->n_points] = line;
	type = strndup(row->type, row->type_len);
	p = type ? add_point(result, type, row->workers) : NULL;
	free(type);
	if (!p || set_point(p, row))
		return no_memory(r);
	return warn_of_row(r, p, row, line);
}

/* A part must be completed by the lines right after it. */
static int refuse_pending(struct reader *r)
{
	struct import_row row;

	if (import_header_match(r->pending) != IMPORT_TEXT)
		return refuse(r, r->pending_line, "the header line is cut short");
	import_row_match(r->pending, true, is_known, r, &row);
	return refuse(r, r->pending_line, "the row is cut short: %zu of %d columns", row.columns,
		      IMPORT_COLUMNS);
}

static int set_pending(struct reader *r, const char *text, size_t line)
{
	char *copy = strdup(text);

	free(r->pending);
	r->pending = copy;
	r->pending_line = line;
	return copy ? 0 : no_memory(r);
}

/* One line, or several that belong together; the first is number `line`. */
static int take_text(struct reader *r, const char *text, size_t line)
{
	enum import_match match = import_header_match(text);
	bool is_header = match != IMPORT_TEXT;
	struct import_row row;

	if (!is_header && import_header_is_hidden(text))
		return refuse(r, line,
			      "the header line of a table, but behind other text or with "
			      "something else for blanks");
	if (!is_header)
		match = import_row_match(text, r->in_table, is_known, r, &row);
	r->in_table = match == IMPORT_ROW;
	switch (match) {
	case IMPORT_PART:
		return set_pending(r, text, line);
	case IMPORT_WRONG:
		return refuse(r, line, "%s",
			      is_header ? "a header line with other columns than SGI's" : row.why);
	case IMPORT_ROW:
		if (is_header)
			r->header_seen = true;
		else if (!r->header_seen)
			return refuse(r, line,
				      "a row with no header line (TYPE: CPUS …) before it");
		else
			return add_row(r, &row, line);
		break;
	case IMPORT_TEXT:
		break;
	}
	return 0;
}

/* The pending part and the current line together. */
static int take_rest(struct reader *r, const char *text)
{
	bool header = import_header_match(r->pending) != IMPORT_TEXT;
	size_t len = strlen(r->pending) + strlen(text) + 2, line = r->pending_line;
	char *whole;
	int ret;

	if (!header && !import_is_rest(text))
		return refuse_pending(r);
	whole = malloc(len);
	if (!whole)
		return no_memory(r);
	snprintf(whole, len, "%s %s", r->pending, text);
	free(r->pending);
	r->pending = NULL;
	r->in_table = true;
	ret = take_text(r, whole, line);
	free(whole);
	return ret;
}

/* Make what mailers and web pages do to blanks undone; NULs would hide the rest of the line. */
static void clean(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!text[i])
			text[i] = '?';
		if (text[i] == '\xc2' && text[i + 1] == '\xa0') /* no-break space */
			text[i] = text[i + 1] = ' ';
	}
	while (len && strchr(" \t\r\n", text[len - 1]))
		text[--len] = '\0';
}

static const char *unquote(const char *text)
{
	static const char bom[] = "\xef\xbb\xbf";

	if (!strncmp(text, bom, strlen(bom)))
		text += strlen(bom);
	for (text = import_skip_blanks(text); *text == '>' || *text == '|';)
		text = import_skip_blanks(text + 1);
	return text;
}

static int take_line(struct reader *r, char *line, size_t len)
{
	const char *text;

	clean(line, len);
	text = unquote(line);
	if (r->pending)
		return *text ? take_rest(r, text) : refuse_pending(r);
	if (*text)
		return take_text(r, text, r->line);
	r->in_table = false;
	return 0;
}

static int read_lines(struct reader *r, FILE *in)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int ret = 0;

	errno = 0;
	while (!ret && (len = getline(&line, &size, in)) >= 0) {
		r->line++;
		ret = take_line(r, line, (size_t)len);
		errno = 0;
	}
	if (!ret && (ferror(in) || errno == ENOMEM))
		ret = err_set(r->err, errno ? errno : EIO, "read", "%s", r->name);
	free(line);
	if (!ret && r->pending)
		ret = refuse_pending(r);
	if (!ret && !r->result->n_points)
		ret = err_set(r->err, EINVAL, "",
			      r->header_seen
				      ? "%s: the header of an SGI table, but no rows"
				      : "%s: no table in the SGI format (no line TYPE: CPUS …)",
			      r->name);
	return ret;
}

static int describe(struct reader *r)
{
	struct result *result = r->result;
	const char *slash = strrchr(r->path, '/');

	free(result->label);
	result->label = strdup(slash ? slash + 1 : r->path);
	result->complete = true;
	if (!result->label || result_stamp(result, -1) ||
	    json_object_set_new(result->plan, "imported_from", json_string("sgi")))
		return no_memory(r);
	return 0;
}

int import_sgi(FILE *in, const char *name, struct result **out, struct err *err)
{
	struct reader r = { .path = name, .result = result_new(), .err = err };
	int ret;

	util_path_tail(r.name, sizeof(r.name), name);
	ret = r.result ? describe(&r) : no_memory(&r);
	if (!ret)
		ret = read_lines(&r, in);
	free(r.pending);
	free(r.row_lines);
	if (ret) {
		result_free(r.result);
		return ret;
	}
	*out = r.result;
	return 0;
}
