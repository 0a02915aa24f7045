/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_kernel: which kernel this is, how it was built and started, and what of that is active. */
#include "config.h"

#include "result.h"
#include "system_parts.h"
#include "util.h"

#include <string.h>
#include <unistd.h>

/* As the kernel reads a switch: 1, 0, or -1 where it is none and so is ignored. */
static int parse_switch(const char *text)
{
	if (text[0] && strchr("1yYtT", text[0]))
		return 1;
	if (text[0] && strchr("0nNfF", text[0]))
		return 0;
	if (text[0] != 'o' && text[0] != 'O')
		return -1;
	if (text[1] == 'n' || text[1] == 'N')
		return 1;
	return text[1] == 'f' || text[1] == 'F' ? 0 : -1;
}

/* 1 = the option is set, 0 = it is not, -1 = not known. */
static int is_set(const json_t *config, const char *option)
{
	const char *value = system_config_get(config, option);

	return value ? strcmp(value, "n") != 0 : -1;
}

/*
 * Debugging aids that the configuration makes possible and a parameter switches. built: without
 * that, there is no such parameter. standard: the option that switches it on where the parameter
 * does not say, or, after a '!', off. (Linux 6.18: mm/mm_init.c, mm/page_owner.c, mm/kmemleak.c,
 * mm/page_table_check.c.)
 */
static const struct aid {
	const char *name, *built, *standard;
} aids[] = {
	{ "init_on_alloc", NULL, "INIT_ON_ALLOC_DEFAULT_ON" },
	{ "init_on_free", NULL, "INIT_ON_FREE_DEFAULT_ON" },
	{ "debug_pagealloc", "DEBUG_PAGEALLOC", "DEBUG_PAGEALLOC_ENABLE_DEFAULT" },
	{ "page_poison", "PAGE_POISONING", NULL },
	{ "page_owner", "PAGE_OWNER", NULL },
	{ "page_table_check", "PAGE_TABLE_CHECK", "PAGE_TABLE_CHECK_ENFORCED" },
	{ "kmemleak", "DEBUG_KMEMLEAK", "!DEBUG_KMEMLEAK_DEFAULT_OFF" },
};

static int standard_of(const struct aid *aid, const json_t *config)
{
	int set;

	if (!aid->standard)
		return 0;
	set = is_set(config, aid->standard + (aid->standard[0] == '!'));
	return set < 0 ? -1 : set != (aid->standard[0] == '!');
}

/* 1 = active, 0 = not, -1 = not known. cmdline: NULL = not known. */
static int aid_active(const struct aid *aid, const json_t *config, const char *cmdline)
{
	int built = aid->built ? is_set(config, aid->built) : 1, given = -1;
	char value[40];

	if (!built)
		return 0;
	if (!cmdline)
		return -1;
	if (system_cmdline(cmdline, aid->name, value, sizeof(value)))
		given = parse_switch(value);
	if (given < 0)
		given = standard_of(aid, config);
	return given > 0 && built < 0 ? -1 : given;
}

/*
 * Accounting of allocations to the code that makes them: it can be switched at any time, unless it
 * was not wanted at boot. (Linux 6.18: lib/alloc_tag.c.)
 */
static int mem_profiling_active(const json_t *config, const char *cmdline)
{
	static const struct aid at_boot = { "sysctl.vm.mem_profiling", "MEM_ALLOC_PROFILING",
					    "MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT" };
	int64_t now;

	if (!system_read_int("/proc/sys/vm/mem_profiling", &now))
		return now != 0;
	return aid_active(&at_boot, config, cmdline);
}

/* kasan=off is for hardware tags alone: the others are built into the code. */
static int kasan_active(const json_t *config, const char *cmdline)
{
	int built = is_set(config, "KASAN");
	char value[40];

	if (built <= 0 || is_set(config, "KASAN_HW_TAGS") != 1)
		return built;
	if (!cmdline)
		return -1;
	return !system_cmdline(cmdline, "kasan", value, sizeof(value)) || strcmp(value, "off") != 0;
}

/*
 * Whether these letters switch any check on: '-' takes back those before it, and 'o' only says
 * which caches to leave out.
 */
static bool any_check(const char *letters, size_t len)
{
	bool any = false;

	for (size_t i = 0; i < len; i++)
		any = letters[i] != '-' && (any || strchr("fzputaFZPUTA", letters[i]));
	return any;
}

/*
 * What a value of slab_debug makes of all caches; before: what it was. Without a value there are
 * all checks; else blocks, ';' between, each with letters for all caches or, where a list of caches
 * follows after a ',', for those alone. (Linux 6.18: setup_slub_debug() in mm/slub.c.)
 */
static int slub_value(const char *text, size_t len, int before)
{
	int active = len ? before : 1;

	for (size_t at = 0, block; at < len; at += block + 1) {
		const char *stop = memchr(text + at, ';', len - at);

		block = stop ? (size_t)(stop - text) - at : len - at;
		if (block && !memchr(text + at, ',', block))
			active = any_check(text + at, block);
	}
	return active;
}

/* It is slub_debug before Linux 6.9, and may still be called so. They are heeded one by one. */
static int slub_active(const json_t *config, const char *cmdline)
{
	int active = is_set(config, "SLUB_DEBUG_ON");
	struct system_parameter p;

	if (!cmdline)
		return -1;
	while (system_parameter(&cmdline, &p)) {
		if (system_parameter_is(&p, "slab_debug") || system_parameter_is(&p, "slub_debug"))
			active = slub_value(p.value, p.value_len, active);
	}
	return active;
}

/* Where the configuration is not known: /proc/lockdep is there if lockdep was built. */
static int lockdep_active(const json_t *config)
{
	char full[SYSTEM_PATH_LEN];
	int built = is_set(config, "LOCKDEP");

	if (built >= 0 || system_path(full, sizeof(full), "/proc/lockdep"))
		return built;
	return access(full, F_OK) ? -1 : 1;
}

static json_t *on_off(int active)
{
	return active < 0 ? system_unknown() : json_string(active ? "on" : "off");
}

static json_t *active_aids(const json_t *config, const char *cmdline)
{
	json_t *o = json_object();
	int poison = -1;
	bool bad = !o;

	for (size_t i = ARRAY_SIZE(aids); i--;) {
		int active = aid_active(&aids[i], config, cmdline);

		if (!strcmp(aids[i].name, "page_poison"))
			poison = active;
		/* Poisoning wins over clearing: it comes later in the table, and so first here. */
		if (!strncmp(aids[i].name, "init_on_", 8) && active > 0 && poison > 0)
			active = 0;
		bad |= system_put(o, aids[i].name, on_off(active));
	}
	bad |= system_put(o, "mem_profiling", on_off(mem_profiling_active(config, cmdline)));
	bad |= system_put(o, "lockdep", on_off(lockdep_active(config)));
	bad |= system_put(o, "kasan", on_off(kasan_active(config, cmdline)));
	bad |= system_put(o, "slub_debug", on_off(slub_active(config, cmdline)));
	return system_finish(o, bad);
}

/* The mode that a kernel with PREEMPT_DYNAMIC is in, which can be changed at any time by root. */
static const char *dynamic_mode(const char *debugfs, const char *word)
{
	static const char *const modes[] = { "none", "voluntary", "full", "lazy" };
	const char *open = strchr(debugfs, '(');

	if (open)
		word = open + 1;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		size_t len = strlen(modes[i]);

		if (!strncmp(word, modes[i], len) && (!word[len] || word[len] == ')'))
			return modes[i];
	}
	return "";
}

/* The mode that was chosen at configuration. */
static const char *configured_mode(const json_t *config)
{
	static const struct {
		const char *option, *mode;
	} modes[] = {
		{ "PREEMPT_RT", "rt" },
		{ "PREEMPT_NONE", "none" },
		{ "PREEMPT_VOLUNTARY", "voluntary" },
		{ "PREEMPT_LAZY", "lazy" },
		{ "PREEMPT", "full" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (is_set(config, modes[i].option) == 1)
			return modes[i].mode;
	}
	return "";
}

const char *system_preempt(const char *version, const char *cmdline, const json_t *config,
			   const char *debugfs)
{
	char value[40];
	const char *mode = "";

	/* The version string names what was built in; only "none" and "voluntary" look alike. */
	if (strstr(version, "PREEMPT_RT"))
		return "rt";
	if (*debugfs)
		mode = dynamic_mode(debugfs, "");
	if (!*mode && strstr(version, "PREEMPT_DYNAMIC") && cmdline) {
		if (system_cmdline(cmdline, "preempt", value, sizeof(value)))
			mode = dynamic_mode("", value);
		return *mode ? mode : configured_mode(config);
	}
	if (*mode || strstr(version, "PREEMPT_DYNAMIC"))
		return mode;
	if (strstr(version, "PREEMPT_LAZY"))
		return "lazy";
	if (strstr(version, "PREEMPT"))
		return "full";
	return configured_mode(config);
}

json_t *system_kernel(const struct utsname *name)
{
	char cmdline[SYSTEM_TEXT_MAX], debugfs[100];
	bool known = system_read("/proc/cmdline", cmdline, sizeof(cmdline)) >= 0, bad;
	json_t *o = json_object(), *config = system_config(name->release);

	system_read("/sys/kernel/debug/sched/preempt", debugfs, sizeof(debugfs));
	bad = system_put(o, "release", system_text(name->release));
	bad |= system_put(o, "version", system_text(name->version));
	bad |= system_put(o, "machine", system_text(name->machine));
	bad |= system_put(o, "build", system_text_file("/proc/version"));
	bad |= system_put(o, "cmdline", known ? result_json_text(cmdline) : system_unknown());
	bad |= system_put(o, "tainted", system_int_file("/proc/sys/kernel/tainted"));
	bad |= system_put(o, "preempt",
			  system_text(system_preempt(name->version, known ? cmdline : NULL, config,
						     debugfs)));
	bad |= system_put(o, "debug", active_aids(config, known ? cmdline : NULL));
	bad |= system_put(o, "config", config);
	return system_finish(o, bad);
}
