/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result_load: reading a result file, as text and as a whole. */
#include "config.h"

#include "result_internal.h"

#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that jansson reads from, and why it could not read on. */
struct source {
	int fd;
	uint64_t bytes;
	int num; /* errno of the read that failed */
	bool too_big;
};

static size_t feed(void *buf, size_t len, void *data)
{
	struct source *s = data;
	ssize_t n;

	do
		n = read(s->fd, buf, len);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		s->num = errno;
		return (size_t)-1;
	}
	s->bytes += (uint64_t)n;
	if (s->bytes > (uint64_t)RESULT_MAX_FILE_MIB << 20) {
		s->too_big = true;
		return (size_t)-1;
	}
	return (size_t)n;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

static int syntax_error(const char *file, const struct source *s, const json_error_t *e,
			struct err *err)
{
	if (s->num)
		return err_set(err, s->num, "read", "%s", file);
	if (s->too_big)
		return err_set(err, EFBIG, "", "%s: larger than %d MiB, too large for a result",
			       file, RESULT_MAX_FILE_MIB);
	if (!e->text[0])
		return err_set(err, ENOMEM, "malloc", "%s", file);
	if (!s->bytes)
		return err_set(err, EINVAL, "", "%s: empty, not a result", file);
	return err_set(err, EINVAL, "", "%s:%d:%d: %s: %s", file, e->line, e->column,
		       ends_with(e->text, "near end of file") ? "cut short" : "not valid JSON",
		       e->text);
}

static int open_file(const char *path, const char *file, struct err *err)
{
	int fd, flags;

	if (!strcmp(path, "-"))
		return STDIN_FILENO;
	/* Not to wait for somebody to write into a FIFO; one without a writer reads as empty. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return err_set(err, errno, "open", "%s", file);
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0) {
		err_set(err, errno, "fcntl", "%s", file);
		close(fd);
		return -err->num;
	}
	return fd;
}

static int read_json(const char *path, const char *file, json_t **out, struct err *err)
{
	struct source s = { 0 };
	json_error_t e;

	s.fd = open_file(path, file, err);
	if (s.fd < 0)
		return s.fd;
	*out = json_load_callback(feed, &s, JSON_REJECT_DUPLICATES, &e);
	if (s.fd != STDIN_FILENO)
		close(s.fd);
	return *out ? 0 : syntax_error(file, &s, &e, err);
}

/* Whether this is a result, and one that this version of pfscale can read. */
static int check_format(const struct place_in_file *in, const json_t *root)
{
	const char *format = json_string_value(member_get(root, "format"));
	int64_t version = 0;
	int ret;

	if (!format || strcmp(format, "pfscale"))
		return err_set(in->err, EINVAL, "", "%s: not a pfscale result: %s %.60s", in->file,
			       format ? "its format is" : "it names no format",
			       format ? format : "");
	ret = member_int(in, root, "format_version", 1, INT64_MAX, &version);
	if (ret)
		return ret;
	if (version > RESULT_FORMAT_VERSION)
		return err_set(in->err, EINVAL, "",
			       "%s: format_version %lld is newer than this pfscale reads (%d)",
			       in->file, (long long)version, RESULT_FORMAT_VERSION);
	return 0;
}

static int load_warnings(const struct place_in_file *in, const json_t *root, struct result *r)
{
	json_t *array, *value;
	size_t i;
	int ret = member_optional_array(in, root, "warnings", &array);

	if (!ret)
		ret = member_check_strings(in, "warnings", array);
	if (ret)
		return ret;
	json_array_foreach(array, i, value)
	{
		if (result_push_warning(r, json_string_value(value)))
			return member_no_memory(in);
	}
	return 0;
}

static int load_head(const struct place_in_file *in, const json_t *root, struct result *r)
{
	int ret = member_bool(in, root, "complete", &r->complete);

	if (!ret)
		ret = member_optional_string(in, root, "label", &r->label);
	if (!ret)
		ret = member_optional_string(in, root, "created", &r->created);
	if (!ret)
		ret = member_json(in, root, "command", JSON_ARRAY, &r->command);
	if (!ret)
		ret = member_check_strings(in, "command", r->command);
	if (!ret)
		ret = member_json(in, root, "tool", JSON_OBJECT, &r->tool);
	if (!ret)
		ret = member_json(in, root, "system", JSON_OBJECT, &r->system);
	if (!ret)
		ret = member_json(in, root, "plan", JSON_OBJECT, &r->plan);
	if (!ret)
		ret = member_json(in, root, "canary", JSON_ARRAY, &r->canary);
	return ret ? ret : load_warnings(in, root, r);
}

static int load_root(struct place_in_file *in, const char *path, const json_t *root,
		     struct result **out)
{
	struct result *r;
	int ret = check_format(in, root);

	if (ret)
		return ret;
	r = result_new();
	if (!r)
		return member_no_memory(in);
	r->path = strdup(path);
	ret = r->path ? load_head(in, root, r) : member_no_memory(in);
	if (!ret)
		ret = result_load_points(in, root, r);
	if (ret)
		result_free(r);
	else
		*out = r;
	return ret;
}

int result_load(const char *path, struct result **out, struct err *err)
{
	struct place_in_file in = { .err = err };
	char file[164];
	json_t *root;
	int ret;

	util_path_tail(file, sizeof(file), path);
	in.file = strcmp(path, "-") ? file : "standard input";
	ret = read_json(path, in.file, &root, err);
	if (ret)
		return ret;
	ret = load_root(&in, path, root, out);
	json_decref(root);
	return ret;
}
