/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the runtimes of languages lie. */
#include "preload/objects/runtime_ranges.h"

#include "preload/common/base/text.h"
#include "preload/objects/loaded_objects.h"

#define RUNTIMES_MAX	8

struct runtime_range runtimes_linker, runtimes_buffers;
static struct runtime_range runtimes[RUNTIMES_MAX];	/* set before any thread, as the next one */
static uint32_t nr_runtimes;

static int find(const struct object *object, void *context)
{
	static const char *const names[] = { "libc.so.", "libstdc++.so.", "libc++", "libgfortran.so.", "libgcc_s.so.", NULL };
	static const char buffer[] = "_IO_file_doallocate";
	const struct runtime_range all = { object->begin, object->end - object->begin };

	(void)context;
	if (text_begins(object->soname, "ld-linux"))
		runtimes_linker = all;
	if (text_begins(object->soname, "libc.so.")) {
		runtimes_buffers.begin = (uintptr_t)object_find(object, buffer, symbol_hash(buffer));
		runtimes_buffers.bytes = object_function_bytes(object, buffer);
	}
	for (int i = 0; names[i] && nr_runtimes < RUNTIMES_MAX; i++)
		if (text_begins(object->soname, names[i]))
			runtimes[nr_runtimes++] = all;
	return 0;
}

void runtimes_init(void)
{
	objects_each(find, NULL);
}

NOINLINE bool runtimes_hold(uintptr_t addr)
{
	for (uint32_t i = 0; i < nr_runtimes; i++)
		if (addr - runtimes[i].begin < runtimes[i].bytes)
			return true;
	return false;
}
