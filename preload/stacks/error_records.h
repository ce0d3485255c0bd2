/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors that end calls before their return: exceptions, jumps, ends of threads and of the process. Equal
 * errors are counted in one record. Exceptions between a throw and its catch are kept with the thread. No
 * locks, no allocation.
 */
#pragma once

#include "preload/stacks/thread.h"

/* One error, where it happens. */
struct error_place {
	enum log_error_kind kind;
	uintptr_t addr;			/* where the program would continue */
	const void *type_addr;		/* identifies the type; NULL: none */
	const char *type;		/* NULL: none */
};

/*
 * Count an error of the thread, whose record is made when it is the first of its kind. Return: NULL without
 * room, which is counted as a lost record.
 */
struct log_error *error_count(struct log_thread *thread, const struct error_place *place);

/* Is this one of the first errors, which are kept whole? */
bool error_is_kept(const struct log_error *error);

/* The reason that broken calls name: @error itself, or a record of it with its @message (NULL: not known). */
uint32_t error_reason(const struct log_error *error);
uint32_t error_keep(struct log_thread *thread, const struct log_error *error, const char *message);

/* A call was ended by @reason. */
void error_broke_call(uint32_t reason);

/* The object thrown with @reason was caught now, where the thread is; or it was not caught. */
void error_caught(const struct log_thread *thread, uint32_t reason);
void error_uncaught(struct log_thread *thread, uint32_t reason);

/*
 * An object is on its way up from @stack_addr. Until it arrives, @reason is why the calls that are open now
 * end, with or without an exit. Hooks go the slow way meanwhile, which calls unwinding_of_top().
 */
void unwinding_begin(struct log_thread *thread, const void *object, uintptr_t stack_addr, uint32_t reason);
/* The exception that is ending the thread's top call; NULL: none. */
struct log_unwinding *unwinding_of_top(struct log_thread *thread);
/* The top call has ended, or the same call is the top of another area now. */
void unwinding_move(struct log_unwinding *unwinding, const struct log_thread *thread);
/* The unwinding of that object, or NULL. Later ones are over: they were left without a catch. */
struct log_unwinding *unwinding_find(struct log_thread *thread, const void *object);
/* It has arrived. The caller must let hooks go the fast way again. */
void unwinding_end(struct log_thread *thread, struct log_unwinding *unwinding);
/* All are over: by a jump, or with the thread. */
void unwinding_end_all(struct log_thread *thread);

static inline struct log_errors *errors_of(const struct log_thread *thread)
{
	return thread->errors ? log_at(live.log, thread->errors) : NULL;
}

static inline bool is_unwinding(const struct log_thread *thread)
{
	return thread->errors && errors_of(thread)->nr_unwindings;
}
