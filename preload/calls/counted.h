/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Timing auto: functions whose calls are shorter than a hook can measure are counted, no longer timed.
 *
 * Each function begins with full hooks. Each COUNTED_WINDOW calls of it are a window. Once a process has had
 * LEAST_WINDOWS of them, which takes some ms, each window is judged: it is short if its calls, with all that
 * they called, lasted in the mean less than COUNTED_COSTS times what the hooks of a call cost, and no two of
 * them lasted long. After a short window the function becomes counted, unless half of its windows or more
 * were not short. No function is timed again: where that was tried the program took 1.4 times as long, and
 * call paths were no truer. The time of counted calls comes from samples.
 *
 * If one call in COUNTED_HEAP_SHARE left its thread with more bytes of the heap, or if the function ever
 * allocated itself, its calls keep their frames, without a clock: so allocations belong to the same functions
 * as with full hooks.
 *
 * Other counted calls have no frame. If such a call still reaches a hook, the hook counts it at its path;
 * call sites that were changed (sites.h) count it in the thread's counters.
 */
#pragma once

#include "preload/calls/calls.h"

#define COUNTED_FUNCTIONS 65536u /* a power of two; if there are more functions, the last ones stay timed */
#define COUNTED_STEP 16u	 /* calls that a path collects before it adds them to its function's */
#define COUNTED_MOST_TICKS (UINT32_MAX / COUNTED_STEP) /* of one of them: more is as long */

struct counted_function {
	uint64_t addr;	  /* 0: free; written once, atomic */
	uint32_t is_kept; /* it stays timed */
	uint32_t allocates; /* itself */
	uint32_t nr_open; /* calls open in the thread that made it counted: until they end, exits keep their
			     hook */
	/* The sums of the window. Several threads add to them atomically. */
	uint32_t calls;
	uint32_t heap;
	uint32_t longs;
	uint32_t is_decided; /* it became counted, or is about to; atomic */
	uint32_t windows;    /* that were judged, and of these */
	uint32_t short_windows; /* those with short calls; atomic */
	uint32_t reserved;
	uint64_t ticks;
	uint64_t reserved_2;
};
_Static_assert(sizeof(struct counted_function) == 64, "a function is one line");

/*
 * By hash of the address. [0] stands for all that have no place here: regions, "(other paths)"; it is never
 * counted. Before the first function, and if there is no memory, there is only [0]. Set once.
 */
extern HIDDEN struct counted_function *counted_functions;

/*
 * A bit for each of them: it is counted, and stays so. Every hook looks here: bits of thousands of functions
 * stay in the cache, where their records would not. And of these: its calls have frames. Atomic.
 */
extern HIDDEN uint64_t counted_bits[COUNTED_FUNCTIONS / 64];
extern HIDDEN uint64_t counted_frame_bits[COUNTED_FUNCTIONS / 64];

/* No function has this number. Its calls are counted, with a frame: to measure what that costs. */
#define COUNTED_MEASURED (COUNTED_FUNCTIONS - 1)
void counted_begin_measured(void);

/*
 * The counters of changed call sites in the calling thread. NULL at first, and in a forked child: then they
 * go on to the hook.
 */
extern HIDDEN __thread uint64_t *counters TLS_INITIAL_EXEC;

/*
 * The place of @function_addr in the table; 0: it has none. The second function makes one. Callable from any
 * thread and handler.
 */
uint32_t counted_find(uint64_t function_addr);
uint32_t counted_number(uint64_t function_addr);

static ALWAYS_INLINE bool counted_is(uint32_t number)
{
	return __atomic_load_n(&counted_bits[number / 64], __ATOMIC_ACQUIRE) >> number % 64 & 1;
}

/* Of a counted function, after counted_is(): do its calls have frames? */
static ALWAYS_INLINE bool counted_has_frames(uint32_t number)
{
	return __atomic_load_n(&counted_frame_bits[number / 64], __ATOMIC_RELAXED) >> number % 64 & 1;
}

/* Is the function counted, without frames? */
static inline bool counted_without_frames(uint32_t number)
{
	return counted_is(number) && !counted_has_frames(number);
}

/* The first counted call of the calling thread: give it counters. Without room hooks count its calls. */
void counted_begin_thread(struct log_thread *thread);

/* In the forked child, before anything else of it is recorded. */
void counted_forked(void);

/* The child's log is new: record which functions are counted, and where. */
void counted_log_all(void);

/* A module of functions in [@begin, @end) is gone. */
void counted_forget(uint64_t begin, uint64_t end);

/* The sums of the path's last COUNTED_STEP calls go to its function, which may become counted. */
void counted_step(struct log_thread *thread, struct log_node *node);

/*
 * A call of the path has ended. Its frame has been popped. @allocated: its thread holds more bytes now.
 */
static ALWAYS_INLINE void counted_note(const struct log_header *log, struct log_thread *thread,
				       struct log_node *node, uint64_t ticks, bool allocated)
{
	node->window_ticks += (uint32_t)(ticks < COUNTED_MOST_TICKS ? ticks : COUNTED_MOST_TICKS);
	node->window_heap += allocated;
	node->window_longs += ticks >= log->threshold_floor_ticks * 10;
	if (unlikely(++node->window_calls >= COUNTED_STEP))
		counted_step(thread, node);
}

/* Count a call of a counted function at the node of its path. */
static ALWAYS_INLINE void counted_add(struct log_node *node)
{
	node->calls++;
	node->untimed_calls++;
}
