/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of entries and exits. */
#include "analyzer/cells/events_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "analyzer/cells/cells.h"
#include "analyzer/model/process_usage.h"

#define TEXT_EVENTS 40

static int64_t depth_of(const struct tree_node *node)
{
	int64_t depth = -1;

	for (; node && node->function; node = node->parent)
		depth++;
	return depth;
}

static struct value get_depth(const struct column *column, const void *row)
{
	return value_integer(UNIT_NONE, depth_of(((const struct call_event *)row)->node));
}

static struct value get_type(const struct column *column, const void *row)
{
	static const char *const types[] = {
		[CALL_BEGINS] = "call", [CALL_RETURNS] = "return", [CALL_BREAKS] = "exception",
	};

	return value_text(types[((const struct call_event *)row)->kind]);
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
	{ "index", "index", 0, MEMBER(struct call_event, index, UNIT_NONE) },
	{ "type", "type", COLUMN_LEFT, get_type, 0 },
	{ "time_ns", "time", 0, MEMBER(struct call_event, time, UNIT_NS) },
	{ "pid", "pid", 0, get_who, WHO_PID },
	{ "thread", "tid", 0, get_who, WHO_TID },
	{ "thread_name", "thread", COLUMN_LEFT, get_who, WHO_THREAD_NAME },
	{ "function", "function", COLUMN_FUNCTION, get_function, CELL_NAME },
	{ "module", "module", COLUMN_LEFT, get_function, CELL_MODULE },
	{ "file", "filename", COLUMN_LEFT, get_function, CELL_FILE },
	{ "line", "lineNo", 0, get_function, CELL_LINE },
	{ "depth", "depth", 0, get_depth, 0 },
	{ "duration_ns", "duration", 0, MEMBER_NS(struct call_event, duration_ns) },
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
	TABLE_COLUMNS(columns),
	.text_columns = "index,type,time_ns,thread,rss_bytes,function,source",
	.text_top = TEXT_EVENTS,
	.rows = ROWS_OF(struct call_event),
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
	if (model_keeps_last_calls(model))
		advice = "a larger INSIDEME_LAST keeps more";
	if (if_some_lack && model->nr_slices + nr_open >= model->calls)
		return;
	if (nr_open)
		snprintf(open, sizeof(open), ", %" PRIu64 " still open (-v summary)", nr_open);
	fprintf(stderr, "insideme-report: %" PRIu64 " of %" PRIu64 " calls%s%s%s\n", model->nr_slices,
		model->calls, open, model->nr_slices + nr_open < model->calls ? "; " : "",
		model->nr_slices + nr_open < model->calls ? advice : "");
}
