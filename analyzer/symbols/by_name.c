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

/* Link-time optimization renames local functions, and clones have marks. */
static uint64_t hash_in_source(const char *symbol)
{
	char *name;
	uint64_t hash;

	if (!strchr(symbol, '.'))
		return hash_string(symbol);
	name = name_in_source(symbol);
	name[name_length_in_source(name)] = '\0';
	hash = hash_string(name);
	free(name);
	return hash;
}

enum likeness { OTHER, CLONE, SAME };

static enum likeness compare_name(const char *symbol, const char *name)
{
	enum likeness likeness = OTHER;
	char *in_source;

	if (!strchr(symbol, '.'))
		return strcmp(symbol, name) == 0 ? SAME : OTHER;
	in_source = name_in_source(symbol);
	if (strcmp(in_source, name) == 0)
		likeness = SAME;
	else if (strncmp(in_source, name, name_length_in_source(in_source)) == 0 &&
		 !name[name_length_in_source(in_source)])
		likeness = CLONE;
	free(in_source);
	return likeness;
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
		APPEND(by_name->list, by_name->nr) = (struct named){ hash_in_source(symbol), addr, symbol };
	}
	if (by_name->nr)
		qsort(by_name->list, by_name->nr, sizeof(*by_name->list), compare_hash);
}

/* Wanted symbols of one name. */
struct matches {
	uint64_t same, clone;		/* the first of each; 0: none */
	bool has_others;		/* more than one is the same, at several addresses */
};

/* The first call reads all symbols. */
static struct matches find(struct by_name *by_name, Dwfl_Module *module, const char *name,
			   symbols_wanted *wanted, void *context)
{
	const uint64_t hash = hash_in_source(name);
	struct matches found = { .same = 0 };

	if (!by_name->read)
		read_symbols(by_name, module);
	for (size_t at = PARTITION_POINT(i, by_name->nr, by_name->list[i].hash < hash);
	     at < by_name->nr && by_name->list[at].hash == hash; at++) {
		const struct named *named = &by_name->list[at];
		enum likeness likeness = compare_name(named->symbol, name);

		if (likeness == OTHER || !wanted(named->addr, context))
			continue;
		if (likeness == CLONE)
			found.clone = found.clone ?: named->addr;
		else if (!found.same)
			found.same = named->addr;
		else if (found.same != named->addr)
			found.has_others = true;
	}
	return found;
}

uint64_t by_name_find(struct by_name *by_name, Dwfl_Module *module, const char *name, symbols_wanted *wanted,
		      void *context)
{
	struct matches found = find(by_name, module, name, wanted, context);

	return found.has_others ? 0 : found.same;
}

uint64_t by_name_first(struct by_name *by_name, Dwfl_Module *module, const char *name, symbols_wanted *wanted,
		       void *context)
{
	struct matches found = find(by_name, module, name, wanted, context);

	return found.same ?: found.clone;
}

void by_name_release(struct by_name *by_name)
{
	free(by_name->list);
}
