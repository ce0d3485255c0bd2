/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recording of calls goes off and on while the program runs: INSIDEME_START, INSIDEME_SIGNAL, insideme_disable(). What
 * becomes of calls: gaps.h.
 */
#ifndef INSIDEME_RECORDING_STATE_H
#define INSIDEME_RECORDING_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

extern HIDDEN int32_t switched_depth;	/* > 0: off; atomic, inherited by forked children */

static ALWAYS_INLINE bool switched_off(void)
{
	return unlikely(__atomic_load_n(&switched_depth, __ATOMIC_RELAXED) > 0);
}

/* It changed by @change; or, by a signal, to what it was not. Return: whether recording went on by that. */
bool switched_change(int32_t change);
bool switched_flip(void);

/* What is in force is so in live and in its log, too: for who made these. Callable from signal handlers. */
void switched_settle(void);

/* Did it ever change in this process? Then some exits are of calls that nothing is known of. */
bool switched_ever(void);

/* When it went on last. */
uint64_t switched_on_ticks(void);

#endif
