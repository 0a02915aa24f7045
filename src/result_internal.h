/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result_internal: what the files of result share and nobody else needs. */
#ifndef PFSCALE_RESULT_INTERNAL_H
#define PFSCALE_RESULT_INTERNAL_H

#include "result.h"

/* One sample column of a repeat: its name in the file and its place in struct repeat. */
struct result_column {
	const char *name;
	size_t offset;
	int64_t min;	  /* smallest value that a file may hold */
	bool has_unknown; /* an entry may be not known: -1 in memory, null in the file */
};

/* One number of a summary; n/a (NAN or -1) is null in the file. */
struct result_field {
	const char *name;
	size_t offset;
	bool integer;
	bool optional; /* a double that is left out of the file where it is n/a */
};

/* A number of a repeat as a whole; -1 = not known, and absent in the file. */
struct result_single {
	const char *name;
	size_t offset;
};

enum { RESULT_N_COLUMNS = 15 + PERF_N_EVENTS, RESULT_N_SINGLES = 7, RESULT_N_FIELDS = 13 };
extern const struct result_single result_singles[RESULT_N_SINGLES];
extern const struct result_column result_columns[RESULT_N_COLUMNS];
extern const struct result_field result_fields[RESULT_N_FIELDS];

/* Where a repeat keeps the pointer to a column. */
static inline int64_t **repeat_column(const struct repeat *r, const struct result_column *c)
{
	return (int64_t **)((char *)r + c->offset);
}

/* Where a repeat keeps a number. */
static inline int64_t *repeat_single(const struct repeat *r, const struct result_single *s)
{
	return (int64_t *)((char *)r + s->offset);
}

/* Where a summary keeps a number. */
static inline void *summary_field(const struct summary *s, const struct result_field *f)
{
	return (char *)s + f->offset;
}

/*
 * JSON for a result without its points, and for one point: new references, NULL when memory ran
 * out.
 */
json_t *result_head_json(const struct result *r);
json_t *result_point_json(const struct point *p);

/* Allocate all columns of a bare repeat. Returns 0, or -1 when memory ran out. */
int repeat_alloc_columns(struct repeat *r, unsigned workers);
void repeat_free_columns(struct repeat *r);

/* As point_add_repeat(), with every column NULL. */
struct repeat *point_add_bare_repeat(struct point *p);

/* As result_add_warning(), without looking for the same text. */
int result_push_warning(struct result *r, const char *text);

/* Where in a file its reader is, for messages. */
struct place_in_file {
	const char *file;
	char at[64]; /* "points[3].repeats[0]"; "" = at the top */
	struct err *err;
};

/*
 * Reading members of objects: each returns 0, or a negative errno with the place in the error. A
 * member that is null counts as absent.
 */

/* Refuse what stands in a member (NULL: at the place itself), for a reason. Returns -EINVAL. */
int member_refuse(const struct place_in_file *in, const char *member, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Refuse what stands there, because it should be of another kind. Returns -EINVAL. */
int member_refuse_kind(const struct place_in_file *in, const char *member, const char *wanted,
		       const json_t *value);
/* Returns -ENOMEM. */
int member_no_memory(const struct place_in_file *in);

/* The member, or NULL where it is absent. */
json_t *member_get(const json_t *o, const char *name);
/* *out, owned, is replaced by a copy of the string. */
int member_string(const struct place_in_file *in, const json_t *o, const char *name, char **out);
/* As above; where the member is absent, *out stays. */
int member_optional_string(const struct place_in_file *in, const json_t *o, const char *name,
			   char **out);
int member_bool(const struct place_in_file *in, const json_t *o, const char *name, bool *out);
int member_int(const struct place_in_file *in, const json_t *o, const char *name, int64_t min,
	       int64_t max, int64_t *out);
/* A value that was taken out already; name says where it stood. */
int member_check_int(const struct place_in_file *in, const char *name, const json_t *value,
		     int64_t min, int64_t max, int64_t *out);
/* Numbers of at least 0; absent: -1 or NAN. */
int member_optional_count(const struct place_in_file *in, const json_t *o, const char *name,
			  int64_t *out);
int member_optional_real(const struct place_in_file *in, const json_t *o, const char *name,
			 double *out);
/* *out, owned, is replaced by an object or array; where the member is absent, it stays. */
int member_json(const struct place_in_file *in, const json_t *o, const char *name, json_type kind,
		json_t **out);
/* An array, borrowed; absent: NULL, which jansson takes as empty. */
int member_optional_array(const struct place_in_file *in, const json_t *o, const char *name,
			  json_t **out);
/* Refuse an array whose entries are not all strings. */
int member_check_strings(const struct place_in_file *in, const char *name, const json_t *array);

/* Read the member "points" of the whole. Returns 0 or a negative errno. */
int result_load_points(struct place_in_file *in, const json_t *root, struct result *r);

#endif
