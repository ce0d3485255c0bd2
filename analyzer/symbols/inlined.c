/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/inlined.h"

#include <dwarf.h>
#include <stdlib.h>

#include "analyzer/base/error.h"

#define DEEPEST 400 /* blocks and copies within each other; what is deeper belongs to what is around it */
#define ORIGINS_MOST 8

/* Code of an inlined copy. */
struct piece {
	uint64_t begin;
	uint64_t end;
	size_t copy;
};

/* Code of a function that can be called. */
struct body {
	uint64_t begin;
	uint64_t end;
	size_t copy;
	size_t first_piece, end_piece;	/* of what is inlined in it */
};

struct inlined {
	struct unit *unit;
	struct inlined_copy *copies;
	size_t nr_copies;
	struct piece *pieces;		/* in the order of the walk */
	size_t nr_pieces;
	struct body *bodies;		/* sorted by begin */
	size_t nr_bodies;
	struct inlined_called *called;	/* sorted by origin */
	size_t nr_called;
};

static void read_children(struct inlined *inlined, Dwarf_Die *parent, size_t within, int depth);

static ptrdiff_t note(struct inlined *inlined, ptrdiff_t result)
{
	return compile_units_note(&inlined->unit->is_damaged, result);
}

/* Link-time optimization puts an entry of its own between a copy and what the source says of the function. */
static Dwarf_Die origin_of(Dwarf_Die *die)
{
	Dwarf_Die origin = *die, next;
	Dwarf_Attribute attribute;

	for (int i = 0; i < ORIGINS_MOST && dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) &&
			dwarf_formref_die(&attribute, &next);
	     i++)
		origin = next;
	return origin;
}

static size_t add_copy(struct inlined *inlined, Dwarf_Die *die, size_t within, uint32_t depth)
{
	APPEND(inlined->copies, inlined->nr_copies) = (struct inlined_copy){
		.die = *die, .origin = origin_of(die), .within = within, .depth = depth
	};
	return inlined->nr_copies - 1;
}

static void read_function(struct inlined *inlined, Dwarf_Die *die, uint64_t entry_addr, int depth)
{
	size_t copy = add_copy(inlined, die, inlined->nr_copies, 0), first_piece = inlined->nr_pieces;
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	APPEND(inlined->called, inlined->nr_called) =
		(struct inlined_called){ inlined->copies[copy].origin.addr, entry_addr };
	read_children(inlined, die, copy, depth);
	while ((at = note(inlined, dwarf_ranges(die, at, &base, &begin, &end))) > 0) {
		APPEND(inlined->bodies, inlined->nr_bodies) =
			(struct body){ begin, end, copy, first_piece, inlined->nr_pieces };
	}
}

static void read_copy(struct inlined *inlined, Dwarf_Die *die, size_t within, int depth)
{
	size_t copy = add_copy(inlined, die, within, inlined->copies[within].depth + 1);
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = note(inlined, dwarf_ranges(die, at, &base, &begin, &end))) > 0) {
		APPEND(inlined->pieces, inlined->nr_pieces) = (struct piece){ begin, end, copy };
	}
	read_children(inlined, die, copy, depth);
}

/* @within: the copy that @parent is part of; SIZE_MAX: none. */
static void read_children(struct inlined *inlined, Dwarf_Die *parent, size_t within, int depth)
{
	Dwarf_Addr addr;
	Dwarf_Die die;

	if (depth > DEEPEST || note(inlined, dwarf_child(parent, &die)) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			if (compile_units_entry_addr(&die, &addr))
				read_function(inlined, &die, addr, depth + 1);
			break;
		case DW_TAG_inlined_subroutine:
			if (within != SIZE_MAX)
				read_copy(inlined, &die, within, depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			read_children(inlined, &die, within, depth + 1);
			break;
		}
	} while (note(inlined, dwarf_siblingof(&die, &die)) == 0);
}

static int compare_origin(const void *a, const void *b)
{
	const struct inlined_called *left = a, *right = b;

	return ((uintptr_t)left->origin > (uintptr_t)right->origin) -
	       ((uintptr_t)left->origin < (uintptr_t)right->origin);
}

struct inlined *inlined_read(struct unit *unit)
{
	struct inlined *inlined = xcalloc(1, sizeof(*inlined));

	inlined->unit = unit;
	read_children(inlined, &unit->die, SIZE_MAX, 0);
	if (inlined->nr_bodies)
		qsort(inlined->bodies, inlined->nr_bodies, sizeof(*inlined->bodies), compile_units_by_addr);
	if (inlined->nr_called)
		qsort(inlined->called, inlined->nr_called, sizeof(*inlined->called), compare_origin);
	return inlined;
}

void inlined_free(struct inlined *inlined)
{
	if (!inlined)
		return;
	free(inlined->copies);
	free(inlined->pieces);
	free(inlined->bodies);
	free(inlined->called);
	free(inlined);
}

/* Functions that the linker left out stand at address 0, or at its end. */
static const struct body *find_body(const struct inlined *inlined, uint64_t addr)
{
	size_t low = PARTITION_POINT(i, inlined->nr_bodies, inlined->bodies[i].begin <= addr);

	return low && addr < inlined->bodies[low - 1].end ? &inlined->bodies[low - 1] : NULL;
}

size_t inlined_find(const struct inlined *inlined, uint64_t addr, struct inlined_copy **copies,
		    size_t most)
{
	const struct body *body = find_body(inlined, addr);
	struct inlined_copy *copy;

	if (!body)
		return 0;
	copy = &inlined->copies[body->copy];
	for (size_t i = body->first_piece; i < body->end_piece; i++) {
		const struct piece *piece = &inlined->pieces[i];

		if (addr >= piece->begin && addr < piece->end &&
		    inlined->copies[piece->copy].depth > copy->depth)
			copy = &inlined->copies[piece->copy];
	}
	while (copy->depth >= most)
		copy = &inlined->copies[copy->within];
	most = copy->depth + 1;
	for (; copy->depth; copy = &inlined->copies[copy->within])
		copies[copy->depth] = copy;
	copies[0] = copy;
	return most;
}

const struct inlined_called *inlined_called(const struct inlined *inlined, const struct inlined_copy *copy,
					    size_t *nr)
{
	const struct inlined_called key = { .origin = copy->origin.addr };
	size_t low = PARTITION_POINT(i, inlined->nr_called, compare_origin(&inlined->called[i], &key) < 0);
	size_t end = low;

	for (; end < inlined->nr_called && inlined->called[end].origin == key.origin; end++)
		;
	*nr = end - low;
	return inlined->called + low;
}

bool inlined_is_external(const struct inlined_copy *copy)
{
	Dwarf_Die origin = copy->origin;
	Dwarf_Attribute attribute;
	bool is_external = false;

	return dwarf_formflag(dwarf_attr_integrate(&origin, DW_AT_external, &attribute), &is_external) == 0 &&
	       is_external;
}

const char *inlined_call(const struct inlined_copy *copy, unsigned int *line)
{
	Dwarf_Die die = copy->die;
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_formudata(dwarf_attr(&die, DW_AT_call_line, &attribute), &number) != 0)
		return NULL;
	*line = (unsigned int)number;
	return compile_units_file(&die, DW_AT_call_file);
}

const char *inlined_link_name(const struct inlined_copy *copy)
{
	Dwarf_Die origin = copy->origin;
	Dwarf_Attribute attribute;

	const char *name;

	if (dwarf_attr_integrate(&origin, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(&origin, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	else
		name = dwarf_diename(&origin);
	return name && name[0] ? name : NULL;
}
