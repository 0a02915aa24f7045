/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_clock: the kernel's clock source, its tick, and how it tells user from system time. */
#include "config.h"

#include "clock.h"
#include "result.h"
#include "system_parts.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLOCK_DIR "/sys/devices/system/clocksource/clocksource0"

/*
 * A counter that the kernel has marked unstable, or not taken in the first place (notsc,
 * tsc=unstable), is no longer among the clock sources that may be chosen while the tick is
 * one-shot.
 */
static const char *tsc_state(const struct system_cpuinfo *info, const char *source,
			     const char *available)
{
	if (!strcmp(source, "tsc"))
		return "used";
	if (info->tsc == 0)
		return "none";
	if (info->tsc < 0 || !*available)
		return "";
	return system_has_word(available, "tsc") ? "usable" : "unusable";
}

static bool is_y(const json_t *config, const char *option)
{
	const char *value = system_config_get(config, option);

	return value && !strcmp(value, "y");
}

/*
 * The kernel knows exactly how long a thread ran. How much of it was in user space it knows as well
 * where it reads the clock at each entry ("native"), or tracks contexts, which it does on the CPUs
 * of nohz_full alone; else it counts in which of the two the tick found the thread.
 */
static void split_text(const json_t *config, const char *nohz_full, char *buf, size_t len)
{
	int64_t hz = system_config_int(config, "HZ");
	char tick[60] = "ticks";

	buf[0] = '\0';
	if (!json_is_object(json_object_get(config, "options")))
		return;
	if (hz > 0)
		snprintf(tick, sizeof(tick), "ticks of %.4g ms", 1e3 / (double)hz);
	if (is_y(config, "VIRT_CPU_ACCOUNTING_NATIVE"))
		snprintf(buf, len, "native");
	else if (!is_y(config, "VIRT_CPU_ACCOUNTING_GEN"))
		snprintf(buf, len, "%s", tick);
	else if (is_y(config, "CONTEXT_TRACKING_USER_FORCE") ||
		 is_y(config, "CONTEXT_TRACKING_FORCE"))
		snprintf(buf, len, "context tracking");
	else if (!strcmp(nohz_full, "unknown") && is_y(config, "NO_HZ_FULL"))
		return;
	else if (!*nohz_full || !strcmp(nohz_full, "unknown"))
		snprintf(buf, len, "%s", tick);
	else
		snprintf(buf, len, "context tracking on nohz_full CPUs, else %s", tick);
}

static json_t *tick(void)
{
	struct timespec step;

	/* This clock stands still between ticks. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &step))
		return system_unknown();
	return json_integer((json_int_t)step.tv_sec * 1000000000 + step.tv_nsec);
}

static json_t *split(const json_t *kernel)
{
	json_t *nohz_full = system_list_file("/sys/devices/system/cpu/nohz_full");
	char text[120];

	if (!nohz_full)
		return NULL;
	split_text(json_object_get(kernel, "config"), json_string_value(nohz_full), text,
		   sizeof(text));
	json_decref(nohz_full);
	return system_text(text);
}

json_t *system_clock(const struct system_cpuinfo *info, const json_t *kernel)
{
	char source[100], available[400];
	json_t *o = json_object();
	bool bad;

	system_read(CLOCK_DIR "/current_clocksource", source, sizeof(source));
	system_read(CLOCK_DIR "/available_clocksource", available, sizeof(available));
	bad = system_put(o, "source", system_text(source));
	bad |= system_put(o, "available", system_text(available));
	bad |= system_put(o, "tsc", system_text(tsc_state(info, source, available)));
	bad |= system_put(o, "step_ns", json_integer(clock_step_ns()));
	bad |= system_put(o, "tick_ns", tick());
	bad |= system_put(o, "cpu_split", split(kernel));
	return system_finish(o, bad);
}
