/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_faults: why a point's faults and pages differ, by the settings of the system. */
#include "config.h"

#include "system.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The cause that was found; callers use it before they ask again. */
static char cause[240];

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

/* Whether any size takes after the setting for all: on kernels without sizes they all do. */
static bool inherited(const json_t *system, const char *key)
{
	json_t *sizes = json_object_get(json_object_get(system, "thp"), "sizes");
	const char *word;

	return !json_object_size(sizes) || size_set_to(system, key, "inherit", "inherit", &word);
}

static bool malloc_huge(const json_t *system)
{
	const char *enabled = text_of(system, "thp", "enabled"), *name, *word = NULL;
	long hugetlb = malloc_hugetlb(system);

	if (hugetlb >= 2)
		return because("huge pages (GLIBC_TUNABLES sets glibc.malloc.hugetlb to %ld)",
			       hugetlb);
	if (!strcmp(enabled, "always") && inherited(system, "enabled"))
		return because("transparent huge pages (thp enabled is always)");
	name = size_set_to(system, "enabled", "always", hugetlb ? "madvise" : "always", &word);
	if (name)
		return because("transparent huge pages (%s enabled is %s)", name, word);
	if (!strcmp(enabled, "madvise") && hugetlb == 1 && inherited(system, "enabled"))
		return because("transparent huge pages (thp enabled is madvise, and GLIBC_TUNABLES "
			       "sets glibc.malloc.hugetlb to 1)");
	return false;
}

/* Shared memory without a mount of its own: the kernel's internal one. */
static bool shmem_huge(const json_t *system, bool by_size)
{
	const char *enabled = text_of(system, "thp", "shmem_enabled"), *name, *word = NULL;

	if (!strcmp(enabled, "force") || (is_one_of(enabled, "always", "within_size", "always") &&
					  inherited(system, "shmem_enabled")))
		return because("huge pages of shared memory (thp shmem_enabled is %s)", enabled);
	if (!by_size || !strcmp(enabled, "deny"))
		return false;
	name = size_set_to(system, "shmem_enabled", "always", "within_size", &word);
	return name && because("huge pages of shared memory (%s shmem_enabled is %s)", name, word);
}

static bool tmpfs_huge(const json_t *system)
{
	const char *enabled = text_of(system, "thp", "shmem_enabled");
	const char *huge = strstr(text_of(system, "tmpfs", "options"), "huge=");
	char word[16] = "";

	if (!strcmp(enabled, "force"))
		return because("huge pages of the tmpfs (thp shmem_enabled is force)");
	if (huge)
		sscanf(huge, "huge=%15[a-z_]", word);
	return strcmp(enabled, "deny") && is_one_of(word, "always", "within_size", "always") &&
	       because("huge pages of the tmpfs (it is mounted with huge=%s)", word);
}

static bool too_few(const json_t *system, const char *object)
{
	const char *preload = json_string_value(json_object_get(system, "ld_preload"));

	if (!strcmp(object, "malloc")) {
		if (malloc_huge(system))
			return true;
		if (preload)
			return because("recycled malloc memory (LD_PRELOAD is %.150s, whose "
				       "allocator may reuse pages)",
				       preload);
		return because("recycled malloc memory (pages that the allocator had already)");
	}
	if (!strcmp(object, "tmpfs") ? tmpfs_huge(system)
				     : shmem_huge(system, !strcmp(object, "zero")))
		return true;
	return because("fault-around, or pages that were there already");
}

static bool too_many(const json_t *system, const char *object)
{
	json_t *swap = json_object_get(json_object_get(system, "memory"), "swap_used_bytes");
	json_t *nodes = json_object_get(json_object_get(system, "numa"), "nodes");
	json_int_t balancing = json_integer_value(json_object_get(system, "numa_balancing"));

	if (json_integer_value(swap) > 0)
		return because("swapping (%" JSON_INTEGER_FORMAT " bytes of swap are in use)",
			       json_integer_value(swap));
	/* With one node the kernel has nothing to balance. */
	if (balancing > 0 && json_array_size(nodes) != 1)
		return because("NUMA balancing (numa_balancing is %" JSON_INTEGER_FORMAT ")",
			       balancing);
	if (!strcmp(object, "malloc") && json_integer_value(json_object_get(system, "ksm")) == 1)
		return because("same-page merging (ksm run is 1)");
	return false;
}

const char *system_explain_faults(const json_t *system, const char *object, int64_t faults,
				  int64_t pages)
{
	if (faults < pages ? too_few(system, object) : faults > pages && too_many(system, object))
		return cause;
	return "not known";
}
