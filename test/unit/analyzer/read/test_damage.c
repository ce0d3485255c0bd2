/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reading side on damaged logs: cut off anywhere, bits and bytes changed anywhere, links that go in
 * circles. Built under sanitizers; a watchdog ends what hangs.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/calls/slices.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/read/ends_read.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define NR_VARIANTS	4000
#define NR_FUNCTIONS	30
#define END		(NS_START + 1000 * MS)

/* A log with everything: two threads, nodes in several areas, open calls, slices, rows, records. */
static void build_all(struct build *build)
{
	struct log_thread *thread = build_begin(build), *worker = build_thread(build, "worker");
	struct log_node *nodes[NR_FUNCTIONS], *parent = &thread->root, *waits;
	struct log_rows *rows, *clocks;

	build_text(build, "command=./app --all");
	build_event(build, LOG_EVENT_FORK, NS_START + 3 * MS, (uint64_t[]){ 4300 }, 1, NULL);
	build_module(build, "/lib/libother.so", 0x600000, 0x700000, 0x600000, 0)->gone_ticks =
		NS_START + 9 * MS;
	for (int i = 0; i < NR_FUNCTIONS; i++) {
		parent = nodes[i] = build_node(build, thread, parent, F + 16 * (uint64_t)(i / 2));
		build_call(nodes[i], 900 * MS - (uint64_t)i * MS, 899 * MS - (uint64_t)i * MS);
		build_heap(build, thread, nodes[i])->alloc_calls = 3;
	}
	build_stack(build, thread, 10);
	for (int i = 0; i < NR_FUNCTIONS; i++)
		build_open_call(build, thread, nodes[i], NS_START + 901 * MS + (uint64_t)i);
	waits = build_node(build, worker, &worker->root, MAIN);
	build_stack(build, worker, 10);
	build_open_call(build, worker, waits, NS_START + 5 * MS);
	for (uint64_t i = 1; i < 3000; i++)
		build_slice(build, thread, i % 2,
			    &(struct build_slice){ .node = nodes[i % NR_FUNCTIONS],
						   .end_ticks = NS_START + i * 1000,
						   .ticks = 500,
						   .thread_delta = i % 3,
						   .process_delta = i % 3,
						   .heap_after = (int64_t)i });
	rows = build_rows(build, "memory", (const char *[]){ "rss_bytes", "vms_bytes" }, 2, 200);
	clocks = build_rows(build, "clock", (const char *[]){ "monotonic_ns", "realtime_ns" }, 2, 20);
	for (uint64_t i = 1; i < 90; i++)
		build_row(rows, NS_START + i * 10 * MS, (uint64_t[]){ i << 20, i << 21 });
	for (uint64_t i = 1; i < 10; i++)
		build_row(clocks, NS_START + i * 100 * MS,
			  (uint64_t[]){ NS_START + i * 100 * MS, BUILD_REALTIME_NS + i * 100 * MS });
	build_finish(build, END, 0);
}

/*
 * Thousands of variants would fill the terminal, so their messages are dropped. Sanitizers write past stdio.
 */
int before_all(void **state)
{
	return setvbuf(stderr, NULL, _IOFBF, 1 << 20);
}

static struct model *try_load(const struct build *build, uint64_t bytes)
{
	struct model *model = build_try_load(build, bytes);

	__fpurge(stderr);
	return model;
}

static bool slices_are_sound(struct model *model)
{
	struct slice_reader *reader = slices_open_all(model);
	struct memory_reading reading;
	struct slice slice;
	bool sound = true;

	while (slices_next(reader, &slice)) {
		sound = sound && slice.duration_ns >= 0 &&
			slice.end_ticks <= slice.thread->process->limit_ticks;
		process_memory_at(slice.thread->process, slice.end_ticks, &reading);
	}
	slices_seek(reader, 500 * (int64_t)MS);
	slices_next(reader, &slice);
	slices_close(reader);
	__fpurge(stderr);
	return sound;
}

/* Everything that a view could ask for. */
static void use(struct model *model)
{
	char text[200];

	assert_true(slices_are_sound(model));
	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct function *function = model->functions[i];

		assert_true(function->stats.open_calls <= function->stats.calls);
		assert_false(isnan(function->stats.self_ns));
		function_percentile_ns(function, 90, &(double){ 0 });
	}
	for (size_t i = 0; i < model->nr_processes; i++)
		process_end_text(model->processes[i], text, sizeof(text));
}

TEST(a_log_cut_at_any_place_is_read_or_refused)
{
	struct build build;
	size_t nr_read = 0;

	build_all(&build);
	for (uint64_t bytes = 64; bytes < build.tail; bytes += 64) {
		struct model *model = try_load(&build, bytes);

		assert_true(model || bytes < sizeof(struct log_header));
		if (!model)
			continue;
		assert_true(model->nr_damaged > 0);	/* each cut is seen */
		use(model);
		nr_read++;
		model_free(model);
	}
	assert_true(nr_read > 0);
	build_release(&build);
}

static void damage(struct build *build, const uint8_t *sound, uint64_t tail)
{
	memcpy(build->bytes, sound, tail);
	for (long i = 0; i <= lrand48() % 4; i++) {
		uint64_t at = (uint64_t)lrand48() % tail & ~7ull;
		uint64_t *word = (uint64_t *)(build->bytes + at);

		switch (lrand48() % 4) {
		case 0:
			*word ^= 1ull << lrand48() % 64;
			break;
		case 1:
			*word = (uint64_t)lrand48() << 33 ^ (uint64_t)lrand48();
			break;
		case 2:
			*word = UINT64_MAX;
			break;
		default:
			memcpy(word, build->bytes + ((uint64_t)lrand48() % tail & ~7ull), 8);
		}
	}
}

/* Only in used parts: else most damage would hit unused ones. */
static void damage_heads(struct build *build, const uint8_t *sound, uint64_t tail)
{
	memcpy(build->bytes, sound, tail);
	for (long i = 0; i <= lrand48() % 3; i++) {
		uint64_t area = (uint64_t)lrand48() % tail / LOG_AREA_ALIGN * LOG_AREA_ALIGN;
		uint32_t *word = (uint32_t *)(build->bytes + area + (uint64_t)(lrand48() % 100) * 4);

		*word = lrand48() % 2 ? *word ^ 1u << lrand48() % 32
				      : (uint32_t)((uint64_t)lrand48() % tail) >> 6;
	}
}

static void try_variants(void (*change)(struct build *, const uint8_t *, uint64_t))
{
	struct build build;
	uint8_t *sound;
	size_t nr_read = 0;

	srand48(4);
	build_all(&build);
	sound = malloc(build.tail);
	memcpy(sound, build.bytes, build.tail);
	for (int i = 0; i < NR_VARIANTS; i++) {
		struct model *model;

		change(&build, sound, build.tail);
		alarm(10);
		model = try_load(&build, 0);
		if (model) {
			use(model);
			nr_read++;
		}
		model_free(model);
	}
	alarm(0);
	assert_true(nr_read > NR_VARIANTS / 2);
	free(sound);
	build_release(&build);
}

TEST(changed_words_anywhere_do_no_harm)
{
	try_variants(damage);
}

TEST(changed_heads_of_areas_do_no_harm)
{
	try_variants(damage_heads);
}

/* A flipped bit in a node's counters may change the report only by leaving something out. */
TEST(a_flipped_bit_does_not_make_up_time)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F), sound;

	for (uint64_t i = 0; i < 1000; i++)
		build_call(f, 5000 + i * 7, 0);
	build_finish(&build, END, 0);
	sound = *f;
	for (size_t bit = 8 * offsetof(struct log_node, calls); bit < 8 * sizeof(*f); bit++) {
		struct model *model;

		((uint64_t *)f)[bit / 64] ^= 1ull << bit % 64;
		model = try_load(&build, 0);
		assert_true(model->functions_ns < 2.1 * (double)sound.total_ticks);
		assert_true(model->calls < 2100);
		if (model->nr_functions)
			assert_true(model->functions[0]->stats.max_ns < 2 * 16384);
		model_free(model);
		*f = sound;
	}
	build_release(&build);
}

/* Left behind by a handler's calls in the middle of another call's exit. */
TEST(a_call_counted_as_another_is_no_damage)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct model *model;

	build_call(f, 2674, 0);
	build_call(f, 870, 0);
	f->histogram[11]++;
	f->histogram[9]--;
	build_finish(&build, END, 0);
	model = try_load(&build, 0);
	assert_int_equal(model->calls, 2);
	model_free(model);
	f->max_ticks = 2 * 2674;	/* longer than the squares allow */
	model = try_load(&build, 0);
	assert_int_equal(model->calls, 0);
	build_free(&build, model);
}

TEST(links_in_circles_end)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F),
			*g = build_node(&build, thread, f, G);
	struct log_frames *stack, *above;
	struct model *model;

	build_call(f, 10, 0);
	build_call(g, 10, 0);
	f->parent = build_ref(&build, g);
	f->next = f->child = build_ref(&build, f);
	stack = build_stack(&build, thread, 10);
	for (uint64_t i = 0; i < 70; i++)
		build_open_call(&build, thread, g, NS_START + 1 * MS + i);
	above = (struct log_frames *)(build.bytes + ((uint64_t)thread->frames << LOG_REF_SHIFT));
	above->below = above->head.self;
	stack->head.next = stack->head.self;
	stack->next_stack = stack->head.self;
	build_finish(&build, END, 0);
	alarm(10);
	model = try_load(&build, 0);
	alarm(0);
	assert_int_equal(model->calls, 2);	/* both under "(other paths)": sound, but without a path */
	assert_true(build_function(model, F - APP_BEGIN)->total_is_bound);
	assert_true(model->nr_damaged >= 2);
	build_free(&build, model);
}

TEST(other_versions_and_other_files_are_refused)
{
	struct build build;

	build_all(&build);
	build.header->version = LOG_VERSION + 1;
	assert_null(try_load(&build, 0));
	build.header->version = LOG_VERSION;
	build.header->byte_order = 0x04030201;
	assert_null(try_load(&build, 0));
	build.header->byte_order = LOG_BYTE_ORDER;
	build.header->magic = 0;
	assert_null(try_load(&build, 0));
	build.header->magic = LOG_MAGIC ^ 1;
	assert_null(try_load(&build, 0));
	build.header->magic = LOG_MAGIC;
	memset(&build.header->start, 0, sizeof(build.header->start));
	model_free(try_load(&build, 0));	/* the other readings of the clocks are enough */
	build_release(&build);
}

TEST(a_file_cut_while_it_is_open_reads_as_zeros)
{
	char path[] = "/tmp/insideme-test.XXXXXX", *paths[] = { path };
	struct slice_reader *reader;
	struct build build;
	struct model *model;
	struct slice slice;

	build_all(&build);
	close(mkstemp(path));
	build_write(&build, path, 0);
	model = model_load(paths, 1, NULL);
	assert_int_equal(truncate(path, LOG_HEADER_BYTES), 0);
	reader = slices_open_all(model);
	while (slices_next(reader, &slice))
		;
	__fpurge(stderr);
	slices_close(reader);
	assert_true(model->processes[0]->nr_damaged > 0);
	model_free(model);
	unlink(path);
	build_release(&build);
}

/* A kill between claiming an area and the last word of its head. */
TEST(an_area_killed_while_it_was_claimed_is_no_damage)
{
	struct build build;
	struct log_area *areas[2];
	struct model *model;

	build_begin(&build);
	areas[0] = build_area(&build, LOG_AREA_NODES, 0, 8192, sizeof(struct log_area));
	areas[1] = build_area(&build, LOG_AREA_RECORDS, 0, 4096, sizeof(struct log_area));
	areas[0]->magic = areas[1]->magic = areas[1]->self = 0;
	model = try_load(&build, 0);
	assert_int_equal(model->nr_damaged, 0);
	model_free(model);
	areas[0]->self = 7;	/* of another area */
	model = try_load(&build, 0);
	assert_int_equal(model->nr_damaged, 1);
	build_free(&build, model);
}

/* A kill while a call path is made: its function is set, its caller is not yet. */
TEST(a_path_killed_while_it_was_made_is_no_damage)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *node;
	struct model *model;

	build_call(build_node(&build, thread, &thread->root, MAIN), MS, 0);
	node = build_node(&build, thread, &thread->root, F);
	thread->root.child = 0;
	node->parent = 0;
	build_finish(&build, END, 0);
	model = try_load(&build, 0);
	assert_int_equal(model->nr_damaged, 0);
	model_free(model);
	node->calls = 1;	/* not from the recorder */
	model = try_load(&build, 0);
	assert_int_equal(model->nr_damaged, 1);
	build_free(&build, model);
}
