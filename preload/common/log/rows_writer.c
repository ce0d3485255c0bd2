/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes rows into a log, and thins them in place. */
#include "preload/common/log/rows_writer.h"

#include "preload/common/base/text.h"
#include "preload/common/log/log.h"

void row_set_init(struct row_set *rows, struct log_header *log, int log_fd, const struct column_set *set,
		  uint32_t id, uint64_t *last)
{
	rows->log = log;
	rows->log_fd = log_fd;
	rows->set = set;
	rows->id = id;
	rows->last = last;
	rows->room_bytes = log->map_bytes >> set->room_shift;
	if (rows->room_bytes > set->room_bytes)
		rows->room_bytes = set->room_bytes;
	if (rows->room_bytes < set->first_bytes)
		rows->room_bytes = set->first_bytes;
	rows->first_bytes = set->first_bytes;
	rows->taken_bytes = 0;
	rows->nr_areas = 0;
	rows->nr_rows = 0;
	rows->step = 1;
	for (uint32_t i = 0; i < set->nr_columns; i++)
		rows->last[i] = 0;
	rows->nr_costs = 0;
	rows->cost_ns = 0;
	rows->first_cost_ns = 0;
}

void row_set_share(struct row_set *rows, uint32_t shift)
{
	rows->first_bytes = LOG_AREA_ALIGN;
	rows->room_bytes >>= shift;
	if (rows->room_bytes < rows->first_bytes)
		rows->room_bytes = rows->first_bytes;
}

static uint32_t head_bytes(const struct row_set *rows)
{
	return (uint32_t)(sizeof(struct log_rows) + rows->set->nr_columns * sizeof(struct log_column));
}

static uint32_t row_words(const struct row_set *rows)
{
	return 1 + rows->set->nr_columns;
}

static uint64_t *row_at(const struct row_set *rows, uint64_t index)
{
	uint32_t area = 0;

	while (index >= rows->rows_in[area])
		index -= rows->rows_in[area++];
	return (uint64_t *)((char *)rows->areas[area] + head_bytes(rows)) + index * row_words(rows);
}

static void describe(const struct row_set *rows, struct log_rows *area)
{
	struct log_column *columns = (struct log_column *)(area + 1);

	text_copy(area->set, sizeof(area->set), rows->set->name);
	area->step = rows->step;
	area->cost_ns = rows->cost_ns;
	area->first_cost_ns = rows->first_cost_ns;
	area->id = rows->id;
	for (uint32_t i = 0; i < rows->set->nr_columns; i++) {
		const struct column *column = &rows->set->columns[i];

		text_copy(columns[i].name, sizeof(columns[i].name), column->name);
		columns[i].unit = column->unit;
		columns[i].kind = column->kind;
	}
	__atomic_store_n(&area->nr_columns, rows->set->nr_columns, __ATOMIC_RELEASE);
}

/* Add an area as large as all before it: short runs stay small, and long runs have few areas. */
static bool add_area(struct row_set *rows)
{
	uint64_t bytes = rows->taken_bytes ? rows->taken_bytes : rows->first_bytes;
	uint64_t tail = __atomic_load_n(&rows->log->tail_bytes, __ATOMIC_RELAXED);
	uint32_t head = head_bytes(rows), row_bytes = row_words(rows) * (uint32_t)sizeof(uint64_t);
	struct log_rows *area;

	if (bytes > rows->room_bytes - rows->taken_bytes)
		bytes = (rows->room_bytes - rows->taken_bytes) & ~(uint64_t)(LOG_AREA_ALIGN - 1);
	if (bytes < head + row_bytes || rows->nr_areas == ROWS_AREAS)
		return false;
	area = (struct log_rows *)log_claim(rows->log, LOG_AREA_ROWS, 0, bytes, head, row_bytes);
	if (!area && log_grow(rows->log, rows->log_fd, tail + bytes) == 0)
		area = (struct log_rows *)log_claim(rows->log, LOG_AREA_ROWS, 0, bytes, head, row_bytes);
	if (!area)
		return false;
	describe(rows, area);
	if (rows->nr_areas)
		rows->areas[rows->nr_areas - 1]->head.next = area->head.self;
	rows->areas[rows->nr_areas] = area;
	rows->rows_in[rows->nr_areas++] = (bytes - head) / row_bytes;
	rows->taken_bytes += bytes;
	return true;
}

/* Write into the areas' heads how many of their rows count. */
static void publish_used(const struct row_set *rows)
{
	uint64_t left = rows->nr_rows;

	for (uint32_t i = 0; i < rows->nr_areas; i++) {
		uint64_t used = left < rows->rows_in[i] ? left : rows->rows_in[i];
		uint64_t used_bytes = head_bytes(rows) + used * row_words(rows) * sizeof(uint64_t);

		/* Write only if changed, to keep the page clean */
		if (rows->areas[i]->head.used_bytes != used_bytes)
			__atomic_store_n(&rows->areas[i]->head.used_bytes, used_bytes, __ATOMIC_RELEASE);
		left -= used;
	}
}

/*
 * How far a row lies from the straight line between its neighbours, summed over its columns, in units of
 * 2^BEND_SHIFT. A product of two spans of five hours still fits.
 */
#define BEND_SHIFT 12
static uint64_t bend_at(const struct row_set *rows, uint64_t index)
{
	const uint64_t *before = row_at(rows, index - 1), *row = row_at(rows, index),
		       *after = row_at(rows, index + 1);
	uint64_t span = (after[0] - before[0]) >> BEND_SHIFT, part = (row[0] - before[0]) >> BEND_SHIFT,
		 bend = 0;

	for (uint32_t word = 1; word < row_words(rows) && span; word++) {
		uint64_t on_line = ((after[word] - before[word]) >> BEND_SHIFT) * part / span;
		uint64_t height = (row[word] - before[word]) >> BEND_SHIFT;

		bend += height > on_line ? height - on_line : on_line - height;
	}
	return bend;
}

/* A quarter of all rows go: those of every second row that bend least, with a bend below this. */
static uint64_t least_bend(const struct row_set *rows)
{
	for (uint64_t least = 1;; least *= 2) {
		uint64_t nr = 0;

		for (uint64_t i = 1; i + 1 < rows->nr_rows; i += 2)
			nr += bend_at(rows, i) < least;
		if (nr >= rows->nr_rows / 4 || least >> 62)
			return least;
	}
}

static void thin(struct row_set *rows)
{
	const uint64_t least = rows->set->is_by_events ? least_bend(rows) : 0;
	uint64_t kept = 1;

	for (uint64_t i = 1; i < rows->nr_rows; i++) {
		const uint64_t *from = row_at(rows, i);
		uint64_t *to = row_at(rows, kept);

		if (i % 2 && (!least || (i + 1 < rows->nr_rows && bend_at(rows, i) < least)))
			continue;
		for (uint32_t word = 0; word < row_words(rows); word++)
			to[word] = from[word];
		kept++;
	}
	rows->nr_rows = kept;
	rows->step *= 2;
	publish_used(rows);
	for (uint32_t i = 0; i < rows->nr_areas; i++)
		rows->areas[i]->step = rows->step;
}

static uint64_t nr_rooms(const struct row_set *rows)
{
	uint64_t rooms = 0;

	for (uint32_t i = 0; i < rows->nr_areas; i++)
		rooms += rows->rows_in[i];
	return rooms;
}

void row_set_add(struct row_set *rows, uint64_t ticks, const void *numbers)
{
	const struct column_set *set = rows->set;
	uint64_t *row;

	if (rows->nr_rows == nr_rooms(rows) && !add_area(rows)) {
		if (rows->nr_rows < 2) {
			log_lose(rows->log, LOG_LOST_ROWS);
			return;
		}
		thin(rows);
	}
	row = row_at(rows, rows->nr_rows);
	for (uint32_t i = 0; i < set->nr_columns; i++) {
		uint64_t value = column_value(&set->columns[i], numbers);

		/*
		 * Two readings of one counter, a moment apart, may be out of order once our part is
		 * subtracted.
		 */
		if (set->columns[i].kind == LOG_CUMULATIVE && value != LOG_NONE) {
			if (value < rows->last[i])
				value = rows->last[i];
			rows->last[i] = value;
		}
		row[1 + i] = value;
	}
	row[0] = rows->ticks = ticks;
	rows->nr_rows++;
	publish_used(rows);
}

static uint64_t median_cost(struct row_set *rows)
{
	uint32_t *costs = rows->costs_ns;

	for (uint32_t i = 1; i < ROWS_COSTS; i++) {
		for (uint32_t j = i; j > 0 && costs[j - 1] > costs[j]; j--) {
			uint32_t swapped = costs[j];

			costs[j] = costs[j - 1];
			costs[j - 1] = swapped;
		}
	}
	return costs[ROWS_COSTS / 2];
}

void row_set_cost(struct row_set *rows, uint64_t cost_ns, uint64_t interval_ns)
{
	if (!rows->first_cost_ns) {
		rows->first_cost_ns = cost_ns;
		for (uint32_t i = 0; i < rows->nr_areas; i++)
			rows->areas[i]->first_cost_ns = cost_ns;
	}
	rows->costs_ns[rows->nr_costs++] = cost_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)cost_ns;
	if (rows->nr_costs == ROWS_COSTS) {
		rows->nr_costs = 0;
		rows->cost_ns = median_cost(rows);
	}
	for (uint32_t i = 0; i < rows->nr_areas; i++) {
		struct log_rows *area = rows->areas[i];

		if (area->interval_ns == interval_ns && area->cost_ns == rows->cost_ns)
			continue;
		area->interval_ns = interval_ns;
		area->cost_ns = rows->cost_ns;
	}
}
