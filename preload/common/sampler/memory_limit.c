/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Acts when a process's memory has reached INSIDEME_MAX_MEMORY. */
#include "preload/common/sampler/memory_limit.h"

#include <signal.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/message.h"

static void note_path(struct log_header *log, const struct log_thread *thread, uint64_t ticks)
{
	const uint64_t node = __atomic_load_n(&thread->current, __ATOMIC_RELAXED);

	log_write_event(log, LOG_EVENT_MEMORY_PATH, thread->head.self, &node, 1, NULL, ticks);
}

static void note_list(struct log_header *log, uint32_t list, const struct log_thread *first, uint64_t ticks)
{
	const struct log_thread *thread;

	for (; list; list = thread->next_thread) {
		thread = log_at(log, list);
		if (thread != first && !__atomic_load_n(&thread->end_ticks, __ATOMIC_RELAXED))
			note_path(log, thread, ticks);
	}
}

bool ceiling_note(struct log_header *log, enum log_memory memory, uint64_t bytes,
		  const struct log_thread *thread)
{
	const uint64_t values[] = { bytes, log->memory_limit_bytes, memory };
	uint64_t ticks = clock_ticks(log->clock);

	if (__atomic_exchange_n(&log->memory_passed, 1, __ATOMIC_RELAXED))
		return false;
	log_write_event(log, LOG_EVENT_MEMORY, thread ? thread->head.self : 0, values, 3, NULL, ticks);
	if (thread)
		note_path(log, thread, ticks);
	note_list(log, __atomic_load_n(&log->threads, __ATOMIC_ACQUIRE), thread, ticks);
	note_list(log, __atomic_load_n(&log->clones, __ATOMIC_ACQUIRE), thread, ticks);
	return true;
}

static void say(const struct log_header *log, enum log_memory memory, uint64_t bytes, int pid,
		enum ceiling_sayer sayer)
{
	char buffer[256];
	struct text line;

	text_init(&line, buffer, sizeof(buffer));
	text_add(&line, memory == LOG_MEMORY_HEAP ? "live heap of " : "RSS of ");
	text_add(&line, log->program);
	text_add(&line, " (pid ");
	text_add_number(&line, (uint64_t)pid);
	text_add(&line, ") reached ");
	text_add_number(&line, bytes >> 20);
	text_add(&line, " MiB, see INSIDEME_MAX_MEMORY; insideme-report -v errors shows where");
	if (log->memory_action == LOG_MEMORY_STOP)
		text_add(&line, "; it is stopped: attach a debugger, or send SIGCONT");
	if (log->memory_action == LOG_MEMORY_ABORT)
		text_add(&line, "; it gets SIGABRT");
	if (sayer == CEILING_SAYS_IN_TASK)
		say_line_of(pid, buffer);
	else
		say_line(buffer);
}

void ceiling_act(const struct log_header *log, enum log_memory memory, uint64_t bytes, int pid, int tid,
		 enum ceiling_sayer sayer)
{
	/* A process that stops or dies gets its message each time. Other messages come once per run. */
	if (say_is_news(MESSAGE_MEMORY) || log->memory_action != LOG_MEMORY_STACK)
		say(log, memory, bytes, pid, sayer);
	if (log->memory_action == LOG_MEMORY_STOP)
		raw_syscall(SYS_kill, pid, SIGSTOP, 0, 0, 0, 0);
	else if (log->memory_action == LOG_MEMORY_ABORT && tid)
		raw_syscall(SYS_tgkill, pid, tid, SIGABRT, 0, 0, 0);
	else if (log->memory_action == LOG_MEMORY_ABORT)
		raw_syscall(SYS_kill, pid, SIGABRT, 0, 0, 0, 0);
}
