/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions whose code is at an address of an object, by debug information: one that can be called, and
 * in it those that the compiler inlined there. A function without a copy that can be called is a struct
 * function too, see CODE_INLINED_ONLY.
 */
#pragma once

#include "analyzer/base/hashtable.h"
#include "analyzer/model/model.h"
#include "analyzer/symbols/symbols.h"

/* A function at a place, and where the place's code is in its source, or the call that was inlined. */
struct code_level {
	struct function *function;	/* NULL, of the first: not known */
	const char *file;		/* NULL: not known */
	uint32_t line;			/* 0: of none */
	struct line *at;		/* lines.c's own */
};

struct code_place {
	struct object *object;
	uint64_t addr;
	size_t nr;			/* at least 1; without debug information 1 */
	struct code_level levels[];	/* outermost first */
};

/* All 0 at first. */
struct code_places {
	struct hashtable table;
};

/*
 * The place of the code at @addr in @process, which is in @module (NULL: there is no place). It lives as
 * long as @places. Its functions are made, with their names, if they are new.
 */
struct code_place *code_place_find(struct code_places *places, struct process *process,
				   const struct module *module, uint64_t addr);
/* A function of @object that has no copy that can be called, by its name and declaration. */
struct function *code_inlined_only(struct model *model, struct object *object,
				   const struct symbol_code *code);
void code_places_release(struct code_places *places);
