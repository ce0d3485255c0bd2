/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that are open at a fork. The frames lie in the parent's log, and the parent moves on before the child
 * could read them: so they are copied to private memory before, and opened again in the child's own log.
 */
#include <sys/mman.h>

#include "calls.h"
#include "stacks.h"

struct open_call {
	uint64_t function_addr;
	uint64_t stack_addr;
	uint64_t return_addr;
};

struct open_calls {
	uint64_t bytes;		/* of the mapping */
	uint64_t nr_calls;
	uintptr_t stack_low;
	uintptr_t stack_bytes;
	uint32_t thread;	/* refs in the parent's log */
	uint32_t node;
	struct open_call calls[];
};

static const struct log_frame *first_frame(const struct log_frames *area)
{
	return (const struct log_frame *)(area + 1) + 1;
}

/* One whose node is not the thread's is being pushed or popped by a hook that a signal handler interrupted. */
static const struct log_frame *last_whole(const struct log_thread *thread)
{
	const struct log_frame *top = top_frame(thread);

	return top->node == thread->current || !top->function_addr ? top : top - 1;
}

static uint64_t count_open(const struct log_thread *thread)
{
	const struct log_frames *area = log_at(live.log, thread->frames);
	uint64_t count = (uint64_t)(last_whole(thread) + 1 - first_frame(area));

	while (area->below) {
		area = log_at(live.log, area->below);
		count += (area->head.bytes - sizeof(*area)) / sizeof(struct log_frame) - 1;
	}
	return count;
}

struct open_calls *stack_copy_open(const struct log_thread *thread)
{
	const struct log_frames *area, *stack;
	const struct log_frame *frame = last_whole(thread);
	struct open_calls *copy;
	uint64_t count, bytes;
	long place;

	if (!thread->frames)
		return NULL;
	count = count_open(thread);
	bytes = sizeof(*copy) + count * sizeof(copy->calls[0]);
	place = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(place))
		return NULL;
	copy = (struct open_calls *)place;
	copy->bytes = bytes;
	copy->nr_calls = count;
	area = log_at(live.log, thread->frames);
	stack = log_at(live.log, area->stack);
	copy->stack_low = stack->stack_low_addr;
	copy->stack_bytes = stack->stack_bytes;
	copy->thread = thread->head.self;
	copy->node = thread->current;
	while (count) {
		if (frame < first_frame(area)) {
			area = log_at(live.log, area->below);
			frame = (const struct log_frame *)((const char *)area + area->head.bytes) - 1;
			continue;
		}
		copy->calls[--count] = (struct open_call){ frame->function_addr, frame->stack_addr,
							   frame->return_addr };
		frame--;
	}
	return copy;
}

void stack_origin(const struct open_calls *copy, uint32_t *thread, uint32_t *node)
{
	*thread = copy->thread;
	*node = copy->node;
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
						     call->return_addr, call_timing()));
		top_frame(thread)->start_ticks = since_ticks;
	}
}

void open_calls_free(struct open_calls *copy)
{
	sys_munmap(copy, copy->bytes);
}
