/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/calls/paths: what it takes to make a path, as readers subtract it. */
#include "preload/calls/counted.h"
#include "preload/calls/paths.h"
#include "preload/state/log_space.h"
#include "preload/state/modules.h"
#include "test/unit/empty_log.h"
#include "test/unit/no_recorder.h"
#include "test/unit/unit.h"

#define FUNCTION 0x555555554000u

static uint64_t path_ns;	/* that the next one takes */

void modules_know(uintptr_t addr)
{
	stub_clock_ns += path_ns;
}

uint32_t counted_number(uint64_t function_addr)
{
	return 0;
}

TEST(a_path_during_which_others_ran_is_not_in_the_mean)
{
	struct log_thread *thread;
	uint32_t node;
	int fd;

	live.clock = LOG_CLOCK_MONOTONIC;
	live.timing = LOG_TIMING_AUTO;
	live.log = empty_log(1 << 20, &fd);
	live.log->file_bytes = 1 << 20;
	live.log->threshold_floor_ticks = 1000;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	thread = (struct log_thread *)log_space_new_area(LOG_AREA_THREAD, 0, sizeof(struct log_thread),
							 LOG_FIRST_NODES_AT, 0);
	stub_clock_ns = path_ns = 300;
	node = path_find(thread, log_ref(live.log, &thread->root), FUNCTION);
	for (uint32_t i = 1; i <= 8; i++) {
		path_ns = i == 4 ? 4000000 : 300;	/* a time slice of another task */
		node = path_find(thread, node, FUNCTION + 16 * i);
	}
	assert_int_equal(thread->new_paths_ticks, 300 * (uint64_t)thread->nr_new_paths);
	assert_int_equal(thread->nr_new_paths, 7);
	munmap(live.log, live.log->map_bytes);
	close(fd);
}
