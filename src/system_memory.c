/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_memory: memory, swap and nodes, for the description of a system. */
#include "config.h"

#include "result.h"
#include "system_parts.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

/* A field of /proc/meminfo in bytes, or -1. */
static int64_t meminfo(const char *text, const char *field)
{
	const char *value = util_find_row(text, field);

	return value ? strtoll(value, NULL, 10) * 1024 : -1;
}

static json_t *bytes_or_unknown(int64_t bytes)
{
	return bytes < 0 ? system_unknown() : json_integer(bytes);
}

json_t *system_memory(void)
{
	char text[SYSTEM_TEXT_MAX];
	json_t *o = json_object();
	int64_t swap, swap_free;
	bool bad;

	system_read("/proc/meminfo", text, sizeof(text));
	swap = meminfo(text, "SwapTotal");
	swap_free = meminfo(text, "SwapFree");
	bad = system_put(o, "total_bytes", bytes_or_unknown(meminfo(text, "MemTotal")));
	bad |= system_put(o, "available_bytes", bytes_or_unknown(meminfo(text, "MemAvailable")));
	bad |= system_put(o, "swap_total_bytes", bytes_or_unknown(swap));
	bad |= system_put(o, "swap_used_bytes",
			  bytes_or_unknown(swap < 0 || swap_free < 0 ? -1 : swap - swap_free));
	return system_finish(o, bad);
}

/* A row of /proc/swaps: NAME TYPE SIZE USED PRIORITY, in KiB; blanks in the name are octal. */
static json_t *swap_area(const char *row)
{
	char name[256], type[40];
	long long size, priority;
	json_t *o;
	bool bad;

	if (sscanf(row, "%255s %39s %lld %*d %lld", name, type, &size, &priority) != 4)
		return system_unknown();
	o = json_object();
	bad = system_put(o, "name", result_json_text(name));
	bad |= system_put(o, "type", result_json_text(type));
	bad |= system_put(o, "size_bytes", json_integer(size * 1024));
	bad |= system_put(o, "priority", json_integer(priority));
	return system_finish(o, bad);
}

static json_t *swap_areas(void)
{
	char text[SYSTEM_TEXT_MAX];
	const char *row = text;
	json_t *a;
	bool bad = false;

	if (system_read("/proc/swaps", text, sizeof(text)) <= 0)
		return system_unknown();
	a = json_array();
	while ((row = strchr(row, '\n'))) /* the first row has the columns' names */
		bad |= json_array_append_new(a, swap_area(++row)) != 0;
	return system_finish(a, bad);
}

json_t *system_swap(void)
{
	json_t *o = json_object();
	bool bad = system_put(o, "areas", swap_areas());

	bad |= system_put(o, "swappiness", system_int_file("/proc/sys/vm/swappiness"));
	bad |= system_put(o, "zswap", system_text_file("/sys/module/zswap/parameters/enabled"));
	bad |= system_put(o, "zswap_compressor",
			  system_text_file("/sys/module/zswap/parameters/compressor"));
	bad |= system_put(o, "zswap_max_pool_percent",
			  system_int_file("/sys/module/zswap/parameters/max_pool_percent"));
	return system_finish(o, bad);
}

static json_t *node(const struct topology_node *n)
{
	json_t *o = json_object();
	bool bad = system_put(o, "index", json_integer(n->os_index));

	bad |= system_put(o, "memory_bytes", json_integer((json_int_t)n->memory_bytes));
	bad |= system_put(o, "cpus", json_integer(n->cpus));
	bad |= system_put(o, "allowed", json_boolean(n->allowed));
	return system_finish(o, bad);
}

/* One array per node, in the order of nodes. */
static json_t *distances(const struct topology *t)
{
	json_t *rows = t->distances ? json_array() : system_unknown();
	bool bad = !rows;

	for (unsigned i = 0; t->distances && i < t->n_nodes; i++) {
		json_t *row = json_array();

		for (unsigned j = 0; j < t->n_nodes; j++) {
			uint64_t d = t->distances[(size_t)i * t->n_nodes + j];

			bad |= json_array_append_new(row, json_integer((json_int_t)d)) != 0;
		}
		bad |= json_array_append_new(rows, row) != 0;
	}
	return system_finish(rows, bad);
}

json_t *system_numa(const struct topology *t)
{
	json_t *o = json_object(), *nodes = json_array();
	bool bad = false;

	for (unsigned i = 0; i < t->n_nodes; i++)
		bad |= json_array_append_new(nodes, node(&t->nodes[i])) != 0;
	bad |= system_put(o, "nodes", nodes);
	bad |= system_put(o, "distances", distances(t));
	return system_finish(o, bad);
}
