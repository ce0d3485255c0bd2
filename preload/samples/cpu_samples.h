/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples of the CPU time of the program's threads (INSIDEME_SAMPLE): a timer of each thread's CPU clock, whose handler
 * stores the call path that the thread is in and the address of its code. In a program without hooks that path is the
 * stack, see backtrace.h; in others nothing is unwound.
 *
 * The signal is the one that glibc keeps to itself for pthread_cancel() and SIGEV_THREAD timers: sigaction(),
 * sigfillset() and pthread_sigmask() of the program never touch it, debuggers pass it on without a word, and exec
 * forgets it. Where somebody else has it nothing is sampled.
 */
#ifndef INSIDEME_CPU_SAMPLES_H
#define INSIDEME_CPU_SAMPLES_H

#include "preload/state/live.h"

/* What a signal handler returns to: the restorer of struct kernel_action. */
extern HIDDEN void insideme_signal_return(void);

/* Constructor, and a child that opens its log: find out whether the thread timers of this process may be used. */
void samples_init(void);

/* Is this a program without hooks whose stacks are taken? Its threads are sampled from their begin, others from their first call. */
bool samples_take_stacks(void);

/* The calling thread, of this record, is to be sampled from here on. Its timer dies with it or by the other two. */
void samples_begin(struct log_thread *thread);

/*
 * The same for the first call of the thread that timing auto only counts: unless INSIDEME_SAMPLE says otherwise, 250
 * samples a second begin with it. From the hooks.
 */
void samples_begin_counting(struct log_thread *thread);

/* The program makes a coroutine whose stack has so many bytes. Timing auto takes no samples if these are too few. */
void samples_have_stack(uintptr_t bytes);

/* The thread of this record ends, or is gone. */
void samples_end(struct log_thread *thread);

/* No thread is sampled any more, for the log: why. */
void samples_stop(const char *why);

#endif
