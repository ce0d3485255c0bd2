/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path_text.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

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
