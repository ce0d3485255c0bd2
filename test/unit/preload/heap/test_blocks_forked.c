/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/heap/blocks: the map of live blocks in forked children. */
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/unit/live_blocks.h"
#include "test/unit/unit.h"

/* In a child, whose log is another one: block number @number is there, without a record of it. */
static bool inherits(uint64_t number)
{
	struct block expected = block_at(number), block = { .heap = 1 };

	return blocks_take((void *)expected.addr, &block) == BLOCK_DONE && block.bytes == expected.bytes &&
	       !block.heap;
}

static bool owns(uint64_t number)
{
	struct block expected = block_at(number), block;

	return blocks_take((void *)expected.addr, &block) == BLOCK_DONE && block.bytes == expected.bytes &&
	       block.heap == expected.heap;
}

enum { NR_REFS = 31 * 100000 };		/* more than any block's record */

static void begin_child(void)
{
	memset(header, 0, sizeof(*header));
	thread->head.self = 9;
	blocks_inherit(NR_REFS);
}

static int nr_wrong;

static void expect(bool right)
{
	nr_wrong += !right;
}

static uint64_t bytes_of_all(uint64_t nr)
{
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < nr; i++)
		bytes += block_at(i).bytes;
	return bytes;
}

static void grandchild(uint64_t nr)
{
	begin_child();
	for (uint64_t i = 0; i < nr; i++)
		expect(inherits(i));
}

/* It takes every third block and some others, puts them again, and its own child inherits all. */
static void child(uint64_t nr)
{
	uint64_t bytes = header->heap_map_bytes;
	struct block replaced;
	int status;

	expect(blocks_bytes() == bytes_of_all(nr));
	begin_child();
	expect(header->heap_map_bytes == bytes);
	for (uint64_t i = 0; i < nr; i += 3)
		expect(inherits(i));
	for (uint64_t i = 0; i < nr; i += 3) {
		struct block block = block_at(i);

		expect(!inherits(i));
		expect(blocks_put(&block, &replaced) == BLOCK_DONE);
	}
	for (uint64_t i = 1; i < nr; i += 9)
		expect(inherits(i));
	for (uint64_t i = 1; i < nr; i += 9)
		put(i);
	if (fork() == 0) {
		grandchild(nr);
		_exit(nr_wrong != 0);
	}
	expect(wait(&status) > 0 && status == 0);
	for (uint64_t i = 0; i < nr; i += 3)
		expect(owns(i));
	for (uint64_t i = 1; i < nr; i += 9)
		expect(owns(i));
}

TEST(a_child_has_the_blocks_without_their_records)
{
	int status;

	for (uint64_t nr = 100; nr < 100000; nr = nr * 9 / 5) {
		begin(1ull << 40);
		for (uint64_t i = 0; i < nr; i++)
			put(i);
		if (fork() == 0) {
			child(nr);
			_exit(nr_wrong != 0);
		}
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
		for (uint64_t i = 0; i < nr; i++)
			take(i);
		end();
	}
}

/* Each generation puts a block; the numbers of records do not suffice for all. */
static void descend(int nr_left)
{
	struct block block = block_at((uint64_t)nr_left), replaced;
	int status;

	expect(inherits((uint64_t)nr_left + 1));
	expect(blocks_put(&block, &replaced) == BLOCK_DONE);
	if (nr_left == 0 || fork() != 0)
		return;
	memset(header, 0, sizeof(*header));
	blocks_inherit(UINT32_MAX / 7);
	descend(nr_left - 1);
	wait(&status);
	_exit(nr_wrong != 0);
}

TEST(a_child_of_children_has_the_blocks_of_all)
{
	enum { GENERATIONS = 20 };
	int status = 0;

	begin(1ull << 40);
	live_map.numbers_before = 1;
	put(GENERATIONS + 1);
	if (fork() == 0) {
		begin_child();
		descend(GENERATIONS);
		wait(&status);
		_exit(nr_wrong != 0 || status != 0);
	}
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	end();
}

enum { NR_KEPT = 5000 };
static bool is_over;

/* Beside NR_KEPT blocks that stay, in their pages of the map. */
static void *come_and_go(void *unused)
{
	struct block block, taken;

	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		for (uint64_t i = 0; i < 3 * NR_KEPT; i++) {
			block = block_at(i | 1);
			block.addr += 64;
			block.bytes = 1;
			blocks_put(&block, &taken);
		}
		for (uint64_t i = 0; i < 3 * NR_KEPT; i++)
			blocks_take((void *)(block_at(i | 1).addr + 64), &taken);
	}
	return unused;
}

TEST(a_fork_may_come_while_other_threads_are_in_the_map)
{
	pthread_t other;
	int status;

	begin(1ull << 40);
	for (uint64_t i = 0; i < NR_KEPT; i++)
		put(i);
	assert_int_equal(pthread_create(&other, NULL, come_and_go, NULL), 0);
	for (int i = 0; i < 100; i++) {
		if (fork() == 0) {
			int nr_missed = 0;

			begin_child();
			for (uint64_t number = 0; number < NR_KEPT; number++)
				nr_missed += !inherits(number);
			_exit(nr_missed < 100 ? nr_missed : 100);
		}
		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
	end();
}
