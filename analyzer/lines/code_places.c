/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/lines/code_places.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/tree.h"

/* For symbols_code(): the functions that it prefers. */
struct wanted {
	struct model *model;
	struct object *object;
};

static bool is_wanted(uint64_t addr, void *context)
{
	const struct wanted *wanted = context;

	return function_known(&wanted->model->tables->functions, wanted->object, addr);
}

static bool is_place(const void *item, const void *key)
{
	const struct code_place *place = item, *wanted = key;

	return place->addr == wanted->addr && place->object == wanted->object;
}

/* Its name is kept as if it had been saved: the symbol table has none for such an address. */
struct function *code_inlined_only(struct model *model, struct object *object,
				   const struct symbol_code *code)
{
	const uint64_t hash = hash_pair(hash_string(code->name),
					hash_pair(hash_string(code->file ? code->file : ""), code->line));
	const struct saved_name name = {
		.addr = hash | CODE_INLINED_ONLY,
		.name = code->name,
		.file = code->file,
		.line = code->line,
	};
	struct function_tables *tables = &model->tables->functions;
	struct function *function = function_known(tables, object, name.addr);

	if (function)
		return function;
	naming_add_saved(object, &name);
	object->naming->has_news = true;
	return function_at(tables, object, NULL, name.addr);
}

static struct function *function_of(const struct wanted *wanted, struct process *process,
				    const struct symbol_code *code)
{
	struct function_tables *tables = &wanted->model->tables->functions;

	if (code->addr)
		return function_merged(tables, function_at(tables, wanted->object, process, code->addr));
	return code->name ? code_inlined_only(wanted->model, wanted->object, code) : NULL;
}

static struct code_place *new_place(struct wanted *wanted, struct process *process, uint64_t addr)
{
	struct symbols *symbols = wanted->object->file_bytes ? naming_symbols(wanted->object) : NULL;
	struct symbol_code codes[SYMBOLS_CODES_MOST] = { { .addr = 0 } };
	size_t nr = symbols ? symbols_code(symbols, addr, is_wanted, wanted, codes) : 0;
	struct code_place *place = xcalloc(1, sizeof(*place) + (nr + 1) * sizeof(*place->levels));

	place->object = wanted->object;
	place->addr = addr;
	for (size_t i = 0; i < nr + !nr; i++) {
		struct function *function = function_of(wanted, process, &codes[i]);

		if (i && !function)	/* it has no name: its lines are of the function around it */
			continue;
		place->levels[place->nr++] =
			(struct code_level){ function, codes[i].code_file, codes[i].code_line, NULL };
	}
	return place;
}

struct code_place *code_place_find(struct code_places *places, struct process *process,
				   const struct module *module, uint64_t addr)
{
	struct wanted wanted = { process->model, module ? module->object : NULL };
	struct code_place *place, key = { .object = wanted.object };
	uint64_t hash;

	if (!module)
		return NULL;
	key.addr = addr - module->bias;
	hash = hash_pair((uint64_t)(uintptr_t)key.object, key.addr);
	place = hashtable_find(&places->table, hash, is_place, &key);
	if (!place) {
		place = new_place(&wanted, process, key.addr);
		hashtable_add(&places->table, hash, place);
	}
	return place;
}

void code_places_release(struct code_places *places)
{
	hashtable_release(&places->table);
}
