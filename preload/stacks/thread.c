/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of threads, made, taken over and ended. A record is taken over only when the kernel says that its
 * task is gone: however a thread ended, and whatever its last destructors and signal handlers did, none of
 * its hooks can come after that. So the thread itself need not announce its end.
 */
#include "preload/stacks/thread.h"

#include "preload/common/base/text.h"
#include "preload/samples/cpu_samples.h"
#include "preload/stacks/error_records.h"
#include "preload/stacks/stacks.h"
#include "preload/state/log_space.h"

#define OWN_RECORDS	1000u	/* so many threads have records of their own, */
#define OWN_SHARE	8	/* unless this part of the budget is used before */
#define LOOKS		8	/* records that are checked for one to take over */

/* The target of top_addr before the first frame: outside of the log, so a reader sees no frames. */
static struct log_frame no_frames[2];

static struct log_thread *record_at(uint32_t ref)
{
	return log_at(live.log, ref);
}

/* For the calling thread. */
static void read_name(struct log_thread *thread)
{
	char name[16] = "";

	if (live_is_sealed())
		return;
	raw_syscall(SYS_prctl, 16 /* PR_GET_NAME */, (long)name, 0, 0, 0, 0);
	text_copy(thread->name, sizeof(thread->name), name);
}

/* Set the fields that belong to one thread only. */
static void begin(struct log_header *log, struct log_thread *thread, uint64_t function_addr)
{
	thread->current = log_ref(log, &thread->root);
	thread->top_addr = (uint64_t)&no_frames[1];
	thread->tid = live_is_sealed() ? 0 : (uint32_t)sys_gettid();
	thread->begin_function_addr = function_addr;
	if (thread->end_ticks)
		thread->unused_ticks += now_ticks() - thread->end_ticks;
	thread->end_ticks = 0;
	thread->is_clone = 0;
	thread->serial = __atomic_fetch_add(&log->nr_threads, 1, __ATOMIC_RELAXED);
	thread->nr_threads++;
	read_name(thread);
	__atomic_store_n(&thread->claim, thread->nr_threads, __ATOMIC_RELEASE);
}

static void begin_first(struct log_header *log, struct log_thread *thread, uint64_t function_addr)
{
	thread->root.min_ticks = UINT64_MAX;
	thread->pending_addr = (uint64_t)thread->root.histogram;	/* no reader uses the root's */
	thread->begin_ticks = now_ticks();
	begin(log, thread, function_addr);
}

/* The calling task may be another one. */
struct log_thread *record_for_main(struct log_header *log, const char *name)
{
	struct log_thread *thread;

	thread = (struct log_thread *)log_claim(log, LOG_AREA_THREAD, 0, sizeof(*thread), LOG_FIRST_NODES_AT,
						0);
	if (!thread)
		return NULL;
	begin_first(log, thread, 0);
	thread->begin_ticks = log->start.ticks;
	thread->tid = log->pid;
	text_copy(thread->name, sizeof(thread->name), name);
	log->nr_thread_areas = 1;
	log->threads = thread->head.self;
	return thread;
}

/* @list: where it is found by others. */
static struct log_thread *new_record(uint64_t function_addr, uint32_t *list)
{
	struct log_header *log = live.log;
	struct log_thread *thread;

	thread = (struct log_thread *)log_space_new_area(LOG_AREA_THREAD, 0, sizeof(*thread),
							 LOG_FIRST_NODES_AT, 0);
	if (!thread)
		return NULL;
	begin_first(log, thread, function_addr);
	__atomic_fetch_add(&log->nr_thread_areas, 1, __ATOMIC_RELAXED);
	thread->next_thread = __atomic_load_n(list, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(list, &thread->next_thread, thread->head.self, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return thread;
}

/*
 * claim differs for each thread: a task that read it before another took the record over does not get the
 * record.
 */
static bool claim_gone(struct log_thread *thread)
{
	uint32_t claim = __atomic_load_n(&thread->claim, __ATOMIC_ACQUIRE);

	return claim && !thread->is_kept && thread_is_gone(thread) &&
	       __atomic_compare_exchange_n(&thread->claim, &claim, 0, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void keep_name(struct log_thread *thread)
{
	if (thread->nr_threads == 1)
		text_copy(thread->earlier_name, sizeof(thread->earlier_name), thread->name);
	else if (!text_equal(thread->earlier_name, thread->name))
		thread->earlier_name[0] = '\0';
}

/* End a claimed record whose thread may have ended anywhere. */
static void end_gone(struct log_thread *thread)
{
	samples_end(thread);
	if (thread->slice_depth)	/* in a write */
		thread->slices[0] = thread->slices[1] = 0;
	thread->slice_depth = 0;
	stack_end_all(thread, true);
	thread->overflow_depth = 0;
	thread->repair_addr = 0;
	thread->heap_inside = 0;
	__atomic_fetch_add(&live.log->heap_total_bytes, thread->heap_held_bytes, __ATOMIC_RELAXED);
	thread->heap_held_bytes = 0;
	if (!thread->end_ticks)
		__atomic_store_n(&thread->end_ticks, now_ticks(), __ATOMIC_RELEASE);
}

/*
 * Records are checked in a circle, so that the next is the one that has been free for longest. One of the
 * same function is preferred, so that trees stay as they are.
 */
static struct log_thread *claim_record(uint64_t function_addr)
{
	struct log_header *log = live.log;
	uint32_t ref = __atomic_load_n(&log->next_thread_look, __ATOMIC_RELAXED);
	struct log_thread *other = NULL, *thread, *found = NULL;

	for (int i = 0; i < LOOKS && !found; i++) {
		thread = record_at(ref ? ref : __atomic_load_n(&log->threads, __ATOMIC_ACQUIRE));
		ref = thread->next_thread;
		if (thread->begin_function_addr == function_addr)
			found = claim_gone(thread) ? thread : NULL;
		else if (!other && thread_is_gone(thread))
			other = thread;
	}
	__atomic_store_n(&log->next_thread_look, ref, __ATOMIC_RELAXED);
	return !found && other && claim_gone(other) ? other : found;
}

static bool are_many(const struct log_header *log)
{
	return !live_is_sealed() &&
	       (__atomic_load_n(&log->nr_thread_areas, __ATOMIC_RELAXED) >= OWN_RECORDS ||
		__atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED) > log->map_bytes / OWN_SHARE);
}

/*
 * A record for the calling thread, of @function_addr (0: not known); NULL without room. Signals must be
 * blocked, because a handler's hook would ask for another one.
 */
static struct log_thread *record_for_thread(uint64_t function_addr)
{
	struct log_header *log = live.log;
	struct log_thread *thread = log->threads && are_many(log) ? claim_record(function_addr) : NULL;

	if (!thread)
		return new_record(function_addr, &log->threads);
	end_gone(thread);
	keep_name(thread);
	begin(log, thread, function_addr);
	return thread;
}

static struct log_thread *find(const uint32_t *list, uint32_t tid)
{
	uint32_t ref = __atomic_load_n(list, __ATOMIC_ACQUIRE);

	while (ref &&
	       (record_at(ref)->tid != tid || !__atomic_load_n(&record_at(ref)->claim, __ATOMIC_ACQUIRE)))
		ref = record_at(ref)->next_thread;
	return ref ? record_at(ref) : NULL;
}

struct log_thread *record_of_tid(uint32_t tid)
{
	struct log_thread *thread = find(&live.log->threads, tid);

	/* Its number may have belonged to a thread that ended. */
	return thread && !__atomic_load_n(&thread->end_ticks, __ATOMIC_ACQUIRE) ? thread : NULL;
}

static struct log_thread *make_clone(void)
{
	struct log_header *log = live.log;
	struct log_thread *thread = NULL;
	uint32_t ref = __atomic_load_n(&log->clones, __ATOMIC_ACQUIRE);

	for (; ref && !thread; ref = record_at(ref)->next_thread)
		thread = claim_gone(record_at(ref)) ? record_at(ref) : NULL;
	if (thread) {
		end_gone(thread);
		keep_name(thread);
		begin(log, thread, 0);
	} else {
		thread = new_record(0, &log->clones);
	}
	if (!thread)
		return NULL;
	thread->is_clone = 1;
	return stack_init(thread, 0, 0) < 0 ? NULL : thread;
}

struct log_thread *record_for_clone(uint32_t tid)
{
	struct log_thread *thread = find(&live.log->clones, tid);
	uint64_t mask;

	if (thread)
		return thread;
	sys_block_signals(&mask);
	thread = make_clone();
	sys_restore_signals(&mask);
	return thread;
}

/* The thread ends by itself. */
static void record_end(struct log_thread *thread)
{
	uint64_t open;

	samples_end(thread);
	read_name(thread);
	/* a handler's hooks are dropped meanwhile */
	thread->repair_addr = (uint64_t)__builtin_frame_address(0);
	signal_fence();
	if (!is_unwinding(thread))
		thread->broken_reason = LOG_BROKEN_THREAD_END;
	open = stack_end_all(thread, false);
	thread->broken_reason = LOG_BROKEN_UNSEEN;
	unwinding_end_all(thread);
	signal_fence();
	thread->repair_addr = 0;
	if (open && thread->nr_threads == 1)
		log_write_event(live.log, LOG_EVENT_THREAD_END, thread->head.self, &open, 1, NULL,
				now_ticks());
	__atomic_fetch_add(&live.log->heap_total_bytes, thread->heap_held_bytes, __ATOMIC_RELAXED);
	thread->heap_held_bytes = 0;
	__atomic_store_n(&thread->end_ticks, now_ticks(), __ATOMIC_RELEASE);
}

static void end_gone_of(uint32_t list)
{
	struct log_thread *thread;

	for (; list; list = thread->next_thread) {
		thread = record_at(list);
		if (thread->end_ticks || !claim_gone(thread))
			continue;
		end_gone(thread);
		__atomic_store_n(&thread->claim, thread->nr_threads, __ATOMIC_RELEASE);
	}
}

void records_end_gone(void)
{
	/*
	 * A vfork child runs in its parent's memory, perhaps in a pid namespace in which our threads' numbers
	 * mean other tasks.
	 */
	if (!live.log || live_is_sealed() || live.log->pid != (uint32_t)sys_getpid())
		return;
	end_gone_of(__atomic_load_n(&live.log->threads, __ATOMIC_ACQUIRE));
	end_gone_of(__atomic_load_n(&live.log->clones, __ATOMIC_ACQUIRE));
}

/* ---- the calling thread ---- */

/*
 * If the program's log was opened late, that made the record of the first thread, whose first event this is.
 */
static struct log_thread *take_main(void)
{
	bool is_main = live.main_record && !live_is_sealed() && sys_gettid() == (long)live.log->pid;

	return is_main ? live.main_record : NULL;
}

#define ASK_AGAIN_US 10000u

/* When the calling thread last asked for a record in vain, in units of 2^16 ticks; 0: never. */
static __thread uint32_t asked_at TLS_INITIAL_EXEC;

static uint32_t time_of_asking(void)
{
	return (uint32_t)(now_ticks() >> 16) | 1;
}

/* Looking for a record takes some us, and each hook of a thread without one would do that. */
static bool asked_in_vain(void)
{
	return unlikely(asked_at) &&
	       time_of_asking() - asked_at < ASK_AGAIN_US * live.log->threshold_floor_ticks >> 16;
}

static struct log_thread *make(void *function)
{
	struct log_thread *thread;
	uint64_t mask = 0;

	if (live_is_private || (!live.log && !live_open_child()) || (!self && asked_in_vain()))
		return NULL;
	/* A handler that comes in between would make a second record. */
	if (!live_is_sealed())
		sys_block_signals(&mask);
	if (!self)
		self = take_main();
	if (!self)
		self = record_for_thread((uint64_t)function);
	if (!self)
		asked_at = time_of_asking();
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
