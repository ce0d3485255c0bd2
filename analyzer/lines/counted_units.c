/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/lines/counted_units.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/naming.h"

/* The object need not be loaded any more. */
static struct object *object_at(const struct process *process, uint64_t addr)
{
	struct object *object = NULL;

	for (size_t i = 0; i < process->nr_modules; i++) {
		const struct module *module = &process->modules[i];

		if (addr >= module->begin_addr && addr < module->end_addr &&
		    (!object || !module->gone_ticks))
			object = module->object;
	}
	return object;
}

static bool same_functions(const struct gcov_unit *a, const struct gcov_unit *b)
{
	return a->nr_functions == b->nr_functions &&
	       memcmp(a->functions, b->functions, a->nr_functions * sizeof(*a->functions)) == 0;
}

static struct gcov_unit *find(const struct counted_units *units, const struct gcov_unit *wanted,
			      const struct object *object)
{
	for (size_t i = 0; i < units->nr; i++) {
		struct gcov_unit *unit = &units->list[i];

		if (units->objects[i] == object && unit->stamp == wanted->stamp &&
		    unit->format == wanted->format && strcmp(unit->path, wanted->path) == 0 &&
		    same_functions(unit, wanted))
			return unit;
	}
	return NULL;
}

static void release(struct gcov_unit *unit)
{
	free((char *)unit->path);
	free((struct gcov_function *)unit->functions);
	free((uint64_t *)unit->counters);
}

static void add(struct counted_units *units, struct gcov_unit *unit, uint64_t nr_counters,
		struct object *object)
{
	struct gcov_unit *known = find(units, unit, object);

	units->hash = hash_pair(units->hash, hash_pair(hash_string(unit->path), unit->stamp));
	for (uint64_t i = 0; i < nr_counters; i++)
		units->hash = hash_pair(units->hash, unit->counters[i]);
	if (known) {
		for (uint64_t i = 0; i < nr_counters; i++)
			((uint64_t *)known->counters)[i] += unit->counters[i];
		release(unit);
		return;
	}
	units->list = xgrow(units->list, units->nr, sizeof(*units->list));
	units->objects = xgrow(units->objects, units->nr, sizeof(*units->objects));
	units->list[units->nr] = *unit;
	units->objects[units->nr++] = object;
}

/* Return: how many counters the functions have; -1: not all of them are in the area */
static int64_t copy_functions(struct gcov_unit *unit, const struct log_line_counts *head, const uint8_t *at,
			      uint64_t bytes)
{
	struct gcov_function *functions;
	uint64_t nr = 0;

	if (head->nr_functions > bytes / sizeof(struct log_line_function))
		return -1;
	unit->nr_functions = head->nr_functions;
	unit->functions = functions = xcalloc(head->nr_functions + 1, sizeof(*functions));
	for (size_t i = 0; i < head->nr_functions; i++) {
		struct log_line_function function;

		memcpy(&function, at + i * sizeof(function), sizeof(function));
		functions[i] = (struct gcov_function){ function.ident, function.lineno_checksum,
						       function.cfg_checksum, function.nr_counters };
		nr += function.nr_counters;
	}
	bytes -= head->nr_functions * sizeof(struct log_line_function);
	return nr <= bytes / sizeof(uint64_t) && head->path_bytes <= bytes - nr * sizeof(uint64_t)
		       ? (int64_t)nr
		       : -1;
}

static void read_area(struct counted_units *units, const struct process *process,
		      const struct log_extent *extent)
{
	const uint8_t *at = process->log->base + extent->offset;
	struct log_line_counts head;
	struct gcov_unit unit = { 0 };
	uint64_t *counters;
	int64_t nr;

	memcpy(&head, at, sizeof(head));
	if (!head.nr_functions) {
		units->unknown_format = head.format;
		return;
	}
	if (!head.is_copied) {
		units->nr_not_copied++;
		return;
	}
	at += sizeof(head);
	nr = copy_functions(&unit, &head, at, extent->used_bytes - sizeof(head));
	if (nr < 0) {
		logfile_damaged(process->log, extent->offset, "counts of lines that are not all there");
		free((struct gcov_function *)unit.functions);
		return;
	}
	at += head.nr_functions * sizeof(struct log_line_function);
	unit.counters = counters = xcalloc((size_t)nr + 1, sizeof(*counters));
	memcpy(counters, at, (size_t)nr * sizeof(*counters));
	unit.path = logfile_text(process->log,
				 (uint64_t)(at - process->log->base) + (uint64_t)nr * sizeof(*counters),
				 head.path_bytes);
	unit.format = head.format;
	unit.stamp = head.stamp;
	unit.checksum = head.checksum;
	add(units, &unit, (uint64_t)nr, object_at(process, head.unit_addr));
}

void counted_units_read(struct counted_units *units, struct model *model, uint32_t run)
{
	*units = (struct counted_units){ 0 };
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; process->run == run && process->log && j < process->log->nr_extents; j++)
			if (process->log->extents[j].kind == LOG_AREA_LINE_COUNTS)
				read_area(units, process, &process->log->extents[j]);
	}
}

static uint64_t threads_of(const struct process *process)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < process->nr_threads; i++)
		nr += process->threads[i]->nr_threads;
	return nr;
}

static bool is_unlocked(const struct process *process, const struct log_extent *extent)
{
	struct log_line_counts head;
	struct object *object;
	struct symbols *symbols;

	memcpy(&head, process->log->base + extent->offset, sizeof(head));
	object = object_at(process, head.unit_addr);
	symbols = object && object->file_bytes ? naming_symbols(object) : NULL;
	return symbols && symbols_has_unlocked_counters(symbols);
}

bool counted_units_may_be_old(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->log && model->processes[i]->header.line_counts &&
		    model->processes[i]->header.end == LOG_RUNNING)
			return true;
	return false;
}

bool counted_units_lost_some(struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; process->log && threads_of(process) > 1 && j < process->log->nr_extents;
		     j++)
			if (process->log->extents[j].kind == LOG_AREA_LINE_COUNTS &&
			    is_unlocked(process, &process->log->extents[j]))
				return true;
	}
	return false;
}

void counted_units_release(struct counted_units *units)
{
	for (size_t i = 0; i < units->nr; i++)
		release(&units->list[i]);
	free(units->list);
	free(units->objects);
}
