/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of control groups say. */
#include "preload/common/resources/cgroup_text.h"

#include <stdbool.h>

#include "insideme_log.h"
#include "preload/common/base/text.h"
#include "preload/common/resources/scan_text.h"

#define NO_LIMIT (1ull << 62)	/* version 1 writes the largest number of whole pages */

uint64_t cgroup_line_length(const char *line)
{
	uint64_t length = 0;

	while (line[length] && line[length] != '\n')
		length++;
	return length;
}

/* Is @controller one of the names up to the colon? */
static bool has_controller(const char *names, const char *controller)
{
	uint64_t length = text_length(controller);

	if (!length)
		return *names == ':';
	for (;;) {
		if (text_begins(names, controller) && (names[length] == ',' || names[length] == ':'))
			return true;
		while (*names && *names != ',' && *names != ':' && *names != '\n')
			names++;
		if (*names++ != ',')
			return false;
	}
}

const char *cgroup_parse_path(const char *text, const char *controller)
{
	while (*text) {
		const char *names = text_find(text, ':'), *end = text + cgroup_line_length(text);

		if (names && names < end && has_controller(names + 1, controller)) {
			const char *path = text_find(names + 1, ':');

			return path && path < end ? path + 1 : NULL;
		}
		text = *end ? end + 1 : end;
	}
	return NULL;
}

uint64_t cgroup_parse_limit(const char *text)
{
	uint64_t number;

	return scan_number(&text, &number) && number < NO_LIMIT ? number : LOG_NONE;
}

uint64_t cgroup_cpu_milli(uint64_t quota_us, uint64_t period_us)
{
	if (quota_us > UINT32_MAX || period_us > UINT32_MAX || !period_us)
		return LOG_NONE;
	return quota_us * 1000 / period_us;
}

uint64_t cgroup_parse_cpu_max(const char *text)
{
	uint64_t quota, period;

	return scan_number(&text, &quota) && scan_number(&text, &period) ? cgroup_cpu_milli(quota, period) : LOG_NONE;
}

uint64_t cgroup_parse_key(const char *text, const char *key)
{
	uint64_t value = LOG_NONE;
	const struct scan_key keys[] = { { key, &value } };

	scan_keys(text, keys, 1);
	return value;
}

uint64_t cgroup_us_to_ns(uint64_t us)
{
	uint64_t ns;

	return us == LOG_NONE || __builtin_mul_overflow(us, 1000u, &ns) ? LOG_NONE : ns;
}
