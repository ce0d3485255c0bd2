/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/declared.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"

#define DEEPEST 32

static const char *link_name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	return name ? name : dwarf_diename(die);
}

static void add(struct declared *declared, Dwarf_Die *die)
{
	const char *name = link_name_of(die), *file = compile_units_file(die, DW_AT_decl_file);
	int line;

	if (!name || !file || dwarf_decl_line(die, &line) != 0 || line <= 0)
		return;
	APPEND(declared->list, declared->nr) = (struct declaration){ file, (unsigned int)line, name };
}

/* Nested functions and local classes lie in functions, and methods in classes. */
static void read_children(struct declared *declared, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			if (!dwarf_hasattr(&die, DW_AT_declaration))
				add(declared, &die);
			read_children(declared, &die, depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_lexical_block:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			read_children(declared, &die, depth + 1);
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int compare(const void *a, const void *b)
{
	const struct declaration *x = a, *y = b;
	int order = strcmp(path_base(x->file), path_base(y->file));

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void read_all(struct declared *declared, struct compile_units *units, Dwfl_Module *module)
{
	declared->read = true;
	compile_units_find(units, module, 0); /* lists them */
	for (size_t i = 0; i < units->nr; i++)
		read_children(declared, &units->list[i].die, 0);
	if (declared->nr)
		qsort(declared->list, declared->nr, sizeof(*declared->list), compare);
}

const struct declaration *declared_before(struct declared *declared, struct compile_units *units,
					  Dwfl_Module *module, const char *file, unsigned int line)
{
	const struct declaration wanted = { .file = file, .line = line };
	size_t low;

	if (!declared->read)
		read_all(declared, units, module);
	low = PARTITION_POINT(i, declared->nr, compare(&declared->list[i], &wanted) <= 0);
	return low && strcmp(path_base(declared->list[low - 1].file), path_base(file)) == 0
		       ? &declared->list[low - 1]
		       : NULL;
}

void declared_release(struct declared *declared)
{
	free(declared->list);
}
