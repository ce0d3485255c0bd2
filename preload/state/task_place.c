/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a task lies. Its TLS block holds the library's own variable, as far from the thread pointer as in all threads. */
#include "preload/state/task_place.h"

#include <sys/mman.h>

#include "preload/common/base/syscalls.h"
#include "preload/state/live.h"

#define GUARD_BYTES	(64u << 10)	/* a page of any size */
#define STACK_BYTES	(64u << 10)
#define STACK_TOP_BYTES	1024u		/* of it, in the page that a task touches that only sleeps */
#define TLS_BYTES	1024u		/* at least, from the thread pointer on */
#define TLS_UNIT	64u		/* the blocks' alignment */

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* The library's variable lies below the thread pointer or above it, behind what the program has there. */
static size_t tls_below(void)
{
	const char *pointer = __builtin_thread_pointer(), *own = (const char *)&self;

	return round_up(own < pointer ? (size_t)(pointer - own) : 0, TLS_UNIT);
}

static size_t tls_above(void)
{
	const char *pointer = __builtin_thread_pointer(), *own_end = (const char *)(&self + 1);

	return round_up(own_end > pointer ? (size_t)(own_end - pointer) : 0, TLS_UNIT) + TLS_BYTES;
}

void *task_place_find(struct task_place *place, char *own, size_t own_bytes, size_t state_bytes)
{
	const size_t below = tls_below(), above = tls_above();
	const size_t bytes = GUARD_BYTES + STACK_BYTES + STACK_TOP_BYTES + below + above + state_bytes;
	long result = (long)round_up((size_t)own, GUARD_BYTES);

	if ((size_t)result + bytes > (size_t)own + own_bytes)
		result = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(result))
		return NULL;
	place->guard = (char *)result;
	place->stack_end = place->guard + GUARD_BYTES + STACK_BYTES + STACK_TOP_BYTES;
	place->tls = place->stack_end + below;
	return place->tls + above;
}

/* To be read it stays: it may lie in our data, which leak checkers and garbage collectors read as all objects'. */
void task_place_guard(const struct task_place *place)
{
	raw_syscall(SYS_mprotect, (long)place->guard, GUARD_BYTES, PROT_READ, 0, 0, 0);
}
