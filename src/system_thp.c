/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_thp: the settings of huge pages, for the description of a system. */
#include "config.h"

#include "system_parts.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THP_DIR "/sys/kernel/mm/transparent_hugepage"

/* Some sizes can be had for one kind of memory alone, and lack the file of the other. */
static bool put_thp_size(json_t *o, const char *size, const char *key)
{
	char path[400], full[SYSTEM_PATH_LEN];

	snprintf(path, sizeof(path), THP_DIR "/%s/%s", size, key);
	return !system_path(full, sizeof(full), path) && !access(full, F_OK) &&
	       system_put(o, key, system_choice_file(path));
}

static json_t *thp_size(const char *name)
{
	json_t *o = json_object();
	bool bad = put_thp_size(o, name, "enabled");

	bad |= put_thp_size(o, name, "shmem_enabled");
	return system_finish(o, bad || !o);
}

/* The sizes of pages that can be set apart; none before Linux 6.8. */
static json_t *thp_sizes(void)
{
	struct dirent **names;
	int n = system_list(THP_DIR, &names);
	json_t *o = json_object();
	bool bad = !o;

	for (int i = 0; i < n; i++) {
		if (!strncmp(names[i]->d_name, "hugepages-", 10))
			bad |= system_put(o, names[i]->d_name, thp_size(names[i]->d_name));
		free(names[i]);
	}
	free(names);
	return system_finish(o, bad);
}

/* What the daemon that makes huge pages of small ones is told. Units are in the kernel's names. */
static json_t *khugepaged(void)
{
	static const char *const names[] = {
		"defrag",	 "pages_to_scan", "scan_sleep_millisecs", "alloc_sleep_millisecs",
		"max_ptes_none", "max_ptes_swap", "max_ptes_shared"
	};
	json_t *o = json_object();
	bool bad = !o;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[200];

		snprintf(path, sizeof(path), THP_DIR "/khugepaged/%s", names[i]);
		bad |= system_put(o, names[i], system_int_file(path));
	}
	return system_finish(o, bad);
}

/* Whether prctl(PR_SET_THP_DISABLE) was used on this process; workers inherit that. */
static json_t *of_process(void)
{
	json_t *row = system_status_row("THP_enabled");
	const char *text = json_string_value(row);

	if (text && (!strcmp(text, "0") || !strcmp(text, "1"))) {
		json_t *word = json_string(*text == '1' ? "enabled" : "disabled");

		json_decref(row);
		return word;
	}
	json_decref(row);
	return text ? system_unknown() : NULL;
}

json_t *system_thp(void)
{
	json_t *o = json_object();
	bool bad = system_put(o, "enabled", system_choice_file(THP_DIR "/enabled"));

	bad |= system_put(o, "shmem_enabled", system_choice_file(THP_DIR "/shmem_enabled"));
	bad |= system_put(o, "defrag", system_choice_file(THP_DIR "/defrag"));
	bad |= system_put(o, "process", of_process());
	bad |= system_put(o, "use_zero_page", system_int_file(THP_DIR "/use_zero_page"));
	bad |= system_put(o, "pmd_size_bytes", system_int_file(THP_DIR "/hpage_pmd_size"));
	bad |= system_put(o, "khugepaged", khugepaged());
	bad |= system_put(o, "sizes", thp_sizes());
	return system_finish(o, bad);
}
