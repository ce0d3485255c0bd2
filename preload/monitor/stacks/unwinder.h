/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds a thread's open functions from its registers and its stack, by the unwind tables of their code.
 * libunwind evaluates the tables; each code address is looked up once. Frames without a table are not
 * guessed.
 */
#pragma once

#include "preload/monitor/stacks/stacks_arch.h"
#include "preload/monitor/stacks/target_process.h"

#define STACK_FRAMES_MOST 512
#define STACK_BYTES_FIRST (16u << 10)
#define STACK_BYTES_MOST (1u << 20)

struct stack_frame {
	uint64_t code_addr;  /* in the call of the next function; innermost: the next instruction */
	uint64_t begin_addr; /* the function's first instruction; without a table: code_addr */
};

/* The innermost function is first. */
struct stack {
	struct stack_frame frames[STACK_FRAMES_MOST];
	uint32_t nr;
	bool is_cut;	     /* the outermost functions are missing */
	uint64_t lacks_addr; /* because the copy does not have this address; 0: for another reason */
};

struct unwinder;

/* @target: must stay. Return: NULL, with a line in @why: libunwind is not installed, or of another processor.
 */
struct unwinder *unwinder_new(struct target *target, const char **why);

/* Copy the stack above @sp, @bytes of it at most. Return: 0, or -errno. */
int unwinder_copy(struct unwinder *unwinder, uint64_t sp, size_t bytes);

/* Also copy from @addr on, which the last walk lacked. Return: whether anything could be read. */
bool unwinder_copy_more(struct unwinder *unwinder, uint64_t addr);

/*
 * Walk from @registers through the last copy. @is_still: the thread does not run, so missing parts of the
 * copy may be read from its memory. Functions of libc outside of the program's first one are left out.
 */
void unwinder_walk(struct unwinder *unwinder, const struct registers *registers, bool is_still,
		   struct stack *stack);

/* Was the code at @addr unknown to the target's list? Then that may be old. Cleared by asking. */
bool unwinder_missed_object(struct unwinder *unwinder);
