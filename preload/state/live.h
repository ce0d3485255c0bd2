/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether this process records, and how: what every hook looks at first. */
#ifndef INSIDEME_LIVE_H
#define INSIDEME_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/compiler.h"
#include "preload/common/base/settings.h"
#include "preload/common/log/log.h"

#define LIVE_STACKS	4096

/* A log is opened while other tasks run: by the first task that asks, or by nobody any more. */
enum live_opening { LIVE_NOBODY_OPENS, LIVE_OPENS, LIVE_NEVER_OPENS };

/*
 * What every hook looks at. The page is wiped in a forked child (MADV_WIPEONFORK), however the child was
 * made: log is NULL there until live_open_child(), as it is before the constructor and when off.
 */
struct live {
	/* A page of its own, in memory that no file backs: what MADV_WIPEONFORK asks for. */
	_Alignas(LIVE_BYTES) struct log_header *log;
	/* the same, where all calls are recorded, by no other clock, and nothing is read; else NULL */
	struct log_header *hot_log;
	/* what hot_log is while recording is not switched off, see recording_state.h */
	struct log_header *hot_log_when_on;
	uint32_t clock;			/* enum log_clock */
	uint32_t timing;		/* enum log_timing */
	uint32_t heap;			/* HEAP_... of settings.h */
	bool heap_in_slices;
	bool reads_memory;		/* at each entry and exit, see rss_at_calls.h */
	bool has_slow_slices;		/* so, or a line is said for each */
	uint32_t opening;		/* enum live_opening; atomic */
	/* of the process that has an entry and no log yet: a vfork child runs in its memory; else 0 */
	uint32_t pid;
	struct log_heap *bootstrap_heap; /* of a program or child that has no log yet, in its entry; NULL:
					    none; atomic */
	struct log_thread *main_record;	/* made for the first thread by the task that opened the log later */
	/* refs of log_frames by page: where stack_find() looks first */
	_Alignas(64) uint32_t stacks[LIVE_STACKS];
};
extern HIDDEN struct live live;

/*
 * The calling thread's record, the library's one TLS object. Stale in a forked child: look at live.log
 * first.
 */
extern HIDDEN __thread struct log_thread *self TLS_INITIAL_EXEC;

/*
 * This process is a forked child that returned into a hook of its parent, see fork_in_hook.h, or a
 * descendant of it: live is the parent's, and its log private memory. No thread gets a record. Set by the
 * child, which has one thread.
 */
extern HIDDEN bool live_is_private;

/* Set before any thread; read-only afterwards. */
extern HIDDEN struct settings settings;
extern HIDDEN bool live_has_begun;		/* the constructor has come */
extern HIDDEN uint64_t live_early_calls;	/* before: those of IFUNC resolvers, while there is one thread */

/* CLOCK_MONOTONIC without a system call where the kernel allows it. */
uint64_t live_clock_ns(void);
/* How long ticks are, by the rate since the log began. */
uint64_t live_ns_of(uint64_t ticks);

static ALWAYS_INLINE uint64_t now_ticks(void)
{
	return likely(live.clock == LOG_CLOCK_TSC) ? clock_counter() : live_clock_ns();
}

/*
 * In a process that has no log although the recorder is on: a child of fork, _Fork or a raw clone. Opens
 * one. Return: whether there is a log now. Callable from hooks and signal handlers; makes system calls.
 */
bool live_open_child(void);

/* The constructor sets the function that opens it. */
void live_when_child(bool (*open)(void));

/*
 * Measures the hooks' cost at the first hook of a process that had none. The constructor sets it before any
 * log.
 */
extern HIDDEN void (*live_measure_late)(struct log_header *log);

/*
 * Before opening the log, a task must win this claim (@state: LIVE_OPENS). Process exit competes for it
 * with LIVE_NEVER_OPENS: if exit wins, no log is opened any more. Return: false: there is a log by now, or
 * there will be none. Waits for another task that opens one. Signals must be blocked.
 */
bool live_claim_opening(enum live_opening state);
/* The claim of LIVE_OPENS ends. */
void live_end_opening(void);

/*
 * After a seccomp filter the library makes no system call. @filters: 1: a filter is about to come; -1: it
 * did not.
 */
bool live_is_sealed(void);
void live_seal(int filters);

#endif
