/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs between compilers and processors, and the attributes that the recorder's code uses. */
#ifndef INSIDEME_COMPILER_H
#define INSIDEME_COMPILER_H

#include <stdint.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define EXPORT		__attribute__((visibility("default")))
#define HIDDEN		__attribute__((visibility("hidden")))	/* reached without the GOT */
#define NOINLINE	__attribute__((noinline))
#define ALWAYS_INLINE	inline __attribute__((always_inline))
#define PRINTF_LIKE(format, first)	__attribute__((format(printf, format, first)))

/* A signal handler on this thread sees what is written before, before what is written after. */
#define signal_fence()	__atomic_signal_fence(__ATOMIC_SEQ_CST)

/* In a loop that waits for another thread. */
static ALWAYS_INLINE void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ volatile("yield");
#endif
}

/* The value is in a register before whatever follows: for loads that a clock reading would hold up. */
#define load_now(value)	__asm__ volatile("" : "+r"(value))

/* __builtin_frame_address(0) of a function that has no frame pointer: two words below its caller's stack. */
#define own_frame_addr()	((uintptr_t)__builtin_dwarf_cfa() - 2 * sizeof(void *))

/* For static TLS: the library is loaded at start, so its one TLS object has a fixed place. */
#define TLS_INITIAL_EXEC	__attribute__((tls_model("initial-exec")))

/* Static and large: such lie before all small ones, which share few pages so (the linker sorts by alignment). */
#define LARGE	_Alignas(64)

/* At least a page of any size in use on the processor. */
#if defined(__aarch64__)
#define LIVE_BYTES	65536
#else
#define LIVE_BYTES	4096
#endif

/*
 * Add to a 64-bit word that only the calling thread writes: one instruction, so whole with respect to the
 * thread's signal handlers, and without the cost of a locked add.
 */
static ALWAYS_INLINE void add_own(void *word, long number)
{
#if defined(__x86_64__)
	__asm__("addq %1, %0" : "+m"(*(long *)word) : "er"(number) : "cc");
#else
	__atomic_fetch_add((long *)word, number, __ATOMIC_RELAXED);
#endif
}

/* The same of a 32-bit word. */
static ALWAYS_INLINE void add_own_u32(uint32_t *word, uint32_t number)
{
#if defined(__x86_64__)
	__asm__("addl %1, %0" : "+m"(*word) : "er"(number) : "cc");
#else
	__atomic_fetch_add(word, number, __ATOMIC_RELAXED);
#endif
}

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif
