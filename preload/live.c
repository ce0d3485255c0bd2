/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state that everything else looks at, and depends on nothing else. */
#include "live.h"

#include "real.h"

struct live live;
uintptr_t live_return_addr;
struct settings settings;
bool live_has_begun;
uint64_t live_early_calls;

static bool (*open_child)(void);	/* set by the constructor */
static int nr_filters;		/* atomic; counted before each, by the thread that installs it */

uint64_t live_clock_ns(void)
{
	struct timespec now;

	libc.clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void live_when_child(bool (*open)(void))
{
	open_child = open;
}

bool live_open_child(void)
{
	return open_child && !live_is_sealed() && open_child();
}

bool live_is_sealed(void)
{
	return __atomic_load_n(&nr_filters, __ATOMIC_RELAXED) > 0;
}

void live_seal(int filters)
{
	__atomic_fetch_add(&nr_filters, filters, __ATOMIC_SEQ_CST);
}
