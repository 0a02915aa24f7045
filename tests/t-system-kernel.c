/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-system-kernel: the kernel's configuration from its files, its command line, and what follows.
 */
#include "config.h"

#include "recorded.h"

#include "system_parts.h"
#include "util.h"

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define RELEASE "6.1.0"
#define BOOT	"/boot/config-" RELEASE

/* The name of a file of the tree. */
static const char *in_tree(const char *path)
{
	static char full[3 * PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", tree, path);
	return full;
}

static void config_is(const char *file, const char *hz, const char *what)
{
	json_t *o = system_config(RELEASE);

	ok(o != NULL, "%s", what);
	has_value(o, "file", file);
	if (hz)
		has_value(o, "options.HZ", hz);
	else
		has_value(o, "options", "unknown");
	json_decref(o);
}

static void test_files(void)
{
	record_nothing();
	config_is("unknown", NULL, "no configuration");
	put("/lib/modules/" RELEASE "/build/.config", "CONFIG_HZ=4\n");
	config_is("/lib/modules/" RELEASE "/build/.config", "4", "that of a kernel built here");
	put("/lib/modules/" RELEASE "/config", "CONFIG_HZ=3\n");
	config_is("/lib/modules/" RELEASE "/config", "3", "beside the modules");
	put(BOOT, "CONFIG_HZ=2\n");
	config_is(BOOT, "2", "in /boot");
	put(BOOT, "%s", "");
	config_is("/lib/modules/" RELEASE "/config", "3", "an empty file is none");
	put(BOOT, "this is\nno = configuration\n");
	config_is("/lib/modules/" RELEASE "/config", "3", "another text is none");
	if (remove(in_tree(BOOT)) || mkdir(in_tree(BOOT), 0700))
		exit(99);
	config_is("/lib/modules/" RELEASE "/config", "3", "a directory is none");
}

static void value_is(const char *line, const char *want)
{
	json_t *o;

	put(BOOT, "CONFIG_MEMCG=y\n%s", line);
	o = system_config(RELEASE);
	has_value(o, "options.HZ", want);
	json_decref(o);
}

static void test_lines(void)
{
	char text[5000];

	record_nothing();
	value_is("CONFIG_HZ=1000", "1000");
	value_is("CONFIG_HZ=0\r\n", "0");
	value_is("CONFIG_HZ=\"text\"\n", "text");
	value_is("CONFIG_HZ=\"\n", "\"");
	value_is("CONFIG_HZ=\n", "");
	value_is("CONFIG_HZ=0x20\n", "0x20");
	value_is("CONFIG_HZ=99999999999999999999\n", "99999999999999999999");
	value_is("# CONFIG_HZ is not set\n", "n");
	value_is("CONFIG_HZ_250=250\nCONFIG_HZX=1\n CONFIG_HZ=2\nCONFIG_H=3\nHZ=4\nCONFIG_HZ\n",
		 "n");
	value_is("CONFIG_HZ=\xff\n", "\xef\xbf\xbd");
	memset(text, 'x', sizeof(text));
	snprintf(text + sizeof(text) - 40, 40, "CONFIG_HZ=7\nCONFIG_HZ=250\n");
	value_is(text, "250");
	text[sizeof(text) - 28] = '\0';
	value_is(text, "n");
}

#ifdef HAVE_ZLIB
static void put_gz(const char *text, size_t cut)
{
	const char *path = in_tree("/proc/config.gz");
	struct stat st;
	gzFile out;

	put("/proc/config.gz", "%s", "");
	out = gzopen(path, "w");
	gzputs(out, text);
	gzclose(out);
	stat(path, &st);
	if (cut && truncate(path, st.st_size - (off_t)cut))
		exit(99);
}

static void test_compressed(void)
{
	char *config = read_data("systems/debug-config.txt");
	json_t *o;

	record_nothing();
	put(BOOT, "CONFIG_HZ=2\n");
	put_gz(config, 0);
	config_is("/proc/config.gz", "300", "the kernel's own");
	for (size_t cut = 1; cut < 200; cut += 9) {
		put_gz(config, cut);
		o = system_config(RELEASE);
		ok(!strcmp(json_string_value(member(o, "file")), BOOT),
		   "without its last %zu bytes, it is not to be trusted", cut);
		json_decref(o);
	}
	put("/proc/config.gz", "\x1f\x8b\x08 garbage");
	config_is(BOOT, "2", "garbage");
	put_gz("", 0);
	config_is(BOOT, "2", "nothing, compressed");
	remove(in_tree(BOOT));
	o = system_config(RELEASE);
	has_value(o, "reason", "/proc/config.gz cannot be read");
	json_decref(o);
	free(config);
}
#else
static void test_compressed(void)
{
	json_t *o;

	record_nothing();
	put("/proc/config.gz", "\x1f\x8b\x08");
	o = system_config(RELEASE);
	has_value(o, "reason", "/proc/config.gz cannot be read: pfscale was built without zlib");
	json_decref(o);
}
#endif

static void parameter_is(const char *cmdline, const char *name, const char *want)
{
	char value[20];
	bool found = system_cmdline(cmdline, name, value, sizeof(value));

	if (want)
		is_str(found ? value : "(absent)", want, cmdline);
	else
		ok(!found && !value[0], "%s: no %s", cmdline, name);
}

static void test_cmdline(void)
{
	parameter_is("a=1", "a", "1");
	parameter_is("quiet", "quiet", "");
	parameter_is("  a=1\tb=2\n", "b", "2");
	parameter_is("a=1 a=2", "a", "2");
	parameter_is("a=1 a", "a", "");
	parameter_is("init-on_alloc=1", "init_on-alloc", "1");
	parameter_is("x=\"a=1 b=2\" c=3", "c", "3");
	parameter_is("x=\"a=1 b=2\" c=3", "x", "a=1 b=2");
	parameter_is("x=\"a=1\" c=3", "c", "3");
	parameter_is("\"x=1 c=2\" d=3", "x", "1 c=2");
	parameter_is("\"x=1 c=2\" d=3", "c", NULL);
	parameter_is("x=\"", "x", "");
	parameter_is("x=\"\"", "x", "");
	parameter_is("\"", "x", NULL);
	parameter_is("x=\"a=1 b=2", "b", NULL);
	parameter_is("a=b=c", "a", "b=c");
	parameter_is("a=0123456789012345678901234567890", "a", "0123456789012345678");
	parameter_is("aa=1", "a", NULL);
	parameter_is("a.a=1", "a", NULL);
	parameter_is("", "a", NULL);
	parameter_is("-- a=1", "a", NULL);
	parameter_is("a=1 --", "a", "1");
	parameter_is("--a=1 a=2", "a", "2");
	parameter_is("a=1\rb=2\r\n", "b", "2");
	parameter_is("a=1\rb=2\r\n", "a", "1");
}

static void has_parameter(const char *cmdline, bool want)
{
	ok(system_has_parameter(cmdline, "tsc", "unstable") == want, "%s: %s tsc=unstable", cmdline,
	   want ? "has" : "has no");
}

/* Each tsc= adds to those before it, so any counts. */
static void test_any(void)
{
	has_parameter("", false);
	has_parameter("ro tsc=unstable", true);
	has_parameter("tsc=unstable tsc=nowatchdog\n", true);
	has_parameter("tsc=\"unstable\"", true);
	has_parameter("tsc=unstabl", false);
	has_parameter("tsc=unstablex atsc=unstable tsc tsc=", false);
	has_parameter("dyndbg=\"file x tsc=unstable\"", false);
	has_parameter("quiet -- tsc=unstable", false);
}

/* The effect of a command line with these options set, on "kernel.debug". */
static void debug_is(const char *options, const char *cmdline, const char *name, const char *want)
{
	struct utsname uts = { .release = RELEASE };
	char path[60], what[300];
	json_t *o, *m;

	record_nothing();
	if (options)
		put(BOOT, "CONFIG_SMP=y\n%s", options);
	if (cmdline)
		put("/proc/cmdline", "%s\n", cmdline);
	o = system_kernel(&uts);
	snprintf(path, sizeof(path), "debug.%s", name);
	m = member(o, path);
	snprintf(what, sizeof(what), "%s: with '%s', '%s'", name, options ? options : "unknown",
		 cmdline ? cmdline : "unknown");
	is_str(json_string_value(m), want, what);
	json_decref(o);
}

static void test_debug(void)
{
	static const char on_alloc[] = "CONFIG_INIT_ON_ALLOC_DEFAULT_ON=y\n";
	static const char pagealloc[] = "CONFIG_DEBUG_PAGEALLOC=y\n";
	static const char both[] =
		"CONFIG_DEBUG_PAGEALLOC=y\nCONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT=y\n";
	static const char leak[] = "CONFIG_DEBUG_KMEMLEAK=y\n";
	static const char leak_off[] =
		"CONFIG_DEBUG_KMEMLEAK=y\nCONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF=y\n";
	static const char tags[] = "CONFIG_KASAN=y\nCONFIG_KASAN_HW_TAGS=y\n";

	debug_is("", "", "init_on_alloc", "off");
	debug_is("", "init_on_alloc=1", "init_on_alloc", "on");
	debug_is("", "init_on_alloc=on", "init_on_alloc", "on");
	debug_is(on_alloc, "", "init_on_alloc", "on");
	debug_is(on_alloc, "init_on_alloc=0", "init_on_alloc", "off");
	debug_is(on_alloc, "init_on_alloc=off", "init_on_alloc", "off");
	debug_is(on_alloc, "init_on_alloc=maybe", "init_on_alloc", "on");
	debug_is(on_alloc, "init_on_alloc", "init_on_alloc", "on");
	debug_is(on_alloc, NULL, "init_on_alloc", "unknown");
	debug_is(NULL, "", "init_on_alloc", "unknown");
	debug_is(NULL, "init_on_alloc=0", "init_on_alloc", "off");
	debug_is("CONFIG_PAGE_POISONING=y\n", "init_on_free=1 page_poison=1", "init_on_free",
		 "off");
	debug_is("", "init_on_free=1 page_poison=1", "init_on_free", "on");
	debug_is("", "debug_pagealloc=on", "debug_pagealloc", "off");
	debug_is(pagealloc, "debug_pagealloc=on", "debug_pagealloc", "on");
	debug_is(pagealloc, "", "debug_pagealloc", "off");
	debug_is(both, "", "debug_pagealloc", "on");
	debug_is(both, "debug_pagealloc=0", "debug_pagealloc", "off");
	debug_is(NULL, "debug_pagealloc=on", "debug_pagealloc", "unknown");
	debug_is(NULL, "page_owner=off", "page_owner", "off");
	debug_is("", NULL, "page_owner", "off");
	debug_is(leak, "", "kmemleak", "on");
	debug_is(leak, "kmemleak=off", "kmemleak", "off");
	debug_is(leak_off, "", "kmemleak", "off");
	debug_is(leak_off, "kmemleak=on", "kmemleak", "on");
	debug_is("CONFIG_KASAN=y\n", "kasan=off", "kasan", "on");
	debug_is(tags, "", "kasan", "on");
	debug_is(tags, "kasan=off", "kasan", "off");
	debug_is(tags, NULL, "kasan", "unknown");
	debug_is("", "slub_debug", "slub_debug", "on");
	debug_is("", "slab_debug=FZ", "slub_debug", "on");
	debug_is("", "slub_debug=F,dentry", "slub_debug", "off");
	debug_is("CONFIG_SLUB_DEBUG_ON=y\n", "", "slub_debug", "on");
	debug_is("CONFIG_SLUB_DEBUG_ON=y\n", "slub_debug=-", "slub_debug", "off");
}

/* As it is now, or, where that cannot be seen, as it was at boot. */
static void test_mem_profiling(void)
{
	static const char name[] = "mem_profiling", built[] = "CONFIG_MEM_ALLOC_PROFILING=y\n";
	static const char standard[] = "CONFIG_MEM_ALLOC_PROFILING=y\n"
				       "CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT=y\n";
	struct utsname uts = { .release = RELEASE };
	json_t *o;

	debug_is("", "sysctl.vm.mem_profiling=1", name, "off");
	debug_is(built, "", name, "off");
	debug_is(built, "sysctl.vm.mem_profiling=1", name, "on");
	debug_is(built, "sysctl.vm.mem_profiling=1,compressed", name, "on");
	debug_is(standard, "", name, "on");
	debug_is(standard, "sysctl.vm.mem_profiling=0", name, "off");
	debug_is(standard, "sysctl.vm.mem_profiling=never", name, "off");
	debug_is(standard, NULL, name, "unknown");
	debug_is(NULL, "", name, "unknown");
	record_nothing();
	put("/proc/sys/vm/mem_profiling", "1\n");
	o = system_kernel(&uts);
	has_value(o, "debug.mem_profiling", "on");
	json_decref(o);
	put(BOOT, "%s", standard);
	put("/proc/cmdline", "sysctl.vm.mem_profiling=1\n");
	put("/proc/sys/vm/mem_profiling", "0\n");
	o = system_kernel(&uts);
	has_value(o, "debug.mem_profiling", "off");
	has_value(o, "config.options.MEM_ALLOC_PROFILING", "y");
	has_value(o, "config.options.MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT", "y");
	json_decref(o);
}

/* Blocks for all caches and for some; and several parameters, of which the last counts. */
static void test_slub(void)
{
	static const char on[] = "CONFIG_SLUB_DEBUG_ON=y\n";
	char many[300];

	debug_is("", "", "slub_debug", "off");
	debug_is("", "slub_debug=", "slub_debug", "on");
	debug_is("", "slub_debug=FZ;P,dentry", "slub_debug", "on");
	debug_is("", "slub_debug=P,dentry;FZ", "slub_debug", "on");
	debug_is("", "slub_debug=\"P,dentry;FZ\"", "slub_debug", "on");
	debug_is("", "slub_debug=P,dentry;U,kmalloc-*,inode", "slub_debug", "off");
	debug_is("", "slub_debug=,dentry", "slub_debug", "off");
	debug_is("", "slub_debug=;;P,dentry;;", "slub_debug", "off");
	debug_is("", "slub_debug=FZ;-", "slub_debug", "off");
	debug_is("", "slub_debug=FZ-;P,dentry", "slub_debug", "off");
	debug_is("", "slub_debug=-f", "slub_debug", "on");
	debug_is("", "slub_debug=O", "slub_debug", "off");
	debug_is(on, "slub_debug=O", "slub_debug", "off");
	debug_is(on, "slub_debug=-,dentry", "slub_debug", "on");
	debug_is(on, "slub_debug=P,dentry;-", "slub_debug", "off");
	debug_is("", "slab_debug=FZ slub_debug=-", "slub_debug", "off");
	debug_is("", "slub_debug=- slab_debug=FZ", "slub_debug", "on");
	debug_is("", "slub_debug=FZ slab_debug=-", "slub_debug", "off");
	debug_is("", "slub_debug=FZ slab_debug=P,dentry", "slub_debug", "on");
	debug_is(NULL, "slub_debug=P,dentry", "slub_debug", "unknown");
	debug_is(NULL, "slub_debug=-", "slub_debug", "off");
	debug_is(on, NULL, "slub_debug", "unknown");
	snprintf(many, sizeof(many), "slub_debug=P,%0200d;F", 0);
	debug_is("", many, "slub_debug", "on");
}

static void preempt_is(const char *version, const char *cmdline, const char *options,
		       const char *debugfs, const char *want)
{
	json_t *config;

	record_nothing();
	if (options)
		put(BOOT, "%s\n", options);
	config = system_config(RELEASE);
	is_str(system_preempt(version, cmdline, config, debugfs), want, version);
	json_decref(config);
}

static void test_preempt(void)
{
	preempt_is("#1 SMP PREEMPT_RT x", "", NULL, "", "rt");
	preempt_is("#1 SMP PREEMPT x", "", NULL, "", "full");
	preempt_is("#1 SMP PREEMPT_LAZY x", "", NULL, "", "lazy");
	preempt_is("#1 SMP x", "", NULL, "", "");
	preempt_is("#1 SMP x", "preempt=full", "CONFIG_PREEMPT_NONE=y", "", "none");
	preempt_is("#1 SMP x", "", "CONFIG_PREEMPT_VOLUNTARY=y", "", "voluntary");
	preempt_is("#1 SMP PREEMPT_DYNAMIC x", "", NULL, "", "");
	preempt_is("#1 SMP PREEMPT_DYNAMIC x", NULL, "CONFIG_PREEMPT=y", "", "");
	preempt_is("#1 SMP PREEMPT_DYNAMIC x", "", "CONFIG_PREEMPT=y", "", "full");
	preempt_is("#1 SMP PREEMPT_DYNAMIC x", "preempt=lazy", "CONFIG_PREEMPT=y", "", "lazy");
	preempt_is("#1 SMP PREEMPT_DYNAMIC x", "preempt=fuller", "CONFIG_PREEMPT=y", "", "full");
	preempt_is("#1 SMP PREEMPT_DYNAMIC x", "preempt=full", NULL, "(none) voluntary full",
		   "none");
	preempt_is("#1 SMP PREEMPT_DYNAMIC x", "", NULL, "none voluntary full (lazy)", "lazy");
	preempt_is("", NULL, NULL, "", "");
}

int main(void)
{
	tree_begin();
	test_files();
	test_lines();
	test_compressed();
	test_cmdline();
	test_any();
	test_debug();
	test_mem_profiling();
	test_slub();
	test_preempt();
	tree_end();
	return tap_done();
}
