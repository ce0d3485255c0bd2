/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cells/steps_table.h"

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/cells/cells.h"
#include "analyzer/lines/lines.h"

#define TEXT_STEPS 40

struct step_row {
	struct line_step step;
	const char *text;
};

static struct value get_function(const struct column *column, const void *row)
{
	return function_cell(((const struct step_row *)row)->step.level->function, column->index);
}

static struct value get_file(const struct column *column, const void *row)
{
	return value_text(path_in_data(((const struct step_row *)row)->step.level->file));
}

static struct value get_line(const struct column *column, const void *row)
{
	return value_integer(UNIT_NONE, ((const struct step_row *)row)->step.level->line);
}

static struct value get_who(const struct column *column, const void *row)
{
	const struct thread *thread = ((const struct step_row *)row)->step.thread;

	return who_cell(thread->process, thread, column->index);
}

static const struct column columns[] = {
	{ "index", "index", 0, MEMBER(struct step_row, step.index, UNIT_NONE) },
	{ "time_ns", "time", 0, MEMBER(struct step_row, step.time, UNIT_NS) },
	{ "pid", "pid", 0, get_who, WHO_PID },
	{ "thread", "tid", 0, get_who, WHO_TID },
	{ "thread_name", "thread", COLUMN_LEFT, get_who, WHO_THREAD_NAME },
	{ "function", "function", COLUMN_FUNCTION, get_function, CELL_NAME },
	{ "module", "module", COLUMN_LEFT, get_function, CELL_MODULE },
	{ "line", "lineNo", 0, get_line, 0 },
	{ "rss_bytes", "RSS", 0, MEMBER(struct step_row, step.rss_bytes, UNIT_BYTES) },
	{ "vms_bytes", "VMS", 0, MEMBER(struct step_row, step.vms_bytes, UNIT_BYTES) },
	{ "text", "line", COLUMN_LEFT | COLUMN_ROOM, MEMBER(struct step_row, text, 0) },
	{ "file", "filename", COLUMN_LEFT, get_file, 0 },
	{ "run", "run", COLUMN_LEFT | COLUMN_RUNS, get_who, WHO_RUN },
	{ "run_number", "run", COLUMN_TEXT, get_who, WHO_RUN_NUMBER },
};

const struct table steps_table = {
	.name = "steps",
	.note = "each line before it runs, where a thread came from another line or another call",
	TABLE_COLUMNS(columns),
	.text_columns = "index,time_ns,thread,rss_bytes,function,line,text",
	.text_top = TEXT_STEPS,
	.rows = ROWS_OF(struct step_row),
};

static bool is_within(const struct report *report, int64_t time)
{
	return !window_is_given(&report->options->window) ||
	       (time >= report->model->from && time <= report->model->to);
}

/* After the last row. */
static void tell(const struct step_rows *rows)
{
	const struct model *model = rows->report->model;
	const uint64_t nr_unknown = line_steps_nr_unknown(rows->steps);
	uint64_t nr_lost = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr_lost += model->processes[i]->header.losses[LOG_LOST_LINE_EVENTS];
	if (nr_lost)
		warning("line events that had no room in the log (INSIDEME_BUDGET): %" PRIu64, nr_lost);
	if (nr_unknown)
		warning("line events of code without debug information: %" PRIu64, nr_unknown);
	else if (!nr_lost && !line_steps_are_in(model))
		warning("no line events: they are of programs built by insideme-cc --line-events, run with "
			"insideme-run lines or --line-events");
}

bool step_rows_next(struct table *table, void *row)
{
	struct step_rows *rows = table->source;
	struct model *model = rows->report->model;
	struct step_row *to = row;

	if (!rows->steps)
		rows->steps = line_steps_open(model);
	while (line_steps_next(rows->steps, &to->step)) {
		const struct code_level *level = to->step.level;
		const struct object *object = level->function->object;

		if (!is_within(rows->report, to->step.time))
			continue;
		to->text = rows->report->options->no_source
				   ? NULL
				   : source_line(&lines_of(model)->sources, level->file,
						 object ? object->file_mtime_ns : 0, level->line);
		return true;
	}
	tell(rows);
	line_steps_close(rows->steps);
	rows->steps = NULL;
	return false;
}
