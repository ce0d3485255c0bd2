/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map of live blocks for tests of the code itself, and blocks that follow from their number. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "preload/heap/blocks.c"
#include "test/unit/unit.h"

struct live live;
static bool is_sealed;	/* memory cannot be allocated */

bool live_is_sealed(void)
{
	return is_sealed;
}

static struct log_header *header;
static struct log_thread *thread;

/* Each test begins with an empty map. */
static void begin(uint64_t most_bytes)
{
	header = aligned_alloc(64, sizeof(*header));
	thread = aligned_alloc(64, sizeof(*thread));
	assert_non_null(header);
	assert_non_null(thread);
	memset(header, 0, sizeof(*header));
	memset(thread, 0, sizeof(*thread));
	thread->head.self = 7;
	live.log = header;
	memset(&live_map, 0, sizeof(live_map));
	used_bytes = reserved_bytes = spare = 0;
	blocks_init(true, most_bytes);
}

static void end(void)
{
	free(header);
	free(thread);
}

/* Blocks as glibc gives them out: 32 bytes apart or more, some at the 17th byte of a page, of any size. */
static struct block block_at(uint64_t number)
{
	return (struct block){ .addr = 0x7f0000000000 + number * 96 + (number + 1) % 2 * 16,
			       .bytes = number * 123456789 % (number % 5 ? 1ull << 20 : 1ull << 40),
			       .heap = (uint32_t)(number * 31 + 1),
			       .birth = (uint8_t)(number % LOG_HEAP_BIRTHS),
			       .is_runtimes = number % 3 == 0 };
}

static void put(uint64_t number)
{
	struct block block = block_at(number), replaced;

	assert_int_equal(blocks_put(&block, &replaced), BLOCK_DONE);
}

static void take(uint64_t number)
{
	struct block expected = block_at(number), block;

	assert_int_equal(blocks_take((void *)expected.addr, &block), BLOCK_DONE);
	assert_int_equal(block.addr, expected.addr);
	assert_int_equal(block.bytes, expected.bytes);
	assert_int_equal(block.heap, expected.heap);
	assert_int_equal(block.birth, expected.birth);
	assert_int_equal(block.is_runtimes, expected.is_runtimes);
	assert_int_equal(block.shift, 0);
}
