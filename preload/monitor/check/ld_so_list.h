/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ELF files that a program would consist of, as its ld.so finds them. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "preload/monitor/tools/elf_file.h"

struct object_of {
	char path[PATH_MAX];
	struct elf_file elf;
};

struct objects_of {
	struct object_of *list;		/* [0] is the program itself; all are open */
	int nr;
	bool has_library;		/* the preloaded library was among them; it is not in the list */
	char complaint[256];		/* a message of ld.so; "": none */
};

/*
 * @program: an ELF file. Runs its ld.so, @ld_so, which maps everything and executes nothing of the
 *   program.
 */
void objects_of(struct objects_of *objects, const char *program, const char *ld_so, const char *library,
		char **environment);
void objects_release(struct objects_of *objects);
