/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/lines/stack_copies.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"

/* The stack pointer, by how many registers the processor has for unwinding. */
static unsigned int sp_number(unsigned int nr_registers)
{
	return nr_registers == LOG_STACK_REGISTERS ? 31 : 7;
}

static bool read_head(struct logfile *log, const struct log_extent *extent, struct log_stack_copy *head)
{
	const uint64_t code = 1ull << 16, last = 1ull << (LOG_STACK_REGISTERS - 1);

	memcpy(head, log->base + extent->offset, sizeof(*head));
	if (!head->ticks)	/* the process ended before */
		return false;
	if (!(head->known & (code | last)) || head->known >= last << 1 || head->reason > LOG_STACK_MEMORY) {
		logfile_damaged(log, extent->offset, "a stack of no processor, or of no reason");
		return false;
	}
	return true;
}

/* Files that are gone, or others now, have no tables for this process. */
static struct unwind_object *list_objects(const struct process *process, uint64_t ticks, size_t *nr)
{
	struct unwind_object *list = xcalloc(process->nr_modules + 1, sizeof(*list));

	*nr = 0;
	for (size_t i = 0; i < process->nr_modules; i++) {
		const struct module *module = &process->modules[i];

		if (module_at(process, module->begin_addr, ticks) == module && module->object->file_bytes &&
		    naming_symbols(module->object))
			list[(*nr)++] = (struct unwind_object){ module->object->path, module->bias };
	}
	return list;
}

static bool is_of_start(const struct process *process, const struct unwind_frame *frame, uint64_t ticks)
{
	const struct module *module = module_at(process, frame->begin_addr, ticks);
	struct symbol symbol = { .addr = module ? frame->begin_addr - module->bias : 0 };
	const char *file = module ? path_base(module->object->path) : "";

	if (strncmp(file, "libc.so", 7) == 0 || strncmp(file, "ld-linux", 8) == 0)
		return true;
	if (!module || !naming_symbols(module->object))
		return false;
	symbols_name(naming_symbols(module->object), &symbol, 1);
	return symbol.link_name && strcmp(symbol.link_name, "_start") == 0;
}

static bool is_of_recorder(const struct process *process, const struct unwind_frame *frame, uint64_t ticks)
{
	const struct module *module = module_at(process, frame->begin_addr, ticks);

	return module && object_is_recorders(module->object);
}

/* Its wrappers stand between the program and libc. Code that got a signal stays. */
static void leave_recorder_out(struct stack_copy *copy)
{
	size_t nr = copy->nr && copy->reason == LOG_STACK_SIGNAL ? 1 : 0;

	for (size_t i = nr; i < copy->nr; i++)
		if (!is_of_recorder(copy->process, &copy->frames[i], copy->ticks))
			copy->frames[nr++] = copy->frames[i];
	copy->nr = nr;
}

static void walk(struct stack_copy *copy, const struct log_stack_copy *head, const uint8_t *bytes,
		 size_t nr_bytes)
{
	const unsigned int nr_registers = head->known >> (LOG_STACK_REGISTERS - 1) ? LOG_STACK_REGISTERS : 17;
	const struct unwind_stack stack = {
		.registers = head->registers,
		.nr_registers = nr_registers,
		.known = head->known,
		.sp_number = sp_number(nr_registers),
		.begin_addr = head->begin_addr,
		.bytes = bytes,
		.nr_bytes = nr_bytes,
	};
	size_t nr_objects;
	struct unwind_object *objects = list_objects(copy->process, copy->ticks, &nr_objects);

	copy->frames = xcalloc(UNWIND_FRAMES_MOST, sizeof(*copy->frames));
	copy->code_addr = head->registers[nr_registers - 1];
	copy->nr = unwind(objects, nr_objects, &stack, copy->frames, &copy->is_cut);
	while (!copy->is_cut && copy->nr > 1 &&
	       is_of_start(copy->process, &copy->frames[copy->nr - 1], copy->ticks))
		copy->nr--;
	leave_recorder_out(copy);
	free(objects);
}

struct stack_copy *stack_copies_read(struct process *process, size_t *nr)
{
	struct logfile *log = process->log;
	struct stack_copy *list = NULL;

	*nr = 0;
	for (size_t i = 0; log && log->base && i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		struct log_stack_copy head;

		if (extent->kind != LOG_AREA_STACK_COPY || !read_head(log, extent, &head))
			continue;
		list = xgrow(list, *nr, sizeof(*list));
		list[*nr] = (struct stack_copy){
			.process = process, .tid = head.tid, .reason = head.reason, .flags = head.flags,
			.ticks = head.ticks,
		};
		memcpy(list[*nr].name, head.name, sizeof(head.name) - 1);
		walk(&list[(*nr)++], &head, log->base + extent->offset + sizeof(head),
		     extent->used_bytes - sizeof(head));
	}
	return list;
}

void stack_copies_free(struct stack_copy *copies, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(copies[i].frames);
	free(copies);
}
