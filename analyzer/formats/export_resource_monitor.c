/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resource monitor's logs: resources of all processes at equal steps of time; starts and ends of calls. */
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
	int64_t until;			/* from then on the process's next image counts the same on */
};

struct line {
	struct part *parts;
	size_t nr;
};

/* Leave @curve without points if it is not known. */
/* @from_start: nothing was used at the process's start, which may be long before the first row. */
static void read_curve(struct curve *curve, struct process *process, const struct rowset *rows,
		       const char *name, bool from_start)
{
	int column = rows ? rowset_column(rows, name) : -1;
	const double nothing = 0;

	curve_init(curve, 1);
	for (size_t row = 0; column >= 0 && row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, (uint32_t)column);
		int64_t time = row_time(process, rows, row);

		if (raw != LOG_NONE && from_start && !curve->nr && process->start < time)
			curve_add(curve, process->start, &nothing);
		if (raw != LOG_NONE)
			curve_add(curve, time, &(double){ (double)raw });
	}
}

static double threads_at(struct curve *threads, int64_t time)
{
	double nr = 1;

	if (threads->nr)
		curve_at(threads, time, &nr);
	return fmax(ceil(nr), 1);
}

/*
 * Turn it into the CPU time since the recording began. The kernel counts a thread on another processor at
 * that processor's next tick, so a reading may be too low. CPU time that the process's threads cannot have
 * used between a reading and the next one, they had used by then.
 */
static void count_from_start(struct part *part, const struct rowset *rows)
{
	double *cpu_ns = part->curve.numbers;
	int64_t *times = part->curve.times;
	struct curve threads;

	read_curve(&threads, part->process, rows, "threads", false);
	for (size_t i = part->curve.nr; i-- > 1;)
		cpu_ns[i - 1] = fmax(cpu_ns[i - 1],
				     cpu_ns[i] - (double)(times[i] - times[i - 1]) *
							 fmax(threads_at(&threads, times[i - 1]),
							      threads_at(&threads, times[i])));
	for (size_t i = part->curve.nr; i-- > 0;)
		cpu_ns[i] -= cpu_ns[0];
	curve_release(&threads);
}

static void read_set(struct line *line, struct process *process, const struct rowset *rows, const char *name)
{
	struct part part = { .process = process, .until = INT64_MAX };
	bool is_cpu = strcmp(name, "cpu_ns") == 0;

	read_curve(&part.curve, process, rows, name, is_cpu && !process_fact(process, "attached"));
	if (!part.curve.nr)
		return;
	if (is_cpu)
		count_from_start(&part, rows);
	APPEND(line->parts, line->nr) = part;
}

static void read_part(struct line *line, struct process *process, const char *set, const char *name)
{
	read_set(line, process, process_rowset(process, set), name);
}

/* The kernel counts on through an exec. */
static void end_at_execs(struct line *line)
{
	for (size_t i = 0; i < line->nr; i++) {
		const struct process *next = process_next_image(line->parts[i].process);

		for (size_t j = 0; next && j < line->nr; j++)
			if (line->parts[j].process == next)
				line->parts[i].until = line->parts[j].curve.times[0];
	}
}

/* One log is enough for what concerns the machine: insideme-run's, if there is one. */
static void read_line(struct line *line, const struct model *model, const char *set, const char *column)
{
	bool is_machine = strcmp(set, "system") == 0;

	for (size_t i = 0; i < model->nr_monitors && !(is_machine && line->nr); i++)
		read_part(line, model->monitors[i], set, column);
	for (size_t i = 0; i < model->nr_processes && !(is_machine && line->nr); i++)
		read_part(line, model->processes[i], set, column);
	if (strcmp(column, "cpu_ns") != 0)
		end_at_execs(line);
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
		struct curve *curve = &line->parts[i].curve;

		if (time < curve->times[0] ? !live || line->parts[i].process->start > time :
		    (live && time > line->parts[i].process->last) || time >= line->parts[i].until)
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

static double interval_ns(const struct rowset *rows)
{
	return rows ? (double)rows->interval_ns * rows->step : 0;
}

/* At most NR_LINES_MAX rows, even if damage moved the end by a century. A short process may have no row. */
static int64_t step_ns(const struct model *model)
{
	double step = fmax(STEP_LEAST_NS, ((double)model->to - (double)model->from) / NR_LINES_MAX);

	for (size_t i = 0; i < model->nr_processes; i++)
		step = fmax(fmax(step, (double)model->processes[i]->header.interval_ns),
			    interval_ns(process_rowset(model->processes[i], "process")));
	for (size_t i = 0; i < model->nr_monitors && !model->nr_processes; i++)
		step = fmax(step, interval_ns(process_rowset(model->monitors[i], "system")));
	return step < 1e15 ? (int64_t)step : (int64_t)1e15;
}

/* A reading of the machine: the first one of the first log that has it. LOG_NONE: none does */
static uint64_t first_available_bytes(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes + model->nr_monitors; i++) {
		struct process *process = i < model->nr_monitors ? model->monitors[i]
								 : model->processes[i - model->nr_monitors];
		const struct rowset *rows = process_rowset(process, "system");

		if (rows && rowset_first(rows, "memory_available_bytes") != LOG_NONE)
			return rowset_first(rows, "memory_available_bytes");
	}
	return LOG_NONE;
}

/* gpu_0_total_mb and gpu_0_free_mb of the devices that the first insideme-run saw. */
static void write_gpus(FILE *out, const struct process *monitor, const char *quote)
{
	unsigned int number;
	int length;

	for (size_t i = 0; i < monitor->nr_rowsets; i++) {
		const struct rowset *rows = &monitor->rowsets[i];
		double total_mb = (double)rowset_first(rows, "gpu_memory_total_bytes") / MIB,
		       used_mb = (double)rowset_first(rows, "gpu_memory_used_bytes") / MIB;

		if (sscanf(rows->set, "gpu%u%n", &number, &length) == 1 && !rows->set[length] &&
		    used_mb <= total_mb && total_mb < (double)LOG_NONE / MIB)
			fprintf(out, ",%sgpu_%u_total_mb%s:%.2f,%sgpu_%u_free_mb%s:%.2f", quote, number,
				quote, total_mb, quote, number, quote, total_mb - used_mb);
	}
}

/* The machine's equipment. */
static void write_overview(FILE *out, const struct model *model, const char *quote)
{
	const struct process *first = model->nr_processes ? model->processes[0] : model->monitors[0];
	const uint64_t available_bytes = first_available_bytes(model);
	static const struct { const char *name, *fact; double scale; } facts[] = {
		{ "cpu_count", "nr_cpus", 1 },
		{ "vm_total_mb", "memory_bytes", MIB },
		{ "swap_total_mb", "swap_bytes", MIB },
		{ "swap_free_mb", "swap_free_bytes", MIB },
	};

	fprintf(out, "%slogger_process_pid%s:%u", quote, quote,
		model->nr_monitors ? model->monitors[0]->header.pid : first->header.pid);
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		const char *fact = process_fact(first, facts[i].fact);

		if (fact)
			fprintf(out, ",%s%s%s:%.*f", quote, facts[i].name, quote,
				facts[i].scale > 1 ? 2 : 0, strtod(fact, NULL) / facts[i].scale);
		if (strcmp(facts[i].fact, "memory_bytes") == 0 && available_bytes != LOG_NONE)
			fprintf(out, ",%svm_available_mb%s:%.2f", quote, quote,
				(double)available_bytes / MIB);
	}
	if (model->nr_monitors)
		write_gpus(out, model->monitors[0], quote);
}

/* CPU time of the sampling, for one row; nan: it was not measured. */
static double row_cost_ns(const struct model *model)
{
	double cost_ns = 0, nr_rows = 0;

	for (size_t i = 0; i < model->nr_processes + model->nr_monitors; i++) {
		const struct log_header *header = i < model->nr_processes
							  ? &model->processes[i]->header
							  : &model->monitors[i - model->nr_processes]->header;

		if (header->sampler_cpu_ns == LOG_NONE || !header->sampler_rows)
			continue;
		cost_ns += (double)header->sampler_cpu_ns;
		nr_rows += (double)header->sampler_rows;
	}
	return nr_rows > 0 ? cost_ns / nr_rows : NAN;
}

/* The first line of resource monitor's log, and what the machine has. */
static void write_head(FILE *out, const struct model *model)
{
	fprintf(out,
		"In current environment, the latency of resource logging is estimated to be %.4e s, "
		"your interval is advised to be 2x greater than it.\n",
		row_cost_ns(model) / 1e9);
	write_overview(out, model, "");
	fprintf(out, "\ntime");
}

/* ---- devices ---- */

/* gpu_i_mem_mb, of the run's processes, gpu_i_mem_mb_global and gpu_i_utilization_percent_global */
enum { GPU_OF_PROCESSES, GPU_MEMORY, GPU_PERCENT, GPU_COLUMNS };

struct gpu_line {
	struct line columns[GPU_COLUMNS];
	unsigned int number;
};

/* "gpu0" of a device; "gpu0_process" of a process on it. */
static void read_gpus(struct gpu_line **gpus, size_t *nr, struct process *monitor)
{
	for (size_t i = 0; i < monitor->nr_rowsets; i++) {
		struct rowset *rows = &monitor->rowsets[i];
		unsigned int number;
		size_t at = 0;

		if (sscanf(rows->set, "gpu%u", &number) != 1)
			continue;
		while (at < *nr && (*gpus)[at].number != number)
			at++;
		if (at == *nr) {
			*gpus = xgrow(*gpus, *nr, sizeof(**gpus));
			(*gpus)[(*nr)++].number = number;
		}
		read_set(&(*gpus)[at].columns[GPU_OF_PROCESSES], monitor, rows, "gpu_process_memory_bytes");
		read_set(&(*gpus)[at].columns[GPU_MEMORY], monitor, rows, "gpu_memory_used_bytes");
		read_set(&(*gpus)[at].columns[GPU_PERCENT], monitor, rows, "gpu_percent");
	}
}

/* ---- both ---- */

struct resources {
	struct line lines[NR_SOURCES], all;
	struct gpu_line *gpus;
	size_t nr_gpus;
	int64_t from, step, nr_steps;
};

static void read_resources(struct resources *resources, const struct model *model)
{
	*resources = (struct resources){ .from = model->from, .step = step_ns(model) };
	resources->nr_steps = (model->to - model->from) / resources->step + 1;
	for (size_t i = 0; i < NR_SOURCES; i++)
		read_line(&resources->lines[i], model, sources[i].set, sources[i].column);
	read_line(&resources->all, model, "system", "system_cpu_total_ns");
	for (size_t i = 0; i < model->nr_monitors; i++)
		read_gpus(&resources->gpus, &resources->nr_gpus, model->monitors[i]);
}

static void release_resources(struct resources *resources)
{
	for (size_t i = 0; i < NR_SOURCES; i++)
		release_line(&resources->lines[i]);
	release_line(&resources->all);
	for (size_t i = 0; i < resources->nr_gpus * GPU_COLUMNS; i++)
		release_line(&resources->gpus[i / GPU_COLUMNS].columns[i % GPU_COLUMNS]);
	free(resources->gpus);
}

static size_t nr_columns(const struct resources *resources)
{
	return NR_SOURCES + resources->nr_gpus * GPU_COLUMNS;
}

static void write_name(FILE *out, const struct resources *resources, size_t column)
{
	static const char *const names[] = { "mem_mb", "mem_mb_global", "utilization_percent_global" };
	size_t of_gpu = column - NR_SOURCES;

	if (column < NR_SOURCES)
		fputs(sources[column].name, out);
	else
		fprintf(out, "gpu_%u_%s", resources->gpus[of_gpu / GPU_COLUMNS].number,
			names[of_gpu % GPU_COLUMNS]);
}

static int64_t time_of_step(const struct resources *resources, int64_t step)
{
	return resources->from + (step > 0 ? step : 0) * resources->step;
}

static double number_at(const struct resources *resources, size_t column, int64_t step)
{
	int64_t time = time_of_step(resources, step), before = time_of_step(resources, step - 1);
	size_t of_gpu = column - NR_SOURCES;

	if (column < NR_SOURCES && strcmp(sources[column].set, "system") == 0 &&
	    resources->lines[column].nr) {
		/* the machine has counted since its boot, not since the first reading */
		int64_t first = resources->lines[column].parts[0].curve.times[0];

		time = time > first ? time : first;
		before = before > first ? before : first;
	}
	if (column < NR_SOURCES)
		return value_of(&sources[column], &resources->lines[column], &resources->all, before, time);
	return sum_at(&resources->gpus[of_gpu / GPU_COLUMNS].columns[of_gpu % GPU_COLUMNS], time, true) /
	       (of_gpu % GPU_COLUMNS == GPU_PERCENT ? 1 : MIB);
}

/* The log: a line for each step. */
static void write_log(FILE *out, const struct model *model, const struct resources *resources)
{
	write_head(out, model);
	for (size_t i = 0; i < nr_columns(resources); i++) {
		putc(',', out);
		write_name(out, resources, i);
	}
	for (int64_t step = 0; step < resources->nr_steps; step++) {
		fprintf(out, "\n%.4f", export_seconds(model, time_of_step(resources, step)));
		for (size_t i = 0; i < nr_columns(resources); i++)
			fprintf(out, ",%.4f", number_at(resources, i, step));
	}
	putc('\n', out);
}

/* As parse_resource_log() returns it: the overview, and an array for each column. */
static void write_log_json(FILE *out, const struct model *model, const struct resources *resources)
{
	fputs("{\"overview\":{", out);
	write_overview(out, model, "\"");
	fputs("},\n\"resources\":{\"time\":[", out);
	for (int64_t step = 0; step < resources->nr_steps; step++)
		fprintf(out, "%s%.4f", step ? "," : "", export_seconds(model, time_of_step(resources, step)));
	for (size_t i = 0; i < nr_columns(resources); i++) {
		fputs("],\n\"", out);
		write_name(out, resources, i);
		fputs("\":[", out);
		for (int64_t step = 0; step < resources->nr_steps; step++)
			fprintf(out, "%s%.4f", step ? "," : "", number_at(resources, i, step));
	}
	fputs("]}}\n", out);
}

static bool is_json(const struct report *report)
{
	return strcmp(report->options->format, "resource-monitor-json") == 0;
}

static int write_resources(struct report *report)
{
	struct resources resources;
	struct whole_file file;

	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	read_resources(&resources, report->model);
	(is_json(report) ? write_log_json : write_log)(file.out, report->model, &resources);
	release_resources(&resources);
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
	APPEND(events->list, events->nr) = *event;
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

static int by_function(const void *a, const void *b)
{
	const struct event_line *x = a, *y = b;

	if (x->function != y->function)
		return x->function->number < y->function->number ? -1 : 1;
	if (x->counter != y->counter)
		return x->counter < y->counter ? -1 : 1;
	return x->is_end - y->is_end;
}

/* As parse_event_log() returns it: for each name the start and the end of each call; null: it was open. */
static void write_events_json(FILE *out, struct events *events, const struct model *model)
{
	struct row_text line = { 0 };

	if (events->nr)
		qsort(events->list, events->nr, sizeof(*events->list), by_function);
	putc('{', out);
	for (size_t i = 0; i < events->nr; i++) {
		const struct event_line *event = &events->list[i], *next = event + 1;
		bool is_first = !i || event[-1].function != event->function;
		bool has_end = i + 1 < events->nr && next->is_end && next->call == event->call;

		if (event->is_end)
			continue;
		if (is_first) {
			row_add_text(&line, i ? "],\n" : "\n");
			row_add_json(&line, value_text(event->function->name));
			row_add_text(&line, ":");
			fwrite(line.bytes, 1, line.used, out);
			line.used = 0;
		}
		fprintf(out, "%s%.6f,", is_first ? "[[" : ",[", export_seconds(model, event->time));
		if (has_end)
			fprintf(out, "%.6f]", export_seconds(model, next->time));
		else
			fputs("null]", out);
	}
	fputs(events->nr ? "]}\n" : "}\n", out);
	row_text_release(&line);
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
	if (is_json(report))
		write_events_json(out, &events, report->model);
	for (size_t i = 0; i < events.nr && !is_json(report); i++) {
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
