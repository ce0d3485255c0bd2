/* SPDX-License-Identifier: GPL-3.0-or-later */
/* INSIDEME_VERBOSE: a line on stderr for each timer that stops and each call that has a record, in
 * multiprocess_profiler's words. */
#pragma once

#include "preload/state/live.h"

/* Callable from hooks, threads and signal handlers; nothing after a seccomp filter. Stops the caller while
 * stderr is full. */
void verbose_timer(const char *name, uint64_t ns);

/*
 * The call of @frame ended at @end_ticks; @broken: without an exit. The first call of a function reads its
 * object's symbols: some ms.
 */
void verbose_call(const struct log_frame *frame, uint64_t end_ticks, bool broken);

/*
 * insideme_on_call(): a function of the program that is called after calls and timers which took @least_ns or
 * more; NULL: none. It runs in the thread that made the call, when the call has ended, but not for calls
 * within itself.
 */
typedef void calls_callback(const char *name, uint64_t ns, int broken);
void calls_hear(calls_callback *callback, uint64_t least_ns);
bool calls_are_heard(void);
void call_tell(struct log_thread *thread, const struct log_frame *frame, uint64_t end_ticks, bool broken);
void timer_tell(struct log_thread *thread, const char *name, uint64_t ns);

/* The object at [@begin, @end) is gone: what is loaded there later has other names. */
void verbose_forget(uintptr_t begin, uintptr_t end);
