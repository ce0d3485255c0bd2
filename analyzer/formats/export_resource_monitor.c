/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resource monitor's logs: resources of all processes together, at equal steps of time; and starts and ends
 * of calls.
 */
#include "analyzer/formats/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/curves.h"
#include "analyzer/base/error.h"
#include "analyzer/calls/slices.h"
#include "analyzer/model/tree.h"
#include "analyzer/tables/table_text.h"

#define MIB		1048576.0
#define STEP_LEAST_NS	1000000
#define NR_LINES_MAX	1e6

/* A column of resource monitor, and what it is made of. */
struct source {
	const char *name;
	const char *set;
	const char *column;
	double scale;
	/* totals; what exists at a time; a share of the time; a share of another column */
	enum { COUNT, SUM, SIZE, PERCENT, SHARE } kind;
};

static const struct source sources[] = {
	{ "cpu_percent", "process", "cpu_ns", 100, PERCENT },
	{ "cpu_percent_global", "system", "system_cpu_busy_ns", 100, SHARE },
	{ "rss_mb", "process", "rss_bytes", 1 / MIB, SIZE },
	{ "vms_mb", "process", "vms_bytes", 1 / MIB, SIZE },
	{ "vms_global_mb", "system", "memory_used_bytes", 1 / MIB, SIZE },
	{ "swap_used_mb", "system", "swap_used_bytes", 1 / MIB, SIZE },
	{ "read_count", "process", "read_calls", 1, COUNT },
	{ "read_count_global", "system", "disk_reads", 1, COUNT },
	{ "read_mb", "process", "read_bytes", 1 / MIB, SUM },
	{ "read_mb_global", "system", "disk_read_bytes", 1 / MIB, SUM },
	{ "write_count", "process", "write_calls", 1, COUNT },
	{ "write_count_global", "system", "disk_writes", 1, COUNT },
	{ "write_mb", "process", "write_bytes", 1 / MIB, SUM },
	{ "write_mb_global", "system", "disk_written_bytes", 1 / MIB, SUM },
};
#define NR_SOURCES (sizeof(sources) / sizeof(*sources))

/* The readings of a column in one process. */
struct part {
	struct curve curve;
	struct process *process;
};

struct line {
	struct part *parts;
	size_t nr;
};

static void read_part(struct line *line, struct process *process, const char *set, const char *name)
{
	const struct rowset *rows = process_rowset(process, set);
	int column = rows ? rowset_column(rows, name) : -1;
	struct part part = { .process = process };

	if (column < 0)
		return;
	curve_init(&part.curve, 1);
	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, (uint32_t)column);
		double value = (double)raw;

		if (raw != LOG_NONE)
			curve_add(&part.curve, process_time(process, rows->ticks[row]), &value);
	}
	if (!part.curve.nr)
		return;
	line->parts = xgrow(line->parts, line->nr, sizeof(*line->parts));
	line->parts[line->nr++] = part;
}

/* One log is enough for what concerns the machine: insideme-run's, if there is one. */
static void read_line(struct line *line, const struct model *model, const char *set, const char *column)
{
	bool is_machine = strcmp(set, "system") == 0;

	for (size_t i = 0; i < model->nr_monitors && !(is_machine && line->nr); i++)
		read_part(line, model->monitors[i], set, column);
	for (size_t i = 0; i < model->nr_processes && !(is_machine && line->nr); i++)
		read_part(line, model->processes[i], set, column);
}

static void release_line(struct line *line)
{
	for (size_t i = 0; i < line->nr; i++)
		curve_release(&line->parts[i].curve);
	free(line->parts);
}

/* @live: the sum over processes that run at @time; otherwise what all processes have used by then. */
static double sum_at(const struct line *line, int64_t time, bool live)
{
	double sum = 0, value;

	for (size_t i = 0; i < line->nr; i++) {
		const struct curve *curve = &line->parts[i].curve;

		if (time < curve->times[0] ? !live || line->parts[i].process->start > time :
		    live && time > line->parts[i].process->last)
			continue;
		curve_at(curve, time, &value);
		sum += value;
	}
	return sum;
}

static double value_of(const struct source *source, const struct line *line, const struct line *all,
		       int64_t before, int64_t time)
{
	double grown = sum_at(line, time, false) - sum_at(line, before, false), of = (double)(time - before);

	if (source->kind == COUNT)
		return floor(sum_at(line, time, false));
	if (source->kind == SIZE || source->kind == SUM)
		return source->scale * sum_at(line, time, source->kind == SIZE);
	if (source->kind == SHARE)
		of = sum_at(all, time, false) - sum_at(all, before, false);
	return of > 0 && grown > 0 ? source->scale * grown / of : 0;
}

/* At most NR_LINES_MAX rows, even if damage moved the end of the run by a century. */
static int64_t step_ns(const struct model *model)
{
	double step = fmax(STEP_LEAST_NS, ((double)model->to - (double)model->from) / NR_LINES_MAX);

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct rowset *rows = process_rowset(model->processes[i], "process");

		if (rows)
			step = fmax(step, (double)rows->interval_ns * rows->step);
	}
	return step < 1e15 ? (int64_t)step : (int64_t)1e15;
}

/* The first line of resource monitor's log, and what the machine has. */
static void write_head(FILE *out, const struct model *model)
{
	const struct process *first = model->nr_processes ? model->processes[0] : model->monitors[0];
	const char *cpus = process_fact(first, "nr_cpus"), *memory = process_fact(first, "memory_bytes");
	const struct rowset *rows = process_rowset(first, "process");

	fprintf(out,
		"In current environment, the latency of resource logging is estimated to be %.4e s, "
		"your interval is advised to be 2x greater than it.\n",
		rows ? (double)rows->cost_ns / 1e9 : 0);
	fprintf(out, "logger_process_pid:%u",
		model->nr_monitors ? model->monitors[0]->header.pid : first->header.pid);
	if (cpus)
		fprintf(out, ",cpu_count:%s", cpus);
	if (memory)
		fprintf(out, ",vm_total_mb:%.2f", strtod(memory, NULL) / MIB);
	fprintf(out, "\ntime");
	for (size_t i = 0; i < NR_SOURCES; i++)
		fprintf(out, ",%s", sources[i].name);
	fprintf(out, "\n");
}

static int write_resources(struct report *report)
{
	const struct model *model = report->model;
	struct line lines[NR_SOURCES] = { { NULL, 0 } }, all = { NULL, 0 };
	int64_t step = step_ns(model), before = model->from;
	struct whole_file file;
	FILE *out;

	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	out = file.out;
	for (size_t i = 0; i < NR_SOURCES; i++)
		read_line(&lines[i], model, sources[i].set, sources[i].column);
	read_line(&all, model, "system", "system_cpu_total_ns");
	write_head(out, model);
	for (int64_t i = 0; i <= (model->to - model->from) / step; i++) {
		int64_t time = model->from + i * step;

		fprintf(out, "%.4f", export_seconds(model, time));
		for (size_t j = 0; j < NR_SOURCES; j++)
			fprintf(out, ",%.4f", value_of(&sources[j], &lines[j], &all, before, time));
		fprintf(out, "\n");
		before = time;
	}
	for (size_t i = 0; i < NR_SOURCES; i++)
		release_line(&lines[i]);
	release_line(&all);
	return export_close(&file);
}

struct event_line {
	int64_t time;
	struct function *function;
	uint64_t counter;		/* number of the call among those of its function, by start */
	size_t call;			/* number of the start that an end belongs to */
	bool is_end;
};

static int by_time(const void *a, const void *b)
{
	const struct event_line *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->is_end - y->is_end;
}

struct events {
	struct event_line *list;
	size_t nr;
};

static void add_event(struct events *events, const struct event_line *event)
{
	events->list = xgrow(events->list, events->nr, sizeof(*events->list));
	events->list[events->nr++] = *event;
}

/* An open call has a start only, and none if it was not timed. */
static void collect_events(struct events *events, struct model *model)
{
	struct slice_reader *reader = slices_open_all(model);
	struct slice slice;
	size_t call = 0;

	while (slices_next(reader, &slice)) {
		if (slice.end < model->from || slice.start > model->to)
			continue;
		add_event(events, &(struct event_line){ slice.start, slice.node->function, 0, call, false });
		add_event(events, &(struct event_line){ slice.end, slice.node->function, 0, call++, true });
	}
	slices_close(reader);
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_stacks; j++) {
			const struct open_stack *stack = &model->processes[i]->stacks[j];

			for (size_t k = 0; k < stack->nr_calls; k++)
				if (stack->calls[k].since != NO_TIME)
					add_event(events, &(struct event_line){ stack->calls[k].since,
						  stack->calls[k].node->function, 0, call++, false });
		}
	if (events->nr)
		qsort(events->list, events->nr, sizeof(*events->list), by_time);
}

static void number_events(struct events *events, struct model *model)
{
	uint64_t *counters = xcalloc(events->nr + 1, sizeof(*counters));
	/* [number of a function] */
	uint64_t *started = xcalloc(functions_count(&model->tables->functions), sizeof(*started));

	for (size_t i = 0; i < events->nr; i++) {
		struct event_line *event = &events->list[i];

		if (!event->is_end)
			counters[event->call] = started[event->function->number]++;
		event->counter = counters[event->call];
	}
	free(started);
	free(counters);
}

static int write_events(struct report *report)
{
	struct events events = { NULL, 0 };
	struct whole_file file;
	FILE *out;

	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	out = file.out;
	collect_events(&events, report->model);
	number_events(&events, report->model);
	for (size_t i = 0; i < events.nr; i++) {
		const struct event_line *event = &events.list[i];

		fprintf(out, "%.6f,%s,", export_seconds(report->model, event->time),
			event->is_end ? "end" : "start");
		csv_write(out, event->function->name);
		fprintf(out, ",%" PRIu64 "\n", event->counter);
	}
	free(events.list);
	return export_close(&file);
}

int export_resource_monitor(struct report *report)
{
	if (strcmp(report->options->view, "calls") == 0)
		return write_events(report);
	if (report->model->nr_processes || report->model->nr_monitors)
		return write_resources(report);
	error("-f resource-monitor: no process was recorded");
	return EXIT_FAILURE;
}
