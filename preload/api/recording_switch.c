/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that switches recording on ends its own gap. The gaps of other threads end at their next call. */
#include "preload/api/api.h"

#include <errno.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/run/message.h"
#include "preload/samples/cpu_samples.h"
#include "preload/stacks/stacks.h"
#include "preload/state/process_entry.h"
#include "preload/state/recording_state.h"

static int change(int32_t by)
{
	struct log_thread *thread = thread_self();

	if (!thread)
		return -ENODATA;
	if (switched_change(by))
		stack_end_gap(thread);
	return !switched_off();
}

int toggle_enable(void)
{
	return change(-1);
}

int toggle_disable(void)
{
	return change(1);
}

/*
 * A vfork child has our handlers until it execs. It gets signals that are sent to the group, but so does its
 * parent.
 */
static bool is_vfork_child(void)
{
	if (live_is_sealed())
		return false;
	if (!live.log)
		return entry_holder() && entry_is_of_vfork_parent();
	return live.log->pid != (uint32_t)sys_getpid();
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	if (is_vfork_child())
		return;
	if (switched_flip() && live.log && self)
		stack_end_gap(self);
}

static void catch_signal(void)
{
	const struct kernel_action action = { .handler = on_signal, .restorer = insideme_signal_return,
		.flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_RESTORER_FLAG };
	int number = (int)settings.value[SETTING_SIGNAL];
	struct kernel_action old;

	if (!number || raw_syscall(SYS_rt_sigaction, number, 0, (long)&old, 8, 0, 0) < 0)
		return;
	if (!old.handler)
		raw_syscall(SYS_rt_sigaction, number, (long)&action, 0, 8, 0, 0);
	else if (say_is_news(MESSAGE_SIGNAL))
		say_line("INSIDEME_SIGNAL: the program ignores this signal or has a handler of its own; "
			 "it switches nothing");
}

void toggle_begin(void)
{
	if (!settings.value[SETTING_START])
		switched_change(1);
	catch_signal();
}
