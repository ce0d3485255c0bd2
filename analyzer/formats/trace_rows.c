/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a trace besides calls: how many calls it shows, processes, instants, counters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/formats/export.h"
#include "analyzer/formats/trace.h"
#include "analyzer/read/ends_read.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/resources/series.h"

#define PIDS	(1u << 22)		/* no pid of Linux is as large */

const char *trace_shown_text(const struct trace *trace)
{
	static char text[160];
	char least[UNIT_TEXT_MAX];
	bool has_room = !isinf(trace->least_ns);
	bool is_cut = trace->least_ns > 0 && has_room;	/* else --match and --filter chose */

	if (trace->nr_shown == trace->nr_calls)
		snprintf(text, sizeof(text), "all %" PRIu64 " calls that have a record are shown",
			 trace->nr_calls);
	else
		snprintf(text, sizeof(text),
			 "%" PRIu64 " of %" PRIu64 " calls that have a record are shown%s%s", trace->nr_shown,
			 trace->nr_calls, !has_room ? ": --max-size has no room for more" :
					  is_cut ? ": those of at least " : "",
			 is_cut ? unit_format(least, UNIT_NS, trace->least_ns) : "");
	return text;
}

static bool is_same_process(const struct process *a, const struct process *b)
{
	return a->run == b->run && processes_share_boot(a, b);
}

uint32_t trace_pid(const struct process *process)
{
	const struct model *model = process->model;
	uint32_t nr_before = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *other = model->processes[i];

		if (other->header.pid != process->header.pid)
			continue;
		if (is_same_process(other, process))
			break;
		nr_before++;
	}
	return process->header.pid + nr_before * PIDS;
}

const char *trace_process_name(const struct process *process)
{
	static char name[320];

	if (process->header.rank >= 0)
		snprintf(name, sizeof(name), "%s (rank %d)", process->header.program, process->header.rank);
	else
		snprintf(name, sizeof(name), "%s", process->header.program);
	return name;
}

const char *trace_process_label(const struct process *process)
{
	static char label[512];
	char end[128];

	process_end_text(process, end, sizeof(end));
	if (process->model->nr_runs > 1)
		snprintf(label, sizeof(label), "host %s, run %s, %s", process->header.host,
			 process->model->run_names[process->run], end);
	else
		snprintf(label, sizeof(label), "host %s, %s", process->header.host, end);
	return label;
}

/* ---- instants ---- */

static bool is_reported(const struct model *model, int64_t time)
{
	return time >= model->from && time <= model->to;
}

static void visit_marks(const struct process *process, void (*visit)(void *, const struct trace_instant *),
			void *to)
{
	static const char *const kinds[] = { [LOG_MARK_INSTANT] = "mark", [LOG_MARK_FAILURE] = "failure",
					     [LOG_MARK_SNAPSHOT] = "snapshot" };
	const struct said *said = process->said;

	for (size_t i = 0; said && i < said->nr_marks; i++) {
		const struct mark *mark = &said->marks[i];

		if (is_reported(process->model, mark->time) && !(mark->thread && mark->thread->left_out))
			visit(to, &(struct trace_instant){ process, mark->thread ? mark->thread->tid : 0,
							   mark->time, kinds[mark->kind], mark->name,
							   mark->text });
	}
}

static const struct error *find_error(const struct process *process, uint32_t place)
{
	for (size_t i = 0; i < process->nr_errors; i++)
		if (process->errors[i].place == place)
			return &process->errors[i];
	return NULL;
}

static void visit_errors(const struct process *process, void (*visit)(void *, const struct trace_instant *),
			 void *to)
{
	for (size_t i = 0; i < process->nr_thrown; i++) {
		const struct thrown *thrown = &process->thrown[i];
		const struct error *error = find_error(process, thrown->error);
		char *type;

		if (!error || !is_reported(process->model, thrown->time))
			continue;
		type = error->type[0] ? name_of_type(error->type) : NULL;
		visit(to, &(struct trace_instant){ process, thrown->tid, thrown->time,
						   errors_kind(error->counts.error), type ?: "",
						   thrown->message });
		free(type);
	}
}

/* An instant at the begin of the first process. */
struct begin {
	const struct process *process;
	void (*visit)(void *to, const struct trace_instant *instant);
	void *to;
};

static void visit_doubt(void *of, const char *text)
{
	const struct begin *begin = of;

	begin->visit(begin->to, &(struct trace_instant){ begin->process, 0, begin->process->start, "in doubt",
							 text, NULL });
}

void trace_instants(const struct trace *trace, void (*visit)(void *to, const struct trace_instant *instant))
{
	struct model *model = trace->model;
	struct begin begin = { model->nr_processes ? model->processes[0] : NULL, visit, trace->to };
	void *to = trace->to;

	if (begin.process) {
		visit(to, &(struct trace_instant){ begin.process, 0, begin.process->start, "InsideMe",
						   trace_shown_text(trace), NULL });
		export_doubts(model, visit_doubt, &begin);
	}
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		char end[128];

		visit_marks(process, visit, to);
		visit_errors(process, visit, to);
		if (process->end_kind != END_RUNNING && is_reported(model, process->last))
			visit(to, &(struct trace_instant){
				process, 0, process->last, "end", process_end_text(process, end, sizeof(end)),
				NULL });
	}
}

/* ---- counters ---- */

static const struct {
	const char *set;
	const char *column;		/* NULL: the set's only one */
	const char *name;		/* NULL: as the column */
	const char *unit;
} sources[] = {
	{ "process", "rss_bytes", "RSS", "bytes" },
	{ "process", "heap_bytes", "heap", "bytes" },
	{ "process", "cpu_ns", "CPU", "cores" },
	{ "counter", NULL, NULL, "" },
};

struct visitor {
	struct process *process;
	const struct rowset *rows;
	uint32_t column;
	struct trace_counter counter;
	void (*value)(void *to, const struct trace_counter *counter, int64_t time, double value);
	void *to;
};

/* A time becomes a rate: its growth per ns between two readings, which holds from the first of them on. */
static void visit_rates(const struct visitor *visitor)
{
	const struct rowset *rows = visitor->rows;

	for (size_t row = 0; row + 1 < rows->nr_rows; row++) {
		uint64_t from = rowset_value(rows, row, visitor->column);
		uint64_t to = rowset_value(rows, row + 1, visitor->column);
		int64_t time = row_time(visitor->process, rows, row);
		int64_t lasts_ns = row_time(visitor->process, rows, row + 1) - time;

		if (from == LOG_NONE || to == LOG_NONE || to < from || lasts_ns <= 0 ||
		    !is_reported(visitor->process->model, time))
			continue;
		visitor->value(visitor->to, &visitor->counter, time, (double)(to - from) / (double)lasts_ns);
	}
}

static void visit_values(const struct visitor *visitor)
{
	const struct rowset *rows = visitor->rows;

	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t value = rowset_value(rows, row, visitor->column);
		int64_t time = row_time(visitor->process, rows, row);

		if (value != LOG_NONE && is_reported(visitor->process->model, time))
			visitor->value(visitor->to, &visitor->counter, time,
				       series_value(&rows->columns[visitor->column], value));
	}
}

void trace_counters(struct model *model, void (*begin)(void *to, const struct trace_counter *counter),
		    void (*value)(void *to, const struct trace_counter *counter, int64_t time, double value),
		    void *to)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_rowsets; j++)
			for (size_t k = 0; k < sizeof(sources) / sizeof(*sources); k++) {
				const struct rowset *rows = &model->processes[i]->rowsets[j];
				int column = sources[k].column ? rowset_column(rows, sources[k].column) : 0;
				struct visitor visitor = {
					model->processes[i], rows, (uint32_t)column,
					{ model->processes[i], nr, sources[k].name, sources[k].unit },
					value, to
				};

				if (strcmp(rows->set, sources[k].set) != 0 || column < 0 || !rows->nr_rows)
					continue;
				nr++;
				visitor.counter.name = sources[k].name ?: rows->columns[column].name;
				begin(to, &visitor.counter);
				(strcmp(sources[k].unit, "cores") == 0 ? visit_rates
								       : visit_values)(&visitor);
			}
}
