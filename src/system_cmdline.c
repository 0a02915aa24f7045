/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system_cmdline: the parameters on a kernel's command line, told apart as the kernel does. */
#include "config.h"

#include "system.h"
#include "system_parts.h"

#include <ctype.h>
#include <string.h>

bool system_parameter_is(const struct system_parameter *p, const char *name)
{
	if (strlen(name) != p->name_len)
		return false;
	for (size_t i = 0; i < p->name_len; i++) {
		if ((p->name[i] == '-' ? '_' : p->name[i]) != (name[i] == '-' ? '_' : name[i]))
			return false;
	}
	return true;
}

/* The end of the parameter that begins at text: a blank that is not within quotes. */
static const char *end_of(const char *text)
{
	bool quoted = false;

	for (; *text && (quoted || !isspace((unsigned char)*text)); text++)
		quoted ^= *text == '"';
	return text;
}

/* Take the quotes off that begin at *text; the closing one may be missing. */
static void unquote(const char **text, const char **end)
{
	if (*text == *end || **text != '"')
		return;
	++*text;
	if (*end > *text && (*end)[-1] == '"')
		--*end;
}

bool system_parameter(const char **cmdline, struct system_parameter *p)
{
	const char *name = *cmdline, *end, *equals;

	while (isspace((unsigned char)*name))
		name++;
	end = *cmdline = end_of(name);
	/* What follows is not the kernel's, but init's. */
	if (name == end || (end - name == 2 && !strncmp(name, "--", 2)))
		return false;
	unquote(&name, &end);
	equals = memchr(name, '=', (size_t)(end - name));
	p->name = name;
	p->name_len = (size_t)((equals ? equals : end) - name);
	p->value = equals ? equals + 1 : end;
	unquote(&p->value, &end);
	p->value_len = (size_t)(end - p->value);
	return true;
}

bool system_cmdline(const char *cmdline, const char *name, char *value, size_t len)
{
	struct system_parameter p;
	bool found = false;

	value[0] = '\0';
	while (system_parameter(&cmdline, &p)) {
		if (!system_parameter_is(&p, name))
			continue;
		found = true;
		snprintf(value, len, "%.*s", (int)p.value_len, p.value);
	}
	return found;
}

bool system_has_parameter(const char *cmdline, const char *name, const char *value)
{
	struct system_parameter p;

	while (system_parameter(&cmdline, &p)) {
		if (system_parameter_is(&p, name) && strlen(value) == p.value_len &&
		    !strncmp(p.value, value, p.value_len))
			return true;
	}
	return false;
}
