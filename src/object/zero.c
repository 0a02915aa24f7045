/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object zero: a shared writable mapping of /dev/zero. */
#include "config.h"

#include "limit.h"
#include "object.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

extern const struct object_ops zero_ops;

static const char device[] = "/dev/zero";

static int zero_check(const struct object_env *env, struct err *err)
{
	int fd = open(device, O_RDWR | O_CLOEXEC);

	(void)env;
	if (fd < 0) {
		int num = errno;

		return err_set(err, EOPNOTSUPP, "", "%s cannot be opened for writing: %s", device,
			       err_name(num));
	}
	close(fd);
	return 0;
}

static int zero_map(struct object *o, struct err *err)
{
	int fd = open(device, O_RDWR | O_CLOEXEC);
	int ret;

	if (fd < 0) {
		ret = err_set(err, errno, "open", "%s", device);
		err_explain_file(err);
		return ret;
	}
	o->base = mmap(NULL, o->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ret = o->base == MAP_FAILED ? errno : 0;
	close(fd);
	if (!ret)
		return 0;
	err_set(err, ret, "mmap", "%zu bytes of %s, shared", o->bytes, device);
	limit_explain_nomem(err, o->bytes);
	return -ret;
}

static int zero_unmap(struct object *o, struct err *err)
{
	if (munmap(o->base, o->bytes))
		return err_set(err, errno, "munmap", "%zu bytes of %s", o->bytes, device);
	return 0;
}

const struct object_ops zero_ops = {
	.name = "zero",
	.summary = "a shared writable mapping of /dev/zero",
	.check = zero_check,
	.map = zero_map,
	.unmap = zero_unmap,
};
