/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects the calls that are recorded: INSIDEME_FOCUS, INSIDEME_EXCLUDE, INSIDEME_DEPTH; and the functions
 * that timing auto must not count: INSIDEME_KEEP.
 *
 * A function's address decides whether it is in the focus or excluded. So an excluded call, and one outside
 * of the focus, need no frame: their exits are decided in the same way. Names come from the symbol tables of
 * loaded files, which are read once for each object, when it is first found.
 *
 * The focus may change while calls are open. Each list is a set of its own, which is made once and stays, so
 * hooks read it without a lock. From the first change on, a call is in the focus if a function of the focus
 * is on the thread's path, and frames decide which call an exit ends: a call of the top frame's function
 * always has a frame.
 */
#pragma once

#include "preload/state/live.h"

/* The larger one applies where both do. */
enum verdict { VERDICT_NONE, VERDICT_PLAIN, VERDICT_KEPT, VERDICT_FOCUS, VERDICT_EXCLUDED };

#define VERDICT_BITS	3
#define VERDICT_MASK	7u
#define SELECTION_CACHE	4096u

/* The functions that one list of the focus selects, with INSIDEME_EXCLUDE and INSIDEME_KEEP. */
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

/* Print which names match nothing that is loaded, or only a part of what they name; once per run. */
void selection_tell_unknown(void);

/*
 * From now on @focus, as INSIDEME_FOCUS, is in force; "": all calls are recorded. Reads the symbols of loaded
 * objects if the list is new. Return: 0, -EINVAL if it is too long, -ENOSPC after many different lists,
 * -EPERM if the library may make no system call any more.
 */
int selection_change(const char *focus);

/* In a forked child, which has another log. */
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

	/* Shifting drops the flag of a region: no function lies as low as the remaining bits. */
	return likely((entry & ~(uint64_t)VERDICT_MASK) == function_addr << VERDICT_BITS)
		       ? (enum verdict)(entry & VERDICT_MASK)
		       : selection_look_up(set, function_addr);
}

/* After a change: is no function of the focus on the path that the thread is on? */
bool selection_is_off_path(struct selection_set *set, const struct log_thread *thread);

/* Is the thread at its root, or off the path of the focus? */
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

/* Does it depend on the caller whether a call is recorded? */
static ALWAYS_INLINE bool selection_depends_on_caller(void)
{
	return selection_now()->has_focus || selection.has_changed || selection.most_depth;
}

/*
 * Must each call of the function be timed, by a setting or because the recording of other functions depends
 * on its open calls?
 */
static ALWAYS_INLINE bool selection_needs_frame(uint64_t function_addr)
{
	struct selection_set *set = selection_now();
	const uint32_t verdict =
		set->has_focus || selection.has_kept ? selection_verdict(set, function_addr) : VERDICT_PLAIN;

	return selection.most_depth || verdict == VERDICT_FOCUS || verdict == VERDICT_KEPT;
}

/*
 * Is a call of the function that begins now outside of the focus? A call of the top frame's function has a
 * frame too: an exit of that function is then the top frame's.
 */
static ALWAYS_INLINE bool selection_is_beside(const struct log_thread *thread, uint64_t function_addr)
{
	struct selection_set *set = selection_now();

	return set->has_focus && selection_verdict(set, function_addr) != VERDICT_FOCUS &&
	       selection_is_outside(set, thread) &&
	       ((const struct log_frame *)thread->top_addr)->function_addr != function_addr;
}
