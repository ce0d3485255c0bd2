/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names on the command line that do not exist. */
#include "analyzer/app/unknown_names.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/app/formats.h"
#include "analyzer/ask/options.h"
#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/model/selector.h"
#include "analyzer/views/views.h"
#include "insideme_pattern.h"

static int no_such(const char *what, const char *option, const char *name, struct nearest *nearest)
{
	char *near = nearest_text(nearest);

	error("%s: no %s '%s'%s (%s alone lists them)", option, what, name, near, option);
	free(near);
	return EXIT_USAGE;
}

int unknown_view(const char *name)
{
	struct nearest nearest = { .wanted = name };

	for (const struct view *view = views; view->name; view++)
		nearest_add(&nearest, view->name);
	return no_such("view", "-v", name, &nearest);
}

int unknown_format(const char *name)
{
	struct nearest nearest = { .wanted = name };

	for (const struct format *format = formats; format->name; format++)
		nearest_add(&nearest, format->name);
	return no_such("format", "-f", name, &nearest);
}

static bool any_matches(const struct model *model, const char *pattern)
{
	for (size_t i = 0; i < model->nr_functions; i++)
		if (selector_matches(pattern, model->functions[i]))
			return true;
	return false;
}

void unknown_function(const struct model *model, const char *pattern)
{
	struct glob glob = { pattern, strlen(pattern) }, word = near_word(&glob);
	struct nearest nearest = { .nr = 0 };
	char *wanted, *near;

	if (any_matches(model, pattern))
		return;
	nearest.wanted = wanted = xasprintf("%.*s", (int)word.bytes, word.start);
	for (size_t i = 0; i < model->nr_functions; i++)
		nearest_add(&nearest, model->functions[i]->short_name);
	near = nearest_text(&nearest);
	warning("--match: no function is called '%s'%s", pattern, near);
	free(near);
	free(wanted);
}
