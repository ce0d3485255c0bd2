/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/calls/slices: what was written is read, in the order of ends, from any instant on. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/calls/slices.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define NR_SLICES	20000
#define NR_NODES	40

/* Random slices as they were written, thread after thread. */
static struct build_slice written[2][NR_SLICES];

static uint64_t random_below(uint64_t limit)
{
	return (uint64_t)(drand48() * (double)limit);
}

static void write_pages(int64_t pages[4])
{
	for (int i = 0; i < 4; i += 2) {
		pages[i] = 1 + (int64_t)random_below(1ull << 35);
		pages[i + 1] = (int64_t)random_below(1ull << 36) - pages[i];
	}
}

static void write_slices(struct build *build, struct log_thread *thread, struct log_node **nodes,
			 struct build_slice *slices)
{
	uint64_t end = NS_START + 1 * MS;
	int64_t heap = 5000000;

	for (int i = 0; i < NR_SLICES; i++) {
		end += random_below(3) ? random_below(2000) : random_below(90000);
		slices[i] = (struct build_slice){ .node = nodes[random_below(NR_NODES)], .end_ticks = end };
		slices[i].ticks = random_below(2) ? random_below(100) : random_below(1 * MS);
		slices[i].broken = random_below(20) == 0;
		slices[i].reason = slices[i].broken ? random_below(UINT32_MAX) : 0;
		if (random_below(2)) {
			slices[i].thread_delta = (int64_t)random_below(1 << 20) - (1 << 19);
			slices[i].process_delta = slices[i].thread_delta + (int64_t)random_below(3) - 1;
			heap += slices[i].process_delta;
		}
		slices[i].heap_after = heap;
		if (random_below(2))
			write_pages(slices[i].pages);
		build_slice(build, thread, 0, &slices[i]);
	}
}

static struct model *build_two_threads(struct build *build)
{
	struct log_thread *threads[2] = { build_begin(build), NULL };
	struct log_node *nodes[NR_NODES];
	struct model *model;

	srand48(3);
	threads[1] = build_thread(build, "worker");
	for (int t = 0; t < 2; t++) {
		for (int i = 0; i < NR_NODES; i++) {
			nodes[i] = build_node(build, threads[t], i ? nodes[i / 2] : &threads[t]->root,
					      F + 16 * (uint64_t)i);
			build_call(nodes[i], 100, 0);
		}
		write_slices(build, threads[t], nodes, written[t]);
	}
	build_finish(build, NS_START + 10000 * MS, 0);
	model = build_load(build);
	assert_int_equal(model->nr_slices, 2 * NR_SLICES);
	assert_int_equal(model->nr_damaged, 0);
	return model;
}

static void assert_pages(const struct slice *slice, const int64_t pages[4])
{
	assert_int_equal(slice->rss_before_bytes, pages[0] * LOG_AREA_ALIGN);
	assert_int_equal(slice->rss_after_bytes, (pages[0] + pages[1]) * LOG_AREA_ALIGN);
	assert_int_equal(slice->vms_before_bytes, pages[2] * LOG_AREA_ALIGN);
	assert_int_equal(slice->vms_after_bytes, (pages[2] + pages[3]) * LOG_AREA_ALIGN);
}

static void assert_slice(const struct slice *slice, const struct build_slice *expected)
{
	assert_int_equal(slice->end_ticks, expected->end_ticks);
	assert_int_equal(slice->end, (int64_t)(expected->end_ticks - NS_START));
	assert_int_equal(slice->end_ticks - slice->start_ticks, expected->ticks);
	assert_int_equal(slice->end - slice->start, expected->ticks);
	assert_true(slice->duration_ns == (double)expected->ticks);
	assert_int_equal(slice->heap_delta_bytes, expected->thread_delta);
	assert_int_equal(slice->heap_after_bytes, expected->heap_after);
	assert_int_equal(slice->heap_before_bytes, expected->heap_after - expected->process_delta);
	assert_int_equal(slice->has_memory, expected->pages[0] != 0);
	if (slice->has_memory)
		assert_pages(slice, expected->pages);
	assert_int_equal(slice->broken, expected->broken);
	assert_int_equal(slice->reason, expected->reason);
	assert_int_equal(slice->node->function->addr + APP_BEGIN, expected->node->function_addr);
}

TEST(what_was_written_comes_back)
{
	struct build build;
	struct model *model = build_two_threads(&build);
	size_t nr[2] = { 0 };

	for (size_t t = 0; t < 2; t++) {
		struct slice_reader *reader = slices_open_thread(model->processes[0]->threads[t]);
		struct slice slice;

		while (slices_next(reader, &slice)) {
			assert_ptr_equal(slice.thread, model->processes[0]->threads[t]);
			assert_slice(&slice, &written[t][nr[t]++]);
		}
		assert_int_equal(nr[t], NR_SLICES);
		slices_close(reader);
	}
	assert_int_equal(model->processes[0]->nr_damaged, 0);
	build_free(&build, model);
}

TEST(threads_are_merged_by_the_end_of_their_slices)
{
	struct build build;
	struct model *model = build_two_threads(&build);
	struct slice_reader *reader = slices_open_all(model);
	size_t nr[2] = { 0 };
	struct slice slice;
	int64_t last = 0;

	while (slices_next(reader, &slice)) {
		assert_true(slice.end >= last);
		last = slice.end;
		assert_slice(&slice, &written[slice.thread->serial][nr[slice.thread->serial]++]);
	}
	assert_int_equal(nr[0], NR_SLICES);
	assert_int_equal(nr[1], NR_SLICES);
	slices_close(reader);
	build_free(&build, model);
}

static size_t first_at(const struct build_slice *slices, int64_t time)
{
	size_t i = 0;

	while (i < NR_SLICES && (int64_t)(slices[i].end_ticks - NS_START) < time)
		i++;
	return i;
}

TEST(a_reader_goes_to_any_instant_and_back)
{
	struct build build;
	struct model *model = build_two_threads(&build);
	struct slice_reader *reader = slices_open_thread(model->processes[0]->threads[0]);
	int64_t end = (int64_t)(written[0][NR_SLICES - 1].end_ticks - NS_START);

	for (int i = 0; i < 200; i++) {
		int64_t time = (int64_t)random_below((uint64_t)end + 1);
		size_t expected = first_at(written[0], time);
		struct slice slice;

		slices_seek(reader, time);
		for (size_t k = 0; k < 3 && expected + k < NR_SLICES; k++) {
			assert_true(slices_next(reader, &slice));
			assert_slice(&slice, &written[0][expected + k]);
		}
	}
	slices_seek(reader, end + 1);
	assert_false(slices_next(reader, &(struct slice){ 0 }));
	slices_close(reader);
	build_free(&build, model);
}

/* A handler ended a call after the interrupted call had read its clock: the next slice ends earlier. */
TEST(a_slice_may_end_before_the_one_in_front_of_it)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct build_slice slices[] = { { .node = f, .end_ticks = NS_START + 5000, .ticks = 10 },
					{ .node = f, .end_ticks = NS_START + 4990, .ticks = 3000 },
					{ .node = f, .end_ticks = NS_START + 6000, .ticks = 20 } };
	struct slice_reader *reader;
	struct model *model;
	struct slice slice;

	build_call(f, 100, 0);
	for (int i = 0; i < 3; i++)
		build_slice(&build, thread, 0, &slices[i]);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	reader = slices_open_all(model);
	for (int i = 0; i < 3; i++) {
		assert_true(slices_next(reader, &slice));
		assert_slice(&slice, &slices[i]);
	}
	assert_false(slices_next(reader, &slice));
	slices_close(reader);
	build_free(&build, model);
}

/* Enough for chunks that begin with each of the threads. */
TEST(threads_that_share_a_record_keep_their_slices)
{
	static const char *const names[] = { "first", "pool", "pool", "last" }, *const told[] = { "", "", "",
												  "last" };
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	uint32_t first_tid = thread->tid;
	struct slice_reader *reader;
	struct model *model;
	struct slice slice;

	build_call(f, 100, 0);
	for (uint64_t i = 0; i < 4 * 2000; i++) {
		if (i && i % 2000 == 0)
			build_take_over(&build, thread, names[i / 2000]);
		build_slice(&build, thread, 0,
			    &(struct build_slice){
				    .node = f, .end_ticks = NS_START + MS + 1000 * i, .ticks = 200 });
	}
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->processes[0]->threads[0]->nr_threads, 4);
	assert_true(model->root->child->threads_unknown);
	reader = slices_open_all(model);
	for (uint32_t i = 0; i < 4 * 2000; i++) {
		assert_true(slices_next(reader, &slice));
		assert_int_equal(slice.tid, first_tid + i / 2000);
		assert_string_equal(slice.thread_name, told[i / 2000]);
	}
	slices_seek(reader, 1 * MS + 1000 * 2500);
	assert_true(slices_next(reader, &slice));
	assert_int_equal(slice.tid, first_tid + 1);
	assert_int_equal(model->nr_damaged, 0);
	slices_close(reader);
	build_free(&build, model);
}

TEST(shifted_ticks_lose_their_low_bits_only)
{
	struct build build;
	struct log_thread *thread;
	struct slice_reader *reader;
	struct model *model;
	struct slice slice;
	struct log_node *f;

	build_init(&build, LOG_CLOCK_TSC, 0.5);
	build.header->slice_shift = 3;
	thread = build_thread(&build, "main");
	f = build_node(&build, thread, &thread->root, F);
	build_call(f, 100, 0);
	build_slice(&build, thread, 1,
		    &(struct build_slice){ .node = f, .end_ticks = NS_START + 8007, .ticks = 807 });
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	reader = slices_open_all(model);
	assert_true(slices_next(reader, &slice));
	assert_int_equal(slice.end_ticks, NS_START + 8000);
	assert_int_equal(slice.start_ticks, NS_START + 7200);
	assert_in_range(slice.end, 3999, 4001);
	assert_true(slice.duration_ns > 399.9 && slice.duration_ns < 400.1);
	slices_close(reader);
	build_free(&build, model);
}

/*
 * One byte of the first chunk is wrong: its rest may be lost, the next chunk is whole, and the damage is
 * counted.
 */
TEST(a_damaged_chunk_does_not_spoil_the_next)
{
	struct build build;
	struct model *model = build_two_threads(&build);
	struct slice_reader *reader;
	struct slice slice;
	size_t nr = 0;

	model_free(model);
	for (uint64_t at = LOG_HEADER_BYTES; at < build.tail; at += LOG_AREA_ALIGN) {
		struct log_slices *chunk = (struct log_slices *)(build.bytes + at);

		if (chunk->head.magic == LOG_AREA_MAGIC && chunk->head.kind == LOG_AREA_SLICES) {
			memset((uint8_t *)chunk + 2000, 0xff, 20);
			break;
		}
	}
	model = build_load(&build);
	reader = slices_open_thread(model->processes[0]->threads[0]);
	while (slices_next(reader, &slice))
		nr++;
	assert_slice(&slice, &written[0][NR_SLICES - 1]);
	assert_in_range(nr, NR_SLICES - 1000, NR_SLICES - 1);
	assert_int_equal(model->processes[0]->nr_damaged, 1);
	slices_close(reader);
	build_free(&build, model);
}

TEST(a_missing_slice_is_noticed)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct slice_reader *reader;
	struct model *model;
	struct slice slice;

	build_call(f, 100, 0);
	for (uint64_t i = 1; i < 100; i++)
		build_slice(&build, thread, 0,
			    &(struct build_slice){ .node = f, .end_ticks = NS_START + i * 200, .ticks = 9 });
	((struct log_slices *)(build.bytes + ((uint64_t)thread->slices[0] << LOG_REF_SHIFT)))
		->head.used_bytes -= 100;
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	reader = slices_open_all(model);
	while (slices_next(reader, &slice))
		;
	assert_int_equal(model->processes[0]->nr_damaged, 1);
	slices_close(reader);
	build_free(&build, model);
}

TEST(what_is_outside_of_all_functions_is_no_call)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct slice_reader *reader;
	struct model *model;
	struct slice slice;

	build_call(build_node(&build, thread, &thread->root, F), 100, 0);
	build_slice(&build, thread, 0,
		    &(struct build_slice){ .node = &thread->root, .end_ticks = NS_START + 200, .ticks = 9 });
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	reader = slices_open_all(model);
	assert_false(slices_next(reader, &slice));
	assert_int_equal(model->processes[0]->nr_damaged, 1);
	slices_close(reader);
	build_free(&build, model);
}
