/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fork() and _Fork(). Children of raw clones do not come here: they open a log at their first event, with
 * no call open. Our handlers are registered first, so prepare runs last before the fork, and in_child first
 * after it.
 */
#include "preload/wraps/wraps.h"

#include "preload/calls/counted.h"
#include "preload/calls/sites.h"
#include "preload/heap/heap.h"
#include "preload/life/recorder.h"
#include "preload/objects/fork_gate.h"
#include "preload/objects/next_functions.h"
#include "preload/samples/cpu_samples.h"
#include "preload/stacks/fork_in_hook.h"
#include "preload/stacks/stacks.h"
#include "preload/state/process_entry.h"
#include "preload/state/line_units.h"
#include "preload/state/sampler_task.h"

/*
 * The forking thread's open calls, between prepare and the other two handlers. Each thread has its own,
 * because several may fork at once (glibc runs handlers without its lock). The child must find them, so a
 * key holds them.
 */
static pthread_key_t copy_key;		/* set before any thread */
static bool has_key;

/*
 * The facts of the last fork. Two forks at the same time may mix up their heap sizes, which differ little,
 * but not their calls.
 */
static int64_t inherited_bytes;
static uint64_t before_ns;

static int daemon_task;			/* the task that is in daemon(); 0: none */

/* Wait for a task that opens the log, because the child must not find it half opened. */
static void await_opening(void)
{
	uint64_t mask;

	if (live.log || !live.opening)
		return;
	sys_block_signals(&mask);
	if (live_claim_opening(LIVE_OPENS))
		live_end_opening();
	sys_restore_signals(&mask);
}

static void copy_open_calls(void)
{
	struct open_calls *copy = has_key ? stack_copy_open(self, libc.pthread_getspecific(copy_key)) : NULL;

	if (copy)
		libc.pthread_setspecific(copy_key, copy);
}

static int64_t entered_bytes(void)
{
	const struct log_entry *entry = entry_own();

	return (entry ? entry->heap_before_bytes : 0) + heap_early.heap_bytes;
}

static void prepare(void)
{
	struct log_header *log;

	sampler_task_pause();
	if (live_is_sealed())
		return;
	await_opening();
	log = live.log;
	entry_make_room();
	before_ns = clock_ns(CLOCK_BOOTTIME);
	inherited_bytes = log ? log->heap_total_bytes + (self ? self->heap_held_bytes : 0) : entered_bytes();
	if (log && self)
		copy_open_calls();
	fork_gate_before_fork();
}

static struct open_calls *take_copy(void)
{
	struct open_calls *copy = has_key ? libc.pthread_getspecific(copy_key) : NULL;

	if (copy)
		libc.pthread_setspecific(copy_key, stack_outer(copy));
	return copy;
}

static void in_parent(void)
{
	struct open_calls *copy = take_copy();

	if (!live_is_sealed())
		fork_gate_in_parent();
	sampler_task_resume_later();
	heap_poll_soon();
	if (copy)
		open_calls_free(copy);
	if (daemon_task && daemon_task == (int)sys_gettid())
		recorder_mark_end(LOG_EXITED, 0);
}

/* The parent's log has only the child's entry. A handler that ran before this may have opened a log. */
static void turn_off(const struct fork_origin *origin)
{
	if (live.log)
		recorder_mark_end(LOG_TURNED_OFF, 0);
	else if (entry_enter_child(origin))
		entry_mark_end(LOG_TURNED_OFF, 0);
	live_when_child(NULL);
	entry_have_log(NULL);
	fork_in_hook_turn_off();
	open_calls_free(origin->calls);
}

/* A handler that ran before this may have opened the log. Then the calls are opened above it. */
static void in_child(void)
{
	struct open_calls *copy = take_copy();
	struct fork_origin origin = {
		.before_ns = before_ns,
		.heap_before_bytes = inherited_bytes,
		.calls = copy,
		.heap_bytes = heap_setting() == HEAP_OFF ? LOG_HEAP_OFF : LOG_HEAP_USABLE,
		.counts_heap = heap_setting() != HEAP_OFF && !settings.value[SETTING_HEAP_SAMPLE]
	};
	bool is_entered;

	daemon_task = 0;
	fork_gate_in_child();
	counted_forked();
	sites_forked();
	line_units_forked();
	if (live_is_sealed())
		return;
	if (live_is_private) {
		fork_in_hook_stay_off();
		return;
	}
	if (copy)
		stack_origin(copy, &origin.thread, &origin.node);
	if (copy && stack_is_in_hook(copy)) {
		turn_off(&origin);
		return;
	}
	if (live.log) {
		if (copy && self)
			stack_open_again(self, copy, now_ticks());
		if (copy)
			open_calls_free(copy);
		return;
	}
	is_entered = entry_enter_child(&origin);
	heap_begin_early(entry_heap());
	if (!is_entered || samples_take_stacks() || line_units_known())
		live_open_child();
	else
		/* without counters, the first allocation opens the log */
		live.heap = entry_heap() ? HEAP_COUNTERS : heap_setting();
}

void fork_init(void)
{
	has_key = libc.pthread_key_create(&copy_key, NULL) == 0;
	/* pthread_atfork() is in a static part of libc that needs its crt files; this is what it calls. */
	libc.__register_atfork(prepare, in_parent, in_child, NULL);
}

EXPORT pid_t _Fork(void);
EXPORT pid_t _Fork(void)
{
	pid_t child;

	if (!real_find(_Fork))
		return -1;
	prepare();
	child = real._Fork();
	if (child == 0)
		in_child();
	else
		in_parent();
	return child;
}

/* The parent ends within libc, just after the fork. */
EXPORT int daemon(int stays, int keeps_files);
EXPORT int daemon(int stays, int keeps_files)
{
	int result;

	if (!real_find(daemon))
		return -1;
	daemon_task = live_is_sealed() ? 0 : (int)sys_gettid();
	result = real.daemon(stays, keeps_files);
	if (daemon_task) {	/* there was no fork */
		daemon_task = 0;
		recorder_go_on();
	}
	return result;
}
