/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/sampled_code.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/selection.h"
#include "analyzer/model/tree.h"

/* An address of an object, and the functions whose code is there, outermost first. */
struct code_place {
	struct object *object;
	uint64_t addr;
	size_t nr;
	struct function *functions[];	/* [0]: that was called; NULL: hooks do not know it */
};

/* What symbols_inlined() is to look for. */
struct wanted {
	const struct function_tables *tables;
	const struct object *object;
};

static bool is_wanted(uint64_t addr, void *context)
{
	const struct wanted *wanted = context;

	return function_known(wanted->tables, wanted->object, addr);
}

static bool is_place(const void *item, const void *key)
{
	const struct code_place *place = item, *wanted = key;

	return place->addr == wanted->addr && place->object == wanted->object;
}

static struct code_place *new_place(const struct sampled_code *code, struct object *object, uint64_t addr)
{
	struct wanted wanted = { &code->process->model->tables->functions, object };
	struct symbols *symbols = object->file_bytes ? naming_symbols(object) : NULL;
	uint64_t addrs[SYMBOLS_INLINED_MOST];
	size_t nr = symbols ? symbols_inlined(symbols, addr, is_wanted, &wanted, addrs) : 0;
	struct code_place *place = xcalloc(1, sizeof(*place) + nr * sizeof(*place->functions));

	place->object = object;
	place->addr = addr;
	place->nr = nr;
	for (size_t i = 0; i < nr; i++)
		place->functions[i] = addrs[i] ? function_known(wanted.tables, object, addrs[i]) : NULL;
	return place;
}

static const struct code_place *find_place(struct sampled_code *code, const struct log_sample *sample)
{
	const struct module *module = module_at(code->process, sample->pc_addr, sample->ticks);
	struct code_place *place, wanted = { .object = module ? module->object : NULL };
	uint64_t hash;

	if (!module)
		return NULL;
	wanted.addr = sample->pc_addr - module->bias;
	hash = hash_pair((uint64_t)(uintptr_t)wanted.object, wanted.addr);
	place = hashtable_find(&code->places, hash, is_place, &wanted);
	if (!place) {
		place = new_place(code, wanted.object, wanted.addr);
		hashtable_add(&code->places, hash, place);
	}
	return place;
}

/*
 * How many of the place's functions the path has already: those up to the last that it ends in. A path may
 * end in none of them: hooks do not know the function that was called, or the compiler made a clone of it,
 * or a region has begun in it. The function around a region is not repeated beneath it.
 */
static size_t count_known(const struct code_place *place, const struct function *last)
{
	for (size_t nr = place->nr; nr; nr--)
		if (place->functions[nr - 1] == last)
			return nr;
	return last && last->region ? 1 : 0;
}

static struct function *function_of(struct thread *thread, uint32_t node_ref)
{
	struct process *process = thread->process;
	struct log_node node;

	if (node_ref == thread->ref + (offsetof(struct log_thread, root) >> LOG_REF_SHIFT))
		return NULL;
	logfile_node(process->log, (uint64_t)node_ref << LOG_REF_SHIFT, &node);
	return function_find(&process->model->tables->functions, process, node.function_addr);
}

struct tree_node *sampled_code_path(struct sampled_code *code, struct thread *thread,
				    const struct log_sample *sample, struct tree_node *path)
{
	struct model *model = thread->process->model;
	const struct code_place *place;
	const struct function *last;

	if (thread->process->header.timing != LOG_TIMING_AUTO || !thread->process->nr_counted)
		return path;
	place = find_place(code, sample);
	if (!place || !place->nr)
		return path;
	last = function_of(thread, sample->node);
	if (last && last->kind != FUNCTION_PLAIN)
		return path;
	for (size_t i = count_known(place, last); i < place->nr; i++) {
		struct function *function = place->functions[i];

		if (!function || !function->is_counted || !selection_keeps(model, path, function))
			continue;
		path = tree_child(model, path, function);
		tree_add_thread(path, thread);
	}
	return path;
}

void sampled_code_release(struct sampled_code *code)
{
	hashtable_release(&code->places);
}
