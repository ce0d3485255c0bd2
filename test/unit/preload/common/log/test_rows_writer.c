/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/log/rows_writer: rows in a log, their room, and thinning, as a reader sees it. */
#include <stdbool.h>
#include <string.h>

#include "preload/common/log/rows_writer.h"
#include "test/unit/empty_log.h"
#include "test/unit/unit.h"

#define BUDGET	(1u << 20)
#define MAX_ROWS 100000

static const struct column columns[] = {
	{ "rss_bytes", LOG_UNIT_BYTES, LOG_GAUGE, offsetof(struct figures, rss_bytes) },
	{ "cpu_ns", LOG_UNIT_NS, LOG_CUMULATIVE, offsetof(struct figures, cpu_ns) },
};
static const struct column_set set = {
	"test", columns, 2, 4, 64u << 10, 8u << 10, false
}; /* 64 KiB of 1 MiB */

struct fixture {
	struct log_header *log;
	int fd;
	struct row_set rows;
	struct figures figures;
	uint64_t last[2];
};

static void begin(struct fixture *fixture)
{
	fixture->log = empty_log(BUDGET, &fixture->fd);
	row_set_init(&fixture->rows, fixture->log, fixture->fd, &set, 0, fixture->last);
	figures_clear(&fixture->figures);
}

static void end(struct fixture *fixture)
{
	munmap(fixture->log, BUDGET);
	close(fixture->fd);
}

/* Row number @number: all of its words follow from it. */
static void add(struct fixture *fixture, uint64_t number)
{
	fixture->figures.rss_bytes = number * 3;
	fixture->figures.cpu_ns = number * 5;
	row_set_add(&fixture->rows, number, &fixture->figures);
}

/* As a reader does it: areas in the order of the file, rows whose ticks do not rise are dropped. */
static uint64_t read_rows(const struct log_header *log, uint64_t *numbers)
{
	uint64_t count = 0, last = 0;

	for (uint64_t at = log->header_bytes; at < log->tail_bytes;) {
		const struct log_rows *area = (const struct log_rows *)((const char *)log + at);
		const uint64_t *row =
			(const uint64_t *)((const struct log_column *)(area + 1) + area->nr_columns);

		assert_int_equal(area->head.kind, LOG_AREA_ROWS);
		assert_string_equal(area->set, "test");
		for (; (const char *)row < (const char *)area + area->head.used_bytes; row += 3) {
			if (row[0] <= last)
				continue;
			assert_int_equal(row[1], row[0] * 3);
			assert_int_equal(row[2], row[0] * 5);
			last = numbers[count++] = row[0];
		}
		at += area->head.bytes;
	}
	return count;
}

TEST(the_columns_are_described)
{
	const struct log_column *described;
	const struct log_rows *area;
	struct fixture fixture;

	begin(&fixture);
	add(&fixture, 1);
	area = (const struct log_rows *)((const char *)fixture.log + LOG_HEADER_BYTES);
	described = (const struct log_column *)(area + 1);
	assert_int_equal(area->nr_columns, 2);
	assert_int_equal(area->step, 1);
	assert_int_equal(area->head.record_bytes, 24);
	assert_string_equal(described[1].name, "cpu_ns");
	assert_int_equal(described[1].unit, LOG_UNIT_NS);
	assert_int_equal(described[1].kind, LOG_CUMULATIVE);
	end(&fixture);
}

TEST(all_rows_are_kept_while_there_is_room)
{
	static uint64_t numbers[MAX_ROWS];
	struct fixture fixture;

	begin(&fixture);
	for (uint64_t i = 1; i <= 2000; i++)
		add(&fixture, i);
	assert_int_equal(read_rows(fixture.log, numbers), 2000);
	assert_int_equal(fixture.rows.step, 1);
	end(&fixture);
}

TEST(a_run_of_days_stays_within_the_room_and_evenly_spread)
{
	static uint64_t numbers[MAX_ROWS];
	struct fixture fixture;
	uint64_t count, taken = 0;

	begin(&fixture);
	for (uint64_t i = 1; i <= 10000000; i++) {
		if ((i - 1) % fixture.rows.step == 0)	/* as the sampler does: every step-th */
			add(&fixture, i);
	}
	count = read_rows(fixture.log, numbers);
	assert_true(count > 1000);
	for (uint64_t i = 1; i < count; i++)
		assert_in_range(numbers[i] - numbers[i - 1], fixture.rows.step / 2, 2 * fixture.rows.step);
	assert_int_equal(numbers[0], 1);
	assert_true(numbers[count - 1] + 2 * fixture.rows.step > 10000000);
	for (uint32_t i = 0; i < fixture.rows.nr_areas; i++)
		taken += fixture.rows.areas[i]->head.bytes;
	assert_true(taken <= 64u << 10);
	assert_int_equal(fixture.log->losses[LOG_LOST_ROWS], 0);
	end(&fixture);
}

/* What thinning does, stopped before each of its moves: the rows must still be rows, and span the run. */
TEST(a_kill_in_the_middle_of_thinning_is_harmless)
{
	static uint64_t numbers[MAX_ROWS];
	struct fixture fixture;
	uint64_t *first, rows = 300, count;

	for (uint64_t moves = 0; moves <= rows / 2; moves += 7) {
		begin(&fixture);
		for (uint64_t i = 1; i <= rows; i++)
			add(&fixture, i);
		assert_int_equal(fixture.rows.nr_areas, 1);
		first = (uint64_t *)((struct log_column *)(fixture.rows.areas[0] + 1) + 2);
		for (uint64_t i = 1; i < moves; i++)
			memcpy(first + 3 * i, first + 3 * 2 * i, 24);
		count = read_rows(fixture.log, numbers);
		assert_true(count >= rows / 2);
		assert_int_equal(numbers[0], 1);
		assert_int_equal(numbers[count - 1], rows);
		end(&fixture);
	}
}

TEST(a_cumulative_number_never_falls)
{
	struct fixture fixture;
	const uint64_t *row;

	begin(&fixture);
	add(&fixture, 10);
	fixture.figures.rss_bytes = 7;
	fixture.figures.cpu_ns = 49;
	row_set_add(&fixture.rows, 11, &fixture.figures);
	fixture.figures.cpu_ns = LOG_NONE;
	row_set_add(&fixture.rows, 12, &fixture.figures);
	row = (const uint64_t *)((struct log_column *)(fixture.rows.areas[0] + 1) + 2);
	assert_int_equal(row[3 + 1], 7);
	assert_int_equal(row[3 + 2], 50);
	assert_true(row[6 + 2] == LOG_NONE);
	end(&fixture);
}

/* The file cannot grow: the rows make do with what they have. */
TEST(without_room_in_the_file_rows_are_thinned_or_counted_as_lost)
{
	static uint64_t numbers[MAX_ROWS];
	struct fixture fixture;

	begin(&fixture);
	fixture.rows.log_fd = -1;
	fixture.log->tail_bytes = fixture.log->file_bytes;
	add(&fixture, 1);
	assert_int_equal(fixture.log->losses[LOG_LOST_ROWS], 1);
	fixture.log->tail_bytes = LOG_HEADER_BYTES;
	fixture.log->file_bytes = LOG_HEADER_BYTES + (8u << 10);
	for (uint64_t i = 2; i <= 5000; i++) {
		if (i % fixture.rows.step == 0)
			add(&fixture, i);
	}
	assert_true(read_rows(fixture.log, numbers) > 100);
	assert_int_equal(fixture.log->losses[LOG_LOST_ROWS], 1);
	end(&fixture);
}

/* Ten thousand stops of 10 us each, and one of a second in the middle, whose ends stay known. */
TEST(rows_by_events_stay_where_the_curve_bends)
{
	static struct column_set by_events;
	const uint64_t us = 1000, middle = 5000;
	uint64_t time = us, stopped = 0, before = 0, after = 0, last_before = 0, first_after = 0;
	struct fixture fixture;

	by_events = set;
	by_events.is_by_events = true;
	begin(&fixture);
	fixture.rows.set = &by_events;
	fixture.figures.rss_bytes = 0;
	for (uint64_t i = 0; i < 2 * middle; i++) {
		uint64_t stop = i == middle ? 1000000 * us : 10 * us;

		time += 30 * us;
		fixture.figures.cpu_ns = stopped;
		row_set_add(&fixture.rows, time, &fixture.figures);
		before = i == middle ? time : before;
		time += stop;
		fixture.figures.cpu_ns = stopped += stop;
		row_set_add(&fixture.rows, time, &fixture.figures);
		after = i == middle ? time : after;
	}
	assert_true(fixture.rows.step > 1);
	for (uint32_t i = 0; i < fixture.rows.nr_areas; i++) {
		const struct log_rows *area = fixture.rows.areas[i];
		const uint64_t *row =
			(const uint64_t *)((const struct log_column *)(area + 1) + area->nr_columns);

		for (; (const char *)row < (const char *)area + area->head.used_bytes; row += 3) {
			last_before = row[0] <= before ? row[0] : last_before;
			first_after = row[0] >= after && !first_after ? row[0] : first_after;
		}
	}
	assert_in_range(last_before, before - 10000 * us, before);
	assert_in_range(first_after, after, after + 10000 * us);
	end(&fixture);
}
