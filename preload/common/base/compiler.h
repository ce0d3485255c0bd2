/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences between compilers and processors, and the attributes that the recorder's code uses. */
#pragma once

#include <stdint.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define EXPORT		__attribute__((visibility("default")))
#define HIDDEN		__attribute__((visibility("hidden")))	/* without the GOT */

/*
 * The global function @function is exported as @symbol alone: a function of libc that x86-64 has in two
 * versions, of which programs that were linked long ago call the old one.
 */
#if defined(__x86_64__)
#define EXPORT_NEW_VERSION(function, symbol) \
	__asm__(".symver " #function ", " #symbol "@@@GLIBC_2.3.2")
#define EXPORT_OLD_VERSION(function, symbol) \
	__asm__(".symver " #function ", " #symbol "@GLIBC_2.2.5, remove")
#else
#define EXPORT_NEW_VERSION(function, symbol) \
	extern __typeof__(function) symbol __attribute__((alias(#function), visibility("default")))
#define EXPORT_OLD_VERSION(function, symbol) _Static_assert(1, "there is none")
#endif

#define NOINLINE	__attribute__((noinline))
#define ALWAYS_INLINE	inline __attribute__((always_inline))

/* A signal handler on this thread sees writes before the fence before it sees writes after it. */
#define signal_fence()	__atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Force the load of @value before the code that follows: a clock reading would delay it. */
#define load_now(value)	__asm__ volatile("" : "+r"(value))

/*
 * __builtin_frame_address(0) in a function without a frame pointer: two words below its caller's
 * stack.
 */
#define own_frame_addr()	((uintptr_t)__builtin_dwarf_cfa() - 2 * sizeof(void *))

/* Is the address that a call returns to the word below its caller's stack? Others have it in a register. */
#if defined(__x86_64__)
#define RETURN_IS_BELOW_STACK	1
#else
#define RETURN_IS_BELOW_STACK	0
#endif

/* Static TLS: the library is loaded at start, so its only TLS object has a fixed place. */
#define TLS_INITIAL_EXEC	__attribute__((tls_model("initial-exec")))

/*
 * A large static variable. The linker sorts by alignment, so large ones come before all small ones,
 * which then share few pages.
 */
#define LARGE	_Alignas(64)

/* At least one page, whatever page size the processor uses. */
#if defined(__aarch64__)
#define LIVE_BYTES	65536
#else
#define LIVE_BYTES	4096
#endif

/*
 * Add to a 64-bit word that only the calling thread writes. It is one instruction, so the thread's
 * signal handlers see the word before or after it, and it avoids the cost of a locked add.
 */
static ALWAYS_INLINE void add_own(void *word, long number)
{
#if defined(__x86_64__)
	__asm__("addq %1, %0" : "+m"(*(long *)word) : "er"(number) : "cc");
#else
	__atomic_fetch_add((long *)word, number, __ATOMIC_RELAXED);
#endif
}

/* The same for a 32-bit word. */
static ALWAYS_INLINE void add_own_u32(uint32_t *word, uint32_t number)
{
#if defined(__x86_64__)
	__asm__("addl %1, %0" : "+m"(*word) : "er"(number) : "cc");
#else
	__atomic_fetch_add(word, number, __ATOMIC_RELAXED);
#endif
}

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
