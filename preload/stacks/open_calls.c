/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that are open at a fork. The frames lie in the parent's log, and the parent continues before the
 * child could read them. So they are copied to private memory before the fork, and opened again in the
 * child's own log.
 */
#include <signal.h>
#include <sys/mman.h>

#include "preload/calls/call_slow.h"
#include "preload/stacks/fork_in_hook.h"
#include "preload/stacks/frames.h"
#include "preload/stacks/stacks.h"

struct open_call {
	uint64_t function_addr;
	uint64_t stack_addr;
	uint32_t return_low;
};

struct open_calls {
	uint64_t bytes;		/* of its memory */
	uint64_t nr_calls;
	uintptr_t stack_low;
	uintptr_t stack_bytes;
	uint32_t thread;	/* refs in the parent's log */
	uint32_t node;
	uint64_t overflow_depth;	/* the thread's open calls that have no frame */
	uint64_t overflow_addr;
	bool is_in_hook;		/* the forking code is a handler that interrupted a hook */
	struct open_calls *outer;	/* of a fork that the forking code interrupted, NULL: of none */
	struct open_call calls[];
};

/*
 * For few calls there is a static place, because a mapping costs more than the copy. A child keeps the copies
 * of other threads that were forking.
 */
#define SLOTS		4
#define SLOT_BYTES	1536u
LARGE static struct slot {
	uint32_t is_taken;	/* claimed atomically */
	_Alignas(64) char bytes[SLOT_BYTES];
} slots[SLOTS];

static struct open_calls *allocate(uint64_t bytes)
{
	long place;

	for (int i = 0; bytes <= SLOT_BYTES && i < SLOTS; i++) {
		uint32_t nobody = 0;

		if (__atomic_compare_exchange_n(&slots[i].is_taken, &nobody, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return (struct open_calls *)slots[i].bytes;
	}
	place = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return sys_failed(place) ? NULL : (struct open_calls *)place;
}

static const struct log_frame *first_frame(const struct log_frames *area)
{
	return (const struct log_frame *)(area + 1) + 1;
}

/* The place of the open calls. */
struct place {
	const struct log_frames *stack;
	const struct log_frames *area;	/* of the top frame */
	const struct log_frame *top;
	uint32_t node;			/* the path that is open */
};

/*
 * For a handler on a stack of its own it is the stack that it interrupted: that one continues in the child.
 * Keeping both, for the few calls of the handler itself, is not worth it.
 */
static struct place find_place(const struct log_thread *thread)
{
	struct place place = { .area = log_at(live.log, thread->frames),
			       .top = top_frame(thread),
			       .node = thread->current };

	place.stack = log_at(live.log, place.area->stack);
	while (place.stack->is_signal && place.stack->interrupted) {
		place.stack = place.area = log_at(live.log, place.stack->interrupted);
		place.top = (const struct log_frame *)place.stack->top_addr;
		place.node = place.stack->current;
		while ((uint64_t)place.top < (uint64_t)place.area ||
		       (uint64_t)place.top >= (uint64_t)place.area + place.area->head.bytes)
			place.area = log_at(live.log, place.area->head.next);
	}
	/*
	 * A frame whose node is not the thread's is being pushed or popped by a hook that a signal handler
	 * interrupted.
	 */
	if (place.top->node != place.node && place.top->function_addr)
		place.top--;
	return place;
}

static uint64_t count_open(const struct place *place)
{
	const struct log_frames *area = place->area;
	uint64_t count = (uint64_t)(place->top + 1 - first_frame(area));

	while (area->below) {
		area = log_at(live.log, area->below);
		count += (area->head.bytes - sizeof(*area)) / sizeof(struct log_frame) - 1;
	}
	return count;
}

/* A handler's own stack ends above its signal frame, any other at the outermost call. */
static bool is_in_hook(const struct log_frames *stack, const struct open_calls *copy)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0),
		  high = stack->stack_low_addr + stack->stack_bytes;
	stack_t signal_stack;

	if (here - stack->stack_low_addr < stack->stack_bytes)
		return fork_in_hook_find(copy->nr_calls ? copy->calls[0].stack_addr : high);
	if (raw_syscall(SYS_sigaltstack, 0, (long)&signal_stack, 0, 0, 0, 0) < 0 ||
	    !(signal_stack.ss_flags & SS_ONSTACK))
		return false;
	return fork_in_hook_find((uintptr_t)signal_stack.ss_sp + signal_stack.ss_size);
}

/* The calls up to the top frame, the outermost first. */
static void copy_calls(struct open_calls *copy, const struct place *place)
{
	const struct log_frames *area = place->area;
	const struct log_frame *frame = place->top;
	uint64_t left = copy->nr_calls;

	while (left) {
		if (frame < first_frame(area)) {
			area = log_at(live.log, area->below);
			frame = (const struct log_frame *)((const char *)area + area->head.bytes) - 1;
			continue;
		}
		copy->calls[--left] =
			(struct open_call){ frame->function_addr, frame->stack_addr, frame->return_low };
		frame--;
	}
}

struct open_calls *stack_copy_open(const struct log_thread *thread, struct open_calls *outer)
{
	const struct log_frames *newest;
	struct open_calls *copy;
	uint64_t count, bytes;
	struct place from;

	if (!thread->frames)
		return NULL;
	from = find_place(thread);
	count = count_open(&from);
	bytes = sizeof(*copy) + count * sizeof(copy->calls[0]);
	copy = allocate(bytes);
	if (!copy)
		return NULL;
	copy->bytes = bytes;
	copy->nr_calls = count;
	copy->stack_low = from.stack->stack_low_addr;
	copy->stack_bytes = from.stack->stack_bytes;
	copy->thread = thread->head.self;
	copy->node = from.node;
	newest = log_at(live.log, thread->frames);
	copy->overflow_depth = from.stack == log_at(live.log, newest->stack) ? thread->overflow_depth : 0;
	copy->overflow_addr = thread->overflow_addr;
	copy->outer = outer;
	copy_calls(copy, &from);
	copy->is_in_hook = is_in_hook(from.stack, copy);
	if (count || copy->is_in_hook || live.log->has_hooks)
		return copy;
	open_calls_free(copy); /* a shell: its children need no log before they exec */
	return NULL;
}

void stack_origin(const struct open_calls *copy, uint32_t *thread, uint32_t *node)
{
	*thread = copy->thread;
	*node = copy->node;
}

struct open_calls *stack_outer(const struct open_calls *copy)
{
	return copy->outer;
}

bool stack_is_in_hook(const struct open_calls *copy)
{
	return copy->is_in_hook;
}

void stack_open_again(struct log_thread *thread, const struct open_calls *copy, uint64_t since_ticks)
{
	if (stack_init(thread, copy->stack_low, copy->stack_bytes) < 0)
		return;
	for (uint64_t i = 0; i < copy->nr_calls; i++) {
		const struct open_call *call = &copy->calls[i];

		if (!stack_has_room(thread))
			return;
		call_begin_slowly(thread, call_claim(live.log, thread, call->function_addr, call->stack_addr,
						     call->return_low, call_timing()));
		if (top_frame(thread)->start_ticks)
			top_frame(thread)->start_ticks = since_ticks;
	}
	frames_look_again(thread);	/* a gap may be on top */
	if (copy->overflow_depth) {
		thread->overflow_depth = copy->overflow_depth;
		thread->overflow_addr = copy->overflow_addr;
		thread->stack_bytes = 0;	/* as in missed_exits.c */
	}
}

void open_calls_free(struct open_calls *copy)
{
	for (int i = 0; i < SLOTS; i++) {
		if ((char *)copy == slots[i].bytes) {
			__atomic_store_n(&slots[i].is_taken, 0, __ATOMIC_RELEASE);
			return;
		}
	}
	sys_munmap(copy, copy->bytes);
}
