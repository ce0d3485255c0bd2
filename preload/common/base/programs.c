/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which programs are recorded. */
#include "preload/common/base/programs.h"

#include "insideme_pattern.h"
#include "preload/common/base/text.h"

static bool is_end(char c)
{
	return c == '\0' || c == ',' || c == ':';
}

static size_t item_bytes(const char *item)
{
	size_t bytes = 0;

	while (!is_end(item[bytes]))
		bytes++;
	return bytes;
}

bool programs_select(const char *list, const char *program)
{
	bool has_wanted = false, is_wanted = false;

	if (text_equal(list, "all"))
		return true;
	for (;;) {
		bool excludes = *list == '!', is_item = !is_end(list[excludes]);
		bool fits = glob_matches(&(struct glob){ list + excludes, item_bytes(list + excludes) }, program);

		if (is_item && excludes && fits)
			return false;
		has_wanted |= is_item && !excludes;
		is_wanted |= is_item && !excludes && fits;
		while (!is_end(*list))
			list++;
		if (!*list++)
			return is_wanted || !has_wanted;
	}
}
