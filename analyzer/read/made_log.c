/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs made in memory. */
#include "analyzer/read/made_log.h"

#include <string.h>

#include "analyzer/log/logfile.h"

#define RATE_NS		10000u

void image_set_area(uint8_t *image, uint64_t offset, uint32_t kind, uint64_t bytes, uint64_t used_bytes)
{
	struct log_area area = {
		.magic = LOG_AREA_MAGIC, .self = (uint32_t)(offset >> LOG_REF_SHIFT), .kind = kind,
		.owner = (uint32_t)(IMAGE_THREAD_AT >> LOG_REF_SHIFT), .bytes = bytes, .used_bytes = used_bytes,
	};

	memcpy(image + offset, &area, sizeof(area));
}

void image_set_heap(uint8_t *image, uint64_t offset, const struct log_heap *entry)
{
	const uint64_t at = offset + sizeof(struct log_area);
	struct log_heap heap = *entry;
	struct log_thread thread;

	heap.thread = (uint32_t)(IMAGE_THREAD_AT >> LOG_REF_SHIFT);
	heap.node = (uint32_t)((IMAGE_THREAD_AT + offsetof(struct log_thread, root)) >> LOG_REF_SHIFT);
	memcpy(&thread, image + IMAGE_THREAD_AT, sizeof(thread));
	thread.root.heap = (uint32_t)(at >> LOG_REF_SHIFT);
	thread.heap_bytes = thread.heap_held_bytes = (int64_t)(heap.alloc_bytes - heap.freed_bytes);
	memcpy(image + IMAGE_THREAD_AT, &thread, sizeof(thread));
	image_set_area(image, offset, LOG_AREA_HEAPS, IMAGE_HEAPS_BYTES, sizeof(struct log_area) + sizeof(heap));
	memcpy(image + at, &heap, sizeof(heap));
}

bool image_heap(const struct logfile *log, uint64_t offset, const struct log_child *child, struct log_heap *heap)
{
	const uint64_t at = offset + sizeof(*child);

	if (!child->has_heap || child->record.bytes < sizeof(*child) + sizeof(*heap) || at + sizeof(*heap) > log->bytes)
		return false;
	memcpy(heap, log->base + at, sizeof(*heap));
	return true;
}

/* Ended: its two readings of the clocks are enough. Else a second one where the others' rate puts it. */
static void set_rate(struct log_header *header, double tick_ns)
{
	memset(&header->start_again, 0, sizeof(header->start_again));
	if (header->finish.ticks)
		return;
	header->start_again.ticks = header->start.ticks + (uint64_t)(RATE_NS / tick_ns);
	header->start_again.monotonic_ns = header->start.monotonic_ns + RATE_NS;
	header->start_again.realtime_ns = header->start.realtime_ns + RATE_NS;
}

void image_set_header(uint8_t *image, uint64_t bytes, const struct log_header *like, const struct log_child *child,
		      double tick_ns)
{
	struct log_header header = *like;

	header.kind = LOG_OF_PROGRAM;
	header.base_addr = IMAGE_BASE_ADDR;
	header.map_bytes = header.tail_bytes = header.file_bytes = bytes;
	header.pid = child->pid;
	header.ppid = child->ppid;
	header.process_start = child->process_start;
	header.exec_count = 0;
	header.start = child->begin;
	header.finish = child->finish;
	header.end = child->end;
	header.end_status = child->end_status;
	header.finish_user_ns = child->user_ns;
	header.finish_system_ns = child->system_ns;
	header.finish_peak_rss_bytes = child->end == LOG_EXITED ? child->peak_rss_bytes : 0;
	header.start_peak_rss_bytes = 0;
	header.is_rank_child = like->rank >= 0;
	header.nr_threads = 1;
	header.heap_total_bytes = header.heap_before_bytes = child->heap_before_bytes;
	header.heap_peak_bytes = 0;
	if (child->has_heap)
		header.heap_bytes = child->heap_bytes;
	header.heap_unknown_frees = header.heap_peak_number = header.heap_peak_ticks = 0;
	header.heap_peak_thread = header.heap_peak_node = 0;
	header.sampler_cpu_ns = header.sampler_rows = 0;
	header.start_cost_ns = LOG_NONE;
	memset((void *)header.losses, 0, sizeof(header.losses));
	set_rate(&header, tick_ns);
	memcpy(image, &header, sizeof(header));
}

bool image_is_sound(const struct process *process, const struct log_child *child)
{
	const struct log_clocks *begin = &child->begin, *finish = &child->finish;

	return child->record.ticks == begin->ticks && begin->ticks >= process->timebase.points[0].ticks &&
	       begin->ticks <= process->now_ticks && begin->monotonic_ns &&
	       (child->end == LOG_EXITED ? finish->ticks > begin->ticks && finish->monotonic_ns > begin->monotonic_ns
					 : child->end == LOG_RUNNING || child->end == LOG_TURNED_OFF);
}
