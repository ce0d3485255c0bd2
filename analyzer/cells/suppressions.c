/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suppressions of leaks. Each function is looked at once, then paths ask for the functions on them. */
#include "analyzer/cells/suppressions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

struct suppressions {
	char **patterns;
	size_t nr_patterns;
	const struct function **functions;	/* that match, by their address */
	size_t nr_functions;
};

/*
 * Find the part of @pattern before @end, at @text or, unless @anchored, behind it. Return: the text after it;
 * NULL: not found
 */
static const char *find_part(const char *text, const char *pattern, const char *end, bool anchored)
{
	size_t length = (size_t)(end - pattern);

	for (; strlen(text) >= length; text++) {
		if (strncmp(text, pattern, length) == 0)
			return text + length;
		if (anchored)
			break;
	}
	return NULL;
}

static bool ends_with(const char *text, const char *pattern, size_t length)
{
	return strlen(text) >= length && strncmp(text + strlen(text) - length, pattern, length) == 0;
}

bool suppression_matches(const char *pattern, const char *text)
{
	bool anchored = *pattern == '^';

	for (pattern += anchored; text; anchored = false) {
		const char *star = strchr(pattern, '*');
		size_t length = star ? (size_t)(star - pattern) : strlen(pattern);
		bool to_end = !star && length && pattern[length - 1] == '$';

		if (to_end)
			return (!anchored || strlen(text) == length - 1) &&
			       ends_with(text, pattern, length - 1);
		text = find_part(text, pattern, pattern + length, anchored);
		if (!star)
			break;
		pattern = star + 1;
	}
	return text;
}

static bool matches_any(const struct suppressions *suppressions, const char *text)
{
	for (size_t i = 0; text && i < suppressions->nr_patterns; i++)
		if (suppression_matches(suppressions->patterns[i], text))
			return true;
	return false;
}

static bool matches_function(const struct suppressions *suppressions, struct function *function)
{
	if (matches_any(suppressions, function->name) || matches_any(suppressions, function->short_name) ||
	    (function->object && matches_any(suppressions, function->object->path)))
		return true;
	resolve_source(function);
	return matches_any(suppressions, function->file);
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = *(const struct function *const *)a,
			      *y = *(const struct function *const *)b;

	return x < y ? -1 : x > y;
}

static void find_functions(struct suppressions *suppressions, const struct model *model)
{
	for (size_t i = 0; i < model->nr_known_functions; i++) {
		if (!matches_function(suppressions, model->functions[i]))
			continue;
		suppressions->functions = xgrow(suppressions->functions, suppressions->nr_functions,
						sizeof(*suppressions->functions));
		suppressions->functions[suppressions->nr_functions++] = model->functions[i];
	}
	if (suppressions->nr_functions)
		qsort(suppressions->functions, suppressions->nr_functions, sizeof(*suppressions->functions),
		      by_address);
}

static bool is_suppressed(const struct suppressions *suppressions, const struct tree_node *node)
{
	for (; node->function && suppressions->nr_functions; node = node->parent)
		if (bsearch(&node->function, suppressions->functions, suppressions->nr_functions,
			    sizeof(*suppressions->functions), by_address))
			return true;
	return false;
}

static void apply(const struct suppressions *suppressions, struct model *model)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		const struct heap_stats less = {
			.not_freed_calls = -node->heap->not_freed_calls,
			.not_freed_bytes = -node->heap->not_freed_bytes,
			.not_freed_variance_bytes2 = -node->heap->not_freed_variance_bytes2,
		};

		if (!node->heap->not_freed_calls || !is_suppressed(suppressions, node))
			continue;
		model->suppressed.not_freed_calls += node->heap->not_freed_calls;
		model->suppressed.not_freed_bytes += node->heap->not_freed_bytes;
		heap_stats_add(&node->function->heap, &less);
		heap_stats_add(&model->heap, &less);
		tree_add_heap(node, &less);
	}
}

/* Return: 0, or -1 after an error(). */
static int take_line(struct suppressions *suppressions, char *line, const char *path, int number)
{
	char *end = line + strlen(line);

	while (end > line && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	if (strncmp(line, "leak:", 5) != 0 || !line[5])
		return error("%s:%d: '%s' is no suppression: leak:PATTERN", path, number, line);
	suppressions->patterns =
		xgrow(suppressions->patterns, suppressions->nr_patterns, sizeof(*suppressions->patterns));
	suppressions->patterns[suppressions->nr_patterns++] = xstrdup(line + 5);
	return 0;
}

static int read_file(struct suppressions *suppressions, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int status = 0, number = 0;

	if (!file)
		return error("cannot read %s: %s", path, strerror(errno));
	while (status == 0 && getline(&line, &room, file) >= 0)
		status = take_line(suppressions, line, path, ++number);
	if (status == 0 && ferror(file))
		status = error("cannot read %s: %s", path, strerror(errno));
	free(line);
	fclose(file);
	return status;
}

int suppressions_apply(struct model *model, const char *path)
{
	struct suppressions suppressions = { .nr_patterns = 0 };
	int status = read_file(&suppressions, path);

	if (status == 0) {
		find_functions(&suppressions, model);
		apply(&suppressions, model);
	}
	for (size_t i = 0; i < suppressions.nr_patterns; i++)
		free(suppressions.patterns[i]);
	free(suppressions.patterns);
	free(suppressions.functions);
	return status;
}
