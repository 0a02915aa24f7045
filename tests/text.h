/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text: for tests that compare text with files of tests/data. Include it after tap.h. */
#ifndef PFSCALE_TEST_TEXT_H
#define PFSCALE_TEST_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path of a file under tests/data; malloc'd. */
__attribute__((unused)) static char *data_path(const char *name)
{
	const char *top = getenv("top_srcdir");
	size_t len = strlen(top ? top : "..") + strlen(name) + sizeof("/tests/data/");
	char *path = malloc(len);

	snprintf(path, len, "%s/tests/data/%s", top ? top : "..", name);
	return path;
}

/* All of a file under tests/data; malloc'd. A missing one ends the test. */
__attribute__((unused)) static char *read_data(const char *name)
{
	char *path = data_path(name), *text = NULL;
	size_t len = 0;
	FILE *in = fopen(path, "r"), *out = open_memstream(&text, &len);
	int c;

	if (!in || !out) {
		printf("Bail out! cannot read %s\n", path);
		exit(EXIT_FAILURE);
	}
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(in);
	fclose(out);
	free(path);
	return text;
}

/* Compare texts of many lines; the first line that differs is shown. */
__attribute__((unused)) static bool is_text(const char *got, const char *want, const char *what)
{
	size_t i = 0, start = 0, line = 1;

	if (ok(!strcmp(got, want), "%s", what))
		return true;
	for (; got[i] && got[i] == want[i]; i++) {
		if (got[i] == '\n') {
			line++;
			start = i + 1;
		}
	}
	printf("# line %zu\n# got:  %.*s\n# want: %.*s\n", line, (int)strcspn(got + start, "\n"),
	       got + start, (int)strcspn(want + start, "\n"), want + start);
	return false;
}

#endif
