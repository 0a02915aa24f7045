/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object shmem: a SysV shared memory segment. */
#include "config.h"

#include "limit.h"
#include "object.h"
#include "util.h"

#include <errno.h>
#include <stdint.h>
#include <sys/ipc.h>
#include <sys/shm.h>

extern const struct object_ops shmem_ops;

/* The limits of this IPC namespace; Linux's IPC_INFO and SHM_INFO take other structs than shmid_ds.
 */
static int read_limits(struct shminfo *limits, struct shm_info *used)
{
	if (shmctl(0, IPC_INFO, (struct shmid_ds *)(void *)limits) < 0 ||
	    shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)used) < 0)
		return -errno;
	return 0;
}

static int shmem_check(const struct object_env *env, struct err *err)
{
	struct shminfo limits;
	struct shm_info used;
	int ret = read_limits(&limits, &used);

	(void)env;
	if (ret)
		return err_set(err, EOPNOTSUPP, "", "no SysV shared memory here: shmctl gives %s",
			       err_name(-ret));
	return 0;
}

static uint64_t pages_of(uint64_t bytes)
{
	return bytes / util_page_size() + (bytes % util_page_size() != 0);
}

/* Whether n more segments of `bytes` each exceed a limit; that limit then goes into *err. */
static bool name_limit(uint64_t n, uint64_t bytes, struct err *err)
{
	struct shminfo limits;
	struct shm_info used;
	uint64_t segments, total;

	if (read_limits(&limits, &used))
		return false;
	segments = (uint64_t)used.used_ids;
	total = used.shm_tot;
	if (bytes > limits.shmmax)
		err_limit(err, "kernel.shmmax", "%llu bytes", (unsigned long long)limits.shmmax);
	else if (n + segments > limits.shmmni)
		err_limit(err, "kernel.shmmni", "%llu segments (%llu exist)",
			  (unsigned long long)limits.shmmni, (unsigned long long)segments);
	else if (n * pages_of(bytes) + total > limits.shmall)
		err_limit(err, "kernel.shmall", "%llu pages (%llu in use, %llu needed)",
			  (unsigned long long)limits.shmall, (unsigned long long)total,
			  (unsigned long long)(n * pages_of(bytes)));
	else
		return false;
	return true;
}

static int shmem_preflight(const struct object_env *env, const struct object_need *need,
			   struct err *err)
{
	struct err tried = { 0 };

	(void)env;
	if (!name_limit(need->objects, need->bytes_per_object, &tried))
		return 0;
	err_set(err, ENOSPC, "preflight", "%llu SysV segments of %llu bytes needed",
		(unsigned long long)need->objects, (unsigned long long)need->bytes_per_object);
	err_limit(err, tried.limit, "%s", tried.value);
	return -ENOSPC;
}

static int shmem_map(struct object *o, struct err *err)
{
	int id = shmget(IPC_PRIVATE, o->bytes, IPC_CREAT | 0600);
	int ret = 0;

	if (id < 0) {
		ret = err_set(err, errno, "shmget", "a segment of %zu bytes", o->bytes);
		if (!name_limit(1, o->bytes, err))
			limit_explain_nomem(err, o->bytes);
		return ret;
	}
	o->base = shmat(id, NULL, 0);
	if (o->base == (void *)-1) {
		ret = err_set(err, errno, "shmat", "a segment of %zu bytes", o->bytes);
		limit_explain_nomem(err, o->bytes);
	}
	/* At once: it then lives just as long as somebody has it attached. */
	if (shmctl(id, IPC_RMID, NULL) && !ret) {
		ret = err_set(err, errno, "shmctl", "IPC_RMID");
		shmdt(o->base);
	}
	return ret;
}

static int shmem_unmap(struct object *o, struct err *err)
{
	if (shmdt(o->base))
		return err_set(err, errno, "shmdt", "a segment of %zu bytes", o->bytes);
	return 0;
}

static void shmem_sweep(const struct object_env *env, pid_t creator)
{
	struct shm_info used;
	struct shmid_ds ds;
	int max = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&used);

	(void)env;
	for (int i = 0; i <= max; i++) {
		int id = shmctl(i, SHM_STAT, &ds);

		if (id >= 0 && ds.shm_cpid == creator && !ds.shm_nattch)
			shmctl(id, IPC_RMID, NULL);
	}
}

const struct object_ops shmem_ops = {
	.name = "shmem",
	.summary = "a SysV shared memory segment (shmget, shmat)",
	.check = shmem_check,
	.preflight = shmem_preflight,
	.map = shmem_map,
	.unmap = shmem_unmap,
	.sweep = shmem_sweep,
};
