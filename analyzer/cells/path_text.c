/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cells/path_text.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

#define STACK_CALLS	6	/* shown at each end of a long stack */

const char *path_text(const struct tree_node *of)
{
	static char *path;
	static size_t room;
	size_t bytes = 0;
	char *front;

	for (const struct tree_node *node = of; node->function; node = node->parent)
		bytes += strlen(node->function->name) + 1;
	if (bytes > room) {
		free(path);
		path = xcalloc(bytes, 2);
		room = 2 * bytes;
	}
	front = path + bytes;
	for (const struct tree_node *node = of; node->function; node = node->parent) {
		size_t length = strlen(node->function->name);

		*--front = node == of ? '\0' : ';';
		front -= length;
		memcpy(front, node->function->name, length);
	}
	return front;
}

/* Return: how often the function at @first follows itself. A recursion is named once, with that number. */
static size_t count_same(struct function *const *functions, size_t nr, size_t first)
{
	size_t same = 1;

	while (first + same < nr && functions[first + same] == functions[first])
		same++;
	return same;
}

char *functions_text(struct document *document, struct function *const *functions, size_t nr_all)
{
	char *text = document_text(document, "%s", "");
	size_t nr;

	for (size_t i = 0; i < nr_all; i += nr) {
		const struct function *function = functions[i];

		nr = count_same(functions, nr_all, i);
		if (i >= STACK_CALLS && i + nr + STACK_CALLS < nr_all) {
			nr = nr_all - STACK_CALLS - i;
			text = document_text(document, "%s > (%zu calls)", text, nr);
			continue;
		}
		text = document_text(document, "%s%s%s", text, i ? " > " : "",
				     function ? function->short_name : "?");
		if (nr > 1)
			text = document_text(document, "%s (x %zu)", text, nr);
	}
	return text;
}

char *open_stack_text(struct document *document, const struct open_stack *stack)
{
	struct function **functions = xcalloc(stack->nr_calls + 1, sizeof(*functions));
	char *text;

	for (size_t i = 0; i < stack->nr_calls; i++)
		functions[i] = stack->calls[i].node->function;
	text = functions_text(document, functions, stack->nr_calls);
	free(functions);
	return text;
}

const char *ranks_text(struct document *document, const struct model *model)
{
	int low = -1, high = -1, size = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct log_header *header = &model->processes[i]->header;

		if (header->rank < 0)
			continue;
		low = low < 0 || header->rank < low ? header->rank : low;
		high = header->rank > high ? header->rank : high;
		size = header->nr_ranks > size ? header->nr_ranks : size;
	}
	if (low < 0)
		return "";
	if (size <= 0)
		return low == high ? document_text(document, " (rank %d)", low) :
			document_text(document, " (ranks %d to %d)", low, high);
	return low == high ? document_text(document, " (rank %d of %d)", low, size) :
		document_text(document, " (ranks %d to %d of %d)", low, high, size);
}
