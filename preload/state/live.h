/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether this process records, and how. Every hook looks here first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/compiler.h"
#include "preload/common/base/settings.h"
#include "preload/common/log/log.h"

#define LIVE_STACKS	4096

/* A log may be opened while other tasks run: by the first task that asks, or by none any more. */
enum live_opening { LIVE_NOBODY_OPENS, LIVE_OPENS, LIVE_NEVER_OPENS };

/*
 * The page that every hook looks at. In a forked child, however it was made, this page is wiped
 * (MADV_WIPEONFORK). So log is NULL there until live_open_child(), as it is before the constructor and when
 * recording is off.
 */
struct live {
	/* On a page of its own, in memory without a file: MADV_WIPEONFORK requires both. */
	_Alignas(LIVE_BYTES) struct log_header *log;
	/* the same, if all calls are recorded by the time-stamp counter and nothing is read; else NULL */
	struct log_header *hot_log;
	/* what hot_log is while recording is switched on, see recording_state.h */
	struct log_header *hot_log_when_on;
	uint32_t clock;			/* enum log_clock */
	uint32_t timing;		/* enum log_timing */
	uint32_t hot_timing;		/* the same; 0 if has_call_places */
	uint32_t heap;			/* HEAP_... of settings.h */
	bool heap_in_slices;
	bool reads_memory;		/* at each entry and exit, see rss_at_calls.h */
	bool has_call_places;		/* see call_places.h */
	bool has_slow_slices;		/* reads_memory, or a line is written for each slice */
	uint32_t opening;		/* enum live_opening; atomic */
	/* of the process, if it has an entry and no log yet: a vfork child runs in its memory; else 0 */
	uint32_t pid;
	struct log_heap *bootstrap_heap; /* in the entry of a program or child that has no log yet; NULL:
					  * none; atomic */
	struct log_thread *main_record;	/* of the first thread, made by the task that opened the log later */
	/* refs of log_frames by page: the first place where stack_find() looks */
	_Alignas(64) uint32_t stacks[LIVE_STACKS];
};
extern HIDDEN struct live live;

/* The calling thread's record. In a forked child it is stale: look at live.log first. */
extern HIDDEN __thread struct log_thread *self TLS_INITIAL_EXEC;

/*
 * This process, or an ancestor, is a forked child that returned into a hook of its parent, see
 * fork_in_hook.h. Then live is the parent's and its log is private memory. No thread gets a record. Set by
 * the child, which has one thread.
 */
extern HIDDEN bool live_is_private;

/* Set before any thread; read-only afterwards. */
extern HIDDEN struct settings settings;
extern HIDDEN bool live_has_begun;		/* the constructor has begun */
extern HIDDEN uint64_t live_early_calls;	/* calls before that: those of IFUNC resolvers, while there
						 * is one thread */

/* CLOCK_MONOTONIC, without a system call if the kernel supports that. */
uint64_t live_clock_ns(void);
/* The calling thread is in live_clock_ns(): what it runs in libc and in the vDSO is the recorder's time. */
extern HIDDEN __thread bool live_reads_clock TLS_INITIAL_EXEC;
/* See live_when_child(). Set by the constructor. */
extern HIDDEN bool (*live_opener)(void);

/* Nothing of this process will be recorded: its program is left out, or there is no place for a log. */
static ALWAYS_INLINE bool live_never_records(void)
{
	return !live.log && !live.pid && !live_opener && live_has_begun;
}

/* The length of ticks, at the rate since the log began. */
uint64_t live_ns_of(uint64_t ticks);
/* The same for several, by one rate, so that they stay in their order. Changes them in place. */
void live_make_ns(uint64_t *durations, unsigned int nr);

static ALWAYS_INLINE uint64_t now_ticks(void)
{
	return likely(live.clock == LOG_CLOCK_TSC) ? clock_counter() : live_clock_ns();
}

/*
 * Open a log in a process that has none although the recorder is on: a child of fork, _Fork or a raw clone.
 * Return: is there a log now? Callable from hooks and signal handlers; makes system calls.
 */
bool live_open_child(void);

/* The constructor sets the function that opens it. */
void live_when_child(bool (*open)(void));

/*
 * Measure the hooks' cost at the first hook of a process that does not know it. The constructor sets this
 * before any log.
 */
extern HIDDEN void (*live_measure_late)(struct log_header *log);
/* The same again, by the sampling task. */
extern HIDDEN void (*live_measure_again)(struct log_header *log);

/*
 * Before opening the log, a task must win this claim (@state: LIVE_OPENS). Process exit competes for it with
 * LIVE_NEVER_OPENS: if exit wins, no log is opened any more. Return: false if there is a log by now, or there
 * will be none. Waits for another task that opens one. Signals must be blocked.
 */
bool live_claim_opening(enum live_opening state);
/* End the claim of LIVE_OPENS. */
void live_end_opening(void);

/*
 * Was a seccomp filter installed? After that the library makes no system call. @filters: 1: a filter is about
 * to be installed; -1: that failed.
 */
bool live_is_sealed(void);
void live_seal(int filters);
