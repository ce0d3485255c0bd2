/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes and threads by number, and their events. */
#include "analyzer/page/page.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/read/ends_read.h"

uint32_t page_thread(const struct thread *thread)
{
	return thread_number(thread);
}

int64_t page_process(const struct process *process)
{
	return (int64_t)process->number - 1;
}

enum { PROCESS_PID, PROCESS_RANK, PROCESS_START, PROCESS_LAST, PROCESS_FUNCTIONS, PROCESS_CALLS, PROCESS_CPU,
       PROCESS_CPU_BEFORE, PROCESS_NUMBERS };
static const char *const process_numbers[] = { "pid", "rank", "start_ns", "last_ns", "functions_ns", "calls",
					       "cpu_ns", "cpu_before_ns" };

static void fill_process(double *row, struct process *process)
{
	row[PROCESS_PID] = process->header.pid;
	row[PROCESS_RANK] = process->header.rank < 0 ? NAN : process->header.rank;
	row[PROCESS_START] = (double)process->start;
	row[PROCESS_LAST] = (double)process->last;
	row[PROCESS_FUNCTIONS] = isnan(process->functions_ns) ? NAN
				 : process->functions_ns > 0  ? round(process->functions_ns)
							      : 0;
	row[PROCESS_CALLS] = isnan(process->functions_ns) ? NAN : (double)process->calls;
	row[PROCESS_CPU] = usage_of_process(process).cpu_ns;
}

/* Add @width columns of @nr rows. @rows: row by row. */
static void add_rows(struct sheet *sheet, const char *const *names, size_t width, const double *rows,
		     size_t nr)
{
	double *values = xcalloc(nr + 1, sizeof(*values));

	for (size_t i = 0; i < width; i++) {
		for (size_t row = 0; row < nr; row++)
			values[row] = rows[row * width + i];
		sheet_add_numbers(sheet, names[i], values, nr, 0);
	}
	free(values);
}

/* The kernel's counters continue through an exec. */
static void fill_cpu_before(double *rows, const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *next = process_next_image(model->processes[i]);
		double *row = rows + i * PROCESS_NUMBERS;

		if (next && next->number)
			rows[page_process(next) * PROCESS_NUMBERS + PROCESS_CPU_BEFORE] =
				isnan(row[PROCESS_CPU]) ? row[PROCESS_CPU_BEFORE] : row[PROCESS_CPU];
	}
}

static void add_processes(struct page *page)
{
	const struct model *model = page->report->model;
	struct sheet *sheet = page_sheet(page, "process_list");
	double *rows = xcalloc(model->nr_processes * PROCESS_NUMBERS + 1, sizeof(*rows));
	char **programs = xcalloc(model->nr_processes + 1, sizeof(*programs));
	char **ends = xcalloc(model->nr_processes + 1, sizeof(*ends)), text[256];

	for (size_t i = 0; i < model->nr_processes; i++) {
		fill_process(rows + i * PROCESS_NUMBERS, model->processes[i]);
		programs[i] = model->processes[i]->header.program;
		ends[i] = xstrdup(process_end_text(model->processes[i], text, sizeof(text)));
	}
	fill_cpu_before(rows, model);
	add_rows(sheet, process_numbers, PROCESS_NUMBERS, rows, model->nr_processes);
	sheet_add_texts(sheet, "program", programs, model->nr_processes);
	sheet_add_texts(sheet, "end", ends, model->nr_processes);
	for (size_t i = 0; i < model->nr_processes; i++)
		free(ends[i]);
	free(rows);
	free(programs);
	free(ends);
}

enum { THREAD_PROCESS, THREAD_TID, THREAD_BEGIN, THREAD_END, THREAD_CALLS, THREAD_SHARED, THREAD_NUMBERS };
static const char *const thread_numbers[] = { "process", "tid", "begin_ns", "end_ns", "calls", "threads" };

static void add_threads(struct page *page)
{
	const struct model *model = page->report->model;
	struct sheet *sheet = page_sheet(page, "thread_list");
	double *rows = xcalloc(page->report->model->nr_threads * THREAD_NUMBERS + 1, sizeof(*rows)),
	       *row = rows;
	char **names = xcalloc(page->report->model->nr_threads + 1, sizeof(*names)), **name = names;

	for (size_t i = 0; i < model->nr_processes; i++) {
		for (size_t j = 0; j < model->processes[i]->nr_threads; j++, row += THREAD_NUMBERS) {
			const struct thread *thread = model->processes[i]->threads[j];

			row[THREAD_PROCESS] = (double)i;
			row[THREAD_TID] = thread->tid;
			row[THREAD_BEGIN] = (double)thread->begin;
			row[THREAD_END] = thread->end == NO_TIME ? NAN : (double)thread->end;
			row[THREAD_CALLS] = (double)thread->calls;
			row[THREAD_SHARED] = thread->nr_threads;
			*name++ = (char *)thread->name;
		}
	}
	add_rows(sheet, thread_numbers, THREAD_NUMBERS, rows, page->report->model->nr_threads);
	sheet_add_texts(sheet, "name", names, page->report->model->nr_threads);
	free(rows);
	free(names);
}

enum { EVENT_TIME, EVENT_KIND, EVENT_PROCESS, EVENT_THREAD, EVENT_VALUE, EVENT_NUMBERS };
static const char *const event_numbers[] = { "time_ns", "kind", "process", "thread", "value" };

/* Whether the page shows the event as a mark on its time axis. */
static bool is_shown(const struct event *event)
{
	return event->time != NO_TIME && event->kind != LOG_EVENT_THREAD_END &&
	       event->kind != LOG_EVENT_BUCKET_WRAPPED;
}

static void add_events(struct page *page)
{
	const struct model *model = page->report->model;
	struct sheet *sheet = page_sheet(page, "events");
	double *rows = NULL;
	char **texts = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_events; j++) {
			const struct event *event = &process->events[j];
			double *row;

			if (!is_shown(event))
				continue;
			rows = xgrow(rows, nr, EVENT_NUMBERS * sizeof(*rows));
			texts = xgrow(texts, nr, sizeof(*texts));
			texts[nr] = event->text;
			row = rows + nr++ * EVENT_NUMBERS;
			row[EVENT_TIME] = (double)event->time;
			row[EVENT_KIND] = event->kind;
			row[EVENT_PROCESS] = (double)i;
			row[EVENT_THREAD] = event->thread ? page_thread(event->thread) : NAN;
			row[EVENT_VALUE] = (double)event->values[0];
		}
	}
	add_rows(sheet, event_numbers, EVENT_NUMBERS, rows, nr);
	sheet_add_texts(sheet, "text", texts, nr);
	free(rows);
	free(texts);
}

void page_add_processes(struct page *page)
{
	add_processes(page);
	add_threads(page);
	add_events(page);
}
