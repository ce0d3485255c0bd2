/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is recorded of a program that is recorded: INSIDEME_FOCUS, INSIDEME_EXCLUDE, INSIDEME_DEPTH. And which
 * functions timing auto must not count: INSIDEME_KEEP.
 *
 * Whether a function is one of focus or is excluded follows from its address, so an excluded call and one
 * outside of the focus need no frame: their exits are told by the same question. Names are those of the
 * symbol tables of loaded files, read once for each object when it is first seen.
 *
 * The focus may change while calls are open. Each list of it is a set of its own, which is made once and
 * stays, so hooks read it without a lock. From the first change on a call is in the focus if a function of it
 * is on the thread's path, and exits are told by the frames: a call whose function is that of the top frame
 * always has one.
 */
#pragma once

#include "preload/state/live.h"

/* The larger one holds where both do. */
enum verdict { VERDICT_NONE, VERDICT_PLAIN, VERDICT_KEPT, VERDICT_FOCUS, VERDICT_EXCLUDED };

#define VERDICT_BITS	3
#define VERDICT_MASK	7u
#define SELECTION_CACHE	4096u

/* What one list of the focus selects, with INSIDEME_EXCLUDE and INSIDEME_KEEP. */
struct selection_set {
	uint64_t cache[SELECTION_CACHE]; /* address << VERDICT_BITS | verdict; atomic */
	bool has_names;
	bool has_focus;
	uint32_t number;
};

extern HIDDEN struct selection {
	bool is_on; /* this and has_changed never become false again; the rest is set before any thread */
	bool has_changed;
	bool has_kept;
	uint64_t most_depth;		/* 0: any */
	struct selection_set *set;	/* atomic */
} selection;

/* Take the settings. Constructor only. */
void selection_init(void);

/* An object of @path is loaded at @begin to @end, or gone. One at a time, with signals blocked. */
void selection_add(const char *path, uintptr_t bias, uintptr_t begin, uintptr_t end);
void selection_remove(uintptr_t begin, uintptr_t end);

/* Say which names mean nothing that is loaded, or only a part of what they say, once per run. */
void selection_tell_unknown(void);

/*
 * From now on @focus, as INSIDEME_FOCUS, is in force; "": all calls are recorded. Reads the symbols of what
 * is loaded if the list is a new one. Return: 0, -EINVAL if it is too long, -ENOSPC after many different
 * lists, -EPERM where the library makes no system call any more.
 */
int selection_change(const char *focus);

/* In a forked child, whose log is another one. */
void selection_forked(void);

/* Do what insideme-run asks for in the log. */
void selection_follow_wish(void);

static ALWAYS_INLINE void selection_poll(const struct log_header *log)
{
	if (unlikely(__atomic_load_n(&log->focus_wanted, __ATOMIC_RELAXED) !=
		     __atomic_load_n(&log->focus_seen, __ATOMIC_RELAXED)))
		selection_follow_wish();
}

static ALWAYS_INLINE struct selection_set *selection_now(void)
{
	return __atomic_load_n(&selection.set, __ATOMIC_ACQUIRE);
}

enum verdict selection_look_up(struct selection_set *set, uint64_t function_addr);

static ALWAYS_INLINE enum verdict selection_verdict(struct selection_set *set, uint64_t function_addr)
{
	uint64_t entry =
		__atomic_load_n(&set->cache[(function_addr >> 4) % SELECTION_CACHE], __ATOMIC_RELAXED);

	/* The flag of a region goes off at the top: no function lies as low as the rest of it. */
	return likely((entry & ~(uint64_t)VERDICT_MASK) == function_addr << VERDICT_BITS)
		       ? (enum verdict)(entry & VERDICT_MASK)
		       : selection_look_up(set, function_addr);
}

/* After a change: is no function of the focus on the path that the thread is on? */
bool selection_is_off_path(struct selection_set *set, const struct log_thread *thread);

/* Is nothing open that is recorded, where the thread is now? */
static ALWAYS_INLINE bool selection_is_outside(struct selection_set *set, const struct log_thread *thread)
{
	if (thread->current ==
	    thread->head.self + (uint32_t)(offsetof(struct log_thread, root) >> LOG_REF_SHIFT))
		return true;
	return unlikely(selection.has_changed) && selection_is_off_path(set, thread);
}

static ALWAYS_INLINE bool selection_excludes(uint64_t function_addr)
{
	struct selection_set *set = selection_now();

	return set->has_names && selection_verdict(set, function_addr) == VERDICT_EXCLUDED;
}

/* Does what is recorded of a call depend on where it is called from? */
static ALWAYS_INLINE bool selection_depends_on_caller(void)
{
	return selection_now()->has_focus || selection.has_changed || selection.most_depth;
}

/* Is each call of it to be timed? Or does what is recorded of other functions depend on open calls of this
 * one? */
static ALWAYS_INLINE bool selection_needs_frame(uint64_t function_addr)
{
	struct selection_set *set = selection_now();
	const uint32_t verdict =
		set->has_focus || selection.has_kept ? selection_verdict(set, function_addr) : VERDICT_PLAIN;

	return selection.most_depth || verdict == VERDICT_FOCUS || verdict == VERDICT_KEPT;
}

/*
 * Is a call of it that begins now outside of the focus? A call of the top frame's function has a frame too:
 * an exit of that function is then the top frame's.
 */
static ALWAYS_INLINE bool selection_is_beside(const struct log_thread *thread, uint64_t function_addr)
{
	struct selection_set *set = selection_now();

	return set->has_focus && selection_verdict(set, function_addr) != VERDICT_FOCUS &&
	       selection_is_outside(set, thread) &&
	       ((const struct log_frame *)thread->top_addr)->function_addr != function_addr;
}
