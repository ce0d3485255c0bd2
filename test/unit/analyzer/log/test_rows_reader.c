/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analyzer/log/rows_reader: rows in the order of time, looked up by time; memory at the entry and exit of a
 * slice.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/process_usage.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define NR_ROWS 500

static struct log_rows *build_memory(struct build *build)
{
	struct log_rows *rows;

	build_begin(build);
	rows = build_rows(build, "memory", (const char *[]){ "rss_bytes", "vms_bytes" }, 2, NR_ROWS);
	for (uint64_t i = 0; i < NR_ROWS; i++)
		build_row(rows, NS_START + (i + 1) * MS,
			  (uint64_t[]){ 1000 + i, i % 10 ? 5000 + i : LOG_NONE });
	build_finish(build, NS_START + 1000 * MS, 0);
	return rows;
}

static uint64_t *row_at(struct log_rows *rows, size_t i)
{
	return (uint64_t *)((uint8_t *)rows + sizeof(*rows) + 2 * sizeof(struct log_column) + i * 24);
}

TEST(memory_is_that_of_the_newest_row_before)
{
	struct memory_reading reading;
	struct build build;
	struct model *model;

	build_memory(&build);
	model = build_load(&build);
	assert_false(process_memory_at(model->processes[0], NS_START + MS - 1, &reading));
	for (int i = 0; i < 3 * NR_ROWS; i++) {
		uint64_t since = i < NR_ROWS ? (uint64_t)i * MS + 5 : (uint64_t)lrand48() % (900 * MS);
		uint64_t row = since / MS < NR_ROWS ? since / MS : NR_ROWS - 1;

		assert_true(process_memory_at(model->processes[0], NS_START + MS + since, &reading));
		assert_int_equal(reading.rss_bytes, 1000 + row);
		assert_int_equal(reading.vms_bytes, row % 10 ? 5000 + row : LOG_NONE);
		assert_true(reading.age_ns == (double)(since - row * MS));
	}
	build_free(&build, model);
}

/* The recorder is just moving every second row, and has not shortened the set yet. */
TEST(rows_being_thinned_come_once_and_in_order)
{
	struct build build;
	struct log_rows *rows = build_memory(&build);
	struct rowset *set;
	struct model *model;

	for (size_t i = 0; i < NR_ROWS / 4; i++)
		memcpy(row_at(rows, i), row_at(rows, 2 * i), 24);
	model = build_load(&build);
	set = process_rowset(model->processes[0], "memory");
	assert_int_equal(set->nr_rows, NR_ROWS / 4 + NR_ROWS / 2 + 1);
	for (size_t i = 1; i < set->nr_rows; i++)
		assert_true(rowset_ticks(set, i) > rowset_ticks(set, i - 1));
	build_free(&build, model);
}

TEST(a_row_that_leaps_ahead_costs_only_itself)
{
	struct build build;
	struct log_rows *rows = build_memory(&build);
	struct model *model;

	for (int bit = 25; bit < 64; bit++) {
		row_at(rows, 100)[0] ^= 1ull << bit;
		model = build_load(&build);
		assert_true(process_rowset(model->processes[0], "memory")->nr_rows >= NR_ROWS - 1);
		row_at(rows, 100)[0] ^= 1ull << bit;
		model_free(model);
	}
	build_release(&build);
}

TEST(rows_after_the_end_are_not_there)
{
	struct build build;
	struct log_rows *rows = build_memory(&build);
	struct model *model;

	row_at(rows, NR_ROWS - 1)[0] = NS_START + 3600000 * MS;
	model = build_load(&build);
	assert_int_equal(process_rowset(model->processes[0], "memory")->nr_rows, NR_ROWS - 1);
	assert_int_equal(model->end, 1000 * MS);
	build_free(&build, model);
}

TEST(impossible_columns_are_damage)
{
	struct build build;
	struct log_rows *rows = build_memory(&build);
	struct model *model;

	rows->nr_columns = 1u << 30;
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 1);
	assert_null(process_rowset(model->processes[0], "memory"));
	build_free(&build, model);
}

/* The sampler takes either set more often, as its budget allows. */
TEST(rows_of_the_process_tell_its_memory_too)
{
	static const uint64_t expected[] = { 10, 10, 30, 40, 40, 60 };	/* 1 to 6 ms after the start */
	struct memory_reading reading;
	struct log_rows *rows;
	struct build build;
	struct model *model;

	build_begin(&build);
	rows = build_rows(&build, "memory", (const char *[]){ "rss_bytes", "vms_bytes" }, 2, 8);
	build_row(rows, NS_START + 1 * MS, (uint64_t[]){ 10, 1 });
	build_row(rows, NS_START + 4 * MS, (uint64_t[]){ 40, 4 });
	rows = build_rows(&build, "process", (const char *[]){ "cpu_ns", "vms_bytes", "rss_bytes" }, 3, 8);
	build_row(rows, NS_START + 3 * MS, (uint64_t[]){ 7, 3, 30 });
	build_row(rows, NS_START + 4 * MS, (uint64_t[]){ 7, 5, 50 }); /* read at the same time as the other */
	build_row(rows, NS_START + 5 * MS, (uint64_t[]){ 7, LOG_NONE, LOG_NONE }); /* a zombie has none */
	build_row(rows, NS_START + 6 * MS, (uint64_t[]){ 8, 6, 60 });
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	for (uint64_t i = 0; i < 6; i++) {
		assert_true(process_memory_at(model->processes[0], NS_START + (i + 1) * MS, &reading));
		assert_int_equal(reading.rss_bytes, expected[i]);
		assert_int_equal(reading.vms_bytes, expected[i] / 10);
	}
	assert_int_equal(process_rowset(model->processes[0], "process")->nr_rows, 4);
	build_free(&build, model);
}
