/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions a pattern selects. */
#include "analyzer/model/selector.h"

#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/model/resolve.h"
#include "insideme_pattern.h"

static bool is_place(const struct glob *glob, struct function *function)
{
	if (function->object && glob_fits_path(glob, function->object->path))
		return true;
	resolve_source(function);
	return glob_fits_path(glob, function->file);
}

static bool is_called(const struct glob *glob, const struct function *function)
{
	const char *plain = function->plain_name;

	if (!glob->bytes)
		return false;
	return name_matches_either(glob, function->name, function->short_name) ||
	       (plain && name_matches_either(glob, plain, plain));
}

bool selector_fits(const struct pattern *pattern, struct function *function)
{
	if (is_called(&pattern->whole, function))	/* the name of a region may contain a colon */
		return true;
	if (pattern->may_be_place)
		return is_place(&pattern->name, function);
	return pattern->place.bytes && is_called(&pattern->name, function) &&
	       is_place(&pattern->place, function);
}

bool selector_matches(const char *pattern, struct function *function)
{
	struct pattern parts = pattern_of(pattern, strlen(pattern));

	return selector_fits(&parts, function);
}
