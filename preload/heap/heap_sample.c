/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of the heap: they are rare compared to allocations, so counters are plain sums of weights. */
#include "preload/heap/heap_sample.h"

#include "preload/heap/poisson.h"
#include "preload/objects/loaded_objects.h"
#include "preload/objects/next_functions.h"
#include "preload/samples/backtrace.h"

static bool is_operator_new(uintptr_t function)
{
	void *const news[] = { (void *)real._Znwm,
			       (void *)real._Znam,
			       (void *)real._ZnwmRKSt9nothrow_t,
			       (void *)real._ZnamRKSt9nothrow_t,
			       (void *)real._ZnwmSt11align_val_t,
			       (void *)real._ZnamSt11align_val_t,
			       (void *)real._ZnwmSt11align_val_tRKSt9nothrow_t,
			       (void *)real._ZnamSt11align_val_tRKSt9nothrow_t };

	for (size_t i = 0; i < ARRAY_SIZE(news); i++)
		if (function == (uintptr_t)news[i])
			return true;
	return false;
}

/* How many of the innermost calls are of no interest to the user. */
static uint32_t nr_of_new(const struct stack_call *calls, uint32_t nr)
{
	uint32_t first = 0;

	while (first + 1 < nr && is_operator_new(calls[first].function_addr))
		first++;
	return first;
}

/* No function of the program is on the stack. */
static bool are_runtimes(const struct stack_call *calls, uint32_t nr)
{
	uint32_t nr_held = 0;

	while (nr_held < nr && runtimes_hold(calls[nr_held].function_addr))
		nr_held++;
	return nr && nr_held == nr;
}

/* The path's record; where the stack is not known, that of "(other paths)". */
static struct log_heap *find_record(struct log_header *log, struct log_thread *thread, uintptr_t caller,
				    bool *is_runtimes)
{
	struct stack_call calls[BACKTRACE_MOST];
	uint32_t nr = backtrace_take(calls, caller), first = nr_of_new(calls, nr);
	struct log_node *node;

	*is_runtimes = runtimes_keep(caller) || (thread->heap_inside && runtimes_hold(caller)) ||
		       are_runtimes(calls + first, nr - first);
	node = node_at(log, path_of_stack(thread, calls + first, nr - first, true));
	if (node == &thread->root)	/* the root's record counts exactly */
		return NULL;
	return node->heap ? log_at(log, node->heap) : heap_new_record(thread, node);
}

static void count(const struct log_header *log, struct log_heap *heap, const struct block *block,
		  const struct poisson_weight *weight)
{
	heap_before_change(log, heap);
	add_own(&heap->alloc_calls, (long)weight->blocks);
	add_own(&heap->alloc_bytes, (long)weight->bytes);
	add_own(&heap->variance, (long)weight->variance);
	add_own(&heap->sizes[heap_size_class(block->bytes)], (long)weight->blocks);
	add_own_u32(&heap->births[block->birth], (uint32_t)weight->blocks);
	add_own(&heap->nr_samples, 1);
	if (block->is_runtimes)
		heap_count_runtimes(heap, weight->blocks, weight->bytes);
	if (block->bytes > heap->largest_bytes)
		heap_raise_largest(heap, block->bytes);
}

static void sample(struct log_header *log, struct log_thread *thread, struct block *block, uintptr_t caller)
{
	bool is_runtimes;
	struct log_heap *heap = find_record(log, thread, caller, &is_runtimes);
	struct poisson_weight weight;
	enum block_result result;
	struct block replaced;

	if (!heap) {
		log_lose(log, LOG_LOST_HEAP_CALLS);
		return;
	}
	block->heap = log_ref(log, heap);
	block->is_runtimes = is_runtimes;
	poisson_weigh(block->addr, block->bytes, log->heap_sample_bytes, &weight);
	result = blocks_put(block, &replaced);
	if (result == BLOCK_LOST) {
		log_lose(log, LOG_LOST_HEAP_CALLS);
		return;
	}
	if (result == BLOCK_REPLACED)
		heap_sample_freed(thread, &replaced);
	count(log, heap, block, &weight);
}

NOINLINE void heap_sample_take(struct log_thread *thread, const void *place, uint64_t bytes, uintptr_t caller)
{
	struct log_header *log = live.log;
	struct block block = { .addr = (uint64_t)place, .bytes = bytes ? bytes : 1 };
	uint64_t now = now_ticks();

	if (!log)
		return;
	if (!thread->heap_sample_random) {	/* the thread's first allocation */
		thread->heap_sample_random = (now ^ (uint64_t)thread->tid << 32) | 1;
		add_own(&thread->heap_sample_left_bytes,
			(long)poisson_next(&thread->heap_sample_random, log->heap_sample_bytes));
		if (thread->heap_sample_left_bytes >= 0)
			return;
	}
	/* Draw before taking the stack: a handler that runs meanwhile draws its own samples. */
	thread->heap_sample_left_bytes =
		(int64_t)poisson_next(&thread->heap_sample_random, log->heap_sample_bytes);
	block.birth = heap_birth_at(log, now);
	sample(log, thread, &block, caller);
}

void heap_sample_put_back(struct log_thread *thread, const struct block *block)
{
	struct block replaced;

	if (live.log && block->heap && blocks_put(block, &replaced) == BLOCK_LOST)
		heap_sample_freed(thread, block);
}

NOINLINE void heap_sample_freed(struct log_thread *thread, const struct block *block)
{
	struct log_header *log = live.log;
	struct poisson_weight weight;
	struct log_heap *heap;

	if (!log || !block->heap)
		return;
	heap = log_at(log, block->heap);
	poisson_weigh(block->addr, block->bytes, log->heap_sample_bytes, &weight);
	weight.blocks <<= block->shift;
	weight.bytes <<= block->shift;
	heap_release(thread, heap, (struct heap_released){ weight.blocks, weight.bytes, block->birth });
	if (block->is_runtimes)
		heap_count_runtimes(heap, 0 - weight.blocks, 0 - weight.bytes);
	__atomic_fetch_add(&heap->released_variance, weight.variance << block->shift, __ATOMIC_RELAXED);
	if (block->addr == thread->heap_last_addr) {
		thread->heap_last_addr = 0;
		add_own(&heap->temporary_calls, (long)weight.blocks);
	}
}
