/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of entries and exits. */
#include "analyzer/cells/events_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "analyzer/cells/cells.h"
#include "analyzer/model/process_usage.h"

#define TEXT_EVENTS 40

enum { EVENT_INDEX, EVENT_TYPE, EVENT_TIME, EVENT_DURATION, EVENT_DEPTH };

static int64_t depth_of(const struct tree_node *node)
{
	int64_t depth = -1;

	for (; node && node->function; node = node->parent)
		depth++;
	return depth;
}

static struct value get_event(const struct column *column, const void *row)
{
	static const char *const types[] = {
		[CALL_BEGINS] = "call", [CALL_RETURNS] = "return", [CALL_BREAKS] = "exception",
	};
	const struct call_event *event = row;

	switch (column->index) {
	case EVENT_INDEX:
		return value_integer(UNIT_NONE, (int64_t)event->index);
	case EVENT_TYPE:
		return value_text(types[event->kind]);
	case EVENT_TIME:
		return value_integer(UNIT_NS, event->time);
	case EVENT_DURATION:
		return ns_cell(event->duration_ns);
	}
	return value_integer(UNIT_NONE, depth_of(event->node));
}

static struct value get_function(const struct column *column, const void *row)
{
	return function_cell(((const struct call_event *)row)->node->function, column->index);
}

static struct value get_who(const struct column *column, const void *row)
{
	const struct call_event *event = row;

	if (column->index == WHO_TID)
		return value_integer(UNIT_NONE, event->tid);
	if (column->index == WHO_THREAD_NAME)
		return value_text(event->thread_name[0] ? event->thread_name : NULL);
	return who_cell(event->thread->process, NULL, column->index);
}

enum { MEMORY_RSS, MEMORY_VMS };

/* As the hook read it, else the newest reading of the sampler. */
static struct value get_memory(const struct column *column, const void *row)
{
	const struct call_event *event = row;
	struct log_memory_reading memory = event->memory;
	struct memory_reading reading;
	uint64_t bytes;

	if (memory.rss_bytes == LOG_NONE && process_memory_at(event->thread->process, event->ticks, &reading))
		memory = (struct log_memory_reading){ reading.rss_bytes, reading.vms_bytes };
	bytes = column->index == MEMORY_RSS ? memory.rss_bytes : memory.vms_bytes;
	return bytes == LOG_NONE ? value_empty() : value_integer(UNIT_BYTES, (int64_t)bytes);
}

static const struct column columns[] = {
	{ "index", "index", 0, get_event, EVENT_INDEX },
	{ "type", "type", COLUMN_LEFT, get_event, EVENT_TYPE },
	{ "time_ns", "time", 0, get_event, EVENT_TIME },
	{ "pid", "pid", 0, get_who, WHO_PID },
	{ "thread", "tid", 0, get_who, WHO_TID },
	{ "thread_name", "thread", COLUMN_LEFT, get_who, WHO_THREAD_NAME },
	{ "function", "function", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_function, CELL_NAME },
	{ "module", "module", COLUMN_LEFT, get_function, CELL_MODULE },
	{ "file", "filename", COLUMN_LEFT, get_function, CELL_FILE },
	{ "line", "lineNo", 0, get_function, CELL_LINE },
	{ "depth", "depth", 0, get_event, EVENT_DEPTH },
	{ "duration_ns", "duration", 0, get_event, EVENT_DURATION },
	{ "rss_bytes", "RSS", 0, get_memory, MEMORY_RSS },
	{ "vms_bytes", "VMS", 0, get_memory, MEMORY_VMS },
	{ "run", "run", COLUMN_LEFT | COLUMN_RUNS, get_who, WHO_RUN },
	{ "source", "source", COLUMN_LEFT | COLUMN_TEXT, get_function, CELL_SOURCE },
	{ "run_number", "run", COLUMN_TEXT, get_who, WHO_RUN_NUMBER },
};

const struct table events_table = {
	.name = "events",
	.note = "call: it begins; return: it returned; exception: it ended otherwise, by an exception, a "
		"longjmp or the end of its thread",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.text_columns = "index,type,time_ns,thread,rss_bytes,function,source",
	.text_top = TEXT_EVENTS,
	.row_bytes = sizeof(struct call_event),
	.formats = IN_TEXT | IN_CSV | IN_JSON,
};

void events_tell_share(const struct model *model, bool if_some_lack)
{
	const char *advice = "INSIDEME_THRESHOLD=0 records all";
	char open[64] = "";
	uint64_t nr_open = 0;

	for (size_t i = 0; i < model->nr_functions; i++)
		nr_open += model->functions[i]->stats.open_calls;
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->header.threshold_set_ns == 0)
			advice = "a larger INSIDEME_BUDGET records more";
	if (if_some_lack && model->nr_slices + nr_open >= model->calls)
		return;
	if (nr_open)
		snprintf(open, sizeof(open), ", %" PRIu64 " still open (-v summary)", nr_open);
	fprintf(stderr, "insideme-report: %" PRIu64 " of %" PRIu64 " calls%s%s%s\n", model->nr_slices,
		model->calls, open, model->nr_slices + nr_open < model->calls ? "; " : "",
		model->nr_slices + nr_open < model->calls ? advice : "");
}
