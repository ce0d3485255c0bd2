/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uses libgcc's unwinder. The recorder looks it up itself, so that programs without it do not load it for
 * nothing.
 */
#include "preload/samples/backtrace.h"

#include "preload/common/base/text.h"
#include "preload/objects/loaded_objects.h"
#include "preload/objects/next_functions.h"

struct _Unwind_Context;
enum unwind_result { UNWIND_GO_ON = 0, UNWIND_END = 5 };	/* _URC_NO_REASON, _URC_END_OF_STACK */
typedef enum unwind_result unwind_each(struct _Unwind_Context *context, void *argument);

struct range {
	uintptr_t begin;
	uintptr_t bytes;
};

/* All set before any thread. */
static struct {
	enum unwind_result (*backtrace)(unwind_each *each, void *argument);
	uintptr_t (*get_ip)(struct _Unwind_Context *context);
	uintptr_t (*get_begin)(struct _Unwind_Context *context);
	uintptr_t (*get_stack)(struct _Unwind_Context *context);
	struct range object;
	bool asks_linker;		/* the unwinder finds tables by _dl_find_object() */
	bool has_lock;			/* readers of registered tables take the lock too: before gcc 13 */
} unwinder;
/* For code that registers tables of its own, under libgcc's lock. Both atomic. */
static bool has_registered;
static uint32_t nr_changes;		/* calls that are in progress */
static struct range recorder, libc_object, linker;
static uintptr_t first_function;	/* where the program begins: _start */

static bool is_in(const struct range *range, uintptr_t addr)
{
	return addr - range->begin < range->bytes;
}

static void *find(const struct object *object, const char *name)
{
	return object_find(object, name, symbol_hash(name));
}

static void take_unwinder(const struct object *object, const struct range *range)
{
	unwinder.backtrace = find(object, "_Unwind_Backtrace");
	unwinder.get_ip = find(object, "_Unwind_GetIP");
	unwinder.get_begin = find(object, "_Unwind_GetRegionStart");
	unwinder.get_stack = find(object, "_Unwind_GetCFA");
	unwinder.object = *range;
	/* that of gcc 13, as far as its version can be found out */
	unwinder.has_lock = !find(object, "__truncdfbf2");
	unwinder.asks_linker = object_slot(object, "_dl_find_object");
}

static int look_at(const struct object *object, void *context)
{
	const struct range range = { object->begin, object->end - object->begin };

	if (object_is_ours(object))
		recorder = range;
	else if (text_equal(object->soname, "libgcc_s.so.1"))
		take_unwinder(object, &range);
	else if (text_begins(object->soname, "libc.so."))
		libc_object = range;
	else if (text_begins(object->soname, "ld-linux"))
		linker = range;
	else if (!*object->name && object->begin)
		first_function = object->bias + ((const ElfW(Ehdr) *)object->begin)->e_entry;
	return 0;
}

struct stack {
	struct stack_call *calls;
	/* where a sample interrupted the code, maybe at the first instruction of a function */
	uintptr_t code_addr;
	uintptr_t end_addr; /* functions whose stack pointer is above this are not wanted */
	uint32_t nr;
	bool is_cut;
	uintptr_t last_addr;		/* return address in the outermost; 0: it is the stack's first */
	bool has_last;			/* it is the last of calls */
};

/*
 * The frame between a handler and the interrupted code: it was not called, so its table begins before its
 * first instruction.
 */
static bool is_signal_return(uintptr_t addr, uintptr_t begin)
{
	return addr - begin <= 1;
}

static enum unwind_result add_function(struct _Unwind_Context *context, void *argument)
{
	struct stack *stack = argument;
	uintptr_t begin = unwinder.get_begin(context);

	if (unwinder.get_stack(context) > stack->end_addr)
		return UNWIND_END;
	stack->last_addr = unwinder.get_ip(context);
	stack->has_last = stack->last_addr && !is_in(&recorder, stack->last_addr) &&
			  ((!stack->nr && stack->last_addr == stack->code_addr) ||
			   !is_signal_return(stack->last_addr, begin));
	if (!stack->has_last)
		return UNWIND_GO_ON;
	stack->is_cut = stack->nr == BACKTRACE_MOST;
	if (stack->is_cut)
		return UNWIND_END;
	stack->calls[stack->nr++] = (struct stack_call){ begin, stack->last_addr - 1 };
	return UNWIND_GO_ON;
}

/* Is this before the program's first function? A path begins with that function, as it does with hooks. */
static bool is_of_start(uintptr_t function)
{
	return function == first_function || is_in(&libc_object, function) || is_in(&linker, function);
}

NOINLINE uint32_t backtrace_take(struct stack_call calls[BACKTRACE_MOST], uintptr_t code_addr)
{
	struct stack stack = { .calls = calls, .code_addr = code_addr, .end_addr = UINTPTR_MAX };
	bool is_at_end;

	if (is_in(&unwinder.object, code_addr) && !backtrace_is_possible())
		return 0;
	/* neither cut, nor lost, see wrap_dl_find_object.c */
	is_at_end = unwinder.backtrace(add_function, &stack) == UNWIND_END;
	/*
	 * Without a table the unwinder does not know the function's begin, and gives that of the function
	 * before.
	 */
	if (is_at_end && stack.has_last)
		calls[stack.nr - 1].function_addr = stack.last_addr - 1;
	while (!stack.is_cut && stack.nr > 1 && is_of_start(calls[stack.nr - 1].function_addr))
		stack.nr--;
	return stack.nr;
}

NOINLINE uint32_t backtrace_take_below(struct stack_call calls[BACKTRACE_MOST], uintptr_t code_addr,
				       uintptr_t end_addr)
{
	struct stack stack = { .calls = calls, .code_addr = code_addr, .end_addr = end_addr };

	if (is_in(&unwinder.object, code_addr) && !backtrace_is_possible())
		return 0;
	unwinder.backtrace(add_function, &stack);
	return stack.nr;
}

/*
 * The first stack is taken here: libgcc begins under pthread_once(), where a handler that allocates would
 * wait for ever.
 */
static const char *begin(void)
{
	struct stack_call calls[BACKTRACE_MOST];

	objects_each(look_at, NULL);
	if (!unwinder.backtrace || !unwinder.get_ip || !unwinder.get_begin || !unwinder.get_stack)
		return "libgcc_s.so.1 is not loaded: start the program itself by insideme-run, or put it "
		       "into LD_PRELOAD too";
	if (!libc._dl_find_object || !unwinder.asks_linker)
		return "the stack cannot be looked at without locks: glibc 2.35, and a libgcc_s.so.1 that "
		       "was built with it, are needed";
	backtrace_take(calls, 0);
	return NULL;
}

const char *backtrace_init(void)
{
	static const char *unusable;
	static bool has_begun;

	if (!has_begun)
		unusable = begin();
	has_begun = true;
	return unusable;
}

bool backtrace_is_possible(void)
{
	return !__atomic_load_n(&nr_changes, __ATOMIC_ACQUIRE) &&
	       !(unwinder.has_lock && __atomic_load_n(&has_registered, __ATOMIC_ACQUIRE));
}

void backtrace_change_tables(void (*real_change)(void *), void *table)
{
	__atomic_fetch_add(&nr_changes, 1, __ATOMIC_ACQ_REL);
	__atomic_store_n(&has_registered, true, __ATOMIC_RELEASE);
	if (real_change)
		real_change(table);
	__atomic_fetch_sub(&nr_changes, 1, __ATOMIC_ACQ_REL);
}
