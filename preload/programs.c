/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which programs are recorded. */
#include "programs.h"

#include "text.h"

static bool is_end(char c)
{
	return c == '\0' || c == ',' || c == ':';
}

/* The glob ends where the list's next item begins. After a mismatch the last * takes one byte more. */
static bool matches(const char *glob, const char *name)
{
	const char *star = NULL, *resume = NULL;

	while (*name) {
		if (*glob == '*') {
			star = glob++;
			resume = name;
		} else if (!is_end(*glob) && (*glob == '?' || *glob == *name)) {
			glob++;
			name++;
		} else if (star) {
			glob = star + 1;
			name = ++resume;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return is_end(*glob);
}

bool programs_select(const char *list, const char *program)
{
	bool has_wanted = false, is_wanted = false;

	if (text_equal(list, "all"))
		return true;
	for (;;) {
		bool excludes = *list == '!', is_item = !is_end(list[excludes]), fits = matches(list + excludes, program);

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
