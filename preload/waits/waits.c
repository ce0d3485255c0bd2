/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begin and end of library calls that wait. */
#include "preload/waits/waits.h"

#include "preload/calls/call_slow.h"
#include "preload/calls/calls.h"
#include "preload/samples/called_paths.h"
#include "preload/stacks/stacks.h"
#include "preload/state/labels.h"
#include "preload/state/process_entry.h"
#include "preload/state/sampler_task.h"
#include "preload/waits/descriptor_names.h"
#include "preload/waits/lock_names.h"
#include "preload/waits/wait_records.h"

static uint64_t address_of(struct wait_function *function)
{
	uint64_t addr = __atomic_load_n(&function->function_addr, __ATOMIC_RELAXED);
	const struct label *label;

	if (likely(addr))
		return addr;
	label = label_find(function->name);
	if (!label)
		return 0;
	addr = LOG_FUNCTION_REGION | LOG_FUNCTION_WAIT | (uint64_t)function->kind << LOG_WAIT_KIND_SHIFT |
	       (uint64_t)label->number << LOG_REGION_SHIFT;
	__atomic_store_n(&function->function_addr, addr, __ATOMIC_RELAXED);
	return addr;
}

/* Is the call's frame the thread's top one, and whole? */
static bool is_top(const struct log_thread *thread, const struct wait *wait)
{
	const struct log_frame *top = top_frame(thread);

	return thread->frames && top->function_addr == wait->function_addr &&
	       top->stack_addr == wait->stack_addr && top->node == thread->current;
}

static struct log_wait *record_at(uint32_t place)
{
	return place ? (struct log_wait *)((char *)live.log + (uint64_t)place * 8) : NULL;
}

static uint32_t place_of(const struct log_wait *record)
{
	return record ? (uint32_t)(((const char *)record - (const char *)live.log) / 8) : 0;
}

static struct wait_key key_of(struct wait_target target, uint32_t node, uintptr_t caller_addr)
{
	struct wait_key key = { .node = node, .caller_addr = caller_addr };

	if (target.lock) {
		const struct lock_facts facts = lock_facts(target.lock);

		key.object_kind = facts.label ? LOG_WAIT_NAME : LOG_WAIT_ADDRESS;
		key.object = facts.label ?: (uint64_t)target.lock;
		key.init_addr = facts.label ? 0 : facts.init_addr;
		holder_find(target.holder_tid, &key.holder_thread, &key.holder_node);
	} else if (target.fd >= 0) {
		key.object_kind = LOG_WAIT_NAME;
		key.object = descriptor_label(target.fd);
	}
	return key;
}

/*
 * Where the program's own code continues, if the call came through a library: whatever the function on top
 * calls has its return address in the word below its stack, as its entry hook had. If the function has moved
 * its stack since, that word is no address in its code, or still the hook's.
 */
static uintptr_t program_addr(const struct log_thread *thread, uintptr_t stack_addr, uintptr_t caller_addr)
{
	const struct log_frame *top = top_frame(thread);
	const uint32_t most_bytes = 1u << 20; /* the most between two places of one function */
	uintptr_t addr;

	if (!RETURN_IS_BELOW_STACK || !thread->frames || top->node != thread->current || !top->return_low ||
	    top->function_addr & LOG_FUNCTION_REGION || top->stack_addr <= stack_addr ||
	    top->stack_addr - thread->stack_low_addr >= thread->stack_bytes)
		return caller_addr;
	addr = *(const uintptr_t *)(top->stack_addr + sizeof(void *));
	if ((uint32_t)addr == top->return_low || addr >> 32 != top->function_addr >> 32 ||
	    (uint32_t)addr - top->return_low + most_bytes > 2 * most_bytes)
		return caller_addr;
	return addr;
}

/*
 * After a fork no task samples until the program does something some ms later. A thread that waits may do
 * nothing more, so it starts the task. Not if a shell waits for its child or its output: then each of its
 * commands would cost a task.
 */
static void sample_while_waiting(enum log_wait_kind kind)
{
	if (unlikely(__atomic_load_n(&sampler_task_due_ticks, __ATOMIC_RELAXED)) && kind != LOG_WAIT_CHILD &&
	    kind != LOG_WAIT_FILE && kind != LOG_WAIT_STREAM)
		sampler_task_resume_due();
}

NOINLINE bool wait_opens_log(void)
{
	return entry_is_due() && live_open_child();
}

/* libomp's threads wait for their team by conditions: the team is what they wait for. */
static bool is_of_team(const struct log_thread *thread, enum log_wait_kind kind)
{
	const struct log_frame *top;

	if (kind != LOG_WAIT_CONDITION || !thread->frames)
		return false;
	top = top_frame(thread);
	return top->node == thread->current &&
	       log_is_wait(top->function_addr) &&
	       (top->function_addr >> LOG_WAIT_KIND_SHIFT & LOG_WAIT_KIND_MASK) == LOG_WAIT_BARRIER;
}

/*
 * The call's path: below the counted function that made it, or the thread's current one. Also sets which line
 * of the program the call is at.
 */
static uint32_t path_of(struct log_thread *thread, struct wait *wait)
{
	const uint32_t parent = thread->current;
	const struct call_origin origin = { wait->caller_addr, wait->caller_addr };
	const uint32_t path = live.timing == LOG_TIMING_AUTO
				      ? called_path(thread, parent, wait->function_addr, origin)
				      : path_find(thread, parent, wait->function_addr);

	if (node_at(live.log, path)->parent == parent)
		wait->caller_addr = program_addr(thread, wait->stack_addr, wait->caller_addr);
	return path;
}

/*
 * The cost is measured in one call of 16, because it takes two more readings of the clock. At uneven steps,
 * which the program's own do not follow, and differently in each thread. Return: 0: not in this call.
 */
static uint64_t begin_of_cost(struct log_thread *thread)
{
	const uint32_t drawn = (thread->nr_waits++ + thread->tid) * 0x9e3779b9u;

	return drawn >> 28 || call_timing() == TIME_NOT ? 0 : now_ticks();
}

/*
 * The stack is checked as hooks check it. In a process without hooks such calls have a stack of frames of
 * their own. The record of what it waits for is found before its time begins.
 */
void wait_begin(struct wait *wait, struct wait_function *function, struct wait_target target,
		uintptr_t stack_addr, uintptr_t caller_addr)
{
	struct log_thread *thread = thread_self();
	const uint64_t begin_ticks = thread ? begin_of_cost(thread) : 0;
	struct log_frame *frame;
	struct wait_key key;
	uint32_t path;

	*wait = (struct wait){
		thread ? address_of(function) : 0, stack_addr, caller_addr, target.fd, NULL, 0
	};
	if (!wait->function_addr)
		return;
	if (is_of_team(thread, function->kind)) {
		wait->function_addr = 0;
		return;
	}
	sample_while_waiting(function->kind);
	if (!stack_before_wait(thread, wait->function_addr, stack_addr, caller_addr))
		return;
	path = path_of(thread, wait);
	key = key_of(target, path, wait->caller_addr);
	frame = call_claim(live.log, thread, wait->function_addr, stack_addr, caller_addr, call_timing());
	frame->wait = place_of(wait_record(thread, &key));
	call_begin_on_path(thread, frame, path);
	if (node_at(live.log, path)->calls) /* the first one makes its path and its record */
		wait->cost_ticks = begin_ticks ? frame->start_ticks - begin_ticks : 0;
}

/* If the descriptor has got another name, the call goes to another record. */
static struct log_wait *rename_record(struct log_thread *thread, struct log_wait *record,
				      const struct wait *wait, uint64_t ticks)
{
	uint32_t label = descriptor_look_again(wait->fd, wait->path, ticks, record->calls);
	struct wait_key key = { .node = record->node,
				.object_kind = LOG_WAIT_NAME,
				.object = label,
				.caller_addr = wait->caller_addr };
	struct log_wait *renamed = label == record->object ? record : wait_record(thread, &key);

	return renamed ?: record;
}

static void note(struct log_thread *thread, struct log_wait *record, const struct wait *wait, uint64_t ticks,
		 int64_t bytes)
{
	if (wait->fd >= 0)
		record = rename_record(thread, record, wait, ticks);
	add_own(&record->calls, 1);
	add_own(&record->total_ticks, (long)ticks);
	if (bytes > 0)
		add_own(&record->bytes, bytes);
	if (ticks > record->max_ticks)
		record->max_ticks = ticks;
}

#define MOST_COST_TICKS	 (1u << 14) /* for longer the task had no processor */
#define MOST_COST_CALLS	 (1u << 15)

static void add_cost(struct log_node *node, uint64_t ticks)
{
	node->cost_ticks += (uint32_t)(ticks < MOST_COST_TICKS ? ticks : MOST_COST_TICKS);
	if (++node->cost_calls < MOST_COST_CALLS)
		return;
	node->cost_ticks /= 2;
	node->cost_calls /= 2;
}

static uint64_t own_part(uint64_t ticks, uint64_t other_ticks)
{
	return ticks > other_ticks ? ticks - other_ticks : 0;
}

/* The frame may be gone: a jump left it, a fork made this another process, a handler's call is on top. */
void wait_end(const struct wait *wait, int64_t bytes)
{
	struct log_thread *thread = live.log ? self : NULL;
	struct log_wait *record;
	struct log_node *node;
	uint64_t before_ticks, other_ticks, start_ticks, end_ticks;

	if (!wait->function_addr || !thread)
		return;
	if (!is_top(thread, wait)) {
		if (live.log->has_hooks)
			stack_exit(thread, wait->function_addr, wait->stack_addr);
		return;
	}
	node = node_at(live.log, thread->current);
	record = record_at(top_frame(thread)->wait);
	before_ticks = node->total_ticks;
	start_ticks = top_frame(thread)->start_ticks;
	other_ticks = top_frame(thread)->child_ticks; /* time of handlers, and of tasks that it ran */
	if (thread->stack_bytes || !live.log->has_hooks)
		call_end_top(thread, false);
	else
		stack_exit(thread, wait->function_addr, wait->stack_addr);
	if (record)
		note(thread, record, wait, own_part(node->total_ticks - before_ticks, other_ticks), bytes);
	end_ticks = start_ticks + node->total_ticks - before_ticks;
	if (wait->cost_ticks)
		add_cost(node, wait->cost_ticks + now_ticks() - end_ticks);
}
