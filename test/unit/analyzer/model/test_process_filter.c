/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/model/process_filter: --rank, --process and --thread leave nothing of the others in any number. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/ask/options.h"
#include "analyzer/calls/slices.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/process_filter.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

/*
 * Three ranks of app (pids 100 to 102) and a helper (pid 200). Each has threads "main" and "worker-1"; on
 * rank r main calls F r + 1 times, worker-1 calls G 10 times; each thread allocates 64 bytes and has one
 * slice and one open call.
 */
static void add_log(struct build_run *run, uint32_t pid, int rank, const char *program)
{
	struct log_thread *threads[2];
	struct build build;

	threads[0] = build_begin(&build);
	threads[0]->tid = pid;
	threads[1] = build_thread(&build, "worker-1");
	threads[1]->tid = pid + 1000;
	build.header->pid = pid;
	build.header->rank = rank;
	build.header->process_start = pid;
	strcpy(build.header->program, program);
	for (int i = 0; i < 2; i++) {
		struct log_node *node = build_node(&build, threads[i], &threads[i]->root, i ? G : F);
		struct log_heap *heap = build_heap(&build, threads[i], node);

		for (int k = 0; k < (i ? 10 : rank + 1); k++)
			build_call(node, 1000, 0);
		heap->alloc_calls = 1;
		heap->alloc_bytes = 64;
		build_slice(&build, threads[i], 0,
			    &(struct build_slice){ .node = node, .end_ticks = NS_START + MS, .ticks = MS });
		build_stack(&build, threads[i], 8);
		build_open_call(&build, threads[i], node, NS_START + 2 * MS);
	}
	build_finish(&build, NS_START + 9 * MS, 0);
	build_run_add(run, &build);
}

/* NULL: nothing was left. */
static struct model *load(const char *ranks, const char *processes, const char *threads)
{
	const char *const texts[] = { ranks, processes, threads };
	struct build_run run = { .nr = 0 };
	struct filter filter = { .lists = { { .text = NULL } } };
	struct model *model;

	for (uint32_t i = 0; i < 3; i++)
		add_log(&run, 100 + i, (int)i, "app");
	add_log(&run, 200, -1, "helper");
	for (enum filter_kind kind = 0; kind < FILTER_KINDS; kind++)
		assert_true(!texts[kind] || filter_parse(&filter, kind, texts[kind]) == 0);
	model = model_load(run.list, run.nr, &filter);
	for (size_t i = 0; i < run.nr; i++)
		close(run.fds[i]);
	filter_release(&filter);
	return model;
}

static size_t count_slices(struct model *model)
{
	struct slice_reader *reader = slices_open_all(model);
	struct slice slice;
	size_t nr = 0;

	while (slices_next(reader, &slice))
		nr++;
	slices_close(reader);
	return nr;
}

static size_t count_stacks(const struct model *model)
{
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->nr_stacks;
	return nr;
}

/* @f, @g: calls, finished and open. Each thread that is left has a slice, a stack and 64 bytes. */
static void assert_left(struct model *model, size_t nr_processes, size_t nr_threads, uint64_t f, uint64_t g)
{
	assert_int_equal(model->nr_processes, nr_processes);
	assert_int_equal(model->calls, f + g);
	assert_int_equal(f ? build_function(model, 0x200)->stats.calls : 0, f);
	assert_int_equal(g ? build_function(model, 0x300)->stats.calls : 0, g);
	assert_int_equal(model->nr_functions, (f > 0) + (g > 0));
	assert_int_equal(model->heap.alloc_bytes, 64 * nr_threads);
	assert_int_equal(model->nr_slices, nr_threads);
	assert_int_equal(count_slices(model), nr_threads);
	assert_int_equal(count_stacks(model), nr_threads);
	for (size_t i = 0; i < model->nr_processes; i++)
		assert_int_equal(model->processes[i]->log->nr_damaged, 0);
	model_free(model);
}

TEST(without_a_filter_all_is_there)
{
	assert_left(load(NULL, NULL, NULL), 4, 8, 1 + 2 + 3 + 0 + 4, 4 * 11);
}

TEST(ranks_are_chosen_by_number)
{
	assert_left(load("1-7", NULL, NULL), 2, 4, 3 + 4, 22);
	assert_left(load("0", NULL, NULL), 1, 2, 2, 11);
	assert_null(load("3", NULL, NULL));
}

TEST(processes_are_chosen_by_pid_or_program)
{
	assert_left(load(NULL, "101,help*", NULL), 2, 4, 3 + 1, 22);
	assert_left(load(NULL, "app", NULL), 3, 6, 2 + 3 + 4, 33);
	assert_left(load("2", "app", NULL), 1, 2, 4, 11);
	assert_null(load("2", "helper", NULL));
}

TEST(threads_are_chosen_by_number_or_name)
{
	assert_left(load(NULL, NULL, "worker-?"), 4, 4, 0, 44);
	assert_left(load(NULL, NULL, "main"), 4, 4, 2 + 3 + 4 + 1, 0);
	assert_left(load(NULL, NULL, "102,1100"), 2, 2, 4, 11);
	assert_left(load("0-1", NULL, "main"), 2, 2, 2 + 3, 0);
}

TEST(a_wrong_list_is_reported)
{
	static const char *const bad[] = { "", ",", "1,,2", "5-2", "4-", "a," };
	struct filter filter = { .lists = { { .text = NULL } } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		for (enum filter_kind kind = 0; kind < FILTER_KINDS; kind++)
			assert_int_equal(filter_parse(&filter, kind, bad[i]), EXIT_USAGE);
	assert_int_equal(filter_parse(&filter, FILTER_RANK, "app"), EXIT_USAGE);
	assert_null(filter_text(&filter));
}

TEST(the_option_given_last_holds)
{
	struct filter filter = { .lists = { { .text = NULL } } };
	char *text;

	assert_int_equal(filter_parse(&filter, FILTER_THREAD, "a,b,7"), 0);
	assert_int_equal(filter_parse(&filter, FILTER_THREAD, "c"), 0);
	assert_int_equal(filter.lists[FILTER_THREAD].nr_names, 1);
	assert_int_equal(filter.lists[FILTER_THREAD].numbers.nr_ranges, 0);
	assert_int_equal(filter_parse(&filter, FILTER_RANK, "1-2"), 0);
	text = filter_text(&filter);
	assert_string_equal(text, "--rank 1-2 --thread c");
	free(text);
	filter_release(&filter);
}
