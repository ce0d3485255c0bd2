/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds of one file, recognized by its name: which of their functions are the same. */
#include "analyzer/load/match_builds.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/tree.h"
#include "analyzer/profile/profile.h"
#include "analyzer/read/nodes_read.h"

/*
 * The name of a function in all builds. Each copy and part that the compiler made has an identity of its
 * own. All of them share one for the name without the compiler's suffix.
 */
struct identity {
	const char *module;
	const char *name;
	size_t name_length;		/* of name */
	const char *file;
	struct function *first;
	const struct object *last;	/* the build that the whole name was seen in last */
	bool ambiguous;			/* a build has the whole name twice */
};

struct matcher {
	struct model *model;
	struct function **functions;	/* in files with several builds */
	size_t nr;
	struct hashtable identities;
};

static bool has_other_build(const struct model *model, const struct object *object)
{
	for (const struct object *other = model->objects; other; other = other->next)
		if (other != object && other->file_bytes &&
		    strcmp(path_base(other->path), path_base(object->path)) == 0)
			return true;
	return false;
}

static void add(struct matcher *matcher, struct function *function)
{
	if (!function->object || !function->object->has_builds)
		return;
	APPEND(matcher->functions, matcher->nr) = function;
}

/* Functions of saved profiles exist already. */
static void add_function(struct process *process, uint64_t function_addr, void *context)
{
	struct matcher *matcher = context;
	struct function_tables *tables = &matcher->model->tables->functions;
	size_t nr_before = tables->functions.nr_items;
	struct function *function = function_find(tables, process, function_addr);

	if (tables->functions.nr_items > nr_before)
		add(matcher, function);
}

static void add_saved(struct matcher *matcher)
{
	for (size_t i = 0; i < matcher->model->nr_profiles; i++) {
		struct function **functions = NULL;
		size_t nr = 0;

		if (matcher->model->profiles[i])
			functions = profile_functions(matcher->model->profiles[i], &nr);
		for (size_t j = 0; j < nr; j++)
			add(matcher, functions[j]);
	}
}

/* Two profiles may have the same function. */
static void keep_each_once(struct matcher *matcher)
{
	size_t nr = 0;

	qsort(matcher->functions, matcher->nr, sizeof(*matcher->functions), functions_by_place);
	for (size_t i = 0; i < matcher->nr; i++)
		if (!nr || matcher->functions[i] != matcher->functions[nr - 1])
			matcher->functions[nr++] = matcher->functions[i];
	matcher->nr = nr;
}

static uint64_t hash_text(uint64_t hash, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = hash_pair(hash, (unsigned char)text[i]);
	return hash_pair(hash, 256);
}

static bool is_identity(const void *item, const void *key)
{
	const struct identity *a = item, *b = key;

	return a->name_length == b->name_length && memcmp(a->name, b->name, a->name_length) == 0 &&
	       strcmp(a->module, b->module) == 0 && strcmp(a->file, b->file) == 0;
}

static struct identity *identify(struct matcher *matcher, const struct object *object,
				 const struct symbol *symbol, size_t name_length)
{
	struct identity wanted = { .module = path_base(object->path),
				   .name = symbol->name,
				   .name_length = name_length,
				   .file = path_base(symbol->file) };
	uint64_t hash = hash_text(0, wanted.module, strlen(wanted.module));
	struct identity *identity;

	hash = hash_text(hash_text(hash, wanted.name, name_length), wanted.file, strlen(wanted.file));
	identity = hashtable_find(&matcher->identities, hash, is_identity, &wanted);
	if (identity)
		return identity;
	identity = xcalloc(1, sizeof(*identity));
	*identity = wanted;
	hashtable_add(&matcher->identities, hash, identity);
	return identity;
}

/*
 * If the source file is not known, a copy of one static function could be mistaken for another of its name.
 */
static struct identity *name_function(struct matcher *matcher, struct function *function,
				      const struct symbol *symbol)
{
	const size_t whole = strlen(symbol->name),
		     length = symbol->file ? name_length_in_source(symbol->name) : whole;
	struct identity *own = identify(matcher, function->object, symbol, whole);
	struct identity *shared = length < whole ? identify(matcher, function->object, symbol, length) : own;

	shared->ambiguous |= own->last == function->object;
	/* tables show the name that is no copy's, if there is one */
	if (!shared->first || (shared == own && !own->last))
		shared->first = function;
	own->last = function->object;
	return shared;
}

/* Identify @nr functions of one build, sorted by address. */
static void name_build(struct matcher *matcher, struct function **functions, struct identity **identities,
		       size_t nr)
{
	struct symbol *list = xcalloc(nr, sizeof(*list));
	struct object *object = functions[0]->object;

	for (size_t i = 0; i < nr; i++)
		list[i].addr = functions[i]->addr;
	naming_fill(object, list, nr);
	for (size_t i = 0; i < nr; i++) {
		if (!list[i].name || list[i].imported)
			continue;
		naming_locate(object, &list[i]);
		identities[i] = name_function(matcher, functions[i], &list[i]);
	}
	free(list);
}

static void match(struct matcher *matcher)
{
	struct identity **identities = xcalloc(matcher->nr, sizeof(struct identity *));
	size_t end;

	for (size_t begin = 0; begin < matcher->nr; begin = end) {
		for (end = begin + 1; end < matcher->nr &&
				      matcher->functions[end]->object == matcher->functions[begin]->object;
		     end++)
			;
		name_build(matcher, matcher->functions + begin, identities + begin, end - begin);
	}
	for (size_t i = 0; i < matcher->nr; i++)
		if (identities[i] && !identities[i]->ambiguous &&
		    identities[i]->first != matcher->functions[i])
			function_merge(&matcher->model->tables->functions, matcher->functions[i],
				       identities[i]->first);
	free(identities);
}

void versions_match(struct model *model)
{
	struct matcher matcher = { .model = model };
	bool any = false;

	for (struct object *object = model->objects; object; object = object->next)
		any |= object->has_builds = object->file_bytes && has_other_build(model, object);
	if (!any)
		return;
	add_saved(&matcher);
	for (size_t i = 0; i < model->nr_processes; i++)
		nodes_each_function(model->processes[i], add_function, &matcher);
	if (matcher.nr) {
		keep_each_once(&matcher);
		match(&matcher);
	}
	hashtable_release(&matcher.identities);
	free(matcher.functions);
}

/* The object of the program itself. */
static const struct object *program_of(const struct process *process)
{
	for (size_t i = 0; i < process->nr_modules; i++)
		if (strcmp(path_base(process->modules[i].object->path), process->header.program) == 0)
			return process->modules[i].object;
	return NULL;
}

void versions_tell(const struct model *model)
{
	const struct process *first = model_first_process(model, 0);

	for (uint32_t run = 1; first && run < model->nr_runs; run++) {
		const struct process *other = model_first_process(model, run);

		if (!other)
			continue;
		if (strcmp(first->header.program, other->header.program) != 0)
			warning("%s is of %s, but %s of %s: what is added up is of different programs",
				model->run_names[run], other->header.program, model->run_names[0],
				first->header.program);
		else if (program_of(first) && program_of(other) && program_of(first) != program_of(other))
			warning("%s is of another build of %s than %s: "
				"functions are matched by name and source file",
				model->run_names[run], other->header.program, model->run_names[0]);
	}
}
