/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limit: what stands between a point and its memory or its workers, with names and values. */
#ifndef PFSCALE_LIMIT_H
#define PFSCALE_LIMIT_H

#include "err.h"

#include <stdint.h>

/* How much can still be had of something, and by which limit. */
struct limit {
	char name[160];	    /* "memory.max of /a/b", "MemAvailable" */
	uint64_t value;	    /* the limit itself, in bytes */
	uint64_t available; /* what of it is left, in bytes */
};

/*
 * The tightest of the limits on memory that can be faulted in: MemAvailable, and limit less use
 * (not counting what the kernel can drop: inactive file pages) of every memory cgroup, v1 or v2,
 * from the process's own up to the root. Where nothing can be read, available is UINT64_MAX and the
 * name "unknown".
 */
void limit_memory(struct limit *out);

/*
 * -ENOMEM with the limit's name, the bytes needed and those available in *err when `bytes` do not
 * fit into memory by limit_memory(); else 0.
 */
int limit_check_memory(uint64_t bytes, struct err *err);

/*
 * *err says that mapping `bytes` failed: if with ENOMEM or EAGAIN, add the limit that was likely
 * hit, with its value: RLIMIT_AS, RLIMIT_DATA, vm.overcommit_memory 2 with CommitLimit, MemTotal +
 * SwapTotal (which overcommit 0 holds a single mapping to), vm.max_map_count, else the tightest of
 * limit_memory().
 */
void limit_explain_nomem(struct err *err, uint64_t bytes);

/*
 * *err says that a process or thread could not be made (EAGAIN, ENOMEM): add the limit: pids.max of
 * the nearest cgroup that is full (v1 or v2), RLIMIT_NPROC, kernel.threads-max, kernel.pid_max; for
 * a thread, whose stack is a mapping, also those of limit_explain_nomem(). Call it while the
 * workers that could be made are still there. Adds nothing where no limit is near.
 */
void limit_explain_nproc(struct err *err);

/*
 * How many processes the OOM killer has killed in the whole system, for whatever reason
 * (/proc/vmstat oom_kill), or, where that is not told, in the process's memory cgroup
 * (memory.events, memory.oom_control): to be compared before and after. -1 = not known.
 */
int64_t limit_oom_kills(void);

/*
 * For tests: from now on, take /proc and the mounts of cgroups from below this directory. "" = the
 * machine's own. The string must stay.
 */
void limit_set_root(const char *path);

#endif
