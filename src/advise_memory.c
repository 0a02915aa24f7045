/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advise_memory: advice on what becomes of the memory that is measured. */
#include "config.h"

#include "advise_parts.h"
#include "system.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Objects that get huge pages for the same reason share a warning. */
static int huge_pages_of(const struct advice *a, const char *who, const char *object)
{
	const char *fix, *cause = system_huge_pages(a->r->system, object, a->bytes, &fix);

	return cause ? advise_add(a, "%s %s; for one fault per page, %s", who, cause, fix) : 0;
}

/* zero and shmem get them for one reason or for two, or only one of them does. */
static int huge_pages_of_shared(const struct advice *a)
{
	bool zero = advise_measures(a, "zero"), shmem = advise_measures(a, "shmem");
	char of_zero[300] = "";
	const char *fix, *cause;
	int ret = 0;

	cause = zero ? system_huge_pages(a->r->system, "zero", a->bytes, &fix) : NULL;
	if (cause)
		snprintf(of_zero, sizeof(of_zero), "%s", cause);
	cause = shmem ? system_huge_pages(a->r->system, "shmem", a->bytes, &fix) : NULL;
	if (cause && !strcmp(cause, of_zero))
		return huge_pages_of(a, "zero and shmem get", "shmem");
	if (zero)
		ret = huge_pages_of(a, "zero gets", "zero");
	if (!ret && shmem)
		ret = huge_pages_of(a, "shmem gets", "shmem");
	return ret;
}

int advise_huge_pages(const struct advice *a)
{
	int ret = 0;

	if (advise_measures(a, "malloc"))
		ret = huge_pages_of(a, "malloc gets", "malloc");
	if (!ret)
		ret = huge_pages_of_shared(a);
	if (!ret && advise_measures(a, "tmpfs"))
		ret = huge_pages_of(a, "tmpfs gets", "tmpfs");
	return ret;
}

int advise_numa_balancing(const struct advice *a)
{
	int64_t mode = result_system_int(a->r, "numa_balancing");
	json_t *nodes = json_object_get(json_object_get(a->r->system, "numa"), "nodes");

	/* With one node the kernel has nothing to balance. */
	if (mode <= 0 || json_array_size(nodes) < 2)
		return 0;
	return advise_add(a,
			  "NUMA balancing is on (%lld): it unmaps pages to see who uses them, and "
			  "moves them; echo 0 > /proc/sys/kernel/numa_balancing",
			  (long long)mode);
}

int advise_swap(const struct advice *a)
{
	int64_t bytes = system_swapped(a->r->system);

	if (!bytes)
		return 0;
	return advise_add(a,
			  "swap is in use (%.1f MiB): what is swapped in or out while measuring "
			  "disturbs it; see that enough memory is free",
			  (double)bytes / (1 << 20));
}

/* Whether `piece`, a library's name, is one that is known to replace or check malloc(). */
static bool replaces_malloc(const char *piece, size_t len)
{
	static const char *const parts[] = { "malloc",	 "efence",    "duma",  "asan",
					     "memusage", "heaptrack", "hoard", "scudo" };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t part = strlen(parts[i]);

		for (size_t at = 0; at + part <= len; at++) {
			if (!strncasecmp(piece + at, parts[i], part))
				return true;
		}
	}
	return false;
}

/* LD_PRELOAD has names with blanks or colons between; only a file's own name tells what it is. */
static int advise_preload(const struct advice *a, bool *told)
{
	const char *list = advise_text(a, "ld_preload");

	for (size_t len; *(list += strspn(list, " :")); list += len) {
		size_t name = 0;

		len = strcspn(list, " :");
		for (size_t i = 0; i < len; i++)
			name = list[i] == '/' ? i + 1 : name;
		if (!replaces_malloc(list + name, len - name))
			continue;
		*told = true;
		return advise_add(a,
				  "malloc is that of %.*s (LD_PRELOAD), which may hand out pages "
				  "that were used before; unset LD_PRELOAD",
				  (int)(len - name < 60 ? len - name : 60), list + name);
	}
	return 0;
}

/* Whether a setting such as "165" or "3" is one, and not 0. */
static bool is_on(const char *value)
{
	return value && strtol(value, NULL, 0) != 0;
}

/* A variable, or a tunable in one, that makes glibc's malloc check or fill what it hands out. */
static const char *find_debugging(const struct advice *a, const char **variable)
{
	static const char *const variables[] = { "MALLOC_CHECK_", "MALLOC_PERTURB_" };
	static const char *const tunables[] = { "glibc.malloc.check=", "glibc.malloc.perturb=" };
	const char *list = advise_text(a, "glibc_tunables"), *at;
	json_t *env = json_object_get(a->r->system, "malloc_env");

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		*variable = variables[i];
		if (is_on(json_string_value(json_object_get(env, variables[i]))))
			return variables[i];
	}
	*variable = "GLIBC_TUNABLES";
	for (size_t i = 0; i < ARRAY_SIZE(tunables); i++) {
		at = strstr(list, tunables[i]);
		if (at && is_on(at + strlen(tunables[i])))
			return tunables[i];
	}
	return NULL;
}

int advise_malloc(const struct advice *a)
{
	const char *variable, *what;
	bool told = false;
	int ret;

	if (!advise_measures(a, "malloc"))
		return 0;
	ret = advise_preload(a, &told);
	what = told ? NULL : find_debugging(a, &variable);
	if (ret || !what)
		return ret;
	return advise_add(a,
			  "malloc checks or fills its memory (%.*s), and so may touch pages first; "
			  "unset %s",
			  (int)strcspn(what, "="), what, variable);
}
