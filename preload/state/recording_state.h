/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Switches recording of calls off and on while the program runs: INSIDEME_START, INSIDEME_SIGNAL,
 * insideme_disable(). paused_calls.h says how calls are kept meanwhile.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

extern HIDDEN int32_t switched_depth;	/* > 0: off; atomic; forked children inherit it */

static ALWAYS_INLINE bool switched_off(void)
{
	return unlikely(__atomic_load_n(&switched_depth, __ATOMIC_RELAXED) > 0);
}

/* Add @change to the count, or invert it for a signal. Return: did recording go on by that? */
bool switched_change(int32_t change);
bool switched_flip(void);

/* Make live and its log agree with the count, after either was made. Callable from signal handlers. */
void switched_settle(void);

/* Did the state ever change in this process? Then entries of some exits were not recorded. */
bool switched_ever(void);

/* When recording last went on. */
uint64_t switched_on_ticks(void);
