/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Differences between processors: the numbers of registers in libunwind, and how a system call is restarted.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/user.h>

#define REGISTERS_MOST 33

struct registers {
	uint64_t at[REGISTERS_MOST]; /* by libunwind's numbers */
	uint64_t known;		     /* a bit for each */
};

#if defined(__x86_64__)
#define STACKS_ARE_POSSIBLE 1
#define REGISTER_SP 7
#define REGISTER_IP 16
#define RED_ZONE_BYTES 128 /* below the stack pointer, where functions may have saved registers */
/* The code that a handler returns to: mov $15, %rax; syscall */
#define SIGNAL_RETURN_CODE "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"

static inline void registers_take(struct registers *registers, const struct user_regs_struct *user)
{
	*registers = (struct registers){
		.at = { user->rax, user->rdx, user->rcx, user->rbx, user->rsi, user->rdi, user->rbp,
			user->rsp, user->r8, user->r9, user->r10, user->r11, user->r12, user->r13, user->r14,
			user->r15, user->rip },
		.known = (1u << 17) - 1,
	};
}

/* Has the stop ended a system call that the kernel does not restart by itself? */
static inline bool registers_ended_call(const struct user_regs_struct *user)
{
	return (int64_t)user->orig_rax >= 0 && (int64_t)user->rax == -EINTR;
}

static inline void registers_begin_call_again(struct user_regs_struct *user)
{
	user->rax = user->orig_rax;
	user->rip -= 2; /* the instruction syscall */
}
#else
#define STACKS_ARE_POSSIBLE 0
#define REGISTER_SP 31
#define REGISTER_IP 32
#define RED_ZONE_BYTES 0
#define SIGNAL_RETURN_CODE ""

static inline void registers_take(struct registers *registers, const struct user_regs_struct *user)
{
	*registers = (struct registers){ .known = 0 };
}

static inline bool registers_ended_call(const struct user_regs_struct *user)
{
	return false;
}

static inline void registers_begin_call_again(struct user_regs_struct *user)
{
}
#endif
