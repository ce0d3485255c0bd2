/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libunwind's rows: for each code address one struct that it calls a register state, which does a step
 * without looking at a table again. Its own unw_step() makes two system calls each, keeps 128 rows, and
 * guesses where there are no tables.
 */
#include "preload/monitor/stacks/unwinder.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "preload/common/base/compiler.h"

#if STACKS_ARE_POSSIBLE
#include <libunwind.h>

#define LIBRARY "libunwind-" UNW_TARGET_NAME ".so.8"
#define UNW_TARGET_NAME "x86_64"
#define NAME_OF(symbol) NAME_TEXT(symbol)
#define NAME_TEXT(symbol) #symbol

#define ROW_BYTES 384u	     /* libunwind 1.6's has 168 */
#define ROWS_MOST (1u << 17) /* then all are dropped: such a program probably changes its code */
#define ROWS_FIRST 1024u
#define BLOCK_BYTES (16u << 10)
#define BLOCKS 64u
#define READS_MOST 20000u /* of a table or an expression, for one row or one walk */
#define WINDOWS 8u
#define MORE_BYTES (64u << 10)

/* Part of the stack, or of another stack to which it leads. */
struct window {
	uint64_t begin;
	uint64_t bytes;
};

/* Part of an object's memory, which does not change. */
struct block {
	uint64_t addr; /* 0: none */
	long bytes;
	uint8_t data[BLOCK_BYTES];
};

struct row {
	uint64_t addr;
	uint64_t begin; /* of the function */
	bool is_known;	/* there is a table */
	bool is_signal; /* the code that a signal handler returns to: its caller was interrupted */
	uint8_t state[ROW_BYTES];
};

struct unwinder {
	struct target *target;
	uint64_t generation; /* of the target, for which rows and blocks are valid */
	unw_addr_space_t space;
	const struct registers *registers;
	bool is_still;
	bool missed_object;
	uint64_t lacks_addr; /* 0, or where the copy has ended */
	uint32_t nr_reads;
	struct row **rows; /* by hash of the address */
	size_t nr_places, nr_rows;
	struct row *wanted; /* while it is looked up */
	uint8_t *copy;	    /* STACK_BYTES_MOST; windows in their order */
	struct window windows[WINDOWS];
	uint32_t nr_windows;
	size_t copied;
	struct block blocks[BLOCKS];
};

/* Looked up at run time: insideme-run starts without the library. */
static struct {
	unw_addr_space_t (*create)(unw_accessors_t *accessors, int order);
	int (*init)(unw_cursor_t *cursor, unw_addr_space_t space, void *context);
	int (*search)(unw_addr_space_t space, unw_word_t addr, unw_dyn_info_t *table, unw_proc_info_t *info,
		      int needs_all, void *context);
	int (*each_row)(unw_cursor_t *cursor, unw_reg_states_callback each, void *context);
	int (*apply_row)(unw_cursor_t *cursor, void *row);
	int (*get_register)(unw_cursor_t *cursor, int number, unw_word_t *value);
} libunwind;

/* ---- memory ---- */

static bool copy_window(struct unwinder *unwinder, uint64_t begin, size_t bytes)
{
	struct window *window = &unwinder->windows[unwinder->nr_windows];
	long nr;

	if (unwinder->nr_windows == WINDOWS || unwinder->copied + bytes > STACK_BYTES_MOST)
		return false;
	nr = target_read(unwinder->target, begin, unwinder->copy + unwinder->copied, bytes);
	if (nr <= 0)
		return false;
	*window = (struct window){ begin, (uint64_t)nr };
	unwinder->copied += (size_t)nr;
	unwinder->nr_windows++;
	return true;
}

static bool in_windows(const struct unwinder *unwinder, uint64_t addr, unw_word_t *value)
{
	const uint8_t *data = unwinder->copy;

	for (uint32_t i = 0; i < unwinder->nr_windows; i++) {
		const struct window *window = &unwinder->windows[i];

		if (addr - window->begin < window->bytes &&
		    window->bytes - (addr - window->begin) >= sizeof(*value)) {
			memcpy(value, data + (addr - window->begin), sizeof(*value));
			return true;
		}
		data += window->bytes;
	}
	return false;
}

/* Memory of an object: tables and code. */
static bool in_object(struct unwinder *unwinder, uint64_t addr, unw_word_t *value)
{
	uint64_t begin = addr & ~(uint64_t)(BLOCK_BYTES - 1);
	struct block *block = &unwinder->blocks[begin / BLOCK_BYTES % BLOCKS];

	if (!target_find(unwinder->target, addr))
		return false;
	if (block->addr != begin) {
		block->addr = begin;
		block->bytes = target_read(unwinder->target, begin, block->data, BLOCK_BYTES);
	}
	if (block->bytes >= (long)(addr - begin + sizeof(*value))) {
		memcpy(value, block->data + (addr - begin), sizeof(*value));
		return true;
	}
	return target_read(unwinder->target, addr, value, sizeof(*value)) == sizeof(*value);
}

/* The stack is deeper than its copy, or continues elsewhere. */
static bool beyond_copy(struct unwinder *unwinder, uint64_t addr, unw_word_t *value)
{
	addr &= ~(uint64_t)7;
	unwinder->lacks_addr = addr;
	if (!unwinder->is_still || !unwinder_copy_more(unwinder, addr))
		return false;
	unwinder->lacks_addr = 0;
	return in_windows(unwinder, addr, value);
}

static int access_memory(unw_addr_space_t space, unw_word_t addr, unw_word_t *value, int writes,
			 void *context)
{
	struct unwinder *unwinder = context;

	if (writes || ++unwinder->nr_reads > READS_MOST)
		return -UNW_EINVAL;
	return in_windows(unwinder, addr, value) || in_object(unwinder, addr, value) ||
			       beyond_copy(unwinder, addr, value)
		       ? 0
		       : -UNW_EINVAL;
}

/* ---- libunwind's questions ---- */

static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int writes,
			   void *context)
{
	const struct unwinder *unwinder = context;

	if (writes || number < 0 || number >= REGISTERS_MOST || !(unwinder->registers->known >> number & 1))
		return -UNW_EBADREG;
	*value = unwinder->registers->at[number];
	return 0;
}

static int access_float(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int writes,
			void *context)
{
	return -UNW_EBADREG;
}

static int find_table(unw_addr_space_t space, unw_word_t addr, unw_proc_info_t *info, int needs_all,
		      void *context)
{
	struct unwinder *unwinder = context;
	const struct target_object *object = target_find(unwinder->target, addr);
	unw_dyn_info_t table = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };

	if (!object || !object->table)
		return -UNW_ENOINFO;
	table.start_ip = object->begin;
	table.end_ip = object->end;
	table.u.rti.segbase = object->header;
	table.u.rti.table_data = object->table;
	table.u.rti.table_len = object->nr_entries * 8 / sizeof(unw_word_t);
	return libunwind.search(space, addr, &table, info, needs_all, context);
}

static void put_table(unw_addr_space_t space, unw_proc_info_t *info, void *context)
{
	free(info->unwind_info);
	info->unwind_info = NULL;
}

static int no_dynamic_tables(unw_addr_space_t space, unw_word_t *list, void *context)
{
	return -UNW_ENOINFO;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *context)
{
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t space, unw_word_t addr, char *name, size_t bytes, unw_word_t *offset,
		   void *context)
{
	return -UNW_ENOINFO;
}

/* ---- rows ---- */

static void forget_rows(struct unwinder *unwinder)
{
	for (size_t i = 0; i < unwinder->nr_places; i++)
		free(unwinder->rows[i]);
	free(unwinder->rows);
	unwinder->rows = calloc(ROWS_FIRST, sizeof(*unwinder->rows));
	if (!unwinder->rows)
		abort();
	unwinder->nr_places = ROWS_FIRST;
	unwinder->nr_rows = 0;
	for (size_t i = 0; i < BLOCKS; i++)
		unwinder->blocks[i].addr = 0;
	unwinder->generation = unwinder->target->generation;
}

static struct row **place_of(struct unwinder *unwinder, uint64_t addr)
{
	size_t place = (size_t)(addr * 0x9e3779b97f4a7c15u >> 40);

	while (unwinder->rows[place % unwinder->nr_places] &&
	       unwinder->rows[place % unwinder->nr_places]->addr != addr)
		place++;
	return &unwinder->rows[place % unwinder->nr_places];
}

static void make_room(struct unwinder *unwinder)
{
	struct row **old = unwinder->rows;
	size_t nr = unwinder->nr_places;

	if (unwinder->nr_rows >= ROWS_MOST) {
		forget_rows(unwinder);
		return;
	}
	if (unwinder->nr_rows < nr / 2)
		return;
	unwinder->nr_places = nr * 2;
	unwinder->rows = calloc(unwinder->nr_places, sizeof(*old));
	if (!unwinder->rows)
		abort();
	for (size_t i = 0; i < nr; i++)
		if (old[i])
			*place_of(unwinder, old[i]->addr) = old[i];
	free(old);
}

/* One state holds for the code from @begin to @end. */
static int take_row(void *context, void *state, size_t bytes, unw_word_t begin, unw_word_t end)
{
	struct unwinder *unwinder = context;
	struct row *row = unwinder->wanted;

	if (row->addr < begin || row->addr >= end || row->is_known || bytes > ROW_BYTES)
		return 0;
	memcpy(row->state, state, bytes);
	row->is_known = true;
	return 0;
}

/* A handler returns to its first instruction, so the address before that is looked up. */
static bool is_signal_return(struct unwinder *unwinder, uint64_t addr)
{
	static const char code[] = SIGNAL_RETURN_CODE;
	uint8_t found[24];

	for (size_t at = 0; at < sizeof(found); at += sizeof(unw_word_t)) {
		unw_word_t word;

		if (!in_object(unwinder, addr + at, &word))
			return false;
		memcpy(found + at, &word, sizeof(word));
	}
	return !memcmp(found, code, sizeof(code) - 1) || !memcmp(found + 1, code, sizeof(code) - 1);
}

static void find_begin(struct unwinder *unwinder, struct row *row)
{
	unw_proc_info_t info;

	row->begin = row->addr;
	if (find_table(unwinder->space, row->addr, &info, 0, unwinder) == 0 && info.start_ip <= row->addr)
		row->begin = info.start_ip;
}

static void fill_row(struct unwinder *unwinder, struct row *row)
{
	struct registers here = { .known = 1ull << REGISTER_IP | 1ull << REGISTER_SP };
	const struct registers *outer = unwinder->registers;
	unw_cursor_t cursor;

	here.at[REGISTER_IP] = row->addr;
	unwinder->registers = &here;
	unwinder->wanted = row;
	unwinder->nr_reads = 0;
	unwinder->missed_object |= !target_find(unwinder->target, row->addr);
	find_begin(unwinder, row);
	if (libunwind.init(&cursor, unwinder->space, unwinder) == 0)
		libunwind.each_row(&cursor, take_row, unwinder);
	row->is_signal = is_signal_return(unwinder, row->addr);
	unwinder->registers = outer;
	unwinder->nr_reads = 0;
}

static struct row *row_at(struct unwinder *unwinder, uint64_t addr)
{
	struct row **place = place_of(unwinder, addr);

	if (*place)
		return *place;
	make_room(unwinder);
	place = place_of(unwinder, addr);
	*place = calloc(1, sizeof(**place));
	if (!*place)
		abort();
	(*place)->addr = addr;
	unwinder->nr_rows++;
	fill_row(unwinder, *place);
	return *place;
}

/* ---- walks ---- */

static uint64_t get(unw_cursor_t *cursor, int number)
{
	unw_word_t value;

	return libunwind.get_register(cursor, number, &value) == 0 ? value : 0;
}

static void add_frame(struct stack *stack, uint64_t code_addr, uint64_t begin_addr)
{
	stack->frames[stack->nr++] = (struct stack_frame){ code_addr, begin_addr };
}

/*
 * The code address is that of the next instruction; in a caller it may lie behind the function's last one.
 * The walk only goes up, except for handlers on a stack of their own. Return: whether the stack was walked to
 * its end.
 */
static bool walk(struct unwinder *unwinder, unw_cursor_t *cursor, struct stack *stack)
{
	bool is_called = false; /* the function was called, not interrupted */
	uint64_t sp = 0;

	for (;;) {
		const uint64_t addr = get(cursor, UNW_REG_IP) - is_called;
		struct row *row = row_at(unwinder, addr);
		int result;

		if (stack->nr == STACK_FRAMES_MOST)
			return false;
		if (!row->is_signal)
			add_frame(stack, addr, row->begin);
		if (!row->is_known)
			return false;
		result = libunwind.apply_row(cursor, row->state);
		if (result <= 0 || !get(cursor, UNW_REG_IP))
			return result >= 0;
		if (!row->is_signal && get(cursor, UNW_REG_SP) <= sp)
			return false;
		sp = get(cursor, UNW_REG_SP);
		is_called = !row->is_signal;
	}
}

/* A path begins with the program's first function, as it does with hooks. */
static void leave_start_out(const struct unwinder *unwinder, struct stack *stack)
{
	while (stack->nr > 1) {
		const uint64_t begin = stack->frames[stack->nr - 1].begin_addr;
		const struct target_object *object = target_find(unwinder->target, begin);

		if (!object || (!object->is_libc && begin != object->entry))
			return;
		stack->nr--;
	}
}

void unwinder_walk(struct unwinder *unwinder, const struct registers *registers, bool is_still,
		   struct stack *stack)
{
	unw_cursor_t cursor;

	if (unwinder->generation != unwinder->target->generation)
		forget_rows(unwinder);
	stack->nr = 0;
	unwinder->registers = registers;
	unwinder->is_still = is_still;
	unwinder->lacks_addr = 0;
	unwinder->nr_reads = 0;
	stack->is_cut =
		libunwind.init(&cursor, unwinder->space, unwinder) != 0 || !walk(unwinder, &cursor, stack);
	stack->lacks_addr = stack->is_cut ? unwinder->lacks_addr : 0;
	if (!stack->is_cut)
		leave_start_out(unwinder, stack);
}

int unwinder_copy(struct unwinder *unwinder, uint64_t sp, size_t bytes)
{
	unwinder->nr_windows = 0;
	unwinder->copied = 0;
	return copy_window(unwinder, sp - RED_ZONE_BYTES, bytes) ? 0 : -EFAULT;
}

bool unwinder_copy_more(struct unwinder *unwinder, uint64_t addr)
{
	return copy_window(unwinder, addr, MORE_BYTES);
}

bool unwinder_missed_object(struct unwinder *unwinder)
{
	bool missed = unwinder->missed_object;

	unwinder->missed_object = false;
	return missed;
}

/* ---- the library ---- */

static bool load_library(void)
{
	static const struct {
		void *to;
		const char *name;
	} functions[] = {
		{ &libunwind.create, NAME_OF(unw_create_addr_space) },
		{ &libunwind.init, NAME_OF(unw_init_remote) },
		{ &libunwind.search, NAME_OF(UNW_OBJ(dwarf_search_unwind_table)) },
		{ &libunwind.each_row, NAME_OF(unw_reg_states_iterate) },
		{ &libunwind.apply_row, NAME_OF(unw_apply_reg_state) },
		{ &libunwind.get_register, NAME_OF(unw_get_reg) },
	};
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *function = library ? dlsym(library, functions[i].name) : NULL;

		if (!function)
			return false;
		memcpy(functions[i].to, &function, sizeof(function));
	}
	return true;
}

struct unwinder *unwinder_new(struct target *target, const char **why)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_table,
		.put_unwind_info = put_table,
		.get_dyn_info_list_addr = no_dynamic_tables,
		.access_mem = access_memory,
		.access_reg = access_register,
		.access_fpreg = access_float,
		.resume = no_resume,
		.get_proc_name = no_name,
	};
	struct unwinder *unwinder = calloc(1, sizeof(*unwinder));
	uint8_t *copy = malloc(STACK_BYTES_MOST);

	*why = "libunwind 1.3 or later is needed: install libunwind8";
	if (!unwinder || !copy || !load_library())
		return NULL;
	unwinder->target = target;
	unwinder->copy = copy;
	unwinder->space = libunwind.create(&accessors, 0);
	forget_rows(unwinder);
	return unwinder->space ? unwinder : NULL;
}

#else
bool unwinder_copy_more(struct unwinder *unwinder, uint64_t addr)
{
	return false;
}

struct unwinder *unwinder_new(struct target *target, const char **why)
{
	*why = "that needs an x86-64 processor";
	return NULL;
}

int unwinder_copy(struct unwinder *unwinder, uint64_t sp, size_t bytes)
{
	return -ENOSYS;
}

void unwinder_walk(struct unwinder *unwinder, const struct registers *registers, bool is_still,
		   struct stack *stack)
{
	stack->nr = 0;
}

bool unwinder_missed_object(struct unwinder *unwinder)
{
	return false;
}
#endif
