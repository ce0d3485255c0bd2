/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/blocks: the table of live blocks. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Of the code itself: each test begins with an empty table. */
#include "preload/blocks.c"

struct live live;
static bool is_sealed;

bool live_is_sealed(void)
{
	return is_sealed;
}

static struct log_header *header;
static struct log_thread *thread;

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
	memset(shards, 0, sizeof(shards));
	blocks_init(most_bytes);
}

static void end(void)
{
	free(header);
	free(thread);
}

/* Blocks as an allocator gives them out: 16 bytes apart or more, of any size. */
static struct block block_at(uint64_t number)
{
	return (struct block){ .addr = 0x7f0000000000 + number * 48, .bytes = number * 123456789 % (1ull << 40),
			       .heap = (uint32_t)(number * 31 + 1), .birth = (uint8_t)(number % LOG_HEAP_BIRTHS),
			       .is_runtimes = number % 3 == 0 };
}

static void put(uint64_t number)
{
	struct block block = block_at(number), replaced;

	assert_int_equal(blocks_put(thread, &block, &replaced), BLOCK_DONE);
}

static void take(uint64_t number)
{
	struct block expected = block_at(number), block;

	assert_int_equal(blocks_take(thread, (void *)expected.addr, &block), BLOCK_DONE);
	assert_int_equal(block.addr, expected.addr);
	assert_int_equal(block.bytes, expected.bytes);
	assert_int_equal(block.heap, expected.heap);
	assert_int_equal(block.birth, expected.birth);
	assert_int_equal(block.is_runtimes, expected.is_runtimes);
	assert_int_equal(block.shift, 0);
}

static void miss(uint64_t number)
{
	struct block block;

	assert_int_equal(blocks_take(thread, (void *)block_at(number).addr, &block), BLOCK_UNKNOWN);
}

/* Puts and takes in a random order, beside an array of flags that knows what is there. */
static void it_holds_what_was_put_and_not_taken(void **state)
{
	enum { NR = 60000, STEPS = 600000 };
	bool *is_there = calloc(NR, sizeof(*is_there));
	uint64_t random = 1;

	(void)state;
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

static void a_live_block_takes_at_most_45_bytes(void **state)
{
	enum { NR = 3000000 };

	(void)state;
	begin(1ull << 40);
	for (uint64_t i = 0; i < NR; i++) {
		put(i);
		if (i >= 1000000 && i % 65536 == 0)
			assert_true(header->heap_table_bytes <= i * 45);
	}
	for (uint64_t i = 0; i < NR; i += 7)
		take(i);
	end();
}

static void a_block_that_comes_again_replaces_the_one_whose_free_was_missed(void **state)
{
	struct block block = block_at(5), replaced;

	(void)state;
	begin(1ull << 40);
	put(5);
	block.bytes = 99;
	assert_int_equal(blocks_put(thread, &block, &replaced), BLOCK_REPLACED);
	assert_int_equal(replaced.bytes, block_at(5).bytes);
	assert_int_equal(blocks_take(thread, (void *)block.addr, &replaced), BLOCK_DONE);
	assert_int_equal(replaced.bytes, 99);
	miss(5);
	end();
}

/* The estimate from what is left: within ten per cent, where half and more of the blocks were dropped. */
static void past_its_limit_it_samples(void **state)
{
	enum { NR = 1000000 };
	uint64_t blocks = 0;

	(void)state;
	begin(16u << 20);
	for (uint64_t i = 0; i < NR; i++) {
		struct block block = block_at(i), replaced;
		enum block_result result = blocks_put(thread, &block, &replaced);

		assert_true(result == BLOCK_DONE || result == BLOCK_NOT_SAMPLED);
	}
	assert_true(header->heap_table_bytes < 16u << 20);
	assert_true(header->heap_shift > 0);
	for (uint64_t i = 0; i < NR; i++) {
		struct block block;
		enum block_result result = blocks_take(thread, (void *)block_at(i).addr, &block);

		assert_true(result == BLOCK_DONE || result == BLOCK_NOT_SAMPLED);
		if (result == BLOCK_DONE)
			blocks += 1u << block.shift;
	}
	assert_in_range(blocks, NR / 100 * 90, NR / 100 * 110);
	end();
}

static void without_memory_it_loses_blocks_and_says_so(void **state)
{
	struct block block = block_at(1), replaced;
	int nr_lost = 0;

	(void)state;
	begin(1ull << 40);
	put(0);
	is_sealed = true;
	for (uint64_t i = 1; i < 1000; i++) {
		block.addr += 16;
		nr_lost += blocks_put(thread, &block, &replaced) == BLOCK_LOST;
	}
	is_sealed = false;
	assert_in_range(nr_lost, 700, 900);
	take(0);
	end();
}

/* A timer's handler that allocates and frees: it may come in the middle, and then must not wait for what it stopped. */
static volatile unsigned long nr_handled, nr_lost_in_handler;

static void handle(int signal)
{
	struct block block = block_at(2000 + nr_handled), taken;
	enum block_result result = blocks_put(thread, &block, &taken);

	(void)signal;
	nr_handled++;
	nr_lost_in_handler += result == BLOCK_LOST;
	if (result != BLOCK_LOST && blocks_take(thread, (void *)block.addr, &taken) != BLOCK_DONE)
		abort();
}

static void handlers_that_allocate_do_not_hang(void **state)
{
	const struct itimerval fast = { { 0, 100 }, { 0, 100 } }, off = { { 0, 0 }, { 0, 0 } };

	(void)state;
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

/* ---- forked children ---- */

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
		cmocka_unit_test(it_holds_what_was_put_and_not_taken),
		cmocka_unit_test(a_live_block_takes_at_most_45_bytes),
		cmocka_unit_test(a_block_that_comes_again_replaces_the_one_whose_free_was_missed),
		cmocka_unit_test(past_its_limit_it_samples),
		cmocka_unit_test(without_memory_it_loses_blocks_and_says_so),
		cmocka_unit_test(handlers_that_allocate_do_not_hang),
		cmocka_unit_test(a_child_has_the_blocks_without_their_records),
		cmocka_unit_test(a_fork_may_come_while_other_threads_are_in_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
