/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds a log's heap counters to the merged tree. Live blocks are the difference of counters that several
 * threads write. In a copy from a running program the counters may be of slightly different instants, so
 * differences are kept within what is possible.
 */
#include "analyzer/read/heap_read.h"

#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/tree.h"
#include "analyzer/read/nodes_read.h"

#define HEAP_BYTES_MAX (1ull << 57)	/* no program allocates more than its address space at once */

/* Data for each record of a process. */
struct heap_reader {
	struct process *process;
	uint64_t calls_max;
	bool peak_is_now;		/* the heap was never higher than at the end */
	uint32_t age_step;		/* index in heap_age of the log's first bucket */
	heaps_visit *visit;		/* given to heaps_each() */
	void *context;
};

typedef void take_heap(const struct heap_reader *reader, struct thread *thread, const struct log_heap *heap,
		       uint64_t offset);

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void heap_age_add(struct model *model, struct tree_node *node, const struct heap_age *age)
{
	for (; !node->age; node->age = model->nr_heap_ages > 1 ? (uint32_t)model->nr_heap_ages - 1 : 0) {
		model->heap_ages = xgrow(model->heap_ages, model->nr_heap_ages, sizeof(*model->heap_ages));
		model->nr_heap_ages++;
	}
	for (int i = 0; i < HEAP_AGES; i++)
		model->heap_ages[node->age].born[i] += age->born[i];
}

static void add_age(const struct heap_reader *reader, struct tree_node *path, const struct log_heap *heap)
{
	struct heap_age age = { { 0 } };

	for (uint32_t i = 0; i < LOG_HEAP_BIRTHS; i++) {
		uint32_t blocks = heap->births[i] - heap->others_births[i], bucket = i + reader->age_step;

		if (blocks <= INT32_MAX)	/* else a free was counted before its allocation */
			age.born[least(bucket, HEAP_AGES - 1)] += blocks;
	}
	heap_age_add(reader->process->model, path, &age);
}

/* Set what became of the blocks. */
static void set_live(const struct heap_reader *reader, struct heap_stats *stats, const struct log_heap *heap)
{
	const struct log_header *header = &reader->process->header;
	uint64_t calls = difference(heap->alloc_calls, heap->released_calls + heap->others_calls);
	uint64_t bytes = difference(heap->alloc_bytes, heap->released_bytes + heap->others_bytes);
	bool is_then = !reader->peak_is_now && heap->peak_number >= header->heap_peak_number;

	if (header->heap_began_late && !heap->peak_number)
		calls = bytes = 0;
	stats->temporary_calls = least(heap->temporary_calls, heap->alloc_calls);
	stats->peak_calls = is_then ? least(heap->peak_calls, heap->alloc_calls) : calls;
	stats->peak_bytes = is_then ? least(heap->peak_bytes, heap->alloc_bytes) : bytes;
	stats->not_freed_calls = difference(calls, heap->runtime_calls);
	stats->not_freed_bytes = difference(bytes, heap->runtime_bytes);
	stats->runtime_bytes = bytes - stats->not_freed_bytes;
	stats->live_records = 1;
}

static double variance_bytes2(const struct heap_reader *reader, uint64_t variance)
{
	double mean_bytes = reader->process->header.heap_sample_bytes;

	return ldexp((double)variance, -LOG_SAMPLE_VARIANCE_SHIFT) * mean_bytes * mean_bytes;
}

/* Set the uncertainties. */
static void set_errors(const struct heap_reader *reader, struct heap_stats *stats,
		       const struct log_heap *heap)
{
	uint64_t live = difference(heap->variance, heap->released_variance);
	bool is_then = !reader->peak_is_now && heap->peak_number >= reader->process->header.heap_peak_number;

	stats->nr_samples = heap->nr_samples;
	stats->alloc_variance_bytes2 = variance_bytes2(reader, heap->variance);
	stats->peak_variance_bytes2 =
		variance_bytes2(reader, is_then ? least(heap->peak_variance, heap->variance) : live);
	stats->not_freed_variance_bytes2 = variance_bytes2(reader, live);
}

static bool is_sound(const struct heap_reader *reader, const struct heap_stats *stats,
		     const struct log_heap *heap)
{
	const struct log_header *header = &reader->process->header;
	uint64_t calls_max = reader->calls_max;

	if (heap_is_sampled(reader->process))	/* each sampled small block stands for a mean number */
		calls_max += heap->nr_samples * ((uint64_t)header->heap_sample_bytes + 1);
	if (heap->variance >> LOG_SAMPLE_VARIANCE_SHIFT > heap->nr_samples + 1 ||
	    heap->nr_samples > reader->calls_max)
		return false;
	return stats->alloc_calls <= calls_max && stats->free_calls <= reader->calls_max &&
	       stats->failed_calls <= reader->calls_max && stats->largest_bytes <= HEAP_BYTES_MAX &&
	       (double)stats->alloc_bytes <= (double)(stats->alloc_calls + 1) * HEAP_BYTES_MAX;
}

/* Does the node belong to a function, and not to a thread's root? */
static bool is_function(const struct process *process, uint32_t ref)
{
	struct log_node node = { .function_addr = 0 };

	if (logfile_node_index(process->log, ref) >= 0)
		logfile_node(process->log, (uint64_t)ref << LOG_REF_SHIFT, &node);
	return node.function_addr;
}

/* If allocations are sampled: is it the record without a path, which has exact totals? */
static bool is_whole_thread(const struct process *process, const struct log_heap *heap)
{
	return heap_is_sampled(process) && !is_function(process, heap->node);
}

/* Read a record and find its path. Return: false if it is damaged */
static bool read_heap(const struct heap_reader *reader, struct thread *thread, const struct log_heap *heap,
		      struct heap_stats *stats, struct tree_node **path)
{
	*path = nodes_path(thread, heap->node);
	*stats = (struct heap_stats){
		.alloc_calls = heap->alloc_calls,
		.alloc_bytes = heap->alloc_bytes,
		.free_calls = heap->free_calls,
		.freed_bytes = heap->freed_bytes,
		.failed_calls = heap->failed_calls,
		.largest_bytes = heap->largest_bytes,
	};
	if (!is_sound(reader, stats, heap))
		return false;
	if (!*path)
		*path = reader->process->model->root;
	if (is_whole_thread(reader->process, heap))
		return true;
	if (heap_is_live(reader->process))
		set_live(reader, stats, heap);
	if (heap_is_sampled(reader->process))
		set_errors(reader, stats, heap);
	return true;
}

static void add_heap(const struct heap_reader *reader, struct thread *thread, const struct log_heap *heap,
		     uint64_t offset)
{
	struct process *process = reader->process;
	struct heap_stats stats;
	struct tree_node *path;

	if (!read_heap(reader, thread, heap, &stats, &path)) {
		logfile_damaged(process->log, offset, "heap counters that cannot be true");
		return;
	}
	/* a record is linked to its node last: until then the node is blank */
	if (!process->entry_log && !nodes_path(thread, heap->node) &&
	    (heap->node || stats.alloc_calls || stats.free_calls))
		logfile_damaged(process->log, offset, "heap counters of no call path");
	if (is_whole_thread(process, heap)) {
		heap_stats_add(&thread->heap, &stats);
		heap_stats_add(&process->heap, &stats);
		return;
	}
	if (stats.not_freed_calls)
		add_age(reader, path, heap);
	for (int i = 0; i < LOG_HEAP_SIZES && heap_is_live(process); i++)
		process->heap_sizes[i] += least(heap->sizes[i], stats.alloc_calls);
	if (!path->function && is_function(process, heap->node))
		process->model->selection.outside_alloc_bytes += stats.alloc_bytes;
	process->model->has_block_callers |= heap->caller_addr != 0;
	tree_add_heap(path, &stats);
	if (heap_is_sampled(process))	/* the root's record has counted these */
		stats.alloc_calls = stats.alloc_bytes = stats.nr_samples = 0;
	heap_stats_add(&thread->heap, &stats);
	heap_stats_add(&process->heap, &stats);
}

static void give_heap(const struct heap_reader *reader, struct thread *thread, const struct log_heap *heap,
		      uint64_t offset)
{
	struct heap_stats stats;
	struct tree_node *path;

	if (read_heap(reader, thread, heap, &stats, &path) && !is_whole_thread(reader->process, heap))
		reader->visit(path, &stats, heap, reader->context);
}

/*
 * If a peak is below the bytes that a thread may hold back, the thread records it when it frees the first
 * block. A sample may have seen the peak before.
 */
static uint64_t peak_ticks(const struct process *process)
{
	const struct rowset *rows = process_rowset(process, "process");
	const int column = rows ? rowset_column(rows, "heap_bytes") : -1;
	const uint64_t noted = process->header.heap_peak_ticks;

	for (size_t row = 0; column >= 0 && row < rows->nr_rows && rowset_ticks(rows, row) < noted; row++) {
		uint64_t bytes = rowset_value(rows, row, (uint32_t)column);

		if (bytes != LOG_NONE && bytes >= process->heap_peak_bytes)
			return rowset_ticks(rows, row);
	}
	return noted;
}

/* Find the highest heap, and whether that is now. Blocks that threads hold back count as part of it. */
static void find_peak(struct heap_reader *reader)
{
	struct process *process = reader->process;
	const struct log_header *header = &process->header;
	int64_t now = header->heap_total_bytes, peak = header->heap_peak_bytes;
	struct thread *thread = nodes_thread(process, header->heap_peak_thread);

	for (size_t i = 0; i < process->nr_threads; i++)
		now = (int64_t)((uint64_t)now + (uint64_t)process->threads[i]->heap_held_bytes);
	reader->peak_is_now = header->heap_peak_number == 0 || now > peak;
	if (reader->peak_is_now && now > peak)
		peak = now;
	process->heap_peak_bytes = peak > 0 && (uint64_t)peak <= HEAP_BYTES_MAX ? (uint64_t)peak : 0;
	if (reader->peak_is_now)
		process->heap_peak = process->last;
	else if (header->heap_peak_ticks >= process->timebase.points[0].ticks &&
		 header->heap_peak_ticks <= process->limit_ticks)
		process->heap_peak = process_time(process, peak_ticks(process));
	if (!reader->peak_is_now && thread && !thread->left_out)
		process->heap_peak_node = nodes_path(thread, header->heap_peak_node);
}

/* The first bucket of heap_age that ends no earlier than the log's first one. */
static uint32_t find_age_step(const struct process *process)
{
	double end_ns = ldexp(process->tick_ns, LOG_HEAP_BIRTH_SHIFT);
	uint32_t step = 0;

	while (step < HEAP_AGES - 1 && ldexp(1, HEAP_AGE_SHIFT + (int)step) < end_ns)
		step++;
	return step;
}

static void read_area(const struct heap_reader *reader, const struct log_extent *extent, take_heap *take)
{
	struct process *process = reader->process;
	struct thread *thread = nodes_thread(process, extent->owner);
	uint64_t offset = extent->offset + sizeof(struct log_area), end = extent->offset + extent->used_bytes;

	if (!thread && !reader->visit)
		logfile_damaged(process->log, extent->offset, "heap counters of no thread");
	if (!thread || thread->left_out)
		return;
	for (; offset + sizeof(struct log_heap) <= end; offset += sizeof(struct log_heap)) {
		struct log_heap heap;

		memcpy(&heap, process->log->base + offset, sizeof(heap));
		take(reader, thread, &heap, offset);
	}
}

/* A process without a log counts in its entry, outside of call paths. */
static void read_entry(const struct heap_reader *reader, take_heap *take)
{
	struct process *process = reader->process;
	struct log_entry entry;
	struct log_heap heap;

	if (!process->threads[0]->left_out &&
	    logfile_entry(process->entry_log, process->entry_offset, &entry) &&
	    logfile_entry_heap(process->entry_log, process->entry_offset, &entry, &heap))
		take(reader, process->threads[0], &heap, process->entry_offset);
}

static void read_areas(struct heap_reader *reader, take_heap *take)
{
	struct process *process = reader->process;

	reader->calls_max = process_most_calls(process);
	reader->age_step = find_age_step(process);
	process->heap_peak = NO_TIME;
	if (heap_is_live(process))
		find_peak(reader);
	for (size_t i = 0; i < process->log->nr_extents; i++)
		if (process->log->extents[i].kind == LOG_AREA_HEAPS)
			read_area(reader, &process->log->extents[i], take);
	if (process->entry_log)
		read_entry(reader, take);
}

void heaps_read(struct process *process)
{
	read_areas(&(struct heap_reader){ .process = process }, add_heap);
	/* blocks that came while the peak was noted */
	if (heap_is_live(process) && !heap_is_sampled(process) &&
	    process->heap_peak_bytes < process->heap.peak_bytes)
		process->heap_peak_bytes = process->heap.peak_bytes;
}

void heaps_each(struct process *process, heaps_visit *visit, void *context)
{
	read_areas(&(struct heap_reader){ .process = process, .visit = visit, .context = context },
		   give_heap);
}
