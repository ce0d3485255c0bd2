/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of a program's own allocators, in the table of live blocks beside those of malloc. */
#include "preload/api/api_pools.h"

#include "preload/heap/heap.h"

#define LOW_BITS 7u		/* of addresses: not in the table */

/* Return: 0, or -errno. */
static int thread_for(const void *block, struct log_thread **thread)
{
	if (!block || (uintptr_t)block & LOW_BITS)
		return -EINVAL;
	*thread = heap_thread();
	return *thread && live.log && live.heap == HEAP_LIVE ? 0 : -ENODATA;
}

static void *of_pool(const void *block)
{
	return (void *)((uintptr_t)block | BLOCK_OF_POOL);
}

int pool_alloc(const void *block, size_t bytes)
{
	struct log_thread *thread;
	int error = thread_for(block, &thread);

	if (!error)
		heap_live_allocated(thread, of_pool(block), bytes, 0);
	return error;
}

int pool_free(const void *block)
{
	struct log_thread *thread;
	struct block taken;
	int error = thread_for(block, &thread);

	if (error)
		return error;
	if (!heap_live_take(thread, of_pool(block), &taken))
		return -ESRCH;
	heap_live_freed(thread, &taken);
	return 0;
}

int pool_begin(void)
{
	struct log_thread *thread = heap_thread_inside();

	if (!thread)
		return -ENODATA;
	thread->heap_inside++;
	return 0;
}

int pool_end(void)
{
	struct log_thread *thread = heap_thread_inside();

	if (!thread || !thread->heap_inside)
		return -ENODATA;
	thread->heap_inside--;
	return 0;
}
