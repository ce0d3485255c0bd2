/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thread records: made at a thread's first event, named, ended. */
#include "thread.h"

#include "room.h"
#include "stacks.h"
#include "text.h"

__thread struct log_thread *self TLS_INITIAL_EXEC;

/* Where top_addr points before the first frame: outside of the log, so a reader sees no frames. */
static struct log_frame no_frames[2];

static void read_name(struct log_thread *thread)
{
	char name[16] = "";

	if (live_is_sealed())
		return;
	raw_syscall(SYS_prctl, 16 /* PR_GET_NAME */, (long)name, 0, 0, 0, 0);
	thread_name(thread, name);
}

static struct log_thread *new_record(struct log_header *log)
{
	struct log_thread *thread;

	thread = (struct log_thread *)room_new_area(LOG_AREA_THREAD, 0, sizeof(*thread), sizeof(*thread), 0);
	if (!thread)
		return NULL;
	thread->root.min_ticks = UINT64_MAX;
	thread->current = log_ref(log, &thread->root);
	thread->pending_addr = (uint64_t)thread->root.histogram;	/* nobody reads the root's */
	thread->top_addr = (uint64_t)&no_frames[1];
	thread->tid = live_is_sealed() ? 0 : (uint32_t)sys_gettid();
	thread->begin_ticks = now_ticks();
	thread->nr_threads = 1;
	read_name(thread);
	thread->serial = __atomic_fetch_add(&log->nr_threads, 1, __ATOMIC_RELAXED);
	return thread;
}

NOINLINE struct log_thread *thread_make(void)
{
	struct log_thread *thread = NULL;
	uint64_t mask = 0;

	if (!live.log && !live_open_child())
		return NULL;
	/* A handler that comes in between would make a second record. */
	if (!live_is_sealed())
		sys_block_signals(&mask);
	if (!self)
		self = new_record(live.log);
	thread = self;
	if (!live_is_sealed())
		sys_restore_signals(&mask);
	return thread;
}

void thread_begin(void *function, uintptr_t stack_low, uintptr_t stack_bytes)
{
	struct log_thread *thread = thread_self();

	if (!thread)
		return;
	thread->begin_function_addr = (uint64_t)function;
	if (stack_bytes && live.log->has_hooks)
		stack_init(thread, stack_low, stack_bytes);
}

void thread_name(struct log_thread *thread, const char *name)
{
	text_copy(thread->name, sizeof(thread->name), name);
}

void thread_end(void)
{
	struct log_thread *thread = live.log ? self : NULL;
	uint64_t open;

	if (!thread)
		return;
	read_name(thread);
	open = stack_close_all(thread);
	if (open)
		log_write_event(live.log, LOG_EVENT_THREAD_END, thread->head.self, &open, 1, NULL, now_ticks());
	stack_release_all(thread);
	__atomic_fetch_add(&live.log->heap_total_bytes, thread->heap_held_bytes, __ATOMIC_RELAXED);
	thread->heap_held_bytes = 0;
	__atomic_store_n(&thread->end_ticks, now_ticks(), __ATOMIC_RELEASE);
}
