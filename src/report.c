/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: the formats, and writing one to a stream that may fail. */
#include "config.h"

#include "report.h"

#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct report_format *const report_formats[] = {
	&report_format_sgi,  &report_format_wide,     &report_format_csv,
	&report_format_json, &report_format_markdown,
};
const size_t n_report_formats = ARRAY_SIZE(report_formats);

const struct report_format *report_find(const char *name)
{
	for (size_t i = 0; i < n_report_formats; i++) {
		if (!strcmp(report_formats[i]->name, name))
			return report_formats[i];
	}
	return NULL;
}

static void list_formats(char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n_report_formats && used < len; i++)
		used += (size_t)snprintf(buf + used, len - used, "%s%s", i ? ", " : "",
					 report_formats[i]->name);
}

static int refuse_format(const char *value, struct err *err)
{
	const char **names = calloc(n_report_formats, sizeof(*names)), *near;
	char all[200];

	if (!names)
		return err_set(err, ENOMEM, "calloc", "names of formats");
	for (size_t i = 0; i < n_report_formats; i++)
		names[i] = report_formats[i]->name;
	near = util_nearest(value, names, n_report_formats);
	free(names);
	list_formats(all, sizeof(all));
	if (near)
		return err_usage(err, "--format", value, "one of %s; did you mean %s?", all, near);
	return err_usage(err, "--format", value, "one of %s", all);
}

const struct report_format *report_parse_format(const char *name, struct err *err)
{
	const struct report_format *format = report_find(name);

	if (!format)
		refuse_format(name, err);
	return format;
}

int report_write(FILE *out, const struct report_format *format, const struct result *const *results,
		 size_t n, struct err *err)
{
	int ret;

	errno = 0;
	ret = format->write(out, results, n, err);
	if (ret)
		return ret;
	/* An error of an earlier write may have taken its errno with it. */
	if (fflush(out) || ferror(out))
		return err_set(err, errno ? errno : EIO, "write", "the report (%s)", format->name);
	return 0;
}
