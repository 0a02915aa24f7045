/* SPDX-License-Identifier: GPL-2.0-or-later */
/* monitor: what else the machine did on the workers' CPUs while a team lived. */
#ifndef PFSCALE_MONITOR_H
#define PFSCALE_MONITOR_H

#include "err.h"
#include "place.h"
#include "result.h"
#include "topology.h"

/* Readings before and after; of the main process. */
struct monitor;

/*
 * Make a monitor for teams on the CPUs of t. It takes what this kernel and container offer; what it
 * cannot read is left -1 in each repeat. Returns it, or NULL when memory ran out.
 * monitor_free() frees it.
 */
struct monitor *monitor_new(const struct topology *t);
void monitor_free(struct monitor *m);

/*
 * How exact foreign_ns is, per CPU, in nanoseconds: 1, or the step of /proc/stat. steal_ns always
 * comes in steps of /proc/stat.
 */
int64_t monitor_step_ns(const struct monitor *m);

/* A team of `workers` at these places is about to be made. */
void monitor_begin(struct monitor *m, const struct place *places, unsigned workers);

/*
 * All of the team has ended and been waited for: fill lived_ns, steal_ns, foreign_ns, throttles and
 * quota_throttles of *out. foreign_ns is the time that the CPUs of the team were busy, less all CPU
 * time of this process and the children that it waited for. As some of that was spent on other
 * CPUs, it is the least that others can have had.
 */
void monitor_end(struct monitor *m, struct repeat *out);

/*
 * For tests: monitors made from now on take /proc, /sys and the mounts of cgroups from below this
 * directory. "" = the machine's own. The string must stay.
 */
void monitor_set_root(const char *path);

#endif
