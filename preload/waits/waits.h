/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library call that waits is a call of its own: its frame is open while the program is blocked, so the log
 * of a killed process has what it waited for. Callable from any thread and from signal handlers.
 */
#pragma once

#include "preload/state/live.h"

/* A function as reports name it. One for each wrapper, constant but for the address, which 0 stands for. */
struct wait_function {
	const char *name;
	enum log_wait_kind kind;
	uint64_t function_addr; /* atomic; its address in the log, once it has a label there; 0: none yet */
};

/* The target of a waiting call. */
struct wait_target {
	const void *lock;    /* NULL: none */
	uint32_t holder_tid; /* the task that holds the lock, 0: not known */
	int fd;		     /* -1: none */
};
#define WAIT_FOR_LOCK(lock, tid) ((struct wait_target){ (lock), (tid), -1 })
#define WAIT_FOR_FD(fd) ((struct wait_target){ NULL, 0, (fd) })

/* A call in progress. It may never end, so nothing refers to it. */
struct wait {
	uint64_t function_addr; /* 0: not recorded */
	uintptr_t stack_addr;
	uintptr_t caller_addr;
	int fd;
	const char *path; /* by which the call opened @fd; NULL: it did not */
	uint64_t cost_ticks; /* what it took to record its begin; 0: not measured, nor will its end be */
};

/* A forked child that does nothing but wait gets its log now, if it has lasted some ms. */
bool wait_opens_log(void);

static ALWAYS_INLINE bool waits_on(void)
{
	return likely(settings.value[SETTING_WAITS]) && (likely(live.log) || wait_opens_log());
}

/*
 * Call these around the real call, if waits_on(). @stack_addr: the wrapper's frame address; @caller_addr: its
 * return address; @bytes: how many it moved; negative: it failed. errno stays as it is.
 */
void wait_begin(struct wait *wait, struct wait_function *function, struct wait_target target,
		uintptr_t stack_addr, uintptr_t caller_addr);
void wait_end(const struct wait *wait, int64_t bytes);
