/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/heap/blocks: the map of live blocks. */
#include <unistd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "test/unit/live_blocks.h"
#include "test/unit/unit.h"

static void miss(uint64_t number)
{
	struct block block;

	assert_int_equal(blocks_take((void *)block_at(number).addr, &block), BLOCK_UNKNOWN);
}

/* Puts and takes in a random order, beside an array of flags that knows what is there. */
TEST(it_holds_what_was_put_and_not_taken)
{
	enum { NR = 60000, STEPS = 600000 };
	bool *is_there = calloc(NR, sizeof(*is_there));
	uint64_t random = 1;

	begin(1ull << 40);
	assert_non_null(is_there);
	for (int i = 0; i < STEPS; i++) {
		uint64_t number;

		random = random * 6364136223846793005u + 1442695040888963407u;
		number = (random >> 33) % NR;
		if (is_there[number])
			take(number);
		else if (random >> 63)
			miss(number);
		else
			put(number);
		is_there[number] = !is_there[number] && !(random >> 63);
	}
	for (uint64_t i = 0; i < NR; i++) {
		if (is_there[i])
			take(i);
		miss(i);
	}
	free(is_there);
	end();
}

TEST(a_live_block_takes_at_most_45_bytes)
{
	enum { NR = 3000000 };

	begin(1ull << 40);
	for (uint64_t i = 0; i < NR; i++) {
		put(i);
		if (i >= 1000000 && i % 65536 == 0)
			assert_true(header->heap_map_bytes <= i * 45);
	}
	for (uint64_t i = 0; i < NR; i += 7)
		take(i);
	end();
}

/* Each time a part of the pages is looked at, as often as the recorder does. */
static void take_and_return(uint64_t number)
{
	static uint64_t nr;

	take(number);
	if (++nr % 256 == 0)
		blocks_return_some();
}

/*
 * Every third one, then the others in their order: so all pages empty slowly, and then one after the other.
 */
TEST(so_it_does_when_most_are_freed)
{
	enum { NR = 3000000, NR_LEFT = 200000 };
	uint64_t nr = NR;

	begin(1ull << 40);
	for (uint64_t i = 0; i < NR; i++)
		put(i);
	for (uint64_t i = 0; i < NR; i += 3) {
		take_and_return(i);
		if (--nr % 65536 == 0)
			assert_true(header->heap_map_bytes <= nr * 45);
	}
	for (uint64_t i = 0; nr > NR_LEFT; i++) {
		if (i % 3 == 0)
			continue;
		take_and_return(i);
		if (--nr % 65536 == 0)
			assert_true(header->heap_map_bytes <= nr * 45);
	}
	for (uint64_t i = 0, left = 0; i < NR; i++) {
		if (i % 3 == 0 || left < NR - NR / 3 - NR_LEFT)
			miss(i);
		else
			take(i);
		left += i % 3 != 0;
	}
	end();
}

TEST(a_block_that_comes_again_replaces_the_one_whose_free_was_missed)
{
	struct block block = block_at(5), replaced;

	begin(1ull << 40);
	put(5);
	block.bytes = 99;
	assert_int_equal(blocks_put(&block, &replaced), BLOCK_REPLACED);
	assert_int_equal(replaced.bytes, block_at(5).bytes);
	assert_int_equal(blocks_take((void *)block.addr, &replaced), BLOCK_DONE);
	assert_int_equal(replaced.bytes, 99);
	miss(5);
	end();
}

/* The estimate from what is left: within ten per cent, where half and more of the blocks were dropped. */
TEST(past_its_limit_it_samples)
{
	enum { NR = 1000000 };
	uint64_t blocks = 0;

	begin(16u << 20);
	for (uint64_t i = 0; i < NR; i++) {
		struct block block = block_at(i), replaced;
		enum block_result result = blocks_put(&block, &replaced);

		assert_true(result == BLOCK_DONE || result == BLOCK_NOT_SAMPLED);
	}
	assert_true(header->heap_map_bytes < 16u << 20);
	assert_true(header->heap_shift > 0);
	for (uint64_t i = 0; i < NR; i++) {
		struct block block;
		enum block_result result = blocks_take((void *)block_at(i).addr, &block);

		assert_true(result == BLOCK_DONE || result == BLOCK_NOT_SAMPLED);
		if (result == BLOCK_DONE)
			blocks += 1u << block.shift;
	}
	assert_in_range(blocks, NR / 100 * 90, NR / 100 * 110);
	end();
}

TEST(without_memory_it_loses_blocks_and_says_so)
{
	struct block block = block_at(3), replaced;

	begin(1ull << 40);
	put(1);
	is_sealed = true;
	put(5);		/* where the map is there already */
	do
		block.addr += 16u << 10;
	while (blocks_put(&block, &replaced) == BLOCK_DONE && block.addr < 1ull << 47);
	assert_in_range(header->heap_map_bytes, CHUNK_BYTES / 2, CHUNK_BYTES);
	assert_int_equal(blocks_put(&block, &replaced), BLOCK_LOST);
	is_sealed = false;
	assert_int_equal(blocks_put(&block, &replaced), BLOCK_DONE);
	take(1);
	take(5);
	end();
}

/* Where address space is limited the map's part of it is mapped at once, and no more: so windows are left out
 * before. */
TEST(with_limited_address_space_it_samples_before_there_is_none)
{
	enum { NR = 2000 };
	const uint64_t limit = 4u << 20;
	struct block block = block_at(1), replaced;
	uint64_t blocks = 0;

	begin(1ull << 40);
	blocks_limit_space(limit);
	for (int i = 0; i < NR; i++, block.addr += 16u << 10)
		assert_int_not_equal(blocks_put(&block, &replaced), BLOCK_LOST);
	assert_int_equal(header->heap_reserved_bytes, limit);
	assert_true(header->heap_shift > 0);
	for (int i = 0; i < NR; i++) {
		block.addr = block_at(1).addr + (uint64_t)i * (16u << 10);
		if (blocks_take((void *)block.addr, &block) == BLOCK_DONE)
			blocks += 1u << block.shift;
	}
	assert_in_range(blocks, NR / 2, NR * 3 / 2);
	end();
}

/* All of it is used: what comes then is lost. */
TEST(with_limited_address_space_pages_without_a_map_are_lost)
{
	enum { TABLES = 2, NR = 3 };
	const uint64_t limit = TABLES * sizeof(struct table) + NR * LIVE_BYTES;
	struct block block = block_at(1), replaced;

	begin(1ull << 40);
	blocks_limit_space(limit + 1);
	scarce_pages = 0;
	for (int i = 0; i < 5; i++, block.addr += 16u << 10)
		assert_int_equal(blocks_put(&block, &replaced), i < NR ? BLOCK_DONE : BLOCK_LOST);
	assert_int_equal(header->heap_reserved_bytes, limit);
	end();
}

/* Before mlockall() there is nothing to spare; blocks go on to be known. */
TEST(spare_address_space_can_be_cut)
{
	enum { NR = 50000 };
	uint64_t tables = 4 * sizeof(struct table);	/* of two maps */

	begin(1ull << 40);
	for (uint64_t i = NR; i < NR + 1000; i++)
		put(i);
	assert_in_range(blocks_spare_bytes(), LIVE_BYTES, CHUNK_BYTES);
	blocks_cut();
	assert_int_equal(blocks_spare_bytes(), 0);
	assert_true(header->heap_reserved_bytes <= header->heap_map_bytes + tables);
	for (uint64_t i = 0; i < NR; i++)
		put(i);
	for (uint64_t i = 0; i < NR + 1000; i++)
		take(i);
	end();
}

/* Not even looked up. */
TEST(addresses_of_no_allocator_are_lost)
{
	static const uint64_t addrs[] = { 1ull << 48,	  0xff00007f00000000, UINT64_MAX,
					  0x7f0000000001, 0x7f0000000008,     4 };
	struct block block = { .bytes = 1, .heap = 1 }, taken;

	begin(1ull << 40);
	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
		block.addr = addrs[i];
		assert_int_equal(blocks_put(&block, &taken), BLOCK_LOST);
		assert_int_equal(blocks_take((void *)addrs[i], &taken), BLOCK_UNKNOWN);
	}
	put(5);
	assert_int_equal(blocks_take((char *)block_at(5).addr + 16, &taken), BLOCK_UNKNOWN);
	assert_int_equal(blocks_take((char *)block_at(5).addr + 32, &taken), BLOCK_UNKNOWN);
	take(5);
	end();
}

/*
 * The highest and the lowest address of a block, and one beside each border of regions and pages of the map.
 */
TEST(blocks_lie_anywhere)
{
	struct block taken;

	begin(1ull << 40);
	for (int bit = 5; bit <= 48; bit++) {
		struct block block = { .addr = (1ull << bit) - 32,
				       .bytes = 1ull << 33,
				       .heap = (uint32_t)bit };

		assert_int_equal(blocks_put(&block, &taken), bit < 48 ? BLOCK_DONE : BLOCK_LOST);
		block.bytes = 7;
		assert_int_equal(blocks_put(&block, &taken), bit < 48 ? BLOCK_REPLACED : BLOCK_DONE);
		assert_int_equal(blocks_take((void *)block.addr, &taken), BLOCK_DONE);
		assert_int_equal(taken.heap, bit);
		assert_int_equal(taken.bytes, 7);
	}
	end();
}

/*
 * Few blocks, so that the pages of the map are empty every now and then; each thread has its own, in the same
 * pages.
 */
static unsigned long nr_missed;
static bool is_over;

static void *come_and_go(void *first)
{
	struct block block, taken;

	for (uint64_t i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++) {
		block = block_at((uint64_t)first + i * 4 % 2000);
		block.bytes = i % 100;
		if (blocks_put(&block, &taken) != BLOCK_DONE ||
		    blocks_take((void *)block.addr, &taken) != BLOCK_DONE)
			__atomic_fetch_add(&nr_missed, 1, __ATOMIC_RELAXED);
		if (i % 100 == 0)	/* then the pages are empty, on an idle machine too */
			usleep(20);
	}
	return NULL;
}

TEST(pages_go_back_while_other_threads_enter_blocks)
{
	pthread_t threads[3];
	uint64_t nr_gone = 0, before;

	begin(1ull << 40);
	for (uintptr_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, (void *)(i + 1)), 0);
	for (int i = 0; i < 200000 && nr_gone < 300; i++) {
		before = __atomic_load_n(&header->heap_map_bytes, __ATOMIC_RELAXED);
		blocks_return_some();
		nr_gone += __atomic_load_n(&header->heap_map_bytes, __ATOMIC_RELAXED) < before;
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	assert_true(nr_gone > 100);
	assert_int_equal(nr_missed, 0);
	while (!blocks_return_some())
		;
	end();
}

/*
 * A timer's handler that allocates and frees: it may come in the middle, and must not wait for the code that
 * it interrupted.
 */
static volatile unsigned long nr_handled, nr_lost_in_handler;

static void handle(int signal)
{
	struct block block = block_at(2000 + nr_handled), taken;
	enum block_result result = blocks_put(&block, &taken);

	nr_handled++;
	nr_lost_in_handler += result == BLOCK_LOST;
	if (result != BLOCK_LOST && blocks_take((void *)block.addr, &taken) != BLOCK_DONE)
		abort();
}

TEST(handlers_that_allocate_do_not_hang)
{
	const struct itimerval fast = { { 0, 100 }, { 0, 100 } }, off = { { 0, 0 }, { 0, 0 } };

	begin(1ull << 40);
	nr_handled = 0;
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &fast, NULL);
	for (uint64_t i = 0; nr_handled < 500; i++) {
		put(i % 1000);
		take(i % 1000);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	assert_true(nr_lost_in_handler < nr_handled);
	end();
}
