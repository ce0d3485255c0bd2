/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrappers of library calls that may wait, from the table of preload/objects/wait_functions.h. */
#include <errno.h>
#include <fcntl.h>

#include "preload/objects/next_functions.h"
#include "preload/waits/descriptor_names.h"
#include "preload/waits/waits.h"

#define STACK_ADDR own_frame_addr()
#define CALLER ((uintptr_t)__builtin_return_address(0))

#define WAIT_WRAPPER(type, function, parameters, arguments, label, wait_kind, fd, moved, failure)            \
	EXPORT type function parameters;                                                                     \
	EXPORT type function parameters                                                                      \
	{                                                                                                    \
		static struct wait_function known = { label, LOG_WAIT_##wait_kind, 0 };                      \
		struct wait under_way;                                                                       \
		type result;                                                                                 \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return failure;                                                                      \
		if (unlikely(!waits_on()))                                                                   \
			return real.function arguments;                                                      \
		wait_begin(&under_way, &known, WAIT_FOR_FD(fd), STACK_ADDR, CALLER);                         \
		result = real.function arguments;                                                            \
		wait_end(&under_way, moved);                                                                 \
		return result;                                                                               \
	}
PLAIN_WAIT_FUNCTIONS(WAIT_WRAPPER)

/* ---- descriptors ---- */

/*
 * The assembler gives the symbols their names, because the headers declare the variadic functions
 * differently.
 */
#define OPEN_WRAPPER(type, function, parameters, arguments, label)                                           \
	EXPORT type any_##function parameters __asm__(#function);                                            \
	EXPORT type any_##function parameters                                                                \
	{                                                                                                    \
		static struct wait_function known = { label, LOG_WAIT_FILE, 0 };                             \
		struct wait under_way;                                                                       \
		type result;                                                                                 \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return -1;                                                                           \
		if (unlikely(!waits_on()))                                                                   \
			return real.function arguments;                                                      \
		wait_begin(&under_way, &known, WAIT_FOR_FD(-1), STACK_ADDR, CALLER);                         \
		result = real.function arguments;                                                            \
		under_way.fd = result;                                                                       \
		under_way.path = path;                                                                       \
		wait_end(&under_way, 0);                                                                     \
		return result;                                                                               \
	}
OPEN_FUNCTIONS(OPEN_WRAPPER)

/* Of all operations only this one waits. */
static bool is_lock(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

#define FCNTL_WRAPPER(function)                                                                              \
	EXPORT int any_##function(int fd, int command, long argument) __asm__(#function);                    \
	EXPORT int any_##function(int fd, int command, long argument)                                        \
	{                                                                                                    \
		static struct wait_function known = { "fcntl", LOG_WAIT_FILE, 0 };                           \
		struct wait under_way;                                                                       \
		int result;                                                                                  \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return -1;                                                                           \
		if (likely(!is_lock(command)) || !waits_on())                                                \
			return real.function(fd, command, argument);                                         \
		wait_begin(&under_way, &known, WAIT_FOR_FD(fd), STACK_ADDR, CALLER);                         \
		result = real.function(fd, command, argument);                                               \
		wait_end(&under_way, 0);                                                                     \
		return result;                                                                               \
	}
FCNTL_WRAPPER(fcntl)
FCNTL_WRAPPER(fcntl64)

/* A descriptor's name ends with it. */
EXPORT int close(int fd);
EXPORT int close(int fd)
{
	descriptor_forget(fd);
	return real_find(close) ? real.close(fd) : -1;
}

EXPORT int dup2(int from, int to);
EXPORT int dup2(int from, int to)
{
	descriptor_forget(to);
	return real_find(dup2) ? real.dup2(from, to) : -1;
}

EXPORT int dup3(int from, int to, int flags);
EXPORT int dup3(int from, int to, int flags)
{
	descriptor_forget(to);
	return real_find(dup3) ? real.dup3(from, to, flags) : -1;
}
