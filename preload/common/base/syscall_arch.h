/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code in instructions of each processor. For system calls:
 *   raw_syscall()  returns a value, or -errno
 *   raw_clone()    starts a task that runs @run(@argument) on the stack that ends at @stack_end, with @tls
 *                  as its thread pointer; @run must not return. Returns the tid to the caller, or -errno
 *   SIGNAL_RETURN  what a signal handler returns to
 *   interrupted_code()  the address of the code that a signal interrupted, interrupted_stack() its
 *                       stack pointer
 *   interrupted_registers()  its registers, as DWARF numbers them (STACK_POINTER_NUMBER); returns a bit each
 *   registers_here()         the same of the caller: those that functions keep
 * For libc's setjmp():
 *   jump_target()  the stack pointer in a jmp_buf's words; 0 where it cannot be read
 */
#pragma once

#include <ucontext.h>

#include "preload/common/base/compiler.h"

#if defined(__x86_64__)
static ALWAYS_INLINE long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/*
 * A signal frame keeps the registers of the code that it interrupted. From the stack pointer's word
 * on these are: the stack pointer, the address of the code, flags, segments. 19 and 20 words before it are
 * uc_link, which is 0, and a few flags.
 */
#define SIGNAL_CONTEXT_BEFORE 20
#define SIGNAL_CONTEXT_WORDS 4
static ALWAYS_INLINE int is_signal_context(const unsigned long *word)
{
	return (word[3] & 0xffff) == 0x33 && (word[2] & ~0x3fffd7ul) == 0 && (word[2] & 2) && word[0] &&
	       word[1] && !word[-19] && word[-20] < 64;
}

static inline long raw_clone(void (*run)(void *), void *argument, void *stack_end, unsigned long flags,
			     void *tls, void *tid)
{
	register void *r10 __asm__("r10") = tid;
	register void *r8 __asm__("r8") = tls;
	register void (*r12)(void *) __asm__("r12") = run;
	register void *r13 __asm__("r13") = argument;
	long result;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "mov %%r13, %%rdi\n\t"
			 "call *%%r12\n\t"
			 "ud2\n"
			 "1:"
			 : "=a"(result)
			 : "0"(56L /* SYS_clone */), "D"(flags), "S"(stack_end), "d"(tid), "r"(r10), "r"(r8),
			   "r"(r12), "r"(r13)
			 : "rcx", "r11", "memory");
	return result;
}

/* Debuggers and unwinders recognize a signal frame by exactly these bytes, which libc has too. */
#define SIGNAL_RETURN "movq $15, %rax\n\tsyscall"	/* SYS_rt_sigreturn */

static ALWAYS_INLINE unsigned long interrupted_code(const ucontext_t *context)
{
	return (unsigned long)context->uc_mcontext.gregs[REG_RIP];
}

static ALWAYS_INLINE unsigned long interrupted_stack(const ucontext_t *context)
{
	return (unsigned long)context->uc_mcontext.gregs[REG_RSP];
}

static inline unsigned long interrupted_registers(const ucontext_t *context, uint64_t *registers)
{
	static const uint8_t order[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
					 REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
					 REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	for (unsigned i = 0; i < ARRAY_SIZE(order); i++)
		registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	return (1ul << ARRAY_SIZE(order)) - 1;
}

#define STACK_POINTER_NUMBER 7

static ALWAYS_INLINE unsigned long registers_here(uint64_t *registers)
{
	__asm__ volatile("movq %%rbx, 24(%0)\n\t"
			 "movq %%rbp, 48(%0)\n\t"
			 "movq %%rsp, 56(%0)\n\t"
			 "movq %%r12, 96(%0)\n\t"
			 "movq %%r13, 104(%0)\n\t"
			 "movq %%r14, 112(%0)\n\t"
			 "movq %%r15, 120(%0)\n\t"
			 "leaq 0(%%rip), %%rcx\n\t"
			 "movq %%rcx, 128(%0)"
			 :
			 : "a"(registers)
			 : "rcx", "memory");
	return 1ul << 3 | 1ul << 6 | 1ul << 7 | 0xful << 12 | 1ul << 16;
}

/* preload/calls/sites.c knows how compilers call a hook here. */
#define CALL_SITES_ARE_KNOWN 1

#define RAW_CLONE_TLS(block) (*(void **)(block) = (block))	/* %fs:0 holds its own address */

/* glibc mangles the stack pointer: it is rotated, then xored with a secret in the thread's block. */
static inline unsigned long jump_target(const void *words)
{
	unsigned long word = ((const unsigned long *)words)[6], secret;

	__asm__("movq %%fs:0x30, %0" : "=r"(secret));
	return (word >> 17 | word << 47) ^ secret;
}
#elif defined(__aarch64__)
static ALWAYS_INLINE long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

/* As above: stack pointer, address of the code, processor state. */
#define SIGNAL_CONTEXT_BEFORE 0
#define SIGNAL_CONTEXT_WORDS 3
static ALWAYS_INLINE int is_signal_context(const unsigned long *word)
{
	return !(word[0] & 15) && !(word[1] & 3) && !(word[2] & 0x1f) && !(word[2] >> 32) && word[0] &&
	       word[1];
}

static inline long raw_clone(void (*run)(void *), void *argument, void *stack_end, unsigned long flags,
			     void *tls, void *tid)
{
	register long x8 __asm__("x8") = 220;	/* SYS_clone */
	register long x0 __asm__("x0") = (long)flags;
	register void *x1 __asm__("x1") = stack_end;
	register void *x2 __asm__("x2") = tid;
	register void *x3 __asm__("x3") = tls;
	register void *x4 __asm__("x4") = tid;
	register void (*x19)(void *) __asm__("x19") = run;
	register void *x20 __asm__("x20") = argument;

	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, #0\n\t"
			 "mov x0, x20\n\t"
			 "blr x19\n\t"
			 "brk #0\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x19), "r"(x20)
			 : "memory");
	return x0;
}

#define SIGNAL_RETURN "mov x8, #139\n\tsvc 0"	/* SYS_rt_sigreturn */

static ALWAYS_INLINE unsigned long interrupted_code(const ucontext_t *context)
{
	return (unsigned long)context->uc_mcontext.pc;
}

static ALWAYS_INLINE unsigned long interrupted_stack(const ucontext_t *context)
{
	return (unsigned long)context->uc_mcontext.sp;
}

static inline unsigned long interrupted_registers(const ucontext_t *context, uint64_t *registers)
{
	for (unsigned i = 0; i < 31; i++)
		registers[i] = context->uc_mcontext.regs[i];
	registers[31] = context->uc_mcontext.sp;
	registers[32] = context->uc_mcontext.pc;
	return (1ul << 33) - 1;
}

#define STACK_POINTER_NUMBER 31

static ALWAYS_INLINE unsigned long registers_here(uint64_t *registers)
{
	__asm__ volatile("stp x19, x20, [%0, #152]\n\t"
			 "stp x21, x22, [%0, #168]\n\t"
			 "stp x23, x24, [%0, #184]\n\t"
			 "stp x25, x26, [%0, #200]\n\t"
			 "stp x27, x28, [%0, #216]\n\t"
			 "stp x29, x30, [%0, #232]\n\t"
			 "mov x9, sp\n\t"
			 "adr x10, .\n\t"
			 "stp x9, x10, [%0, #248]"
			 :
			 : "r"(registers)
			 : "x9", "x10", "memory");
	return 0xffful << 19 | 1ul << 31 | 1ul << 32;
}

#define CALL_SITES_ARE_KNOWN 0

#define RAW_CLONE_TLS(block) ((void)(block))

/*
 * The stack pointer is mangled with a secret that is private to ld.so. The next hook sees where the
 * jump went.
 */
static inline unsigned long jump_target(const void *words)
{
	return 0;
}
#else
#error "InsideMe runs on x86-64 and aarch64"
#endif
