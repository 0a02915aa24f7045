/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysconf-64k: a library to be loaded before others, that says pages have 64 KiB. */
#include <dlfcn.h>
#include <unistd.h>

long sysconf(int name);
int getpagesize(void);

long sysconf(int name)
{
	static long (*next)(int);

	if (name == _SC_PAGESIZE)
		return 65536;
	if (!next)
		next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
	return next(name);
}

int getpagesize(void)
{
	return 65536;
}
