/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/unwind.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#define THREAD_ID 1

struct walk {
	Dwfl *dwfl;
	const struct unwind_stack *stack;
	uint64_t code_addr;		/* where it begins */
	uint64_t sp_addr;
	struct unwind_frame *frames;
	size_t nr;
	bool is_whole;			/* up to the thread's first function */
};

/* ---- what libdwfl asks ---- */

static pid_t next_thread(Dwfl *dwfl, void *of, void **state)
{
	(void)dwfl;
	if (*state)
		return 0;
	*state = of;
	return THREAD_ID;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *of, void **state)
{
	(void)dwfl;
	*state = of;
	return tid == THREAD_ID;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *word, void *of)
{
	const struct unwind_stack *stack = ((const struct walk *)of)->stack;
	const uint64_t at = addr - stack->begin_addr;

	(void)dwfl;
	if (at >= stack->nr_bytes || stack->nr_bytes - at < sizeof(*word))
		return false;
	memcpy(word, stack->bytes + at, sizeof(*word));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *of)
{
	const struct walk *walk = of;
	const struct unwind_stack *stack = walk->stack;

	for (unsigned int i = 0; i + 1 < stack->nr_registers; i++) {
		Dwarf_Word value = i == stack->sp_number ? walk->sp_addr : stack->registers[i];

		if (stack->known >> i & 1 && !dwfl_thread_state_registers(thread, (int)i, 1, &value))
			return false;
	}
	dwfl_thread_state_register_pc(thread, walk->code_addr);
	return true;
}

/* ---- the walk ---- */

static uint64_t begin_of(Dwfl_Module *module, uint64_t addr)
{
	GElf_Off offset;
	GElf_Sym symbol;

	if (!module || !dwfl_module_addrinfo(module, addr, &offset, &symbol, NULL, NULL, NULL) ||
	    offset >= symbol.st_size)
		return addr;
	return addr - offset;
}

/* A table's entry for the code at an address. */
enum row { ROW_NONE, ROW_OF_CALLED, ROW_OF_FIRST };

/* The first function of a thread has no caller, which its row says. */
static enum row find_row(Dwarf_CFI *table, uint64_t addr)
{
	Dwarf_Op room[3], *operations;
	Dwarf_Frame *frame;
	enum row row;
	size_t nr;

	if (!table || dwarf_cfi_addrframe(table, addr, &frame) != 0)
		return ROW_NONE;
	row = dwarf_frame_register(frame, dwarf_frame_info(frame, NULL, NULL, NULL), room, &operations,
				   &nr) == 0 &&
			      !nr && operations == room
		      ? ROW_OF_FIRST
		      : ROW_OF_CALLED;
	free(frame);
	return row;
}

static enum row row_at(Dwfl_Module *module, uint64_t addr)
{
	Dwarf_Addr bias = 0;
	Dwarf_CFI *table = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	enum row row = find_row(table, addr - bias);

	if (row || !module)
		return row;
	table = dwfl_module_dwarf_cfi(module, &bias);
	return find_row(table, addr - bias);
}

/* Without a row, libdwfl would take rbp for a frame pointer. */
static int add_frame(Dwfl_Frame *frame, void *of)
{
	struct walk *walk = of;
	Dwfl_Module *module;
	Dwarf_Addr addr;
	bool has_run;
	enum row row;

	if (!dwfl_frame_pc(frame, &addr, &has_run) || walk->nr == UNWIND_FRAMES_MOST)
		return DWARF_CB_ABORT;
	addr -= !has_run;
	module = dwfl_addrmodule(walk->dwfl, addr);
	walk->frames[walk->nr++] = (struct unwind_frame){ addr, begin_of(module, addr) };
	row = row_at(module, addr);
	walk->is_whole = row == ROW_OF_FIRST;
	return row == ROW_OF_CALLED ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/*
 * The program called an address without code: nothing has run there since the call pushed where it returns
 * to.
 */
static void step_over_missing_code(struct walk *walk)
{
	Dwarf_Word caller;

	if (dwfl_addrmodule(walk->dwfl, walk->code_addr) ||
	    !read_memory(NULL, walk->sp_addr, &caller, walk) || !dwfl_addrmodule(walk->dwfl, caller))
		return;
	walk->frames[walk->nr++] = (struct unwind_frame){ walk->code_addr, walk->code_addr };
	walk->code_addr = caller - 1;
	walk->sp_addr += sizeof(caller);
}

size_t unwind(const struct unwind_object *objects, size_t nr_objects, const struct unwind_stack *stack,
	      struct unwind_frame frames[UNWIND_FRAMES_MOST], bool *is_cut)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	static const Dwfl_Thread_Callbacks thread_callbacks = {
		.next_thread = next_thread,
		.get_thread = get_thread,
		.memory_read = read_memory,
		.set_initial_registers = set_registers,
	};
	struct walk walk = {
		.dwfl = dwfl_begin(&callbacks),
		.stack = stack,
		.code_addr = stack->registers[stack->nr_registers - 1],
		.sp_addr = stack->registers[stack->sp_number],
		.frames = frames,
	};

	*is_cut = true;
	if (!walk.dwfl)
		return 0;
	dwfl_report_begin(walk.dwfl);
	for (size_t i = 0; i < nr_objects; i++)
		dwfl_report_elf(walk.dwfl, objects[i].path, objects[i].path, -1, objects[i].bias, true);
	dwfl_report_end(walk.dwfl, NULL, NULL);
	step_over_missing_code(&walk);
	if (dwfl_attach_state(walk.dwfl, NULL, THREAD_ID, &thread_callbacks, &walk))
		dwfl_getthread_frames(walk.dwfl, THREAD_ID, add_frame, &walk);
	*is_cut = !walk.is_whole;
	dwfl_end(walk.dwfl);
	return walk.nr;
}
