/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of stdio. If a call finds enough data, or enough room, in the stream's buffer, it is forwarded
 * without reading the clock; any other call may read or write the file. glibc's own calls of read() and
 * write() pass no wrapper.
 */
#include <stdarg.h>

#include "preload/objects/next_functions.h"
#include "preload/waits/descriptor_names.h"
#include "preload/waits/waits.h"

#undef fread_unlocked /* macros in some versions of the header */
#undef fwrite_unlocked

#define STACK_ADDR own_frame_addr()
#define CALLER ((uintptr_t)__builtin_return_address(0))

#define UNBUFFERED 0x002   /* these three: in _flags, glibc's */
#define END_SEEN 0x010	   /* until the flag is cleared, nothing is read (C99; glibc since 2.28) */
#define LINE_BUFFERED 0x200
#define PRINT_ROOM 512u /* few calls print more; a longer one that passes the buffer is not seen */

/* NULL: no object defines it. */
static FILE *standard(FILE *const *variable)
{
	return variable ? *variable : NULL;
}

static ALWAYS_INLINE size_t bytes_left(const FILE *file)
{
	return (size_t)(file->_IO_read_end - file->_IO_read_ptr);
}

/* Has the buffer fewer bytes to read than this, and may the file have more? */
static ALWAYS_INLINE bool lacks(const FILE *file, size_t bytes)
{
	return file && bytes_left(file) < bytes && !(file->_flags & END_SEEN);
}

/* As lacks(), for fread(): what is larger than the buffer is read past it, and behind the end too. */
static ALWAYS_INLINE bool lacks_block(const FILE *file, size_t bytes)
{
	return lacks(file, bytes) ||
	       (file && bytes_left(file) < bytes &&
		bytes - bytes_left(file) >= (size_t)(file->_IO_buf_end - file->_IO_buf_base));
}

#define EACH_BYTE (~(uint64_t)0 / 255)	/* times a byte: 8 of it */

/* Is it one of the bytes of [@at, @end)? */
static bool has_byte(const char *at, const char *end, char byte)
{
	for (uint64_t eight; end - at >= (ssize_t)sizeof(eight); at += sizeof(eight)) {
		__builtin_memcpy(&eight, at, sizeof(eight));
		eight ^= EACH_BYTE * (unsigned char)byte;	/* looked for: a byte of 0 */
		if ((eight - EACH_BYTE) & ~eight & EACH_BYTE << 7)
			return true;
	}
	while (at < end)
		if (*at++ == byte)
			return true;
	return false;
}

static bool lock_at_once(FILE *file)
{
	return real_find(ftrylockfile) && real_find(funlockfile) && real.ftrylockfile(file) == 0;
}

/*
 * Does the buffer end before the line does, or its first @most bytes? Only the stream's lock keeps other
 * threads from giving it another buffer meanwhile. If one of them has the lock, the call waits.
 */
static bool lacks_line(FILE *file, size_t most, int end)
{
	bool result;

	if (!lacks(file, most))
		return false;
	if (!lock_at_once(file))
		return true;
	result = lacks(file, most) && !has_byte(file->_IO_read_ptr, file->_IO_read_end, (char)end);
	real.funlockfile(file);
	return result;
}

/* The first call makes the buffer, which is larger than this. */
static ALWAYS_INLINE size_t room_of(const FILE *file)
{
	return file->_IO_write_ptr ? (size_t)(file->_IO_buf_end - file->_IO_write_ptr) : PRINT_ROOM;
}

/* Has the buffer no room for that many bytes, or does it not keep them? */
static ALWAYS_INLINE bool fills(const FILE *file, size_t bytes)
{
	return file && (file->_flags & (UNBUFFERED | LINE_BUFFERED) || room_of(file) < bytes);
}

/*
 * The first fields of a stream's buffer of wide characters. glibc's headers had them until 2.27, for macros
 * that programs have in their code, so they stay.
 */
struct _IO_wide_data {
	wchar_t *read_ptr, *read_end, *read_base;
	wchar_t *write_base, *write_ptr, *write_end;
	wchar_t *buf_base, *buf_end;
};

/* NULL: the stream has no orientation yet, or is one of bytes, and a call for wide characters fails. */
static const struct _IO_wide_data *wide_of(const FILE *file)
{
	return file && file->_mode > 0 ? file->_wide_data : NULL;
}

/* As lacks(). The first call reads. */
static bool lacks_wide(const FILE *file, size_t nr)
{
	const struct _IO_wide_data *wide = wide_of(file);

	return wide ? (size_t)(wide->read_end - wide->read_ptr) < nr && !(file->_flags & END_SEEN)
		    : file && !file->_mode;
}

static bool lacks_wide_line(FILE *file, size_t most)
{
	const struct _IO_wide_data *wide;
	bool result = true;

	if (!lacks_wide(file, most))
		return false;
	if (!lock_at_once(file))
		return true;
	wide = wide_of(file);
	for (const wchar_t *at = wide ? wide->read_ptr : NULL; wide && result && at < wide->read_end; at++)
		result = *at != L'\n';
	real.funlockfile(file);
	return result;
}

static bool fills_wide(const FILE *file, size_t nr)
{
	const struct _IO_wide_data *wide = wide_of(file);
	const size_t room =
		wide && wide->write_ptr ? (size_t)(wide->buf_end - wide->write_ptr) : PRINT_ROOM;

	return file && file->_mode >= 0 &&
	       (file->_flags & (UNBUFFERED | LINE_BUFFERED) || room < nr);
}

/* Has the buffer anything to be written? NULL: all streams. */
static bool holds(const FILE *file)
{
	const struct _IO_wide_data *wide = wide_of(file);

	return !file || file->_IO_write_ptr > file->_IO_write_base ||
	       (wide && wide->write_ptr > wide->write_base);
}

/*
 * Does the place @to lie outside the buffer, or may it? Then glibc moves the file to it, and fills the buffer
 * of a stream that reads. @_offset is where the buffer ends in the file, -1 before it is known.
 */
static bool leaves(const FILE *file, off64_t to, int whence)
{
	off64_t begin, place;

	if (!file || file->_mode > 0 || holds(file) || whence == SEEK_END || file->_offset < 0)
		return file != NULL;
	begin = file->_offset - (file->_IO_read_end - file->_IO_buf_base);
	place = whence == SEEK_CUR ? file->_offset - (off64_t)bytes_left(file) + to : to;
	return !file->_IO_read_base || place < begin || place >= file->_offset;
}

static int descriptor_of(const FILE *file)
{
	return file ? file->_fileno : -1;
}

#define STREAM_WRAPPER(type, function, parameters, arguments, label, file, may_wait, moved, failure)         \
	EXPORT type function parameters;                                                                     \
	EXPORT type function parameters                                                                      \
	{                                                                                                    \
		static struct wait_function known = { label, LOG_WAIT_STREAM, 0 };                           \
		struct wait under_way;                                                                       \
		type result;                                                                                 \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return failure;                                                                      \
		if (unlikely(!waits_on()) || !(may_wait))                                                    \
			return real.function arguments;                                                      \
		wait_begin(&under_way, &known, WAIT_FOR_FD(descriptor_of(file)), STACK_ADDR, CALLER);        \
		result = real.function arguments;                                                            \
		wait_end(&under_way, (int64_t)(moved));                                                      \
		return result;                                                                               \
	}
STREAM_FUNCTIONS(STREAM_WRAPPER)
WIDE_STREAM_FUNCTIONS(STREAM_WRAPPER)

/* The variadic functions call those with a list. */
#define VARIADIC_WRAPPER(...) VARIADIC_WRAPPER_OF(__VA_ARGS__)
#define VARIADIC_WRAPPER_OF(function, parameters, last, label, fd, may_wait, moved, next, arguments)         \
	EXPORT int function parameters;                                                                      \
	EXPORT int function parameters                                                                       \
	{                                                                                                    \
		static struct wait_function known = { label, LOG_WAIT_STREAM, 0 };                           \
		struct wait under_way;                                                                       \
		bool waits = waits_on() && real_find(next) && (may_wait);                                    \
		va_list list;                                                                                \
		int result = -1;                                                                             \
                                                                                                             \
		va_start(list, last);                                                                        \
		if (waits)                                                                                   \
			wait_begin(&under_way, &known, WAIT_FOR_FD(fd), STACK_ADDR, CALLER);                 \
		if (real_find(next))                                                                         \
			result = real.next arguments;                                                        \
		if (waits)                                                                                   \
			wait_end(&under_way, moved);                                                         \
		va_end(list);                                                                                \
		return result;                                                                               \
	}
VARIADIC_FUNCTIONS(VARIADIC_WRAPPER)
WIDE_VARIADIC_FUNCTIONS(VARIADIC_WRAPPER)

#define STREAM_OPEN_WRAPPER(type, function, parameters, arguments, replaced)                                 \
	EXPORT type function parameters;                                                                     \
	EXPORT type function parameters                                                                      \
	{                                                                                                    \
		static struct wait_function known = { #function, LOG_WAIT_FILE, 0 };                         \
		struct wait under_way;                                                                       \
		type result;                                                                                 \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return NULL;                                                                         \
		descriptor_forget(descriptor_of(replaced));                                                  \
		if (unlikely(!waits_on()))                                                                   \
			return real.function arguments;                                                      \
		wait_begin(&under_way, &known, WAIT_FOR_FD(-1), STACK_ADDR, CALLER);                         \
		result = real.function arguments;                                                            \
		under_way.fd = descriptor_of(result);                                                        \
		under_way.path = path;                                                                       \
		wait_end(&under_way, 0);                                                                     \
		return result;                                                                               \
	}
STREAM_OPEN_FUNCTIONS(STREAM_OPEN_WRAPPER)

/* The descriptor's name ends with the stream. Afterwards its number may be another thread's. */
#define CLOSE_WRAPPER(function, wait_kind, may_wait)                                                         \
	EXPORT int function(FILE *file);                                                                     \
	EXPORT int function(FILE *file)                                                                      \
	{                                                                                                    \
		static struct wait_function known = { #function, LOG_WAIT_##wait_kind, 0 };                  \
		const int fd = descriptor_of(file);                                                          \
		const bool waits = waits_on() && (may_wait);                                                 \
		struct wait under_way;                                                                       \
		int result;                                                                                  \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return EOF;                                                                          \
		if (waits)                                                                                   \
			wait_begin(&under_way, &known, WAIT_FOR_FD(fd), STACK_ADDR, CALLER);                 \
		descriptor_forget(fd);                                                                       \
		result = real.function(file);                                                                \
		if (waits) {                                                                                 \
			under_way.fd = -1;                                                                   \
			wait_end(&under_way, 0);                                                             \
		}                                                                                            \
		return result;                                                                               \
	}
CLOSE_WRAPPER(fclose, STREAM, holds(file))
CLOSE_WRAPPER(pclose, CHILD, true)
