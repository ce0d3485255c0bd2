/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder as a whole: its log, and whether it records. One file decides about trouble: a line on
 * stderr, then off; the program runs on.
 */
#ifndef INSIDEME_RECORDER_H
#define INSIDEME_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "compiler.h"
#include "log.h"
#include "settings.h"

/*
 * What every hook looks at. The page is wiped in a forked child (MADV_WIPEONFORK), however the child was
 * made: log is NULL there until recorder_open_child(), as it is before the constructor and when off.
 */
struct live {
	/* A page of its own, in memory that no file backs: what MADV_WIPEONFORK asks for. */
	_Alignas(LIVE_BYTES) struct log_header *log;
	struct log_header *tsc_log;	/* the same where calls are timed by the time-stamp counter, else NULL */
	uint32_t clock;			/* enum log_clock */
	uint32_t timing;		/* enum log_timing */
	uint32_t heap;			/* HEAP_... of settings.h */
	bool heap_in_slices;
};
extern HIDDEN struct live live;

/* Set before any thread; read-only afterwards. */
extern HIDDEN struct settings settings;

/* CLOCK_MONOTONIC without a system call where the kernel allows it. */
uint64_t recorder_clock_ns(void);

static ALWAYS_INLINE uint64_t now_ticks(void)
{
	return likely(live.clock == LOG_CLOCK_TSC) ? clock_counter() : recorder_clock_ns();
}

/*
 * In a process that has no log although the recorder is on: a child of fork, _Fork or a raw clone. Opens
 * one. Return: whether there is a log now. Callable from hooks and signal handlers; makes system calls.
 */
bool recorder_open_child(void);

/* Stop recording for good: one line on stderr, a text record, the log's end mark. */
void recorder_turn_off(const char *what, const char *path, int error);

/*
 * A seccomp filter is coming: no system call after this, also in children; the log has got some room before.
 * recorder_unseal(): it did not come to be.
 */
void recorder_seal(void);
void recorder_unseal(void);
bool recorder_is_sealed(void);

/* Set the log's end mark, once; later marks of the same process replace LOG_RUNNING only. */
void recorder_mark_end(enum log_end end, int status);

/* "insideme: ..." on stderr, in one write. */
void recorder_say(const char *line);

#endif
