/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of an object's functions. Saved names come first, so that it does not matter if the file was rebuilt
 * or is missing.
 */
#include "analyzer/model/naming.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/progress.h"

static struct naming *naming_of(struct object *object)
{
	if (!object->naming)
		object->naming = xcalloc(1, sizeof(*object->naming));
	return object->naming;
}

void naming_release(struct object *object)
{
	if (!object->naming)
		return;
	symbols_close(object->naming->symbols);
	free(object->naming->saved);
	free(object->naming);
	object->naming = NULL;
}

void naming_add_saved(struct object *object, const struct saved_name *name)
{
	struct naming *naming = naming_of(object);

	naming->sorted = naming->nr_saved
				 ? naming->sorted && naming->saved[naming->nr_saved - 1].addr < name->addr
				 : true;
	APPEND(naming->saved, naming->nr_saved) = *name;
}

static int by_addr(const void *a, const void *b)
{
	const struct saved_name *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

/* If an address has several names, one with a source file comes first. */
static int best_first(const void *a, const void *b)
{
	const struct saved_name *left = a, *right = b;
	int order = by_addr(a, b);

	return order ? order : (right->file != NULL) - (left->file != NULL);
}

void naming_sort(struct object *object)
{
	struct naming *naming = naming_of(object);
	size_t nr = 0;

	if (naming->sorted)
		return;
	if (naming->nr_saved)
		qsort(naming->saved, naming->nr_saved, sizeof(*naming->saved), best_first);
	for (size_t i = 0; i < naming->nr_saved; i++)
		if (!nr || naming->saved[nr - 1].addr != naming->saved[i].addr)
			naming->saved[nr++] = naming->saved[i];
	naming->nr_saved = nr;
	naming->sorted = true;
}

const struct saved_name *naming_find_saved(struct object *object, uint64_t addr)
{
	struct naming *naming = naming_of(object);
	struct saved_name key = { .addr = addr };

	if (!naming->nr_saved)
		return NULL;
	naming_sort(object);
	return bsearch(&key, naming->saved, naming->nr_saved, sizeof(key), by_addr);
}

struct symbols *naming_symbols(struct object *object)
{
	struct naming *naming = naming_of(object);
	struct symbols_file file = {
		.path = object->path,
		.build_id = object->build_id,
		.build_id_bytes = object->build_id_bytes,
		.file_bytes = object->file_bytes,
		.file_mtime_ns = object->file_mtime_ns,
	};

	if (naming->opened)
		return naming->symbols;
	progress_set("reading symbols of %s", file.path);
	naming->symbols = symbols_open(&file, &naming->state);
	if (!naming->symbols && object->copy_path) {
		file.path = object->copy_path;
		naming->symbols = symbols_open(&file, &naming->state);
	}
	naming->opened = true;
	return naming->symbols;
}

/* Name the others from the object's file. */
static void fill_rest(struct object *object, struct symbol *list, size_t nr)
{
	struct symbol *rest = xcalloc(nr, sizeof(*rest));
	size_t nr_rest = 0;

	for (size_t i = 0; i < nr; i++)
		if (!list[i].name)
			rest[nr_rest++] = list[i];
	if (nr_rest && naming_symbols(object))
		symbols_name(naming_symbols(object), rest, nr_rest);
	nr_rest = 0;
	for (size_t i = 0; i < nr; i++) {
		if (list[i].name)
			continue;
		list[i] = rest[nr_rest++];
		object->naming->has_news |= list[i].name != NULL;
	}
	free(rest);
}

void naming_fill(struct object *object, struct symbol *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct saved_name *saved = naming_find_saved(object, list[i].addr);

		if (!saved || saved->home)
			continue;
		list[i].name = saved->name;
		list[i].file = saved->file;
		list[i].line = saved->line;
	}
	fill_rest(object, list, nr);
}

void naming_locate(struct object *object, struct symbol *symbol)
{
	const struct saved_name *saved = naming_find_saved(object, symbol->addr);

	if (saved && saved->file) {
		symbol->file = saved->file;
		symbol->line = saved->line;
	} else if (naming_symbols(object)) {
		symbols_locate(naming_symbols(object), symbol);
		object->naming->has_news |= symbol->file != NULL;
	}
}
