/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_faults: why faults and pages differ, or will, by the settings of the system. */
#include "config.h"

#include "system.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THP_DIR "/sys/kernel/mm/transparent_hugepage"

/* The cause that was found, and what to do about it; callers use them before they ask again. */
static char cause[240], remedy[200];

/* Always true, for callers to return. */
__attribute__((format(printf, 1, 2))) static bool remedied_by(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(remedy, sizeof(remedy), fmt, ap);
	va_end(ap);
	return true;
}

__attribute__((format(printf, 1, 2))) static bool because(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cause, sizeof(cause), fmt, ap);
	va_end(ap);
	return true;
}

/* A member, by its path "thp.enabled"; "" where it is absent or no string. */
static const char *text_of(const json_t *o, const char *group, const char *key)
{
	const char *text = json_string_value(json_object_get(json_object_get(o, group), key));

	return text ? text : "";
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return *word && (!strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c));
}

/* The value of glibc.malloc.hugetlb: 1 = malloc advises huge pages, 2 and up = it maps them. */
static long malloc_hugetlb(const json_t *system)
{
	static const char name[] = "glibc.malloc.hugetlb=";
	const char *tunables = json_string_value(json_object_get(system, "glibc_tunables"));
	const char *at = tunables ? strstr(tunables, name) : NULL;
	long value = 0;

	if (at)
		sscanf(at + sizeof(name) - 1, "%ld", &value);
	return value;
}

/*
 * Of the sizes of pages that are set apart, one whose setting `key` is among the words. A size that
 * inherits is not looked for: what it inherits was. NULL = none.
 */
static const char *size_set_to(const json_t *system, const char *key, const char *a, const char *b,
			       const char **word)
{
	json_t *sizes = json_object_get(json_object_get(system, "thp"), "sizes");
	const char *name;
	json_t *size;

	json_object_foreach(sizes, name, size)
	{
		*word = json_string_value(json_object_get(size, key));
		if (*word && is_one_of(*word, a, b, a))
			return name;
	}
	return NULL;
}

/*
 * Whether any size takes after the setting for all. On kernels that have no such sizes, or have
 * them for the other kind of memory only (Linux 6.8 to 6.10), that setting is all there is.
 */
static bool inherited(const json_t *system, const char *key)
{
	json_t *sizes = json_object_get(json_object_get(system, "thp"), "sizes"), *size;
	const char *name, *word;
	bool any = false;

	json_object_foreach(sizes, name, size) any |= json_object_get(size, key) != NULL;
	return !any || size_set_to(system, key, "inherit", "inherit", &word);
}

/* Whether the process was kept from huge pages (PR_SET_THP_DISABLE). */
static bool thp_disabled(const json_t *system)
{
	return !strcmp(text_of(system, "thp", "process"), "disabled");
}

static bool malloc_thp(const json_t *system, long hugetlb)
{
	const char *enabled = text_of(system, "thp", "enabled"), *name, *word = NULL;

	if (!strcmp(enabled, "always") && inherited(system, "enabled"))
		return remedied_by("echo madvise > " THP_DIR "/enabled") &&
		       because("transparent huge pages (thp enabled is always)");
	name = size_set_to(system, "enabled", "always", hugetlb ? "madvise" : "always", &word);
	if (name)
		return remedied_by("echo never > " THP_DIR "/%.40s/enabled", name) &&
		       because("transparent huge pages (%s enabled is %s)", name, word);
	if (!strcmp(enabled, "madvise") && hugetlb == 1 && inherited(system, "enabled"))
		return remedied_by("unset GLIBC_TUNABLES") &&
		       because("transparent huge pages (thp enabled is madvise, and GLIBC_TUNABLES "
			       "sets glibc.malloc.hugetlb to 1)");
	return false;
}

static bool malloc_huge(const json_t *system)
{
	long hugetlb = malloc_hugetlb(system);

	if (hugetlb >= 2)
		return remedied_by("unset GLIBC_TUNABLES") &&
		       because("huge pages (GLIBC_TUNABLES sets glibc.malloc.hugetlb to %ld)",
			       hugetlb);
	return !thp_disabled(system) && malloc_thp(system, hugetlb);
}

/* Shared memory without a mount of its own goes by the setting for all of it. */
static bool shmem_huge(const json_t *system)
{
	const char *enabled = text_of(system, "thp", "shmem_enabled");

	return !thp_disabled(system) && is_one_of(enabled, "always", "within_size", "force") &&
	       remedied_by("echo never > " THP_DIR "/shmem_enabled") &&
	       because("huge pages of shared memory (thp shmem_enabled is %s)", enabled);
}

/*
 * Of that, what is mapped without a file, as /dev/zero is, goes by the sizes: by those that inherit
 * the setting for all, and, unless that is "deny" or "force", by those with one of their own.
 * (Linux 6.18: shmem_allowable_huge_orders() in mm/shmem.c. SysV segments are not so mapped.)
 */
static bool zero_huge(const json_t *system)
{
	const char *enabled = text_of(system, "thp", "shmem_enabled"), *name, *word = NULL;

	if (inherited(system, "shmem_enabled") && shmem_huge(system))
		return true;
	if (thp_disabled(system) || is_one_of(enabled, "deny", "force", "deny"))
		return false;
	name = size_set_to(system, "shmem_enabled", "always", "within_size", &word);
	return name && remedied_by("echo never > " THP_DIR "/%.40s/shmem_enabled", name) &&
	       because("huge pages of shared memory (%s shmem_enabled is %s)", name, word);
}

static bool tmpfs_huge(const json_t *system)
{
	const char *enabled = text_of(system, "thp", "shmem_enabled");
	const char *huge = strstr(text_of(system, "tmpfs", "options"), "huge=");
	char word[16] = "";

	if (thp_disabled(system))
		return false;
	if (!strcmp(enabled, "force"))
		return remedied_by("echo never > " THP_DIR "/shmem_enabled") &&
		       because("huge pages of the tmpfs (thp shmem_enabled is force)");
	if (huge)
		sscanf(huge, "huge=%15[a-z_]", word);
	return strcmp(enabled, "deny") && is_one_of(word, "always", "within_size", "always") &&
	       remedied_by("remount it with huge=never, or give another --tmpfs-dir") &&
	       because("huge pages of the tmpfs (it is mounted with huge=%s)", word);
}

static bool object_huge(const json_t *system, const char *object)
{
	if (!strcmp(object, "malloc"))
		return malloc_huge(system);
	if (!strcmp(object, "tmpfs"))
		return tmpfs_huge(system);
	if (!strcmp(object, "zero"))
		return zero_huge(system);
	return !strcmp(object, "shmem") && shmem_huge(system);
}

static bool is_off(const json_t *size, const char *key)
{
	const char *word = json_string_value(json_object_get(size, key));

	return !word || !strcmp(word, "never");
}

/* The smallest huge page that is not off for everything; 0 = not known. */
static uint64_t smallest_huge(const json_t *system)
{
	json_t *thp = json_object_get(system, "thp"), *size;
	json_int_t least = json_integer_value(json_object_get(thp, "pmd_size_bytes"));
	const char *name;

	json_object_foreach(json_object_get(thp, "sizes"), name, size)
	{
		long long kib;

		if (sscanf(name, "hugepages-%lldkB", &kib) == 1 && kib > 0 && kib * 1024 < least &&
		    !(is_off(size, "enabled") && is_off(size, "shmem_enabled")))
			least = kib * 1024;
	}
	return least > 0 ? (uint64_t)least : 0;
}

const char *system_huge_pages(const json_t *system, const char *object, uint64_t bytes,
			      const char **fix)
{
	if ((bytes && bytes < smallest_huge(system)) || !object_huge(system, object))
		return NULL;
	*fix = remedy;
	return cause;
}

static bool too_few(const json_t *system, const char *object)
{
	const char *preload = json_string_value(json_object_get(system, "ld_preload"));

	if (object_huge(system, object))
		return true;
	if (!strcmp(object, "malloc")) {
		if (preload)
			return because("recycled malloc memory (LD_PRELOAD is %.150s, whose "
				       "allocator may reuse pages)",
				       preload);
		return because("recycled malloc memory (pages that the allocator had already)");
	}
	return because("fault-around, or pages that were there already");
}

int64_t system_swapped(const json_t *system)
{
	json_t *memory = json_object_get(system, "memory");
	int64_t total = json_integer_value(json_object_get(memory, "total_bytes"));
	int64_t bytes = json_integer_value(json_object_get(memory, "swap_used_bytes"));

	return bytes > 0 && bytes > total / 100 ? bytes : 0;
}

static bool too_many(const json_t *system)
{
	int64_t swapped = system_swapped(system);
	json_t *nodes = json_object_get(json_object_get(system, "numa"), "nodes");
	json_int_t balancing = json_integer_value(json_object_get(system, "numa_balancing"));

	if (swapped)
		return because("swapping (%" PRId64 " bytes of swap are in use)", swapped);
	/* With one node the kernel has nothing to balance. */
	if (balancing > 0 && json_array_size(nodes) != 1)
		return because("NUMA balancing (numa_balancing is %" JSON_INTEGER_FORMAT ")",
			       balancing);
	return false;
}

const char *system_explain_faults(const json_t *system, const char *object, int64_t faults,
				  int64_t pages)
{
	if (faults < pages ? too_few(system, object) : faults > pages && too_many(system))
		return cause;
	return "not known";
}
