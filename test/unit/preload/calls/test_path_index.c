/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload/calls/path_index: paths are found while tables grow, after functions were unloaded, and without
 * room.
 */
#include <stdbool.h>

#include "preload/calls/path_index.h"
#include "preload/state/log_space.h"
#include "test/unit/empty_log.h"
#include "test/unit/no_recorder.h"
#include "test/unit/unit.h"

#define NR_NODES	100000u
#define FUNCTION	0x555555554000u

static struct log_thread *begin(uint64_t budget, int *fd)
{
	live.log = empty_log(budget, fd);
	live.log->file_bytes = budget;
	assert_int_equal(ftruncate(*fd, (off_t)budget), 0);
	return (struct log_thread *)log_space_new_area(LOG_AREA_THREAD, 0, sizeof(struct log_thread),
						       LOG_FIRST_NODES_AT, 0);
}

static void end(int fd)
{
	munmap(live.log, live.log->map_bytes);
	close(fd);
}

static struct log_node *new_nodes(struct log_thread *thread, uint32_t nr)
{
	struct log_area *area = log_space_new_area(LOG_AREA_NODES, thread->head.self,
						   sizeof(*area) + nr * sizeof(struct log_node),
						   sizeof(*area), sizeof(struct log_node));

	assert_non_null(area);
	return (struct log_node *)(area + 1);
}

static uint64_t function_of(uint32_t i)
{
	return FUNCTION + 16 * (i % 1000);
}

static void add(struct log_thread *thread, struct log_node *node, uint32_t parent, uint64_t function_addr)
{
	node->function_addr = function_addr;
	node->parent = parent;
	path_index_add(thread, log_ref(live.log, node));
}

/* Wide and deep: node i is called by node i / 1000. */
TEST(all_are_found_at_any_time)
{
	int fd;
	struct log_thread *thread = begin(256u << 20, &fd);
	struct log_node *nodes = new_nodes(thread, NR_NODES);
	uint32_t parent = log_ref(live.log, nodes);
	uint64_t seen = 0;

	for (uint32_t i = 0; i < NR_NODES; i++) {
		uint32_t asked = (uint32_t)(i * 2654435761u % (i + 1));

		parent = log_ref(live.log, &nodes[i / 1000]);
		assert_int_equal(path_index_find(thread, parent, function_of(i)), 0);
		assert_true(path_index_make_room(thread, false));
		add(thread, &nodes[i], parent, function_of(i));
		parent = nodes[asked].parent;
		assert_int_equal(path_index_find(thread, parent, function_of(asked)),
				 log_ref(live.log, &nodes[asked]));
		seen += ((const struct log_index *)log_at(live.log, thread->index))->smaller != 0;
	}
	for (uint32_t i = 0; i < NR_NODES; i++)
		assert_int_equal(path_index_find(thread, nodes[i].parent, function_of(i)),
				 log_ref(live.log, &nodes[i]));
	assert_in_range(seen, 1000, NR_NODES);	/* there was one to move from */
	end(fd);
}

/* As paths.c places them. */
static struct log_node *place_first(struct log_thread *thread)
{
	struct log_node *node = (struct log_node *)((char *)thread + thread->head.used_bytes);

	assert_true(thread->head.used_bytes + sizeof(*node) <= thread->head.bytes);
	thread->head.used_bytes += sizeof(*node);
	return node;
}

/* So many fit between a thread's record and the end of its two pages. */
#define NR_FIRST	12u

static void assert_all_found(const struct log_thread *thread, const struct log_node *first, uint32_t nr)
{
	uint32_t parent = log_ref(live.log, &thread->root);

	for (uint32_t i = 0; i < nr; i++) {
		assert_int_equal(path_index_find(thread, parent, function_of(i)),
				 log_ref(live.log, &first[i]));
		assert_int_equal(path_index_find(thread, parent + 4, function_of(i)), 0);
	}
	assert_int_equal(path_index_find(thread, parent, function_of(nr)), 0);
}

TEST(the_first_ones_need_no_table)
{
	int fd;
	struct log_thread *thread = begin(64u << 20, &fd);
	struct log_node *first = (struct log_node *)((char *)thread + LOG_FIRST_NODES_AT), *later;
	uint32_t parent = log_ref(live.log, &thread->root);

	assert_int_equal((LOG_FIRST_NODES_AT - sizeof(struct log_area)) % sizeof(struct log_node), 0);
	for (uint32_t i = 0; i < NR_FIRST; i++) {
		assert_true(path_index_make_room(thread, false));
		add(thread, place_first(thread), parent, function_of(i));
		assert_all_found(thread, first, i + 1);
	}
	assert_int_equal(thread->index, 0);
	assert_true(path_index_make_room(thread, false));
	assert_int_not_equal(thread->index, 0);
	assert_all_found(thread, first, NR_FIRST);
	later = new_nodes(thread, 1);
	add(thread, later, parent, function_of(NR_FIRST));
	assert_int_equal(path_index_find(thread, parent, function_of(NR_FIRST)), log_ref(live.log, later));
	end(fd);
}

/*
 * A handler takes the last of the first places after the thread saw it: the thread's node is in an area of
 * nodes.
 */
TEST(a_node_behind_the_first_makes_the_table)
{
	int fd;
	struct log_thread *thread = begin(64u << 20, &fd);
	uint32_t parent = log_ref(live.log, &thread->root);
	struct log_node *later;

	assert_true(path_index_make_room(thread, false));
	for (uint32_t i = 0; i < NR_FIRST; i++)
		add(thread, place_first(thread), parent, function_of(i));
	later = new_nodes(thread, 1);
	add(thread, later, parent, function_of(NR_FIRST));
	assert_int_not_equal(thread->index, 0);
	assert_int_equal(path_index_find(thread, parent, function_of(NR_FIRST)), log_ref(live.log, later));
	assert_int_equal(path_index_find(thread, parent, function_of(0)),
			 log_ref(live.log, (char *)thread + LOG_FIRST_NODES_AT));
	end(fd);
}

TEST(functions_that_come_and_go_take_one_place)
{
	int fd;
	struct log_thread *thread = begin(64u << 20, &fd);
	struct log_node *nodes = new_nodes(thread, NR_NODES);
	uint32_t parent = log_ref(live.log, &thread->root);

	for (uint32_t i = 0; i < NR_NODES; i++) {
		assert_true(path_index_make_room(thread, false));
		add(thread, &nodes[i], parent, FUNCTION);
		assert_int_equal(path_index_find(thread, parent, FUNCTION), log_ref(live.log, &nodes[i]));
		nodes[i].function_addr |= LOG_FUNCTION_RETIRED;
		assert_int_equal(path_index_find(thread, parent, FUNCTION), 0);
	}
	assert_int_equal(((const struct log_index *)log_at(live.log, thread->index))->nr_entries, 1);
	end(fd);
}

/* The last places are for functions under "(other paths)". */
TEST(without_room_some_is_kept_for_functions)
{
	int fd;
	struct log_thread *thread = begin(4u << 20, &fd);
	struct log_node *nodes = new_nodes(thread, 12700);
	uint32_t parent = log_ref(live.log, &thread->root), nr = 0, nr_others = 0;

	for (; nr < 12000 && path_index_make_room(thread, false); nr++)
		add(thread, &nodes[nr], parent, function_of(nr) + nr);
	for (; nr + nr_others < 12000 && path_index_make_room(thread, true); nr_others++)
		add(thread, &nodes[nr + nr_others], parent, function_of(nr + nr_others) + nr + nr_others);
	assert_in_range(nr, 5000, 10000);
	assert_int_equal(nr + nr_others, 12000);
	for (uint32_t i = 0; i < nr + nr_others; i++)
		assert_int_equal(path_index_find(thread, parent, nodes[i].function_addr),
				 log_ref(live.log, &nodes[i]));
	end(fd);
}
