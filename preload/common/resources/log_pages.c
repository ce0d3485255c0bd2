/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the pages of a log that a process has in memory. */
#include "preload/common/resources/log_pages.h"

#include "preload/common/base/proc_text.h"

#define CHUNK_PAGES_MIN	64u	/* 512 bytes of pagemap: 1 us */
#define TOGETHER	4u
#define STACK_PAGES_MAX	65536u	/* counted from the low end of the stack: 0.8 ms */
#define ENTRIES		256u	/* of pagemap, read by one system call */

/*
 * Count the present pages among the @nr_pages pages from number @first on, of the process whose
 * /proc/PID/pagemap is @fd. The count of each @part_pages is added to @present[0], [1], ... This
 * takes some 3 us for 256 pages. Return: 0, or -errno.
 */
static int pagemap_count(int fd, struct read_count *count, uint64_t first, uint64_t nr_pages,
			 uint64_t part_pages, uint32_t *present)
{
	uint64_t entries[ENTRIES], seen = 0, part_end = part_pages;

	while (seen < nr_pages) {
		uint64_t wanted = nr_pages - seen < ENTRIES ? nr_pages - seen : ENTRIES;
		long length =
			sys_pread(fd, entries, wanted * sizeof(*entries), (first + seen) * sizeof(*entries));

		count->calls++;
		if (length < (long)sizeof(*entries))
			return length < 0 ? (int)length : 0;
		count->bytes += (uint64_t)length;
		length /= (long)sizeof(*entries);
		for (long i = 0; i < length; i++, seen++) {
			if (seen == part_end) {
				present++;
				part_end += part_pages;
			}
			*present += (uint32_t)(entries[i] >> 63);	/* the present bit */
		}
	}
	return 0;
}

void log_pages_open(struct log_pages *pages, const struct log_header *log, int pid,
		    struct read_count *count)
{
	pages->log = log;
	pages->count = count;
	pages->is_mapped = log->base_addr;
	pages->fd = pages->is_mapped ? proc_file_open(pid, "pagemap") : -1;
	pages->page_bytes = log->page_bytes ? log->page_bytes : 4096;
	pages->nr_pages = log->map_bytes / pages->page_bytes;
	pages->chunk_pages = CHUNK_PAGES_MIN;
	while (pages->chunk_pages * LOG_PAGES_CHUNKS < pages->nr_pages)
		pages->chunk_pages *= 2;
	pages->tail_bytes = 0;
	pages->newest = 0;
	pages->oldest_next = 0;
	pages->is_round_due = false;
	pages->reach_bytes = 0;
	pages->known_bytes = 0;
	pages->present = 0;
	for (int i = 0; i < LOG_PAGES_CHUNKS; i++)
		pages->present_in[i] = 0;
}

void log_pages_close(struct log_pages *pages)
{
	proc_file_close(&pages->fd);
}

/*
 * A descriptor of pagemap belongs to the memory that existed when it was opened, and reads nothing
 * once that is gone. A process that is ending has no memory either; its statm shows 0 pages.
 */
bool log_pages_are_left(const struct log_pages *pages, int statm_fd)
{
	uint64_t entry, at = pages->log->base_addr / pages->page_bytes * sizeof(entry);
	char text[128];
	struct proc_statm statm;

	return pages->fd >= 0 && sys_pread(pages->fd, &entry, sizeof(entry), at) == 0 &&
	       proc_file_read(statm_fd, pages->count, text, sizeof(text), 0) > 0 &&
	       proc_parse_statm(text, &statm) == 0 && statm.size_pages > 0;
}

/* Several chunks are read by one system call, which costs as much as 64 pages. */
static void read_chunks(struct log_pages *pages, uint64_t chunk, uint64_t last)
{
	uint64_t end = pages->log->map_bytes / pages->page_bytes;	/* the log may have been cut */

	while (chunk <= last && chunk * pages->chunk_pages < end && pages->fd >= 0) {
		uint64_t first = chunk * pages->chunk_pages,
			 nr = last - chunk < TOGETHER ? last - chunk + 1 : TOGETHER;
		uint64_t nr_pages = nr * pages->chunk_pages;
		uint32_t present[TOGETHER] = { 0 };

		if (nr_pages > end - first) {	/* a full log ends inside its last chunk */
			nr_pages = end - first;
			nr = (nr_pages + pages->chunk_pages - 1) / pages->chunk_pages;
		}
		if (pagemap_count(pages->fd, pages->count, pages->log->base_addr / pages->page_bytes + first,
				  nr_pages, pages->chunk_pages, present) < 0) {
			proc_file_close(&pages->fd);
			return;
		}
		for (uint64_t i = 0; i < nr; i++, chunk++) {
			pages->present += (uint64_t)present[i] - pages->present_in[chunk];
			pages->present_in[chunk] = present[i];
		}
	}
}

static uint64_t bytes_of(const struct log_pages *pages)
{
	return pages->fd < 0 ? pages->tail_bytes : pages->present * pages->page_bytes;
}

uint64_t log_pages_read(struct log_pages *pages)
{
	uint64_t chunk_bytes = pages->chunk_pages * pages->page_bytes;
	uint64_t newest;

	if (!pages->is_mapped)
		return 0;
	pages->tail_bytes = __atomic_load_n(&pages->log->tail_bytes, __ATOMIC_RELAXED);
	newest = pages->tail_bytes / chunk_bytes;
	/* begin one chunk before the last: areas claimed lately are still being filled */
	read_chunks(pages, pages->newest > 0 ? pages->newest - 1 : 0, newest);
	pages->newest = newest;
	if (pages->reach_bytes > pages->known_bytes) {
		read_chunks(pages, pages->known_bytes / chunk_bytes, (pages->reach_bytes - 1) / chunk_bytes);
		pages->known_bytes = pages->reach_bytes;
	}
	pages->is_round_due = !pages->is_round_due;
	if (newest > 1 && pages->is_round_due) {
		pages->oldest_next = (pages->oldest_next + 1) % newest;
		read_chunks(pages, pages->oldest_next, pages->oldest_next);
	}
	return bytes_of(pages);
}

uint64_t log_pages_read_if_grown(struct log_pages *pages)
{
	uint64_t tail = __atomic_load_n(&pages->log->tail_bytes, __ATOMIC_RELAXED);

	if (pages->is_mapped && tail == pages->tail_bytes && pages->reach_bytes <= pages->known_bytes)
		return bytes_of(pages);
	return log_pages_read(pages);
}

/*
 * Return: NULL when no record lies there. The log is memory of the program, which may have
 * overwritten it.
 */
static const void *record_at(const struct log_header *log, uint64_t tail, uint32_t ref, uint64_t bytes)
{
	uint64_t offset = (uint64_t)ref << LOG_REF_SHIFT;

	return ref && offset + bytes <= tail ? (const char *)log + offset : NULL;
}

/* The stack of a thread that has ended may belong to another thread by now. */
static bool is_in_use(const struct log_header *log, uint64_t tail, const struct log_frames *stack)
{
	const struct log_thread *owner = record_at(log, tail, stack->head.owner, sizeof(*owner));

	return stack->is_own && owner && !__atomic_load_n(&owner->end_ticks, __ATOMIC_RELAXED);
}

static uint64_t count_stack(const struct log_pages *pages, const struct log_frames *stack)
{
	uint64_t first = stack->stack_low_addr / pages->page_bytes,
		 nr = stack->stack_bytes / pages->page_bytes;
	uint32_t present = 0;

	if (nr > STACK_PAGES_MAX) {
		first += nr - STACK_PAGES_MAX;
		nr = STACK_PAGES_MAX;
	}
	return pagemap_count(pages->fd, pages->count, first, nr, nr, &present) < 0 ? 0 : present;
}

uint64_t log_pages_of_stacks(struct log_pages *pages)
{
	const struct log_header *log = pages->log;
	const struct log_frames *stack;
	uint64_t tail = __atomic_load_n(&log->tail_bytes, __ATOMIC_ACQUIRE), left = tail / LOG_AREA_ALIGN,
		 nr = 0;

	if (pages->fd < 0 || tail > log->file_bytes)
		return LOG_NONE;
	stack = record_at(log, tail, __atomic_load_n(&log->stacks, __ATOMIC_ACQUIRE), sizeof(*stack));
	for (; stack && left; left--, stack = record_at(log, tail, stack->next_stack, sizeof(*stack)))
		nr += is_in_use(log, tail, stack) ? count_stack(pages, stack) : 0;
	return nr * pages->page_bytes;
}
