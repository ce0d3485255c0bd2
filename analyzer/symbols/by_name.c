/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/by_name.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/base/names.h"

struct named {
	uint64_t hash;
	uint64_t addr;
	const char *symbol;
};

static int compare_hash(const void *a, const void *b)
{
	const struct named *left = a, *right = b;

	return (left->hash > right->hash) - (left->hash < right->hash);
}

/* Link-time optimization renames local functions. */
static uint64_t hash_in_source(const char *symbol)
{
	char *name;
	uint64_t hash;

	if (!strchr(symbol, '.'))
		return hash_string(symbol);
	name = name_in_source(symbol);
	hash = hash_string(name);
	free(name);
	return hash;
}

static bool is_named(const char *symbol, const char *name)
{
	char *in_source;
	bool is_it;

	if (!strchr(symbol, '.'))
		return strcmp(symbol, name) == 0;
	in_source = name_in_source(symbol);
	is_it = strcmp(in_source, name) == 0;
	free(in_source);
	return is_it;
}

static void read_symbols(struct by_name *by_name, Dwfl_Module *module)
{
	int nr_symbols = dwfl_module_getsymtab(module);

	by_name->read = true;
	for (int i = 1; i < nr_symbols; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word section;
		const char *symbol =
			dwfl_module_getsym_info(module, i, &sym, &addr, &section, NULL, NULL);

		if (!symbol || GELF_ST_TYPE(sym.st_info) != STT_FUNC || section == SHN_UNDEF)
			continue;
		by_name->list = xgrow(by_name->list, by_name->nr, sizeof(*by_name->list));
		by_name->list[by_name->nr++] = (struct named){ hash_in_source(symbol), addr, symbol };
	}
	if (by_name->nr)
		qsort(by_name->list, by_name->nr, sizeof(*by_name->list), compare_hash);
}

uint64_t by_name_find(struct by_name *by_name, Dwfl_Module *module, const char *name, symbols_wanted *wanted,
		      void *context)
{
	const uint64_t hash = hash_string(name);
	uint64_t found = 0;
	size_t low = 0, high;

	if (!by_name->read)
		read_symbols(by_name, module);
	high = by_name->nr;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_name->list[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < by_name->nr && by_name->list[low].hash == hash; low++) {
		const struct named *named = &by_name->list[low];

		if (named->addr == found || !is_named(named->symbol, name) || !wanted(named->addr, context))
			continue;
		if (found)
			return 0;
		found = named->addr;
	}
	return found;
}

void by_name_release(struct by_name *by_name)
{
	free(by_name->list);
}
