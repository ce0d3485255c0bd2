/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line events by line. The stack says which events belong to one call: callees lie below their caller. */
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/line_steps.h"
#include "analyzer/lines/lines.h"

/* A call whose lines have events: the newest of these. */
struct visiting {
	uint64_t stack_addr;		/* where its stack ended first: the highest place */
	struct line *line;
	uint64_t rss_bytes;		/* before it */
};

/* The open calls of a thread, the outermost first. */
struct visitor {
	const struct thread *thread;
	struct visiting *calls;
	size_t nr, room;
};

struct visitors {
	struct visitor *list;
	size_t nr, room;
};

static struct visitor *visitor_of(struct visitors *visitors, const struct thread *thread)
{
	for (size_t i = 0; i < visitors->nr; i++)
		if (visitors->list[i].thread == thread)
			return &visitors->list[i];
	visitors->list = xroom(visitors->list, visitors->nr, &visitors->room, sizeof(*visitors->list));
	visitors->list[visitors->nr] = (struct visitor){ .thread = thread };
	return &visitors->list[visitors->nr++];
}

/* A call that begins may have the place of one that ended. */
static void end_calls(struct visitor *visitor, const struct line_step *step)
{
	while (visitor->nr && visitor->calls[visitor->nr - 1].stack_addr < step->stack_addr + step->is_entry)
		visitor->nr--;
}

static void see_memory(struct line *line, uint64_t rss_bytes)
{
	if (rss_bytes != LOG_NONE && rss_bytes > line->visits.most_rss_bytes)
		line->visits.most_rss_bytes = rss_bytes;
}

static void leave_line(const struct visiting *call, uint64_t rss_bytes)
{
	if (rss_bytes == LOG_NONE || call->rss_bytes == LOG_NONE)
		return;
	see_memory(call->line, rss_bytes);
	call->line->visits.grown_bytes += (int64_t)(rss_bytes - call->rss_bytes);
	call->line->visits.nr_changes++;
}

static void visit(struct lines *lines, struct visitor *visitor, const struct line_step *step)
{
	struct line *line = line_at(lines, step->level, NULL);

	end_calls(visitor, step);
	if (step->is_entry || !visitor->nr) {
		visitor->calls = xroom(visitor->calls, visitor->nr, &visitor->room, sizeof(*visitor->calls));
		visitor->calls[visitor->nr++].stack_addr = step->stack_addr;
	} else {
		leave_line(&visitor->calls[visitor->nr - 1], step->rss_bytes);
	}
	visitor->calls[visitor->nr - 1].line = line;
	visitor->calls[visitor->nr - 1].rss_bytes = step->rss_bytes;
	see_memory(line, step->rss_bytes);
	line->visits.nr++;
	lines->nr_visits++;
}

bool line_visits_read(struct model *model)
{
	struct visitors visitors = { .nr = 0 };
	struct line_steps *steps;
	struct line_step step;

	if (!line_steps_are_in(model) || lines_of(model)->visits_are_read)
		return line_steps_are_in(model);
	model->lines->visits_are_read = true;
	steps = line_steps_open(model);
	while (line_steps_next(steps, &step))
		visit(model->lines, visitor_of(&visitors, step.thread), &step);
	line_steps_close(steps);
	for (size_t i = 0; i < visitors.nr; i++)
		free(visitors.list[i].calls);
	free(visitors.list);
	return true;
}
