/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_row: one line of text → a row of an SGI table, if it is one (pure). */
#include "config.h"

#include "import_row.h"

#include "util.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* More digits would not survive the way through a double. */
enum { MAX_DIGITS = 15, DECIMALS = 3, MAX_WHOLE_DIGITS = MAX_DIGITS - DECIMALS };

/* What a line is judged by before it is read. */
struct evidence {
	size_t words;
	size_t times; /* words that are a number with three decimals */
	bool letter;  /* the first word begins with a letter */
	bool count;   /* the second is a whole number */
	bool second_time;
	bool third_digit, third_time, third_na, third_status;
};

const char *import_skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

static size_t word_len(const char *text)
{
	return strcspn(text, " \t");
}

static size_t digits_len(const char *text)
{
	return strspn(text, "0123456789");
}

static bool is_word(const char *text, const char *word)
{
	return word_len(text) == strlen(word) && !strncmp(text, word, strlen(word));
}

static bool is_time(const char *text)
{
	size_t whole = digits_len(text);

	return whole && text[whole] == '.' && digits_len(text + whole + 1) == DECIMALS &&
	       word_len(text) == whole + 1 + DECIMALS;
}

static void look_at(const char *text, struct evidence *e)
{
	memset(e, 0, sizeof(*e));
	for (text = import_skip_blanks(text); *text;
	     text = import_skip_blanks(text + word_len(text))) {
		e->words++;
		e->times += is_time(text);
		if (e->words == 1)
			e->letter = isalpha((unsigned char)*text);
		if (e->words == 2) {
			e->count = digits_len(text) && digits_len(text) == word_len(text);
			e->second_time = is_time(text);
		}
		if (e->words == 3) {
			e->third_digit = isdigit((unsigned char)*text);
			e->third_time = is_time(text);
			e->third_na = is_word(text, "n/a");
			e->third_status = is_word(text, "failed") || is_word(text, "skipped");
		}
	}
}

/*
 * Whether a line is meant as a row, right or wrong. Prose that merely begins with a word and a
 * number ("Version 2 of …") is none; a row with a damaged number is one, and must not be lost.
 */
static bool is_meant(const struct evidence *e, bool in_table, bool known)
{
	if (e->times >= 5 && (e->letter || e->words >= IMPORT_COLUMNS - 1))
		return true;
	if (e->letter && e->count && (e->third_time || e->third_na))
		return true;
	if (e->letter && e->count && e->third_status && e->words == 3)
		return in_table || known;
	if (!in_table)
		return false;
	if (e->times >= 5 || (e->letter && e->second_time))
		return true;
	return e->letter && e->count && (e->words == 2 || e->third_digit || known);
}

static bool at_end(const char *text)
{
	return !*text || *text == ' ' || *text == '\t';
}

/* Both readers take one number off *text; they return NULL, or what would have been right. */

/*
 * Three decimals exactly, so a digit right after them begins the next column: printf's widths let
 * large numbers run together.
 */
static const char *read_time(const char **text, double *out)
{
	const char *s = *text;
	size_t whole = digits_len(s);
	int64_t n = 0;

	*out = NAN;
	if (is_word(s, "n/a")) {
		*text += strlen("n/a");
		return NULL;
	}
	if (!whole || whole > MAX_WHOLE_DIGITS || s[whole] != '.' ||
	    digits_len(s + whole + 1) < DECIMALS)
		return "seconds with three decimals";
	for (size_t i = 0; i < whole + 1 + DECIMALS; i++) {
		if (i != whole)
			n = 10 * n + (s[i] - '0');
	}
	s += whole + 1 + DECIMALS;
	if (!at_end(s) && !isdigit((unsigned char)*s))
		return "seconds with three decimals";
	*out = (double)n / 1000;
	*text = s;
	return NULL;
}

static const char *read_count(const char **text, double *out)
{
	const char *s = *text;
	size_t len = digits_len(s);
	int64_t n = 0;

	*out = NAN;
	if (is_word(s, "n/a")) {
		*text += strlen("n/a");
		return NULL;
	}
	if (!len || len > MAX_DIGITS || !at_end(s + len))
		return "a whole number";
	for (size_t i = 0; i < len; i++)
		n = 10 * n + (s[i] - '0');
	*out = (double)n;
	*text = s + len;
	return NULL;
}

static const char *const column_names[IMPORT_COLUMNS] = {
	"TYPE",	  "CPUS",	"MAX WALL",	   "MIN WALL",	     "SYS",	    "USER",
	"TOTCPU", "TOTCPU/CPU", "TOT_PF/WALL_SEC", "TOT_PF/SYS_SEC", "PF/WSEC/CPU", "NODES",
};

__attribute__((format(printf, 2, 3))) static enum import_match wrong(struct import_row *row,
								     const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(row->why, sizeof(row->why), fmt, ap);
	va_end(ap);
	return IMPORT_WRONG;
}

static enum import_match read_type(const char **text, struct import_row *row)
{
	size_t len = word_len(*text);

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)(*text)[i];

		if (i ? c <= 0x20 || c >= 0x7f : !isalpha(c))
			return wrong(row, "the row does not begin with a TYPE");
	}
	row->type = *text;
	row->type_len = len;
	row->columns = 1;
	*text = import_skip_blanks(*text + len);
	return IMPORT_ROW;
}

static enum import_match read_workers(const char **text, struct import_row *row)
{
	const char *word = *text;
	double n;

	if (read_count(text, &n) || !(n >= 1) || n > RESULT_MAX_WORKERS)
		return wrong(row, "CPUS is '%.*s', not a whole number from 1 to %d",
			     (int)(word_len(word) > 40 ? 40 : word_len(word)), word,
			     RESULT_MAX_WORKERS);
	row->workers = (unsigned)n;
	row->columns = 2;
	*text = import_skip_blanks(*text);
	return IMPORT_ROW;
}

static enum import_match read_numbers(const char *text, struct import_row *row)
{
	struct summary *s = &row->summary;
	double nodes = NAN;
	double *const columns[] = {
		&s->max_wall_s,
		&s->min_wall_s,
		&s->sys_s,
		&s->user_s,
		&s->totcpu_s,
		&s->totcpu_per_cpu_s,
		&s->faults_per_wall_s,
		&s->faults_per_sys_s,
		&s->faults_per_wall_s_per_cpu,
		&nodes,
	};
	enum { TIMES = 6 };

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const char *wanted;

		text = import_skip_blanks(text);
		if (!*text)
			return IMPORT_PART;
		wanted = i < TIMES ? read_time(&text, columns[i]) : read_count(&text, columns[i]);
		if (wanted)
			return wrong(row, "%s is '%.*s', not %s", column_names[i + 2],
				     (int)(word_len(text) > 40 ? 40 : word_len(text)), text,
				     wanted);
		row->columns++;
	}
	s->faults = -1; /* rate times time, both rounded, is no count */
	s->nodes = isnan(nodes) ? -1 : (int64_t)nodes;
	text = import_skip_blanks(text);
	if (*text)
		return wrong(row, "more than %d columns, from '%.40s' on", IMPORT_COLUMNS, text);
	return IMPORT_ROW;
}

enum import_match import_row_match(const char *text, bool in_table,
				   bool (*is_known)(const void *ctx, const char *type, size_t len),
				   const void *ctx, struct import_row *out)
{
	enum import_match match;
	struct evidence e;

	memset(out, 0, sizeof(*out));
	look_at(text, &e);
	text = import_skip_blanks(text);
	if (!e.words || !is_meant(&e, in_table, is_known(ctx, text, word_len(text))))
		return IMPORT_TEXT;
	match = read_type(&text, out);
	if (match == IMPORT_ROW)
		match = read_workers(&text, out);
	if (match != IMPORT_ROW)
		return match;
	if (e.words == 3 && e.third_status) {
		out->status = is_word(text, "failed") ? POINT_FAILED : POINT_SKIPPED;
		return IMPORT_ROW;
	}
	return read_numbers(text, out);
}

bool import_is_rest(const char *text)
{
	text = import_skip_blanks(text);
	if (!*text)
		return false;
	for (; *text; text = import_skip_blanks(text + word_len(text))) {
		if (!isdigit((unsigned char)*text) && !is_word(text, "n/a"))
			return false;
	}
	return true;
}

enum import_match import_header_match(const char *text)
{
	static const char *const words[IMPORT_COLUMNS] = {
		"TYPE:",  "CPUS", "WALL",     "WALL",	 "SYS", "USER",
		"TOTCPU", "CPU",  "WALL_SEC", "SYS_SEC", "CPU", "NODES",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		text = import_skip_blanks(text);
		if (!*text)
			return i > 1 ? IMPORT_PART : IMPORT_TEXT;
		if (!is_word(text, words[i]))
			return i > 1 ? IMPORT_WRONG : IMPORT_TEXT;
		text += strlen(words[i]);
	}
	return *import_skip_blanks(text) ? IMPORT_WRONG : IMPORT_ROW;
}

bool import_header_is_hidden(const char *text)
{
	static const char *const words[] = { "TYPE:", "CPUS", "WALL" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		text = strstr(text, words[i]);
		if (!text)
			return false;
		text += strlen(words[i]);
	}
	return true;
}
