/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/blocks: what forked children have of the table of live blocks. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/unit/live_blocks.h"

/* In a child, whose log is another one: block number @number is there, without a record of it. */
static bool inherits(uint64_t number)
{
	struct block expected = block_at(number), block = { .heap = 1 };

	return blocks_take(thread, (void *)expected.addr, &block) == BLOCK_DONE && block.bytes == expected.bytes && !block.heap;
}

static bool owns(uint64_t number)
{
	struct block expected = block_at(number), block;

	return blocks_take(thread, (void *)expected.addr, &block) == BLOCK_DONE && block.bytes == expected.bytes &&
	       block.heap == expected.heap;
}

static void begin_child(void)
{
	memset(header, 0, sizeof(*header));
	thread->head.self = 9;
	blocks_inherit();
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

/* It takes every third block and some others, puts them again, and all are inherited by its own child. */
static void child(uint64_t nr)
{
	uint64_t bytes = header->heap_table_bytes;
	struct block replaced;
	int status;

	expect(blocks_bytes() == bytes_of_all(nr));
	begin_child();
	expect(header->heap_table_bytes == bytes);
	for (uint64_t i = 0; i < nr; i += 3)
		expect(inherits(i));
	for (uint64_t i = 0; i < nr; i += 3) {
		struct block block = block_at(i);

		expect(!inherits(i));
		expect(blocks_put(thread, &block, &replaced) == BLOCK_DONE);
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

/* Tables that are in the middle of growing, and others. */
static void a_child_has_the_blocks_without_their_records(void **state)
{
	int status;

	(void)state;
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

/* As a fork finds them that comes just before another thread gives them new tables, which are smaller. */
static void begin_to_replace_tables(bool shrinks)
{
	for (uint32_t i = 0; i < NR_SHARDS; i++) {
		struct shard *shard = &shards[i];

		while (shard->old.entries)
			move_some(shard);
		if (!shard->now.entries)
			continue;
		set_old(shard, &shard->now);
		if (shrinks)
			shard->now.capacity = shard->now.capacity / 3 * 2;
	}
}

static void a_child_has_the_blocks_of_shards_that_get_new_tables(void **state)
{
	enum { NR = 20000 };
	int status;

	(void)state;
	for (int shrinks = 0; shrinks < 2; shrinks++) {
		begin(1ull << 40);
		for (uint64_t i = 0; i < NR; i++)
			put(i);
		if (fork() == 0) {
			begin_to_replace_tables(shrinks);
			child(NR);
			_exit(nr_wrong != 0);
		}
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
		end();
	}
}

enum { NR_KEPT = 5000 };
static bool is_over;

/* Beside NR_KEPT blocks that stay, in their shards. */
static void *come_and_go(void *unused)
{
	static struct log_thread other;
	struct block block, taken;

	other.head.self = 8;
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		for (uint64_t i = 0; i < 3 * NR_KEPT; i++) {
			block = block_at(i);
			block.addr += 16;
			blocks_put(&other, &block, &taken);
		}
		for (uint64_t i = 0; i < 3 * NR_KEPT; i++)
			blocks_take(&other, (void *)(block_at(i).addr + 16), &taken);
	}
	return unused;
}

/* Of what the other thread was about to change a few may be wrong. */
static void a_fork_may_come_while_other_threads_are_in_the_table(void **state)
{
	pthread_t other;
	int status;

	(void)state;
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
		assert_in_range(WEXITSTATUS(status), 0, 40);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_has_the_blocks_without_their_records),
		cmocka_unit_test(a_child_has_the_blocks_of_shards_that_get_new_tables),
		cmocka_unit_test(a_fork_may_come_while_other_threads_are_in_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
