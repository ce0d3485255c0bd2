/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An empty log in an unnamed file, as the recorder would have begun it, for tests of code that writes into
 * one.
 */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "insideme_log.h"
#include "preload/common/base/clock.h"

static inline struct log_header *empty_log(uint64_t budget_bytes, int *fd)
{
	const uint64_t first_bytes = 64u << 10;
	char path[] = "/tmp/insideme-test-XXXXXX";
	struct log_header *log;

	*fd = mkostemp(path, O_CLOEXEC);
	if (*fd < 0 || unlink(path) < 0 || posix_fallocate(*fd, 0, (off_t)first_bytes) != 0)
		abort();
	log = mmap(NULL, budget_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (log == MAP_FAILED)
		abort();
	log->version = LOG_VERSION;
	log->header_bytes = LOG_HEADER_BYTES;
	log->kind = LOG_OF_PROGRAM;
	log->base_addr = (uint64_t)(uintptr_t)log;
	log->map_bytes = budget_bytes;
	log->page_bytes = LOG_AREA_ALIGN;
	log->clock = LOG_CLOCK_MONOTONIC;
	log->heap_bytes = LOG_HEAP_USABLE;
	log->tail_bytes = LOG_HEADER_BYTES;
	log->file_bytes = first_bytes;
	log->next_step_bytes = UINT64_MAX;
	clock_read_all(log->clock, &log->start);
	log->magic = LOG_MAGIC;
	return log;
}
