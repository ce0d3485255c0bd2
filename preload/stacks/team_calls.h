/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parallel regions of OpenMP. Each thread of the team records its calls in its own tree. They stand below one
 * call, which names the path of the thread that began the region. So no sum has times of several threads.
 */
#pragma once

#include "preload/state/live.h"

/* A call without hooks, recorded for it. */
struct team_call {
	uint64_t function_addr; /* 0: not recorded */
	uintptr_t stack_addr;
};

/*
 * The path of the calling thread, which begins a region: the ref of its node. 0: it is in no recorded
 * function, or outside of the focus, or INSIDEME_DEPTH is set: then nothing of the region is recorded.
 */
uint32_t team_starter(void);

/*
 * The calling thread begins its part of the region that another thread began at @starter. Not recorded if it
 * is within a recorded call.
 */
void team_enter(struct team_call *call, uint32_t starter, uintptr_t stack_addr);

/*
 * The same for the body @function_addr of a region that began at @call_site; 0: it has hooks, or nothing is
 * recorded. gcc gives it none. Not recorded if it is within no recorded call.
 */
void team_enter_body(struct team_call *call, uintptr_t function_addr, uintptr_t call_site,
		     uintptr_t stack_addr);

void team_leave(const struct team_call *call);
