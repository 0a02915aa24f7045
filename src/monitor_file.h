/* SPDX-License-Identifier: GPL-2.0-or-later */
/* monitor_file: a file of /proc, /sys or a cgroup that is read again and again. */
#ifndef PFSCALE_MONITOR_FILE_H
#define PFSCALE_MONITOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct monitor_file {
	int fd; /* -1 = not open */
	char *buf;
	size_t size;
};

/* Returns whether the file is open now; it stays so. monitor_file_close() also takes a closed one.
 */
bool monitor_file_open(struct monitor_file *f, const char *path);
void monitor_file_close(struct monitor_file *f);

/* One line, without its end. Returns whether to go on with the next one. */
typedef bool (*monitor_line)(const char *line, void *arg);

/*
 * Read the file from its beginning, line by line, no further than the visits ask for. A line may
 * have any length. Returns 0 or a negative errno.
 */
int monitor_file_lines(struct monitor_file *f, monitor_line visit, void *arg);

/*
 * Read the number at *text, after blanks, and go past it. Returns it, or -1 where there is none or
 * it is over 2^63 - 1.
 */
int64_t monitor_file_number(const char **text);

/* Whether the line is that of a CPU, "cpuN …": *cpu is then N and *rest what follows. */
bool monitor_file_cpu(const char *line, int *cpu, const char **rest);

#endif
