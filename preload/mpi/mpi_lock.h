/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lock that is not recorded as a wait, as the program's mutexes are. */
#pragma once

#include <sched.h>
#include <stdbool.h>

#define LOCK_TRIES 100

static inline void lock_take(bool *is_locked)
{
	for (int tries = 0; __atomic_exchange_n(is_locked, true, __ATOMIC_ACQUIRE); tries++)
		if (tries % LOCK_TRIES == LOCK_TRIES - 1)
			sched_yield();
}

static inline void lock_give(bool *is_locked)
{
	__atomic_store_n(is_locked, false, __ATOMIC_RELEASE);
}
