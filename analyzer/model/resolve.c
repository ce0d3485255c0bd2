/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the functions of a model from the symbols of their objects. */
#include "analyzer/model/resolve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/names_file.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

#define APART_MAX 64	/* functions of one name that are compared with each other, at most */

static void set_name(struct function *function, char *name, bool resolved)
{
	function_release_name(function);
	function->name = name;
	function->short_name = name_short(name);
	function->plain_name = strchr(function->short_name, '<') ? name_plain(function->short_name) : NULL;
	function->resolved = resolved;
}

/* Whose function is it? Those of libgomp and libomp are named as the program writes them: "omp barrier". */
static const char *home_of_wait(const char *name)
{
	return strncmp(name, "omp ", 4) == 0 ? "openmp" : "libc";
}

/* The name stays as it is: it is no declaration that could be shortened. */
static void set_region_name(struct function *function)
{
	function_release_name(function);
	function->name = xstrdup(*function->region ? function->region : "(no name)");
	function->short_name = xstrdup(function->name);
	function->apart = function->made_up
				  ? NULL
				  : xstrdup(function->wait ? home_of_wait(function->name) : "region");
	function->resolved = true;
}

static void name_by_address(struct function *function)
{
	const char *module = function->object ? path_base(function->object->path) : NULL;

	if (function->kind != FUNCTION_PLAIN)
		return;		/* it has a constant name */
	if (function->region) {
		set_region_name(function);
		return;
	}
	if (module && strcmp(module, "[vdso]") == 0)	/* the kernel's code without a file: its name says
							 * enough without a symbol */
		set_name(function, xstrdup(module), true);
	else if (module)
		set_name(function, xasprintf("%s+0x%" PRIx64, module, function->addr), false);
	else
		set_name(function, xasprintf("0x%" PRIx64, function->addr), false);
}

static void move_to(struct function *function, struct object *home, uint64_t addr)
{
	function->object = home;
	function->addr = addr;
}

/* The program saw the function by its stub. Move it to the object that defines it. */
static void follow_import(struct model *model, struct function *function, const struct symbol *stub)
{
	for (struct object *object = model->objects; object; object = object->next) {
		struct saved_name place = { .addr = function->addr, .home = object };

		if (object == function->object || !object->file_bytes || !naming_symbols(object) ||
		    !symbols_find(naming_symbols(object), stub->link_name, &place.home_addr))
			continue;
		naming_add_saved(function->object, &place);
		move_to(function, object, place.home_addr);
		return;
	}
}

/* Name @nr functions of one object, in the order of their addresses. @model: NULL: do not follow stubs. */
static void name_functions(struct model *model, struct function **functions, size_t nr)
{
	struct symbol *list = xcalloc(nr, sizeof(*list));

	for (size_t i = 0; i < nr; i++)
		list[i].addr = functions[i]->addr;
	naming_fill(functions[0]->object, list, nr);
	for (size_t i = 0; i < nr; i++) {
		if (list[i].name)
			set_name(functions[i], xstrdup(list[i].name), true);
		if (list[i].imported && model)
			follow_import(model, functions[i], &list[i]);
	}
	free(list);
}

/* By the symbols alone: names that were saved with the run are for people. */
static void find_link_names(struct function **functions, size_t nr)
{
	struct symbols *symbols = naming_symbols(functions[0]->object);
	struct symbol *list = symbols ? xcalloc(nr, sizeof(*list)) : NULL;

	for (size_t i = 0; list && i < nr; i++)
		list[i].addr = functions[i]->addr;
	if (list)
		symbols_name(symbols, list, nr);
	for (size_t i = 0; list && i < nr; i++)
		functions[i]->link_name = list[i].link_name;
	free(list);
}

void resolve_link_names(const struct model *model)
{
	struct function **list = xcalloc(model->nr_functions, sizeof(*list));
	size_t nr = 0, end;

	for (size_t i = 0; i < model->nr_functions; i++)
		if (model->functions[i]->object && model->functions[i]->kind == FUNCTION_PLAIN)
			list[nr++] = model->functions[i];
	if (nr)
		qsort(list, nr, sizeof(*list), functions_by_place);
	for (size_t begin = 0; begin < nr; begin = end) {
		for (end = begin + 1; end < nr && list[end]->object == list[begin]->object; end++)
			;
		find_link_names(list + begin, end - begin);
	}
	free(list);
}

/* Name functions that are sorted by object. */
static void name_sorted(struct model *model, struct function **list, size_t nr)
{
	size_t end;

	for (size_t begin = 0; begin < nr; begin = end) {
		const struct object *object = list[begin]->object;

		for (end = begin + 1; end < nr && list[end]->object == object; end++)
			;
		name_functions(model, list + begin, end - begin);
	}
}

/* Functions of paths without any calls are only in the tree. */
static void name_uncalled(struct model *model)
{
	for (size_t id = 1; id < model->nr_tree_nodes; id++)
		if (!tree_node(model, id)->function->name)
			name_by_address(tree_node(model, id)->function);
}

/* List the functions that are in objects. A function whose stub was resolved earlier moves to its object. */
static struct function **list_functions(struct model *model, size_t *nr)
{
	struct function **list = xcalloc(model->nr_known_functions, sizeof(*list));

	*nr = 0;
	for (size_t i = 0; i < model->nr_known_functions; i++) {
		struct function *function = model->functions[i];
		const struct saved_name *saved;

		name_by_address(function);
		if (!function->object || function->kind != FUNCTION_PLAIN)
			continue;
		saved = naming_find_saved(function->object, function->addr);
		if (saved && saved->home)
			move_to(function, saved->home, saved->home_addr);
		list[(*nr)++] = function;
	}
	qsort(list, *nr, sizeof(*list), functions_by_place);
	return list;
}

static int compare_names(const void *a, const void *b)
{
	const struct function *left = *(struct function *const *)a, *right = *(struct function *const *)b;
	int order = strcmp(left->name, right->name);

	return order ? order : (left->addr > right->addr) - (left->addr < right->addr);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/*
 * The text that distinguishes @function from the @nr functions of its name: its file, else its module, its
 * line or its address.
 */
static char *tell_apart(struct function *function, struct function **others, size_t nr)
{
	bool same_file = false, same_module = false, same_line = false;

	for (size_t i = 0; i < nr; i++) {
		if (others[i] == function)
			continue;
		same_file |= same_text(function->file, others[i]->file);
		same_module |= function->object == others[i]->object;
		same_line |= same_text(function->file, others[i]->file) && function->line == others[i]->line;
	}
	if (function->file && !same_file)
		return xstrdup(path_base(function->file));
	if (function->object && !same_module)
		return xstrdup(path_base(function->object->path));
	if (function->file && !same_line)
		return xasprintf("%s:%" PRIu32, path_base(function->file), function->line);
	return xasprintf("0x%" PRIx64, function->addr);
}

/* Static functions of several files, or template instances of several modules, have the same name. */
static void name_namesakes(struct function **functions, size_t nr)
{
	size_t end;

	qsort(functions, nr, sizeof(*functions), compare_names);
	for (size_t begin = 0; begin < nr; begin = end) {
		for (end = begin + 1; end < nr && strcmp(functions[end]->name, functions[begin]->name) == 0;
		     end++)
			;
		for (size_t i = begin; i < end && end - begin > 1; i++)
			resolve_source(functions[i]);
		for (size_t i = begin; i < end && end - begin > 1; i++)
			functions[i]->apart = tell_apart(functions[i], functions + begin,
							 end - begin < APART_MAX ? end - begin : APART_MAX);
	}
}

/* Rows with equal keys keep this order. It must not depend on the order of the logs. */
static int compare_functions(const void *a, const void *b)
{
	const struct function *left = *(struct function *const *)a, *right = *(struct function *const *)b;

	if (left->stats.total_ns != right->stats.total_ns)
		return left->stats.total_ns < right->stats.total_ns ? 1 : -1;
	return left->name && right->name ? strcmp(left->name, right->name) : 0;
}

void resolve_names(struct model *model)
{
	size_t nr;
	struct function **list = list_functions(model, &nr);

	name_sorted(model, list, nr);
	name_namesakes(list, nr);
	free(list);
	if (model->nr_functions)
		qsort(model->functions, model->nr_functions, sizeof(*model->functions), compare_functions);
	name_uncalled(model);
}

void resolve_ahead(struct function **functions, size_t nr_functions)
{
	struct function **list = xcalloc(nr_functions, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < nr_functions; i++) {
		name_by_address(functions[i]);
		if (functions[i]->object)
			list[nr++] = functions[i];
	}
	qsort(list, nr, sizeof(*list), functions_by_place);
	name_sorted(NULL, list, nr);
	free(list);
}

/* Hooks may not have recorded the first function of a thread, so it is named when it is asked for. */
static void name_one(struct function *function)
{
	struct symbol symbol = { .addr = function->addr };

	name_by_address(function);
	if (!function->object)
		return;
	naming_fill(function->object, &symbol, 1);
	if (symbol.name)
		set_name(function, xstrdup(symbol.name), true);
}

struct function *resolve_begin(struct thread *thread)
{
	struct process *process = thread->process;
	uint64_t addr = thread->begin_function_addr & ~LOG_FUNCTION_FLAGS;

	struct function *function =
		addr ? function_find(&process->model->tables->functions, process, addr) : NULL;

	if (function && !function->name)
		name_one(function);
	return function;
}

struct function *resolve_outermost(struct thread *thread)
{
	struct function *begin = resolve_begin(thread);

	return begin && !begin->resolved && thread->outermost ? thread->outermost : begin;
}

void resolve_source(struct function *function)
{
	struct symbol symbol = { .addr = function->addr };

	if (function->file || !function->resolved || !function->object)
		return;
	naming_locate(function->object, &symbol);
	function->file = symbol.file;
	function->line = symbol.line;
}

const char *resolve_trouble(const struct object *object)
{
	const struct naming *naming = object->naming;

	return naming && naming->opened && !naming->symbols ? symbols_state_text(naming->state) : NULL;
}

static void keep_name(struct function *function)
{
	struct saved_name name = {
		.addr = function->addr,
		.name = function->name,
		.file = function->file,
		.line = function->line,
	};

	if (function->resolved && function->object)
		naming_add_saved(function->object, &name);
}

/* Adding a name puts names out of order, so call this for lookups first. */
static void for_each_function(struct model *model, void (*visit)(struct function *))
{
	for (size_t i = 0; i < model->nr_known_functions; i++)
		visit(model->functions[i]);
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_threads; j++) {
			struct function *function = resolve_begin(model->processes[i]->threads[j]);

			if (function)
				visit(function);
		}
}

int resolve_save(struct model *model, const char *path)
{
	bool has_news = false;

	for_each_function(model, resolve_source);
	for (struct object *object = model->objects; object; object = object->next)
		has_news |= object->naming && object->naming->has_news;
	if (!has_news)
		return 0;
	for_each_function(model, keep_name);
	return names_file_write(model, path);
}
