/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/compile_units.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"

/* Code of one compilation unit. */
struct unit_range {
	uint64_t begin;
	uint64_t end;
	size_t unit;
};

int compile_units_by_addr(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

ptrdiff_t compile_units_note(bool *is_damaged, ptrdiff_t result)
{
	*is_damaged |= result < 0;
	return result;
}

bool compile_units_are_damaged(const struct compile_units *units)
{
	bool are_damaged = units->is_damaged;

	for (size_t i = 0; i < units->nr; i++)
		are_damaged |= units->list[i].is_damaged;
	return are_damaged;
}

static void add_unit(struct compile_units *units, Dwarf_Die *die, Dwarf_Die *skeleton)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	units->list = xgrow(units->list, units->nr, sizeof(*units->list));
	units->list[units->nr] = (struct unit){ .die = *die, .skeleton = *skeleton };
	while ((at = compile_units_note(&units->is_damaged,
					dwarf_ranges(skeleton, at, &base, &begin, &end))) > 0) {
		APPEND(units->ranges, units->nr_ranges) = (struct unit_range){ begin, end, units->nr };
	}
	units->nr++;
}

/* Find out which unit has which code. clang writes no .debug_aranges, so these are not used. */
static void read_units(struct compile_units *units, Dwfl_Module *module)
{
	Dwarf *dwarf = dwfl_module_getdwarf(module, &units->bias);
	Dwarf_CU *cu = NULL;
	uint8_t type;
	Dwarf_Die die, split;

	units->read = true;
	while (dwarf && compile_units_note(&units->is_damaged,
					   dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split)) == 0) {
		units->is_damaged |= dwarf_tag(&die) == DW_TAG_invalid;
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(units, type == DW_UT_skeleton && split.addr ? &split : &die, &die);
	}
	if (units->nr_ranges)
		qsort(units->ranges, units->nr_ranges, sizeof(*units->ranges), compile_units_by_addr);
}

struct unit *compile_units_find(struct compile_units *units, Dwfl_Module *module, uint64_t addr)
{
	size_t low;

	if (!units->read)
		read_units(units, module);
	low = PARTITION_POINT(i, units->nr_ranges, units->ranges[i].end <= addr);
	if (low == units->nr_ranges || addr < units->ranges[low].begin)
		return NULL;
	return &units->list[units->ranges[low].unit];
}

void compile_units_release(struct compile_units *units)
{
	free(units->list);
	free(units->ranges);
}

/* A function split into hot and cold parts has ranges, hot first. */
bool compile_units_entry_addr(Dwarf_Die *die, Dwarf_Addr *addr)
{
	Dwarf_Addr base, end;

	return dwarf_entrypc(die, addr) == 0 || dwarf_ranges(die, 0, &base, addr, &end) > 0;
}

/*
 * dwarf_decl_file() of elfutils 0.188 ends the program in split units, and takes file 0 for none: clang uses
 * it, as DWARF 5 numbers files from 0.
 */
static bool is_path(const void *item, const void *key)
{
	return strcmp(item, key) == 0;
}

const char *compile_units_path(Dwarf_Die *unit, const char *path)
{
	static struct hashtable paths;	/* of all objects; names of files live as long as the report */
	Dwarf_Attribute attribute;
	const char *folder = path && path[0] != '/'
				     ? dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute))
				     : NULL;
	char *whole, *known;

	if (!path || !path[0] || path[strlen(path) - 1] == '/') /* damaged */
		return NULL;
	if (!folder)
		return path;
	whole = xcalloc(1, strlen(folder) + strlen(path) + 2);
	sprintf(whole, "%s/%s", folder, path);
	known = hashtable_find(&paths, hash_string(whole), is_path, whole);
	if (!known)
		hashtable_add(&paths, hash_string(whole), known = whole);
	else
		free(whole);
	return known;
}

const char *compile_units_file(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t nr_files;

	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &number) != 0 ||
	    !dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &nr_files) != 0 || number >= nr_files)
		return NULL;
	return compile_units_path(&unit, dwarf_filesrc(files, number, NULL, NULL));
}
