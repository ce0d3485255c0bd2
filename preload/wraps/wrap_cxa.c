/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of what C++ calls to throw, rethrow and catch. Each continues with the function that the calling
 * object would have found without us, since plugins may bring C++ libraries of their own.
 */
#include "preload/wraps/wraps.h"

#include "preload/common/base/text.h"
#include "preload/objects/next_functions.h"
#include "preload/stacks/error_records.h"
#include "preload/stacks/frames.h"
#include "preload/wraps/exception_what.h"

/* Exception classes of C++: "GNUCC++", "CLNGC++". The last byte is 1 for a dependent exception. */
#define CLASS_GNU		0x474e5543432b2b00u
#define CLASS_CLANG		0x434c4e47432b2b00u
#define HEADER_WORDS		4	/* the unwinder's header in front of the thrown object; begins with
					 * the class */
#define HEADER_GNU		10	/* where it begins in what both libraries put in front of it */
#define HEADER_CLANG		12
#define TYPE_WORDS		14	/* from the thrown object back to its type_info, in both libraries */

/* For a program that started with a C++ library. Set before any thread. */
LARGE static struct real program;

void exceptions_init(void)
{
	program = real;
}

/* The function @name for the code at @caller. @known is the one that the program started with. */
static void *next_of(void *known, const char *name, uintptr_t caller)
{
	return known ? known : real_for_caller(name, caller);
}

/* NULL: the thread is not recorded. */
static struct log_thread *thrower(void)
{
	struct log_thread *thread = thread_self();

	/* std::terminate() rethrows the exception that it reports */
	return thread && thread->errors && errors_of(thread)->is_ending ? NULL : thread;
}

/* An object is thrown at @stack_addr. */
static void record_throw(const struct error_place *place, void *object, uintptr_t stack_addr)
{
	struct log_thread *thread = thrower();
	struct log_error *error = thread ? error_count(thread, place) : NULL;
	const char *message = NULL;
	uint32_t reason;
	bool is_own;

	if (!error)
		return;
	reason = error_reason(error);
	if (error_is_kept(error)) {
		if (object && place->type_addr) {
			message = what_of(object, place->type_addr, settings.value[SETTING_WHAT], &is_own);
			error->own_what = is_own;
		}
		reason = error_keep(thread, error, message);
	}
	unwinding_begin(thread, object, stack_addr, reason);
}

EXPORT _Noreturn void __cxa_throw(void *object, const void *type, void (*destroy)(void *));
EXPORT _Noreturn void __cxa_throw(void *object, const void *type, void (*destroy)(void *))
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	struct error_place place = { LOG_ERROR_THROW, caller, type, type_name(type) };
	void (*next)(void *, const void *, void (*)(void *)) =
		next_of(program.__cxa_throw, "__cxa_throw", caller);

	record_throw(&place, object, (uintptr_t)__builtin_frame_address(0));
	if (next)
		next(object, type, destroy);
	__builtin_trap();
}

static bool is_cpp(uint64_t class)
{
	return (class & ~1ul) == CLASS_GNU || (class & ~1ul) == CLASS_CLANG;
}

/*
 * The thrown object from the unwinder's header. NULL: the exception is of another language, or ends a thread.
 */
static void *thrown_object(const uint64_t *header)
{
	if (!is_cpp(header[0]))
		return NULL;
	if (!(header[0] & 1))
		return (void *)(header + HEADER_WORDS);
	return (void *)*(header - ((header[0] & ~1ul) == CLASS_GNU ? HEADER_GNU : HEADER_CLANG - 1));
}

/* The object caught by the innermost running handler, or NULL. */
static void *caught_object(uintptr_t caller)
{
	void *(*get_globals)(void) = next_of(program.__cxa_get_globals, "__cxa_get_globals", caller);
	const uint64_t *caught = get_globals ? *(const uint64_t **)get_globals() : NULL;

	if (!caught)
		return NULL;
	return thrown_object(caught + (is_cpp(caught[HEADER_GNU]) ? HEADER_GNU : HEADER_CLANG));
}

static const struct type_info *type_of(void *object)
{
	return *((const struct type_info **)object - TYPE_WORDS);
}

void *exception_caught(uintptr_t caller, const char **type, const char **message)
{
	void *object = caught_object(caller);
	bool is_own;

	if (!object)
		return NULL;
	*type = type_name(type_of(object));
	*message = what_of(object, type_of(object), settings.value[SETTING_WHAT], &is_own);
	return object;
}

static void record_rethrow(void *object, uintptr_t caller, uintptr_t stack_addr)
{
	struct error_place place = { .kind = LOG_ERROR_RETHROW, .addr = caller };

	if (!object)
		return;
	place.type_addr = type_of(object);
	place.type = type_name(place.type_addr);
	record_throw(&place, object, stack_addr);
}

EXPORT _Noreturn void __cxa_rethrow(void);
EXPORT _Noreturn void __cxa_rethrow(void)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	void (*next)(void) = next_of(program.__cxa_rethrow, "__cxa_rethrow", caller);

	record_rethrow(caught_object(caller), caller, (uintptr_t)__builtin_frame_address(0));
	if (next)
		next();
	__builtin_trap();
}

/* std::rethrow_exception(): an exception_ptr is passed by its address. */
EXPORT _Noreturn void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void *const *pointer);
EXPORT _Noreturn void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void *const *pointer)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	void (*next)(void *const *) =
		next_of(program._ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE,
			"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", caller);

	record_rethrow(*pointer, caller, (uintptr_t)__builtin_frame_address(0));
	if (next)
		next(pointer);
	__builtin_trap();
}

EXPORT _Noreturn void _ZSt17rethrow_exceptionSt13exception_ptr(void *const *pointer);
EXPORT _Noreturn void _ZSt17rethrow_exceptionSt13exception_ptr(void *const *pointer)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	void (*next)(void *const *) = next_of(program._ZSt17rethrow_exceptionSt13exception_ptr,
					      "_ZSt17rethrow_exceptionSt13exception_ptr", caller);

	record_rethrow(*pointer, caller, (uintptr_t)__builtin_frame_address(0));
	if (next)
		next(pointer);
	__builtin_trap();
}

/*
 * Our frame is where the catching function's hooks have theirs: the exception left what is open below it. An
 * uncaught exception is caught by the library at the throw, to end the process: all calls stay open.
 */
static void record_catch(struct log_thread *thread, const uint64_t *header, uintptr_t stack_addr)
{
	void *object = thrown_object(header);
	struct log_unwinding *unwinding = object ? unwinding_find(thread, object) : NULL;

	if (unwinding && stack_addr < unwinding->stack_addr) {
		error_uncaught(thread, unwinding->reason);
		return;
	}
	calls_end_below(thread, stack_addr, LOG_BROKEN_UNSEEN);
	if (!unwinding)
		return;
	error_caught(thread, unwinding->reason);
	unwinding_end(thread, unwinding);
	frames_look_again(thread);
}

EXPORT void *__cxa_begin_catch(void *exception);
EXPORT void *__cxa_begin_catch(void *exception)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	void *(*next)(void *) = next_of(program.__cxa_begin_catch, "__cxa_begin_catch", caller);

	if (live.log && self && !(self->errors && errors_of(self)->is_ending))
		record_catch(self, exception, (uintptr_t)__builtin_frame_address(0));
	return next ? next(exception) : exception;
}
