/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns that select functions. */
#include "selector.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "names.h"
#include "resolve.h"

static bool is_path(const char *pattern, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return path && (fnmatch(pattern, path, 0) == 0 || (slash && fnmatch(pattern, slash + 1, 0) == 0));
}

static bool is_place(const char *pattern, struct function *function)
{
	if (function->object && is_path(pattern, function->object->path))
		return true;
	resolve_source(function);
	return is_path(pattern, function->file);
}

/* The colon of FILE:NAME, which is none of Class::method. */
static const char *find_colon(const char *pattern)
{
	const char *colon = strchr(pattern, ':');

	while (colon && colon[1] == ':')
		colon = strchr(colon + 2, ':');
	return colon;
}

bool selector_matches(const char *pattern, struct function *function)
{
	const char *colon = find_colon(pattern);
	char *place;
	bool found;

	if (name_matches_either(pattern, function->name, function->short_name))
		return true;
	if (!colon)
		return pattern[strcspn(pattern, "./")] && is_place(pattern, function);
	if (!name_matches_either(colon + 1, function->name, function->short_name))
		return false;
	place = xstrdup(pattern);
	place[colon - pattern] = '\0';
	found = is_place(place, function);
	free(place);
	return found;
}
