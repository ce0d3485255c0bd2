/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of abort() and its like, and of pthread_exit(): they record where and why a process or thread
 * ends early.
 */
#include "preload/common/base/text.h"
#include "preload/objects/next_functions.h"
#include "preload/stacks/error_records.h"
#include "preload/stacks/frames.h"
#include "preload/wraps/exception_what.h"
#include "preload/wraps/wraps.h"

/* Each end is recorded once: std::terminate() ends in abort(). */
static void record_end(const struct error_place *place, const char *message)
{
	struct log_thread *thread = thread_self();
	struct log_error *error;

	if (!thread || (thread->errors && errors_of(thread)->is_ending))
		return;
	error = error_count(thread, place);
	if (error)
		error_uncaught(thread, error_keep(thread, error, message));
}

static NOINLINE void record_terminate(uintptr_t caller)
{
	struct error_place place = { .kind = LOG_ERROR_TERMINATE, .addr = caller };
	const char *message = NULL;

	exception_caught(caller, &place.type, &message);
	record_end(&place, message);
}

/*
 * These functions never return, so the real one is jumped to: debuggers and cores then show the program's own
 * stack. The compiler makes a jump of a last call only if nothing says that it does not return, hence other
 * names in C.
 */
#define ENDING(name, parameters)						\
	EXPORT void ending_##name parameters __asm__(#name);	\
	void ending_##name parameters

/* Called by the program, or by code that the compiler or a header put into it. */
ENDING(_ZSt9terminatev, (void))
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	void (*next)(void) = (void (*)(void))real_for_caller("_ZSt9terminatev", caller);

	record_terminate(caller);
	if (!next)
		__builtin_trap();
	next();
}

static NOINLINE void record_abort(uintptr_t caller)
{
	struct error_place place = { .kind = LOG_ERROR_ABORT, .addr = caller };

	if (what_is_of_library(caller))
		record_terminate(caller);
	else
		record_end(&place, NULL);
}

/* The C++ library calls this when std::terminate() was called by itself. */
ENDING(abort, (void))
{
	record_abort((uintptr_t)__builtin_return_address(0));
	if (!real_find(abort))
		__builtin_trap();
	real.abort();
}

static NOINLINE void record_assertion(uintptr_t caller, const char *what, const char *file, unsigned int line,
				      const char *function)
{
	struct error_place place = { .kind = LOG_ERROR_ASSERTION, .addr = caller };
	char buffer[LOG_THROWN_TEXT_BYTES];
	struct text message;

	text_init(&message, buffer, sizeof(buffer));
	text_add(&message, what);
	text_add(&message, " (");
	text_add(&message, file);
	text_add(&message, ":");
	text_add_number(&message, line);
	if (function) {
		text_add(&message, ", ");
		text_add(&message, function);
	}
	text_add(&message, ")");
	record_end(&place, buffer);
}

ENDING(__assert_fail, (const char *what, const char *file, unsigned int line, const char *function))
{
	record_assertion((uintptr_t)__builtin_return_address(0), what, file, line, function);
	if (!real_find(__assert_fail))
		__builtin_trap();
	real.__assert_fail(what, file, line, function);
}

/* The thread's calls end now, because they are left, or together with it. */
static NOINLINE void record_thread_exit(struct log_thread *thread, uintptr_t caller, uintptr_t stack_addr)
{
	struct error_place place = { .kind = LOG_ERROR_THREAD_EXIT, .addr = caller };
	struct log_error *error;

	if (thread->current == log_ref(live.log, &thread->root))
		return;
	error = error_count(thread, &place);
	if (error)
		unwinding_begin(thread, NULL, stack_addr, error_reason(error));
}

ENDING(pthread_exit, (void *value))
{
	if (live.log && self)
		record_thread_exit(self, (uintptr_t)__builtin_return_address(0),
				   (uintptr_t)__builtin_frame_address(0));
	if (!real_find(pthread_exit))
		__builtin_trap();
	real.pthread_exit(value);
}
