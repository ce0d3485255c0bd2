/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the code that touched a page first, by the kernel's records of a thread's page faults. Only for
 * readers outside the process, as in off_cpu.h.
 */
#pragma once

#include "insideme_log.h"

struct perf_event_mmap_page;

struct page_faults {
	struct perf_event_mmap_page *ring; /* NULL: there are no records */
	uint64_t data_bytes;		   /* of its data, a power of two */
	uint64_t nr_known;		   /* faults that were added, or are known to be lost */
	int fd;				   /* the kernel counts all faults */
	struct log_header *log;
};

/* Return: 0, or -errno where the kernel does not allow it; then the other functions do nothing. */
int page_faults_open(struct page_faults *faults, int tid, struct log_header *log);

/*
 * Add what happened since the last call to the log's area of page faults. @log_fd: to grow the log; -1: it
 * grows only for others.
 */
void page_faults_read(struct page_faults *faults, int log_fd);

/* Read once more, count as lost what the ring had no room for, then release it. */
void page_faults_close(struct page_faults *faults, int log_fd);
