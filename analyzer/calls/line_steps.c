/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/calls/line_steps.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/lines/lines.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/resolve.h"
#include "analyzer/read/code_paths.h"
#include "analyzer/read/nodes_read.h"

#define ENTRY_BYTES 20	/* of a function's first line event: endbr64, and the call as insideme-cc writes it */

/* The events of one thread's record. */
struct cursor {
	struct thread *thread;
	size_t extent;			/* number of the area in its log */
	uint64_t at;			/* of the next event; past the last area: nr_extents */
	int64_t time;			/* of the next event */
	struct log_line_event event;
	const struct code_level *newest;	/* the step before; NULL: none */
	uint64_t newest_stack_addr;
};

struct line_steps {
	struct model *model;
	struct cursor *cursors;
	size_t nr_cursors, room;
	uint64_t index;
	uint64_t nr_unknown;
};

bool line_steps_are_in(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct logfile *log = model->processes[i]->log;

		for (size_t j = 0; log && j < log->nr_extents; j++)
			if (log->extents[j].kind == LOG_AREA_LINE_EVENTS)
				return true;
	}
	return false;
}

static bool is_ours(const struct cursor *cursor, const struct log_extent *extent)
{
	return extent->kind == LOG_AREA_LINE_EVENTS &&
	       nodes_thread(cursor->thread->process, extent->owner) == cursor->thread;
}

/* Read the cursor's next event. Areas of a thread lie in the order of time. Return: false: there is none */
static bool advance(struct cursor *cursor)
{
	struct process *process = cursor->thread->process;
	struct logfile *log = process->log;

	for (; cursor->extent < log->nr_extents; cursor->extent++, cursor->at = sizeof(struct log_area)) {
		const struct log_extent *extent = &log->extents[cursor->extent];

		if (!is_ours(cursor, extent))
			continue;
		while (cursor->at + sizeof(cursor->event) <= extent->used_bytes) {
			memcpy(&cursor->event, log->base + extent->offset + cursor->at,
			       sizeof(cursor->event));
			cursor->at += sizeof(cursor->event);
			if (cursor->event.ticks && cursor->event.ticks <= process->limit_ticks) {
				cursor->time = process_time(process, cursor->event.ticks);
				return true;
			}
		}
		logfile_forget(log, extent);
	}
	return false;
}

static void add_thread(struct line_steps *steps, struct thread *thread)
{
	struct cursor cursor = { .thread = thread, .at = sizeof(struct log_area) };

	if (thread->left_out || !advance(&cursor))
		return;
	steps->cursors = xroom(steps->cursors, steps->nr_cursors, &steps->room, sizeof(cursor));
	steps->cursors[steps->nr_cursors++] = cursor;
}

struct line_steps *line_steps_open(struct model *model)
{
	struct line_steps *steps = xcalloc(1, sizeof(*steps));

	steps->model = model;
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; model->processes[i]->log && j < model->processes[i]->nr_threads; j++)
			add_thread(steps, model->processes[i]->threads[j]);
	return steps;
}

static bool is_same_line(const struct code_level *a, const struct code_level *b)
{
	return a->function == b->function && a->line == b->line &&
	       (a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0));
}

static struct code_level *level_of(struct code_place *place)
{
	struct code_level *level = place ? &place->levels[place->nr - 1] : NULL;

	if (!level || !level->function || !level->line)
		return NULL;
	if (!level->function->name)
		resolve_ahead(&level->function, 1);
	return level;
}

static uint64_t bytes_of(const struct process *process, uint32_t pages)
{
	return pages == UINT32_MAX ? LOG_NONE : (uint64_t)pages * process->header.page_bytes;
}

/* The step of the event that the cursor is at. Return: false: it is none of its own */
static bool take_step(struct line_steps *steps, struct cursor *cursor, struct line_step *step)
{
	const struct log_line_event *event = &cursor->event;
	const struct process *process = cursor->thread->process;
	struct code_place *place = code_place_at(cursor->thread->process, event->code_addr - 1, event->ticks);
	struct code_level *level = level_of(place);
	bool is_entry, is_again;

	if (!level) {
		steps->nr_unknown++;
		return false;
	}
	is_entry = place->nr == 1 && place->addr - level->function->addr < ENTRY_BYTES;
	is_again = cursor->newest && !is_entry && cursor->newest_stack_addr == event->stack_addr &&
		   is_same_line(cursor->newest, level);
	cursor->newest = level;
	cursor->newest_stack_addr = event->stack_addr;
	if (is_again)
		return false;
	*step = (struct line_step){
		.index = steps->index++,
		.time = cursor->time,
		.thread = cursor->thread,
		.level = level,
		.stack_addr = event->stack_addr,
		.is_entry = is_entry,
		.rss_bytes = bytes_of(process, event->rss_pages),
		.vms_bytes = bytes_of(process, event->vms_pages),
	};
	return true;
}

bool line_steps_next(struct line_steps *steps, struct line_step *step)
{
	while (steps->nr_cursors) {
		struct cursor *cursor = steps->cursors;
		bool is_step;

		for (size_t i = 1; i < steps->nr_cursors; i++)
			if (steps->cursors[i].time < cursor->time)
				cursor = &steps->cursors[i];
		is_step = take_step(steps, cursor, step);
		if (!advance(cursor))
			*cursor = steps->cursors[--steps->nr_cursors];
		if (is_step)
			return true;
	}
	return false;
}

uint64_t line_steps_nr_unknown(const struct line_steps *steps)
{
	return steps->nr_unknown;
}

void line_steps_close(struct line_steps *steps)
{
	free(steps->cursors);
	free(steps);
}
