/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calling thread: its record is made at its first event. */
#include "preload/stacks/thread.h"

#include "preload/common/base/text.h"
#include "preload/samples/cpu_samples.h"
#include "preload/stacks/stacks.h"
#include "preload/stacks/thread_records.h"

/* Who opened the program's log later made the record of the first thread, whose first event this is. */
static struct log_thread *take_main(void)
{
	return live.main_record && !live_is_sealed() && sys_gettid() == (long)live.log->pid ? live.main_record : NULL;
}

static struct log_thread *make(void *function)
{
	struct log_thread *thread;
	uint64_t mask = 0;

	if (live_is_private || (!live.log && !live_open_child()))
		return NULL;
	/* A handler that comes in between would make a second record. */
	if (!live_is_sealed())
		sys_block_signals(&mask);
	if (!self)
		self = take_main();
	if (!self)
		self = record_for_thread((uint64_t)function);
	thread = self;
	if (!live_is_sealed())
		sys_restore_signals(&mask);
	return thread;
}

NOINLINE struct log_thread *thread_make(void)
{
	return make(NULL);
}

void thread_begin(void *function, uintptr_t stack_low, uintptr_t stack_bytes)
{
	struct log_thread *thread = live.log && self ? self : make(function);

	if (!thread)
		return;
	thread->begin_function_addr = (uint64_t)function;
	if (stack_bytes && live.log->has_hooks)
		stack_init(thread, stack_low, stack_bytes);
	if (samples_take_stacks())
		samples_begin(thread);
}

void thread_name(struct log_thread *thread, const char *name)
{
	text_copy(thread->name, sizeof(thread->name), name);
}

void thread_end(void)
{
	if (live.log && self)
		record_end(self);
}
