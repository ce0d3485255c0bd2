/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segments of code whose call sites of hooks are changed, and the stubs that such sites are pointed to. A
 * stub counts a call and returns, or only returns. Stubs lie near the code, where a displacement of 32 bits
 * reaches them.
 *
 * Called by sites.c, under its lock. Functions that handlers may call say so.
 */
#pragma once

#include "preload/calls/counted.h"
#include "preload/objects/eh_table.h"

enum hook { HOOK_ENTER, HOOK_EXIT, NR_HOOKS };

/* The hooks that sites call. The dynamic linker's tables have the same addresses. */
extern HIDDEN void *const hook_functions[NR_HOOKS];

/* A segment of code, and the stubs near it. */
struct code {
	uintptr_t begin;
	uintptr_t end; /* 0: free */
	uintptr_t object_begin;
	uintptr_t object_end;
	struct eh_table table;
	struct stub *stubs; /* atomic; the addresses of the hooks lie in place of the first one */
	uint32_t nr_stubs;
	uint32_t nr_detours[2];
	int protection; /* of its pages, except while one is changed */
};

/* The segment of code that @addr is in. NULL: it is not known, or there are too many segments. */
struct code *code_at(uintptr_t addr);

/*
 * Write these 4 bytes by one store. @at: in code, all in one cache line. Return: false: the kernel refuses.
 */
bool code_store(const struct code *code, uintptr_t at, const uint8_t bytes[4]);

/* A stub that adds 1 to this one of the thread's counters. NULL: there is no room, or it may not be made. */
struct stub *stub_counting(struct code *code, uint64_t function_addr, uint32_t counter);

/* The stub that returns at once for calls of this hook by this function. NULL: as above. */
struct stub *stub_returning(struct code *code, uint64_t function_addr, enum hook hook);

/* The operand of a site's call: the stub, or @by_word a word of memory with its address. */
uintptr_t stub_target(const struct stub *stub, bool by_word);

/*
 * The same at another address, whose lowest @nr_bytes bytes (1 or 2) are those of @like: a site that crosses
 * a line of the cache keeps these bytes of its displacement. 0: as above.
 */
uintptr_t stub_detour(struct code *code, const struct stub *stub, bool by_word, uint32_t nr_bytes,
		      uintptr_t like);

/* No site is changed any more. The log says why. */
void stubs_refuse(const char *why);
bool stubs_are_refused(void);

/* Is this address in a stub? From signal handlers too. */
bool stubs_hold(uintptr_t addr);

/*
 * The address at which a forked child that was interrupted at @addr must continue: at the begin of the stub
 * that @addr is in, because the stub may have loaded the address of the parent's counters. Elsewhere @addr
 * itself.
 */
uintptr_t stub_restart(uintptr_t addr);

/*
 * The begin of the function around this address, in code with changed sites. 0: not known. Callable from
 * handlers too.
 */
uintptr_t code_function(uintptr_t addr);

/* The code in [@begin, @end) is gone. Its stubs stay: a thread may be in one. */
void codes_forget(uintptr_t begin, uintptr_t end);
