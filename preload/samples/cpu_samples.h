/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples of the CPU time of the program's threads (INSIDEME_SAMPLE). Each thread has a timer of its CPU
 * clock. The timer's handler stores the thread's call path and the address of its code. In a program without
 * hooks the path is the stack, see backtrace.h. With timing auto the stack tells which counted functions are
 * open below the path. In other programs nothing is unwound.
 *
 * The signal is the one that glibc reserves for pthread_cancel() and SIGEV_THREAD timers. The program's
 * sigaction(), sigfillset() and pthread_sigmask() never touch it, debuggers pass it on silently, and exec
 * resets it. If other code already uses it, nothing is sampled.
 */
#pragma once

#include "preload/calls/paths.h"

/* The code that a signal handler returns to: the restorer of struct kernel_action. */
extern HIDDEN void insideme_signal_return(void);

/* Constructor, and a child that opens its log: find out whether this process may use thread timers. */
void samples_init(void);

/*
 * Is this a program without hooks whose stacks are sampled? Its threads are sampled from their begin, those
 * of other programs from their first call.
 */
bool samples_take_stacks(void);

/* Sample the calling thread, of this record, from here on, until it ends, samples_end() or samples_stop(). */
void samples_begin(struct log_thread *thread);

/*
 * The same, called by the hooks at the thread's first call that timing auto only counts. It begins 250
 * samples a second, unless INSIDEME_SAMPLE says otherwise. Return: false: another thread is beginning that
 * for all, so this one must come again.
 */
bool samples_begin_counting(struct log_thread *thread);

/* Timing auto: may the calling thread, of this record, look at its stack? Not until a function is counted. */
bool samples_may_unwind(const struct log_thread *thread);
/* The begin of the function whose code the open call is in: its own, or that around a copy. 0: not known */
uintptr_t samples_code_of_call(const struct log_frame *call, uintptr_t near_addr);
/* The path of counted functions below the thread's current one. @calls: @nr of them, the innermost first */
uint32_t samples_path_of_stack(struct log_thread *thread, const struct stack_call *calls, uint32_t nr);

/* The program makes a coroutine with a stack of @bytes. Timing auto takes no samples if that is too small. */
void samples_have_stack(uintptr_t bytes);

/* The thread of this record ends, or is gone. */
void samples_end(struct log_thread *thread);

/* Sample no thread any more. @why is written to the log. */
void samples_stop(const char *why);
