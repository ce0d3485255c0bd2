/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/state/line_units.h"

#include "preload/common/base/text.h"
#include "preload/common/log/line_counts.h"
#include "preload/state/live.h"
#include "preload/state/log_space.h"
#include "preload/state/modules.h"

#define UNITS_MAX 8192u
#define FORMAT_OF_GCC_12(format) ((format) >> 16 == ('B' << 8 | '2'))

/* As gcc 12 lays them out. */
#define KINDS 8
struct counters {
	uint32_t nr;
	uint64_t *values;
};

struct function {
	const struct unit *unit; /* another's: the linker took that one's copy of the function */
	uint32_t ident;
	uint32_t lineno_checksum;
	uint32_t cfg_checksum;
	struct counters counters[]; /* of those kinds that the unit has */
};

struct unit {
	uint32_t format;
	struct unit *next;
	uint32_t stamp;
	uint32_t checksum;
	const char *path;
	void (*merge[KINDS])(
		void); /* not NULL: it has this kind; the first one counts how often code ran */
	uint32_t nr_functions;
	const struct function *const *functions;
};

struct place {
	const struct unit *unit;	/* NULL: free */
	struct log_line_counts *counts; /* NULL: there was no room */
};

/* The loader runs one constructor or destructor at a time, so no other task writes. */
LARGE static struct place places[UNITS_MAX];
static uint32_t nr_places;

static const struct function *function_at(const struct unit *unit, uint32_t i)
{
	const struct function *function = unit->functions[i];

	return function && function->unit == unit && function->counters[0].nr ? function : NULL;
}

static bool is_known_format(const struct unit *unit)
{
	return FORMAT_OF_GCC_12(unit->format) && unit->merge[0];
}

static uint64_t bytes_of(const struct unit *unit)
{
	uint64_t bytes = sizeof(struct log_line_counts) + text_length(unit->path) + 1;

	for (uint32_t i = 0; i < unit->nr_functions; i++) {
		const struct function *function = function_at(unit, i);

		if (function)
			bytes += sizeof(struct log_line_function) +
				 function->counters[0].nr * sizeof(uint64_t);
	}
	return bytes;
}

/* Return: how many. */
static uint32_t describe_functions(const struct unit *unit, struct log_line_function *list)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < unit->nr_functions; i++) {
		const struct function *function = function_at(unit, i);

		if (function)
			list[nr++] = (struct log_line_function){
				.ident = function->ident,
				.lineno_checksum = function->lineno_checksum,
				.cfg_checksum = function->cfg_checksum,
				.nr_counters = function->counters[0].nr,
				.counters_addr = (uint64_t)function->counters[0].values,
			};
	}
	return nr;
}

static void describe(struct log_line_counts *counts, const struct unit *unit)
{
	struct log_line_function *functions = (struct log_line_function *)(counts + 1);
	uint32_t nr = describe_functions(unit, functions);
	uint64_t *copies = (uint64_t *)(functions + nr);

	for (uint32_t i = 0; i < nr; i++)
		copies += functions[i].nr_counters;
	counts->unit_addr = (uint64_t)unit;
	counts->format = unit->format;
	counts->stamp = unit->stamp;
	counts->checksum = unit->checksum;
	counts->path_bytes = (uint32_t)text_length(unit->path) + 1;
	text_copy((char *)copies, counts->path_bytes, unit->path);
	__atomic_store_n(&counts->nr_functions, nr, __ATOMIC_RELEASE);
}

/* A format that is not known has only its number. */
static struct log_line_counts *new_counts(const struct unit *unit)
{
	const uint64_t bytes = is_known_format(unit) ? bytes_of(unit) : sizeof(struct log_line_counts);
	struct log_header *log = live.log;
	struct log_line_counts *counts = (struct log_line_counts *)log_space_new_area(
		LOG_AREA_LINE_COUNTS, 0, bytes, (uint32_t)bytes, 0);

	if (!counts) {
		log_lose(log, LOG_LOST_LINE_COUNTS);
		return NULL;
	}
	if (is_known_format(unit))
		describe(counts, unit);
	else
		counts->format = unit->format;
	counts->head.next = log->line_counts;
	__atomic_store_n(&log->line_counts, counts->head.self, __ATOMIC_RELEASE);
	return counts;
}

void line_units_add(const void *added)
{
	const struct unit *unit = added;
	uint32_t at = 0;

	if (!live.log || !unit->nr_functions)
		return;
	while (at < nr_places && places[at].unit)
		at++;
	if (at == UNITS_MAX) {
		log_lose(live.log, LOG_LOST_LINE_COUNTS);
		return;
	}
	modules_know((uintptr_t)unit);
	places[at].counts = new_counts(unit);
	places[at].unit = unit;
	if (at == nr_places)
		__atomic_store_n(&nr_places, at + 1, __ATOMIC_RELEASE);
}

static void take(const struct place *place)
{
	if (live.log && place->unit && place->counts)
		line_counts_take(place->counts);
}

/* From is_final on no other task copies counters that may soon be unmapped. */
void line_units_remove(const void *unit)
{
	for (uint32_t i = 0; i < nr_places; i++) {
		if (places[i].unit != unit)
			continue;
		if (live.log && places[i].counts)
			__atomic_store_n(&places[i].counts->is_final, 1, __ATOMIC_SEQ_CST);
		take(&places[i]);
		places[i].unit = NULL;
	}
}

void line_units_copy(void)
{
	for (uint32_t i = 0; i < nr_places; i++)
		take(&places[i]);
}

bool line_units_known(void)
{
	return nr_places;
}

void line_units_forked(void)
{
	for (uint32_t i = 0; i < nr_places; i++) {
		const struct unit *unit = places[i].unit;

		for (uint32_t j = 0; unit && is_known_format(unit) && j < unit->nr_functions; j++) {
			const struct function *function = function_at(unit, j);

			if (function)
				__builtin_memset(function->counters[0].values, 0,
						 function->counters[0].nr * sizeof(uint64_t));
		}
	}
}

void line_units_log_all(void)
{
	for (uint32_t i = 0; i < nr_places; i++)
		if (places[i].unit)
			places[i].counts = new_counts(places[i].unit);
}
