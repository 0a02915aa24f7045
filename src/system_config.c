/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_config: what the running kernel was configured with, of what page faults may feel. */
#include "config.h"

#include "result.h"
#include "system_parts.h"
#include "util.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define PROC_CONFIG "/proc/config.gz"

/* The options that are kept, without CONFIG_. Sorted (strcmp). */
static const char *const options[] = {
	"CC_OPTIMIZE_FOR_SIZE",
	"CONTEXT_TRACKING_FORCE", /* before Linux 6.0 */
	"CONTEXT_TRACKING_USER_FORCE",
	"DEBUG_ATOMIC_SLEEP",
	"DEBUG_KMEMLEAK",
	"DEBUG_KMEMLEAK_DEFAULT_OFF",
	"DEBUG_LIST",
	"DEBUG_LOCK_ALLOC",
	"DEBUG_MUTEXES",
	"DEBUG_OBJECTS",
	"DEBUG_PAGEALLOC",
	"DEBUG_PAGEALLOC_ENABLE_DEFAULT",
	"DEBUG_PAGE_REF",
	"DEBUG_PREEMPT",
	"DEBUG_RWSEMS",
	"DEBUG_SPINLOCK",
	"DEBUG_VM",
	"DEBUG_VM_PGFLAGS",
	"DEBUG_VM_PGTABLE",
	"FUNCTION_TRACER",
	"GCOV_KERNEL",
	"HZ",
	"INIT_ON_ALLOC_DEFAULT_ON",
	"INIT_ON_FREE_DEFAULT_ON",
	"IRQ_TIME_ACCOUNTING",
	"KASAN",
	"KASAN_GENERIC",
	"KASAN_HW_TAGS",
	"KASAN_SW_TAGS",
	"KCOV",
	"KCSAN",
	"KFENCE",
	"KFENCE_SAMPLE_INTERVAL",
	"KMSAN",
	"KSM",
	"LOCKDEP",
	"LOCK_STAT",
	"LRU_GEN",
	"LRU_GEN_ENABLED",
	"LTO_CLANG",
	"MEMCG",
	"MEMCG_V1",
	"MEM_ALLOC_PROFILING",
	"MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT",
	"MITIGATION_PAGE_TABLE_ISOLATION",
	"NODES_SHIFT",
	"NO_HZ_FULL",
	"NR_CPUS",
	"NUMA",
	"NUMA_BALANCING",
	"NUMA_BALANCING_DEFAULT_ENABLED",
	"PAGE_OWNER",
	"PAGE_POISONING",
	"PAGE_TABLE_CHECK",
	"PAGE_TABLE_CHECK_ENFORCED",
	"PAGE_TABLE_ISOLATION", /* before Linux 6.9 */
	"PARAVIRT",
	"PARAVIRT_SPINLOCKS",
	"PER_VMA_LOCK",
	"PREEMPT",
	"PREEMPT_DYNAMIC",
	"PREEMPT_LAZY",
	"PREEMPT_NONE",
	"PREEMPT_RT",
	"PREEMPT_VOLUNTARY",
	"PROVE_LOCKING",
	"PROVE_RCU",
	"PSI",
	"SCHEDSTATS",
	"SHUFFLE_PAGE_ALLOCATOR",
	"SLUB_DEBUG_ON",
	"TICK_CPU_ACCOUNTING",
	"TRANSPARENT_HUGEPAGE",
	"UBSAN",
	"USERFAULTFD",
	"VIRT_CPU_ACCOUNTING_GEN",
	"VIRT_CPU_ACCOUNTING_NATIVE",
	"ZSWAP",
};

static int compare_name(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

/* A number, "y" and "m", or a text, which stands in quotes. */
static json_t *value_of(char *text)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (end != text && !*end && !errno)
		return json_integer(n);
	if (*text == '"' && strlen(text) > 1 && text[strlen(text) - 1] == '"') {
		text[strlen(text) - 1] = '\0';
		text++;
	}
	return result_json_text(text);
}

/* Take a line "CONFIG_NAME=VALUE". 1 = it is one, 0 = another, or -ENOMEM. */
static int take_line(json_t *found, char *line)
{
	static const char prefix[] = "CONFIG_";
	char *name = line + strlen(prefix), *equals = strchr(line, '=');

	if (!equals || strncmp(line, prefix, strlen(prefix)))
		return 0;
	*equals = '\0';
	equals[1 + strcspn(equals + 1, "\r\n")] = '\0';
	if (bsearch(name, options, ARRAY_SIZE(options), sizeof(options[0]), compare_name) &&
	    system_put(found, name, value_of(equals + 1)))
		return -ENOMEM;
	return 1;
}

/* A stream of lines, compressed or not. Without zlib, only the latter. */
struct lines {
#ifdef HAVE_ZLIB
	gzFile in;
#else
	FILE *in;
#endif
};

static bool lines_open(struct lines *l, const char *path)
{
#ifdef HAVE_ZLIB
	l->in = gzopen(path, "re");
#else
	l->in = fopen(path, "re");
#endif
	return l->in != NULL;
}

static bool lines_next(struct lines *l, char *buf, int len)
{
#ifdef HAVE_ZLIB
	return gzgets(l->in, buf, len) != NULL;
#else
	return fgets(buf, len, l->in) != NULL;
#endif
}

/* Returns whether all of the file was read, and was sound. */
static bool lines_close(struct lines *l)
{
#ifdef HAVE_ZLIB
	int num;
	bool sound;

	gzerror(l->in, &num);
	sound = num == Z_OK || num == Z_STREAM_END;
	return gzclose_r(l->in) == Z_OK && sound;
#else
	bool sound = !ferror(l->in);

	fclose(l->in);
	return sound;
#endif
}

/* All options in the table's order. What the file does not have is not set: "n". */
static json_t *complete(const json_t *found)
{
	json_t *o = json_object();
	bool bad = !o;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		json_t *value = json_object_get(found, options[i]);

		bad |= system_put(o, options[i], value ? json_incref(value) : json_string("n"));
	}
	return system_finish(o, bad);
}

/* Read the lines of a kernel configuration. 1 = it is one, 0 = it is not, or -ENOMEM. */
static int read_lines(struct lines *in, json_t *found)
{
	bool any = false, within = false;
	char line[1024];

	while (lines_next(in, line, sizeof(line))) {
		/* Of a line that is too long, the first part counts; no option of ours has one. */
		bool ends = strchr(line, '\n');
		int ret = within ? 0 : take_line(found, line);

		if (ret < 0)
			return ret;
		any |= ret > 0;
		within = !ends;
	}
	return any;
}

/* The options of a file that is a kernel configuration. Returns 0, -ENOENT or -ENOMEM. */
static int read_options(const char *path, json_t **out)
{
	char full[SYSTEM_PATH_LEN];
	json_t *found;
	struct lines in;
	int ret;

	if (system_path(full, sizeof(full), path) || !lines_open(&in, full))
		return -ENOENT;
	found = json_object();
	ret = found ? read_lines(&in, found) : -ENOMEM;
	if (!lines_close(&in) && ret >= 0)
		ret = 0; /* cut short, or damaged */
	*out = ret > 0 ? complete(found) : NULL;
	json_decref(found);
	if (ret > 0)
		return *out ? 0 : -ENOMEM;
	return ret ? ret : -ENOENT;
}

/* Why the kernel's own account of itself was not read, although it is there; NULL = it is not. */
static const char *not_read(void)
{
	char full[SYSTEM_PATH_LEN];

	if (system_path(full, sizeof(full), PROC_CONFIG) || access(full, F_OK))
		return NULL;
#ifdef HAVE_ZLIB
	return PROC_CONFIG " cannot be read";
#else
	return PROC_CONFIG " cannot be read: pfscale was built without zlib";
#endif
}

static json_t *not_found(void)
{
	const char *reason = not_read();
	json_t *o = json_object();
	bool bad = system_put(o, "file", system_unknown());

	bad |= system_put(o, "options", system_unknown());
	if (reason)
		bad |= system_put(o, "reason", json_string(reason));
	return system_finish(o, bad);
}

json_t *system_config(const char *release)
{
	/* Of these, the first is the running kernel's own; the others go by its release. */
	static const char *const files[] = { "/boot/config-%s", "/lib/modules/%s/config",
					     "/usr/lib/modules/%s/config",
					     "/lib/modules/%s/build/.config" };
	char path[sizeof(((struct utsname *)0)->release) + 100] = PROC_CONFIG;
	json_t *o, *found = NULL;
	int ret;
	bool bad;

	ret = read_options(path, &found);
	for (size_t i = 0; ret == -ENOENT && *release && i < ARRAY_SIZE(files); i++) {
		const char *rest = strstr(files[i], "%s");

		snprintf(path, sizeof(path), "%.*s%s%s", (int)(rest - files[i]), files[i], release,
			 rest + 2);
		ret = read_options(path, &found);
	}
	if (ret)
		return ret == -ENOENT ? not_found() : NULL;
	o = json_object();
	bad = system_put(o, "file", result_json_text(path));
	bad |= system_put(o, "options", found);
	return system_finish(o, bad);
}

const char *system_config_get(const json_t *config, const char *option)
{
	return json_string_value(json_object_get(json_object_get(config, "options"), option));
}

int64_t system_config_int(const json_t *config, const char *option)
{
	json_t *value = json_object_get(json_object_get(config, "options"), option);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}
