/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects and functions: one struct each, in however many processes and threads they were seen. */
#include "analyzer/model/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"

static const struct call_stats no_calls = NO_CALLS;

/* An address in a process. */
struct place {
	const struct process *process;
	uint64_t addr;
	struct function *function;
};

void functions_init(struct function_tables *tables)
{
	memset(tables, 0, sizeof(*tables));
	tables->others = (struct function){
		.kind = FUNCTION_OTHERS,
		.stats = no_calls,
		.resolved = true,
		.name = "(other paths)",
		.short_name = "(other paths)",
	};
	tables->counted = (struct function){
		.kind = FUNCTION_COUNTED,
		.number = 1,
		.stats = no_calls,
		.resolved = true,
		.name = "(counted calls)",
		.short_name = "(counted calls)",
	};
}

void function_release_name(struct function *function)
{
	free((char *)function->name);
	free((char *)function->short_name);
	free((char *)function->plain_name);
	free((char *)function->apart);
	function->name = function->short_name = function->plain_name = function->apart = NULL;
}

static void release_numbers(struct function *function)
{
	free(function->parts);
	free(function->heap_parts);
	free(function->cpu_runs_ns);
	free(function->use);
}

static void release_function(void *function)
{
	function_release_name(function);
	release_numbers(function);
}

void functions_release(struct function_tables *tables)
{
	struct function *function;

	for (size_t at = 0; (function = hashtable_next(&tables->functions, &at));)
		release_function(function);
	release_numbers(&tables->others);
	release_numbers(&tables->counted);
	hashtable_release(&tables->functions);
	hashtable_release(&tables->places);
	free(tables->same);
}

void function_merge(struct function_tables *tables, const struct function *function, struct function *same)
{
	if (!tables->same) {	/* all functions that are merged exist by now */
		tables->nr_same = functions_count(tables);
		tables->same = xcalloc(tables->nr_same, sizeof(struct function *));
	}
	tables->same[function->number] = same;
}

struct object *object_find(struct model *model, const struct object *wanted)
{
	struct object *object;

	for (object = model->objects; object; object = object->next) {
		if (object->build_id_bytes != wanted->build_id_bytes)
			continue;
		if (wanted->build_id_bytes) {
			if (memcmp(object->build_id, wanted->build_id, wanted->build_id_bytes) == 0)
				return object;
		} else if (object->file_bytes == wanted->file_bytes &&
			   object->file_mtime_ns == wanted->file_mtime_ns &&
			   strcmp(object->path, wanted->path) == 0) {
			return object;
		}
	}
	object = xcalloc(1, sizeof(*object));
	*object = *wanted;
	object->path = xstrdup(wanted->path);
	object->next = model->objects;
	model->objects = object;
	return object;
}

uint32_t object_number(const struct model *model, const struct object *object)
{
	uint32_t number = 0;

	for (const struct object *other = model->objects; other != object; other = other->next)
		number++;
	return number;
}

static bool is_in(const struct module *module, uint64_t addr)
{
	return addr >= module->begin_addr && addr < module->end_addr;
}

/*
 * The module that @function_addr belongs to. A retired address has the number of its module. NULL if no
 * module fits, or if several that were unloaded contradict each other and there is no number.
 */
const struct module *module_of_node(const struct process *process, uint64_t function_addr)
{
	const uint64_t addr = function_addr & ~LOG_FUNCTION_FLAGS;
	const uint64_t number = function_addr >> LOG_FUNCTION_MODULE_SHIFT & LOG_FUNCTION_MODULE_MAX;
	const bool gone = function_addr & LOG_FUNCTION_RETIRED;
	const struct module *found = NULL;

	for (size_t i = 0; i < process->nr_modules; i++) {
		const struct module *module = &process->modules[i];

		if (!is_in(module, addr) || (module->gone_ticks != 0) != gone ||
		    (number && module->number != number))
			continue;
		if (found && (found->object != module->object || found->bias != module->bias))
			return NULL;
		found = module;
	}
	return found;
}

uint64_t function_retired(const struct process *process, uint64_t function_addr, uint64_t ticks)
{
	uint64_t gone_ticks = UINT64_MAX, flags = 0;

	for (size_t i = 0; i < process->nr_modules; i++) {
		const struct module *module = &process->modules[i];

		if (!is_in(module, function_addr) || module->gone_ticks <= ticks ||
		    module->gone_ticks >= gone_ticks)
			continue;
		gone_ticks = module->gone_ticks;
		flags = LOG_FUNCTION_RETIRED | (uint64_t)module->number << LOG_FUNCTION_MODULE_SHIFT;
	}
	return function_addr | flags;
}

static bool is_function(const void *item, const void *key)
{
	const struct function *function = item, *wanted = key;

	return !function->region && function->addr == wanted->addr && function->object == wanted->object &&
	       (function->object || function->process == wanted->process);
}

static struct function *intern(struct function_tables *tables, const struct function *wanted)
{
	const void *scope = wanted->object ? (const void *)wanted->object : wanted->process;
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)scope, wanted->addr);
	struct function *function = hashtable_find(&tables->functions, hash, is_function, wanted);

	if (function)
		return function;
	function = xcalloc(1, sizeof(*function));
	*function = *wanted;
	function->number = (uint32_t)functions_count(tables);
	hashtable_add(&tables->functions, hash, function);
	return function;
}

static bool is_region(const void *item, const void *key)
{
	const struct function *function = item, *wanted = key;

	return function->region && function->wait == wanted->wait && function->made_up == wanted->made_up &&
	       strcmp(function->region, wanted->region) == 0;
}

static struct function *find_region(struct function_tables *tables, struct process *process,
				    const struct function *wanted)
{
	const char *name = wanted->region;
	uint64_t hash = hash_string(name) + wanted->wait;
	struct function *function = hashtable_find(&tables->functions, hash, is_region, wanted);

	if (function)
		return function;
	function = xcalloc(1, sizeof(*function) + strlen(name) + 1);
	function->process = process;
	function->stats = no_calls;
	function->wait = wanted->wait;
	function->made_up = wanted->made_up;
	function->region = strcpy((char *)(function + 1), name);
	function->number = (uint32_t)functions_count(tables);
	hashtable_add(&tables->functions, hash, function);
	return function;
}

struct function *function_of_region(struct function_tables *tables, struct process *process, const char *name,
				    enum log_wait_kind wait)
{
	return find_region(tables, process, &(struct function){ .region = name, .wait = wait });
}

struct function *function_made_up(struct function_tables *tables, struct process *process,
				  enum made_up made_up)
{
	const char *name = made_up == MADE_UP_TEAM ? REGION_OF_TEAMS : REGION_OF_GAPS;

	return find_region(tables, process, &(struct function){ .region = name, .made_up = made_up });
}

/* The name is missing if the log had no room for its record. */
static struct function *region_at(struct function_tables *tables, struct process *process,
				  uint64_t function_addr)
{
	const uint64_t number = log_region_label(function_addr);
	enum log_wait_kind wait = 0;
	char unnamed[32];

	if (log_team_starter(function_addr))
		return function_made_up(tables, process, MADE_UP_TEAM);
	if (function_addr == LOG_FUNCTION_GAP)
		return function_made_up(tables, process, MADE_UP_GAP);
	if (log_is_wait(function_addr))
		wait = function_addr >> LOG_WAIT_KIND_SHIFT & LOG_WAIT_KIND_MASK;
	if (number < process->nr_labels && process->labels[number])
		return function_of_region(tables, process, process->labels[number], wait);
	snprintf(unnamed, sizeof(unnamed), "%s %" PRIu64, wait ? "call" : "region", number);
	return function_of_region(tables, process, unnamed, wait);
}

static bool is_place(const void *item, const void *key)
{
	const struct place *place = item, *wanted = key;

	return place->addr == wanted->addr && place->process == wanted->process;
}

struct function *function_find(struct function_tables *tables, struct process *process,
			       uint64_t function_addr)
{
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)process, function_addr);
	struct place *place, wanted = { .process = process, .addr = function_addr };
	struct function function = {
		.process = process,
		.stats = no_calls,
	};
	const struct module *module;

	if (function_addr & LOG_FUNCTION_OTHERS)
		return &tables->others;
	place = hashtable_find(&tables->places, hash, is_place, &wanted);
	if (place)
		return function_merged(tables, place->function);
	if (function_addr & LOG_FUNCTION_REGION)
		return region_at(tables, process, function_addr);
	function.addr = function_addr & ~LOG_FUNCTION_FLAGS;
	module = module_of_node(process, function_addr);
	if (module) {
		function.object = module->object;
		function.addr -= module->bias;
	}
	place = xcalloc(1, sizeof(*place));
	*place = wanted;
	place->function = intern(tables, &function);
	hashtable_add(&tables->places, hash, place);
	return place->function;
}

struct function *function_at(struct function_tables *tables, struct object *object, struct process *process,
			     uint64_t addr)
{
	struct function wanted = {
		.object = object,
		.process = process,
		.addr = addr,
		.stats = no_calls,
	};

	return intern(tables, &wanted);
}

struct function *function_known(const struct function_tables *tables, const struct object *object,
				uint64_t addr)
{
	const struct function wanted = { .object = (struct object *)object, .addr = addr };
	struct function *function = hashtable_find(
		&tables->functions, hash_pair((uint64_t)(uintptr_t)object, addr), is_function, &wanted);

	return function ? function_merged(tables, function) : NULL;
}

bool object_is_recorders(const struct object *object)
{
	static const char name[] = "libinsideme";

	return strncmp(path_base(object->path), name, sizeof(name) - 1) == 0;
}

const struct module *module_at(const struct process *process, uint64_t addr, uint64_t ticks)
{
	for (size_t i = process->nr_modules; i-- > 0;) {
		const struct module *module = &process->modules[i];

		if (is_in(module, addr) && ticks >= module->from_ticks &&
		    (!module->gone_ticks || ticks <= module->gone_ticks))
			return module;
	}
	return NULL;
}

int functions_by_place(const void *a, const void *b)
{
	const struct function *left = *(struct function *const *)a, *right = *(struct function *const *)b;

	if (left->object != right->object)
		return left->object < right->object ? -1 : 1;
	return (left->addr > right->addr) - (left->addr < right->addr);
}
