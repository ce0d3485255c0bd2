/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Faults are added up by place in the code, in a hash table in the log, which is replaced by a larger one
 * when it is nearly full. insideme-run alone writes it, in one thread.
 */
#include "preload/common/resources/page_faults.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "preload/common/base/clock.h"
#include "preload/common/log/log.h"

#define DATA_BYTES (256u << 10) /* 6,553 faults between two readings; a user may have 516 KiB in all */
#define LEAST_BYTES (32u << 10)
#define FIRST_PLACES 1024u
#define STACK_BYTES 8u /* the return address, where a function of libc has not moved its stack */

/* A record of one fault, as asked for below. */
struct fault {
	struct perf_event_header head;
	uint64_t code_addr;
	uint64_t stack_bytes; /* 0: the kernel could not read it, and what follows is not there */
	uint64_t caller_addr;
};

int page_faults_open(struct page_faults *faults, int tid, struct log_header *log)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER,
		.sample_stack_user = STACK_BYTES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd = raw_syscall(SYS_perf_event_open, (long)&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0), ring;

	*faults = (struct page_faults){ .log = log };
	if (fd < 0)
		return (int)fd;
	faults->data_bytes = DATA_BYTES;
	while (sys_failed(ring = sys_mmap(NULL, log->page_bytes + faults->data_bytes,
					  PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0)) &&
	       faults->data_bytes > LEAST_BYTES && faults->data_bytes > log->page_bytes)
		faults->data_bytes /= 2;
	if (sys_failed(ring)) {
		sys_close((int)fd);
		return (int)ring;
	}
	faults->fd = (int)fd;
	faults->ring = (struct perf_event_mmap_page *)ring;
	return 0;
}

/* ---- the log ---- */

static struct log_page_faults *new_table(struct log_header *log, uint32_t nr_places, int log_fd)
{
	const uint64_t bytes = sizeof(struct log_page_faults) + nr_places * sizeof(struct log_page_fault);
	struct log_area *area;

	if (log_fd >= 0)
		log_grow(log, log_fd,
			 __atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED) + bytes + LOG_AREA_ALIGN);
	area = log_claim(log, LOG_AREA_PAGE_FAULTS, 0, bytes, (uint32_t)bytes,
			 sizeof(struct log_page_fault));
	if (!area)
		return NULL;
	((struct log_page_faults *)area)->nr_places = nr_places;
	area->next = log->page_faults;
	__atomic_store_n(&log->page_faults, area->self, __ATOMIC_RELEASE);
	return (struct log_page_faults *)area;
}

static struct log_page_faults *table_of(struct log_header *log, int log_fd)
{
	struct log_page_faults *table = log->page_faults ? log_at(log, log->page_faults) : NULL;

	if (!table)
		return new_table(log, FIRST_PLACES, log_fd);
	if (table->nr_used < table->nr_places / 4 * 3)
		return table;
	return new_table(log, table->nr_places * 2, log_fd);
}

static void add(struct log_header *log, uint64_t code_addr, uint64_t caller_addr, int log_fd)
{
	struct log_page_faults *table = table_of(log, log_fd);
	struct log_page_fault *list = (struct log_page_fault *)(table + 1);
	uint64_t at;

	if (!table) {
		log_lose(log, LOG_LOST_PAGE_FAULTS);
		return;
	}
	at = ((code_addr ^ caller_addr << 7) * 0x9e3779b97f4a7c15u) >> 32;
	for (at &= table->nr_places - 1; list[at].nr; at = (at + 1) & (table->nr_places - 1))
		if (list[at].code_addr == code_addr && list[at].caller_addr == caller_addr)
			break;
	if (!list[at].nr) {
		list[at].code_addr = code_addr;
		list[at].caller_addr = caller_addr;
		list[at].first_ticks = clock_ticks(log->clock);
		table->nr_used++;
	}
	__atomic_store_n(&list[at].nr, list[at].nr + 1, __ATOMIC_RELEASE);
}

/* ---- the ring ---- */

static void lose(struct page_faults *faults, uint64_t nr)
{
	__atomic_fetch_add(&faults->log->losses[LOG_LOST_PAGE_FAULTS], nr, __ATOMIC_RELAXED);
	faults->nr_known += nr;
}

static uint64_t word_at(const struct page_faults *faults, uint64_t at)
{
	const char *data = (const char *)faults->ring + faults->log->page_bytes;

	return *(const uint64_t *)(data + (at & (faults->data_bytes - 1)));
}

void page_faults_read(struct page_faults *faults, int log_fd)
{
	uint64_t head, at;

	if (!faults->ring)
		return;
	head = __atomic_load_n(&faults->ring->data_head, __ATOMIC_ACQUIRE);
	for (at = faults->ring->data_tail; at < head; at += word_at(faults, at) >> 48) {
		uint32_t type = (uint32_t)word_at(faults, at);

		if (!(word_at(faults, at) >> 48))
			break;
		if (type == PERF_RECORD_LOST) /* {id, how many} */
			lose(faults, word_at(faults, at + 2 * sizeof(uint64_t)));
		if (type != PERF_RECORD_SAMPLE)
			continue;
		faults->nr_known++;
		add(faults->log, word_at(faults, at + offsetof(struct fault, code_addr)),
		    word_at(faults, at + offsetof(struct fault, stack_bytes))
			    ? word_at(faults, at + offsetof(struct fault, caller_addr))
			    : 0,
		    log_fd);
	}
	__atomic_store_n(&faults->ring->data_tail, head, __ATOMIC_RELEASE);
}

/* The kernel records a loss together with the next fault. After the last one it only counts. */
static void lose_last(struct page_faults *faults)
{
	uint64_t nr;

	if (sys_read(faults->fd, &nr, sizeof(nr)) == sizeof(nr) && nr > faults->nr_known)
		lose(faults, nr - faults->nr_known);
}

void page_faults_close(struct page_faults *faults, int log_fd)
{
	if (!faults->ring)
		return;
	page_faults_read(faults, log_fd);
	lose_last(faults);
	raw_syscall(SYS_munmap, (long)faults->ring, (long)(faults->log->page_bytes + faults->data_bytes), 0,
		    0, 0, 0);
	sys_close(faults->fd);
	faults->ring = NULL;
}
