/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is recorded of a program that is recorded: INSIDEME_FOCUS, INSIDEME_EXCLUDE, INSIDEME_DEPTH. And which
 * functions timing auto must not count: INSIDEME_KEEP.
 *
 * Whether a function is one of focus or is excluded follows from its address, so an excluded call and one
 * outside of the focus need no frame: their exits are told by the same question. Names are those of the
 * symbol tables of loaded files, read once for each object when it is first seen.
 */
#pragma once

#include "preload/state/live.h"

/* The larger one holds where both do. */
enum verdict { VERDICT_NONE, VERDICT_PLAIN, VERDICT_KEPT, VERDICT_FOCUS, VERDICT_EXCLUDED };

#define VERDICT_BITS	3
#define VERDICT_MASK	7u
#define SELECTION_CACHE	4096u

extern HIDDEN struct selection {
	bool is_on;
	bool has_names;
	bool has_focus;
	bool has_kept;
	uint64_t most_depth;		/* 0: any */
} selection;	/* set before any thread */
extern HIDDEN uint64_t selection_cache[SELECTION_CACHE]; /* address << VERDICT_BITS | verdict; atomic */

/* Take the settings. Constructor only. */
void selection_init(void);

/* An object of @path is loaded at @begin to @end, or gone. One at a time, with signals blocked. */
void selection_add(const char *path, uintptr_t bias, uintptr_t begin, uintptr_t end);
void selection_remove(uintptr_t begin, uintptr_t end);

/* Say which names mean nothing that is loaded, once per run. */
void selection_tell_unknown(void);

enum verdict selection_look_up(uint64_t function_addr);

static ALWAYS_INLINE enum verdict selection_verdict(uint64_t function_addr)
{
	uint64_t entry =
		__atomic_load_n(&selection_cache[(function_addr >> 4) % SELECTION_CACHE], __ATOMIC_RELAXED);

	/* The flag of a region goes off at the top: no function lies as low as the rest of it. */
	return likely((entry & ~(uint64_t)VERDICT_MASK) == function_addr << VERDICT_BITS)
		       ? (enum verdict)(entry & VERDICT_MASK)
		       : selection_look_up(function_addr);
}

/* Is nothing open that is recorded, where the thread is now? */
static ALWAYS_INLINE bool selection_is_outside(const struct log_thread *thread)
{
	return thread->current ==
	       thread->head.self + (uint32_t)(offsetof(struct log_thread, root) >> LOG_REF_SHIFT);
}

static ALWAYS_INLINE bool selection_excludes(uint64_t function_addr)
{
	return selection.has_names && selection_verdict(function_addr) == VERDICT_EXCLUDED;
}

/* Is each call of it to be timed? Or does what is recorded of other functions depend on open calls of this
 * one? */
static ALWAYS_INLINE bool selection_needs_frame(uint64_t function_addr)
{
	const uint32_t verdict = selection.has_focus || selection.has_kept ? selection_verdict(function_addr)
									   : VERDICT_PLAIN;

	return selection.most_depth || verdict == VERDICT_FOCUS || verdict == VERDICT_KEPT;
}

/* Is a call of it that begins now outside of the focus? */
static ALWAYS_INLINE bool selection_is_beside(const struct log_thread *thread, uint64_t function_addr)
{
	return selection.has_focus && selection_is_outside(thread) &&
	       selection_verdict(function_addr) != VERDICT_FOCUS;
}
