/* SPDX-License-Identifier: GPL-2.0-or-later */
/* t-system: the description of this system, of systems that hide, and the causes read from it. */
#include "config.h"

#include "system.h"
#include "system_parts.h"
#include "util.h"

#include "tap.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static json_t *at(json_t *o, const char *group, const char *key)
{
	return json_object_get(group ? json_object_get(o, group) : o, key);
}

static json_t *describe(const char *tmpfs_dir)
{
	struct object_env env = { .tmpfs_dir = tmpfs_dir };
	struct topology *t = NULL;
	struct err err = { 0 };
	json_t *o = topology_load(&t, &err) ? NULL : system_describe(t, &env);

	topology_free(t);
	return o;
}

static bool number_or_unknown(json_t *v)
{
	return json_is_integer(v) ||
	       (json_is_string(v) && !strcmp(json_string_value(v), "unknown"));
}

static void test_members(void)
{
	static const char *const members[] = {
		"hostname", "boot_id",	      "kernel",	   "cpu",	 "hypervisor",
		"governor", "memory",	      "page_size", "numa",	 "thp",
		"ksm",	    "numa_balancing", "load",	   "overcommit", "mitigations",
		"clock",    "limits",	      "cgroup",	   "tmpfs",
	};
	json_t *o = describe("/dev/shm");
	struct utsname name;
	char *dump;

	if (!ok(json_is_object(o), "this system is described"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		ok(at(o, NULL, members[i]) != NULL, "it has %s", members[i]);
	uname(&name);
	is_str(json_string_value(at(o, "kernel", "release")), name.release, "kernel.release");
	is_str(json_string_value(at(o, "kernel", "machine")), name.machine, "kernel.machine");
	is_int(json_integer_value(at(o, NULL, "page_size")), sysconf(_SC_PAGESIZE), "page_size");
	ok(json_integer_value(at(o, "cpu", "allowed")) > 0, "cpu.allowed");
	ok(json_integer_value(at(o, "cpu", "online")) >=
		   json_integer_value(at(o, "cpu", "allowed")),
	   "cpu.online is no less");
	ok(json_string_length(at(o, "cpu", "model")) > 0, "cpu.model");
	ok(json_integer_value(at(o, "clock", "step_ns")) > 0, "clock.step_ns");
	ok(number_or_unknown(at(o, "memory", "total_bytes")), "memory.total_bytes");
	ok(number_or_unknown(at(o, "memory", "swap_used_bytes")), "memory.swap_used_bytes");
	ok(json_is_object(at(o, "thp", "sizes")), "thp.sizes");
	ok(!strchr(json_string_value(at(o, "thp", "enabled")), '['), "thp.enabled is one word");
	ok(json_is_array(at(o, "numa", "nodes")), "numa.nodes");
	ok(json_is_array(at(o, NULL, "load")) || json_is_string(at(o, NULL, "load")), "load");
	dump = json_dumps(o, 0);
	ok(dump != NULL, "it can be written");
	free(dump);
	json_decref(o);
}

static void test_limits(void)
{
	struct rlimit before, r;
	json_t *o;

	getrlimit(RLIMIT_FSIZE, &before);
	r = before;
	r.rlim_cur = before.rlim_max == RLIM_INFINITY || before.rlim_max > 12345678
			     ? 12345678
			     : before.rlim_max;
	setrlimit(RLIMIT_FSIZE, &r);
	o = describe("/dev/shm");
	is_int(json_integer_value(at(o, "limits", "fsize")), (int64_t)r.rlim_cur,
	       "a limit in bytes");
	setrlimit(RLIMIT_FSIZE, &before);
	json_decref(o);
	o = describe("/dev/shm");
	if (before.rlim_cur == RLIM_INFINITY)
		ok(json_is_null(at(o, "limits", "fsize")), "unlimited is null");
	else
		skip("unlimited is null", "this process's files are limited");
	ok(json_is_null(at(o, "limits", "shmmax")) || number_or_unknown(at(o, "limits", "shmmax")),
	   "shmmax, which may be more than 2^63 bytes");
	ok(number_or_unknown(at(o, "limits", "max_map_count")), "max_map_count");
	json_decref(o);
}

static void test_environment(void)
{
	json_t *o;

	unsetenv("GLIBC_TUNABLES");
	o = describe("/dev/shm");
	ok(!at(o, NULL, "glibc_tunables"), "no glibc_tunables when there are none");
	json_decref(o);
	setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:\xff", 1);
	o = describe("/dev/shm");
	has_str(json_string_value(at(o, NULL, "glibc_tunables")), "glibc.malloc.hugetlb=1",
		"glibc_tunables, also when they are no UTF-8");
	unsetenv("GLIBC_TUNABLES");
	json_decref(o);
}

static void test_tmpfs(void)
{
	static const char *const dirs[] = { NULL, "", "/nonexistent", "/proc", "/tmp/\xff\xfe" };
	json_t *o = system_tmpfs("/dev/shm");

	is_str(json_string_value(json_object_get(o, "dir")), "/dev/shm", "tmpfs.dir");
	ok(number_or_unknown(json_object_get(o, "size_bytes")) ||
		   json_is_null(json_object_get(o, "size_bytes")),
	   "tmpfs.size_bytes");
	json_decref(o);
	o = system_tmpfs("/proc");
	is_str(json_string_value(json_object_get(o, "size_bytes")), "unknown",
	       "what has no blocks, and is no tmpfs, has no size");
	json_decref(o);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		o = system_tmpfs(dirs[i]);
		ok(json_is_string(json_object_get(o, "dir")) &&
			   json_is_string(json_object_get(o, "options")) &&
			   json_is_string(json_object_get(o, "type")),
		   "an odd directory is no trouble: %zu", i);
		json_decref(o);
	}
}

static void test_choice(void)
{
	static const char *const cases[][2] = {
		{ "always [madvise] never", "madvise" },
		{ "[always] madvise never", "always" },
		{ "always within_size advise never deny [force]", "force" },
		{ "never", "never" },
		{ "", "unknown" },
		{ "always [madvise", "always [madvise" },
		{ "[]", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *word = system_choice(cases[i][0]);

		is_str(json_string_value(word), cases[i][1], cases[i][0]);
		json_decref(word);
	}
}

static void cpuinfo_is(const char *text, const char *model, int hypervisor, const char *what)
{
	/* fmemopen() takes no empty buffers. */
	FILE *in = *text ? fmemopen((void *)text, strlen(text), "r") : fopen("/dev/null", "r");
	struct system_cpuinfo info;

	system_read_cpuinfo(in, &info);
	is_str(info.model, model, what);
	is_int(info.hypervisor, hypervisor, "virtual or not");
	fclose(in);
}

static void test_cpuinfo(void)
{
	cpuinfo_is("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
		   "model name\t: Intel(R) Xeon(R) 8480+\ncpu MHz\t\t: 2000.000\n"
		   "flags\t\t: fpu vme de\n\nprocessor\t: 1\nmodel name\t: another\n",
		   "Intel(R) Xeon(R) 8480+", 0, "x86");
	cpuinfo_is("model name\t: QEMU Virtual CPU\nflags\t\t: fpu hypervisor lahf_lm\n",
		   "QEMU Virtual CPU", 1, "x86 in a virtual machine");
	cpuinfo_is("processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n"
		   "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"
		   "CPU part\t: 0xd0c\nCPU revision\t: 1\n",
		   "implementer 0x41 part 0xd0c", -1, "arm64");
	cpuinfo_is("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n\n"
		   "Hardware\t: BCM2835\nModel\t\t: Raspberry Pi 4 Model B Rev 1.1\n",
		   "Raspberry Pi 4 Model B Rev 1.1", -1, "arm64 that names its board");
	cpuinfo_is("processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3783MHz\n"
		   "model\t\t: 8335-GTW\n",
		   "POWER9, altivec supported", -1, "ppc64");
	cpuinfo_is("system type\t: Loongson\ncpu model\t: ICT Loongson-3 V0.8\n",
		   "ICT Loongson-3 V0.8", -1, "mips");
	cpuinfo_is("processor\t: 0\nhart\t: 1\nisa\t: rv64imafdc\nuarch\t: sifive,u74-mc\n",
		   "sifive,u74-mc", -1, "riscv64");
	cpuinfo_is("vendor_id       : IBM/S390\nprocessor 0: version = FF,  machine = 8561\n", "",
		   -1, "s390x names no model");
	cpuinfo_is("model name\t:\n", "", -1, "an empty name");
	cpuinfo_is("", "", -1, "nothing at all");
	cpuinfo_is("model name: no newline at the end", "no newline at the end", -1, "cut short");
}

static void test_words(void)
{
	static const char *const with[] = { "tsc", "tsc hpet", "hpet tsc", " hpet  tsc ",
					    "a tsc b" };
	static const char *const without[] = { "",	    " ",	 "tscx", "xtsc",
					       "tsc-early", "xtsc tscx", "ts c" };

	for (size_t i = 0; i < ARRAY_SIZE(with); i++)
		ok(system_has_word(with[i], "tsc"), "'%s' has tsc", with[i]);
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		ok(!system_has_word(without[i], "tsc"), "'%s' has no tsc", without[i]);
}

static void mount_is(const char *text, unsigned minor_number, int ret, const char *want)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	char *type = NULL, *options = NULL;

	is_int(system_mount_options(in, 0, minor_number, &type, &options), ret, "look for a mount");
	if (want) {
		is_str(options, want, "its options");
		is_str(type, "tmpfs", "its type");
	}
	free(type);
	free(options);
	fclose(in);
}

static void test_mounts(void)
{
	static const char text[] =
		"garbage\n"
		"25 24 0:23 / /dev/shm rw,relatime shared:5 master:1 - tmpfs tmpfs "
		"rw,size=24684092k,huge=always\n"
		"26 24 0:24 / /mnt/with\\040blank rw - tmpfs  rw,mode=755\n"
		"27 24 0:25 / /cut - tmpfs\n"
		"28 24 0:26 / /last rw - tmpfs x rw";

	mount_is(text, 23, 0, "rw,size=24684092k,huge=always");
	mount_is(text, 24, 0, "rw,mode=755");
	mount_is(text, 25, -ENOENT, NULL);
	mount_is(text, 26, 0, "rw");
	mount_is(text, 99, -ENOENT, NULL);
}

static void cause_is(const char *json, const char *object, int64_t faults, const char *want)
{
	json_error_t error;
	json_t *o = json_loads(json, 0, &error);

	ok(o != NULL, "the case is JSON");
	is_str(system_explain_faults(o, object, faults, 1000), want, want);
	json_decref(o);
}

static void test_too_few(void)
{
	static const char always[] = "{\"thp\": {\"enabled\": \"always\", \"shmem_enabled\": "
				     "\"never\"}}";
	static const char madvise[] = "{\"thp\": {\"enabled\": \"madvise\"}, \"glibc_tunables\": "
				      "\"a.b=0:glibc.malloc.hugetlb=1\"}";
	static const char size[] =
		"{\"thp\": {\"enabled\": \"never\", \"shmem_enabled\": \"never\", \"sizes\": "
		"{\"hugepages-16kB\": {\"enabled\": \"never\", \"shmem_enabled\": \"never\"},"
		"\"hugepages-64kB\": {\"enabled\": \"always\", \"shmem_enabled\": \"always\"}}}}";

	cause_is(always, "malloc", 100, "transparent huge pages (thp enabled is always)");
	cause_is(always, "zero", 100, "fault-around, or pages that were there already");
	cause_is(madvise, "malloc", 100,
		 "transparent huge pages (thp enabled is madvise, and GLIBC_TUNABLES sets "
		 "glibc.malloc.hugetlb to 1)");
	cause_is("{\"thp\": {\"enabled\": \"never\"}, \"glibc_tunables\": "
		 "\"glibc.malloc.hugetlb=2\"}",
		 "malloc", 100, "huge pages (GLIBC_TUNABLES sets glibc.malloc.hugetlb to 2)");
	cause_is(size, "malloc", 100, "transparent huge pages (hugepages-64kB enabled is always)");
	cause_is(size, "zero", 100,
		 "huge pages of shared memory (hugepages-64kB shmem_enabled is always)");
	cause_is(size, "shmem", 100, "fault-around, or pages that were there already");
	cause_is("{\"thp\": {\"enabled\": \"always\", \"sizes\": {\"hugepages-2048kB\": "
		 "{\"enabled\": \"never\"}}}}",
		 "malloc", 100, "recycled malloc memory (pages that the allocator had already)");
	cause_is("{\"thp\": {\"enabled\": \"always\", \"sizes\": {\"hugepages-2048kB\": "
		 "{\"enabled\": \"inherit\"}}}}",
		 "malloc", 100, "transparent huge pages (thp enabled is always)");
	cause_is("{\"thp\": {\"enabled\": \"madvise\"}, \"ld_preload\": \"libjemalloc.so\"}",
		 "malloc", 100,
		 "recycled malloc memory (LD_PRELOAD is libjemalloc.so, whose allocator may reuse "
		 "pages)");
}

static void test_too_few_shared(void)
{
	static const char *const words[] = { "always", "within_size", "force" };
	char json[300], want[200];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		snprintf(json, sizeof(json), "{\"thp\": {\"shmem_enabled\": \"%s\"}}", words[i]);
		snprintf(want, sizeof(want),
			 "huge pages of shared memory (thp shmem_enabled is %s)", words[i]);
		cause_is(json, "zero", 2, want);
		cause_is(json, "shmem", 2, want);
	}
	cause_is("{\"thp\": {\"shmem_enabled\": \"advise\"}}", "shmem", 2,
		 "fault-around, or pages that were there already");
	cause_is("{\"thp\": {\"shmem_enabled\": \"never\"}, \"tmpfs\": {\"options\": "
		 "\"rw,size=1k,huge=within_size,mode=7\"}}",
		 "tmpfs", 2, "huge pages of the tmpfs (it is mounted with huge=within_size)");
	cause_is("{\"thp\": {\"shmem_enabled\": \"deny\"}, \"tmpfs\": {\"options\": "
		 "\"rw,huge=always\"}}",
		 "tmpfs", 2, "fault-around, or pages that were there already");
	cause_is("{\"thp\": {\"shmem_enabled\": \"force\"}, \"tmpfs\": {\"options\": \"rw\"}}",
		 "tmpfs", 2, "huge pages of the tmpfs (thp shmem_enabled is force)");
	cause_is("{\"thp\": {\"shmem_enabled\": \"always\"}, \"tmpfs\": {\"options\": \"rw\"}}",
		 "tmpfs", 2, "fault-around, or pages that were there already");
	cause_is("{}", "tmpfs", 2, "fault-around, or pages that were there already");
}

/* Shared memory with shmem_enabled, and a size of pages with its own: what zero and shmem get. */
static void shared_are(const char *enabled, const char *sizes, const char *zero, const char *shmem)
{
	static const char none[] = "fault-around, or pages that were there already";
	char json[300], want[200];

	snprintf(json, sizeof(json), "{\"thp\": {\"shmem_enabled\": \"%s\", \"sizes\": {%s}}}",
		 enabled, sizes);
	snprintf(want, sizeof(want), "huge pages of shared memory (%s)", zero ? zero : "");
	cause_is(json, "zero", 2, zero ? want : none);
	snprintf(want, sizeof(want), "huge pages of shared memory (%s)", shmem ? shmem : "");
	cause_is(json, "shmem", 2, shmem ? want : none);
}

static void test_shared_sizes(void)
{
#define SIZE(kib, word) "\"hugepages-" kib "kB\": {\"shmem_enabled\": \"" word "\"}"
#define GLOBAL(word)	"thp shmem_enabled is " word
#define OWN(word)	"hugepages-64kB shmem_enabled is " word
	static const char never[] = SIZE("64", "never") ", " SIZE("2048", "never");
	static const char inherit[] = SIZE("64", "never") ", " SIZE("2048", "inherit");
	static const char own[] = SIZE("64", "always") ", " SIZE("2048", "never");
	static const char within[] = SIZE("64", "within_size") ", " SIZE("2048", "advise");
	static const char both[] = SIZE("64", "always") ", " SIZE("2048", "inherit");
	static const char anonymous[] = "\"hugepages-2048kB\": {\"enabled\": \"inherit\"}";

	shared_are("always", never, NULL, GLOBAL("always"));
	shared_are("within_size", never, NULL, GLOBAL("within_size"));
	shared_are("force", never, NULL, GLOBAL("force"));
	shared_are("never", never, NULL, NULL);
	shared_are("always", inherit, GLOBAL("always"), GLOBAL("always"));
	shared_are("within_size", inherit, GLOBAL("within_size"), GLOBAL("within_size"));
	shared_are("force", inherit, GLOBAL("force"), GLOBAL("force"));
	shared_are("advise", inherit, NULL, NULL);
	shared_are("never", inherit, NULL, NULL);
	shared_are("deny", inherit, NULL, NULL);
	shared_are("always", own, OWN("always"), GLOBAL("always"));
	shared_are("force", own, NULL, GLOBAL("force"));
	shared_are("advise", own, OWN("always"), NULL);
	shared_are("never", own, OWN("always"), NULL);
	shared_are("deny", own, NULL, NULL);
	shared_are("unknown", own, OWN("always"), NULL);
	shared_are("never", within, OWN("within_size"), NULL);
	shared_are("always", within, OWN("within_size"), GLOBAL("always"));
	shared_are("always", both, GLOBAL("always"), GLOBAL("always"));
	shared_are("never", both, OWN("always"), NULL);
	shared_are("force", both, GLOBAL("force"), GLOBAL("force"));
	/* Kernels whose sizes are for anonymous memory alone. */
	shared_are("always", anonymous, GLOBAL("always"), GLOBAL("always"));
	shared_are("force", anonymous, GLOBAL("force"), GLOBAL("force"));
	shared_are("never", anonymous, NULL, NULL);
	cause_is("{\"thp\": {\"shmem_enabled\": \"always\", \"process\": \"disabled\"}}", "zero", 2,
		 "fault-around, or pages that were there already");
	cause_is("{\"thp\": {\"shmem_enabled\": \"never\", \"process\": \"disabled\", \"sizes\": "
		 "{" SIZE("64", "always") "}}}",
		 "zero", 2, "fault-around, or pages that were there already");
}

static void test_too_many(void)
{
	cause_is("{\"memory\": {\"swap_used_bytes\": 4096}, \"numa_balancing\": 1}", "malloc", 1100,
		 "swapping (4096 bytes of swap are in use)");
	cause_is("{\"memory\": {\"swap_used_bytes\": 20001, \"total_bytes\": 2000000}}", "zero",
		 1100, "swapping (20001 bytes of swap are in use)");
	cause_is("{\"memory\": {\"swap_used_bytes\": 20000, \"total_bytes\": 2000000}}", "zero",
		 1100, "not known");
	cause_is("{\"numa_balancing\": 1, \"numa\": {\"nodes\": [{}, {}]}}", "zero", 1100,
		 "NUMA balancing (numa_balancing is 1)");
	cause_is("{\"numa_balancing\": 1, \"numa\": {\"nodes\": [{}]}}", "zero", 1100, "not known");
	/* Only what is marked mergeable is merged, and no object is. */
	cause_is("{\"ksm\": 1}", "malloc", 1100, "not known");
	cause_is("{\"memory\": {\"swap_used_bytes\": \"unknown\"}}", "malloc", 1100, "not known");
	cause_is("{\"thp\": {\"enabled\": \"always\"}}", "malloc", 1000, "not known");
	cause_is("[]", "malloc", 1100, "not known");
}

enum { CHILD_CANNOT = 77 };

static int describe_hidden(void)
{
	json_t *o;
	bool right;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/sys", "tmpfs", 0, NULL) || mount("none", "/proc", "tmpfs", 0, NULL))
		return CHILD_CANNOT;
	o = describe("/dev/shm");
	right = o && !strcmp(json_string_value(at(o, "thp", "enabled")), "unknown") &&
		!strcmp(json_string_value(at(o, "memory", "total_bytes")), "unknown") &&
		!strcmp(json_string_value(at(o, NULL, "governor")), "unknown") &&
		!strcmp(json_string_value(at(o, NULL, "mitigations")), "unknown") &&
		!strcmp(json_string_value(at(o, "limits", "shmmax")), "unknown") &&
		json_integer_value(at(o, "cpu", "allowed")) > 0;
	json_decref(o);
	return !right;
}

static bool mounted_size_is(const char *options, json_int_t size)
{
	json_t *o, *value;
	bool right;

	if (mount("none", "/mnt", "tmpfs", 0, options))
		return false;
	o = system_tmpfs("/mnt");
	value = json_object_get(o, "size_bytes");
	right = size ? json_integer_value(value) == size : json_is_null(value);
	json_decref(o);
	return right;
}

/* On /mnt, where no one else will see it. */
static int mount_sizes(void)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/mnt", "tmpfs", 0, NULL))
		return CHILD_CANNOT;
	if (!mounted_size_is("size=1m", 1 << 20))
		return 1;
	return mounted_size_is("size=0", 0) ? 0 : 2;
}

/* What a child says that may do what this process must not. */
static void in_child(int (*body)(void), const char *what)
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(body());
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_CANNOT)
		skip(what, "needs the right to mount");
	else
		is_int(status, 0, what);
}

int main(void)
{
	test_members();
	test_limits();
	test_environment();
	test_tmpfs();
	test_choice();
	test_cpuinfo();
	test_words();
	test_mounts();
	test_too_few();
	test_too_few_shared();
	test_shared_sizes();
	test_too_many();
	in_child(describe_hidden, "without /proc and /sys: unknown");
	in_child(mount_sizes, "the size of a tmpfs, and null where it has no limit");
	return tap_done();
}
