/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of a model, and the symbols of the objects that they are in. */
#include "resolve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "names.h"
#include "symbols.h"
#include "tree.h"
#include "walk.h"

/* struct object's symbols: what was found out about it. */
struct naming {
	struct symbols *symbols;	/* NULL: state says why not */
	enum symbols_state state;
	struct symbol *list;		/* of its functions, sorted by address */
	size_t nr;
	struct function **functions;	/* [i]: whose symbol list[i] is */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void set_name(struct function *function, char *name, bool resolved)
{
	free((char *)function->name);
	free((char *)function->short_name);
	function->name = name;
	function->short_name = name_short(name);
	function->resolved = resolved;
}

static void name_by_address(struct function *function)
{
	const char *module = function->object ? base_name(function->object->path) : NULL;

	if (function->kind == FUNCTION_OTHERS)
		return;		/* has its name, a constant one */
	if (module)
		set_name(function, xasprintf("%s+0x%" PRIx64, module, function->addr), false);
	else
		set_name(function, xasprintf("0x%" PRIx64, function->addr), false);
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *left = *(struct function *const *)a, *right = *(struct function *const *)b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

static struct naming *naming_of(struct object *object)
{
	if (!object->symbols)
		object->symbols = xcalloc(1, sizeof(struct naming));
	return object->symbols;
}

static void open_symbols(struct object *object, struct naming *naming)
{
	struct symbols_file file = {
		.path = object->path,
		.build_id = object->build_id,
		.build_id_bytes = object->build_id_bytes,
		.file_bytes = object->file_bytes,
		.file_mtime_ns = object->file_mtime_ns,
	};

	if (!naming->symbols)
		naming->symbols = symbols_open(&file, &naming->state);
}

static void name_object(struct object *object, struct naming *naming)
{
	qsort(naming->functions, naming->nr, sizeof(*naming->functions), compare_functions);
	naming->list = xcalloc(naming->nr, sizeof(*naming->list));
	for (size_t i = 0; i < naming->nr; i++)
		naming->list[i].addr = naming->functions[i]->addr;
	open_symbols(object, naming);
	if (naming->symbols)
		symbols_name(naming->symbols, naming->list, naming->nr);
	for (size_t i = 0; i < naming->nr; i++)
		if (naming->list[i].name)
			set_name(naming->functions[i], xstrdup(naming->list[i].name), true);
}

/* Move a function that was seen by its stub to the object that has it. */
static void follow_import(struct model *model, struct function *function, const struct symbol *stub)
{
	for (struct object *object = model->objects; object; object = object->next) {
		struct naming *naming;
		uint64_t addr;

		if (object == function->object || !object->file_bytes)
			continue;
		naming = naming_of(object);
		open_symbols(object, naming);
		if (!naming->symbols || !symbols_find(naming->symbols, stub->link_name, &addr))
			continue;
		function->object = object;
		function->addr = addr;
		return;
	}
}

/* Functions of paths on which nothing was counted are in the tree only. */
static void name_uncalled(struct model *model)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		if (!node->function->name)
			name_by_address(node->function);
}

static void release_names(struct function *function)
{
	if (function->kind == FUNCTION_OTHERS)
		return;
	free((char *)function->name);
	free((char *)function->short_name);
	function->name = function->short_name = NULL;
}

void resolve_names(struct model *model)
{
	for (size_t i = 0; i < model->nr_functions; i++) {
		struct function *function = model->functions[i];
		struct naming *naming;

		name_by_address(function);
		if (!function->object || function->kind != FUNCTION_PLAIN)
			continue;
		naming = naming_of(function->object);
		naming->functions = xgrow(naming->functions, naming->nr, sizeof(*naming->functions));
		naming->functions[naming->nr++] = function;
	}
	for (struct object *object = model->objects; object; object = object->next) {
		struct naming *naming = object->symbols;

		if (!naming || naming->list || !naming->nr)
			continue;
		name_object(object, naming);
		for (size_t i = 0; i < naming->nr; i++)
			if (naming->list[i].imported)
				follow_import(model, naming->functions[i], &naming->list[i]);
	}
	name_uncalled(model);
}

/* Of a thread's first function hooks may have told nothing: then it is named here, when it is asked for. */
static void name_one(struct function *function)
{
	struct symbol symbol = { .addr = function->addr };
	struct naming *naming;

	name_by_address(function);
	if (!function->object)
		return;
	naming = naming_of(function->object);
	open_symbols(function->object, naming);
	if (naming->symbols)
		symbols_name(naming->symbols, &symbol, 1);
	if (symbol.name)
		set_name(function, xstrdup(symbol.name), true);
}

struct function *resolve_begin(struct thread *thread)
{
	struct process *process = thread->process;
	uint64_t addr = thread->begin_function_addr & ~LOG_FUNCTION_FLAGS;

	if (!thread->begin_function && addr) {
		thread->begin_function = function_find(&process->model->tables->functions, process, addr);
		if (!thread->begin_function->name)
			name_one(thread->begin_function);
	}
	return thread->begin_function;
}

void resolve_source(struct function *function)
{
	struct naming *naming = function->object ? function->object->symbols : NULL;
	struct symbol symbol = { .addr = function->addr };

	if (function->file || !function->resolved || !naming || !naming->symbols)
		return;
	symbols_locate(naming->symbols, &symbol);
	function->file = symbol.file;
	function->line = symbol.line;
}

const char *resolve_trouble(const struct object *object)
{
	const struct naming *naming = object->symbols;

	return naming && naming->nr && !naming->symbols ? symbols_state_text(naming->state) : NULL;
}

void resolve_release(struct model *model)
{
	for (size_t i = 0; i < model->nr_functions; i++)
		release_names(model->functions[i]);
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		release_names(node->function);
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_threads; j++)
			if (model->processes[i]->threads[j]->begin_function)
				release_names(model->processes[i]->threads[j]->begin_function);
	for (struct object *object = model->objects; object; object = object->next) {
		struct naming *naming = object->symbols;

		if (!naming)
			continue;
		symbols_close(naming->symbols);
		free(naming->list);
		free(naming->functions);
		free(naming);
		object->symbols = NULL;
	}
}
