/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of runs. Of each log it reads only the header and how the process ended. */
#include "analyzer/app/list_runs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/view_context.h"
#include "analyzer/load/load.h"
#include "analyzer/log/log_elsewhere.h"
#include "analyzer/read/ends_read.h"

struct list_row {
	const struct run *run;
	uint64_t bytes;
	char start[24];			/* local time */
	char program[LOG_NAME_MAX];
	char end[160];
};

enum { CELL_RUN, CELL_START, CELL_START_NS, CELL_BYTES, CELL_LOGS, CELL_PROGRAM, CELL_END };

static struct value get(const struct column *column, const void *row)
{
	const struct list_row *of = row;

	switch (column->index) {
	case CELL_RUN:
		return value_text(of->run->name);
	case CELL_START:
		return value_text(of->start);
	case CELL_START_NS:
		return value_integer(UNIT_NONE, (int64_t)of->run->start_realtime_ns);
	case CELL_BYTES:
		return value_integer(UNIT_BYTES, (int64_t)of->bytes);
	case CELL_LOGS:
		return value_integer(UNIT_COUNT, (int64_t)of->run->nr_logs);
	case CELL_PROGRAM:
		return value_text(of->program);
	default:
		return value_text(of->end);
	}
}

static const struct column columns[] = {
	{ "run", "Run", COLUMN_LEFT, get, CELL_RUN },
	{ "start_realtime_ns", "Start", 0, get, CELL_START_NS },
	{ "size_bytes", "Size", COLUMN_SUMS, get, CELL_BYTES },
	{ "logs", "Logs", COLUMN_SUMS, get, CELL_LOGS },
	{ "program", "Program", COLUMN_LEFT | COLUMN_NAME, get, CELL_PROGRAM },
	{ "end", "Ended", COLUMN_LEFT | COLUMN_ROOM, get, CELL_END },
	{ "start", "Start", COLUMN_LEFT | COLUMN_TEXT, get, CELL_START },
};

uint64_t list_run_bytes(const struct run *run)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < run->nr_logs; i++) {
		int fd = pointer_open(run->logs[i]);
		struct stat stat_of;

		if (fd < 0)
			continue;
		if (fstat(fd, &stat_of) == 0)
			bytes += (uint64_t)stat_of.st_blocks * 512;
		close(fd);
	}
	return bytes;
}

static void read_end(struct list_row *row)
{
	struct report report = { .model = model_open(row->run, 1), .runs = row->run, .nr_runs = 1 };
	const struct process *ended;

	if (!report.model) {
		strcpy(row->end, "no log is readable");
		return;
	}
	snprintf(row->program, sizeof(row->program), "%s",
		 report.model->nr_processes ? report_program(&report) : "");
	ended = report_ended(&report);
	if (ended)
		process_end_text(ended, row->end, sizeof(row->end));
	model_free(report.model);
}

void list_runs(struct document *document, const struct run *runs, size_t nr)
{
	struct list_row *list = document_new(document, nr * sizeof(*list));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct table *table = document_new(document, sizeof(*table));

	for (size_t i = 0; i < nr; i++) {
		time_t start = (time_t)(runs[i].start_realtime_ns / 1000000000);
		struct tm then;

		list[i].run = &runs[i];
		list[i].bytes = list_run_bytes(&runs[i]);
		strftime(list[i].start, sizeof(list[i].start), "%Y-%m-%d %H:%M:%S",
			 localtime_r(&start, &then));
		read_end(&list[i]);
	}
	*rows = (struct table_rows){ list, nr };
	*table = (struct table){
		.name = "runs",
		.title = run_directory(),
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.text_columns = "start,size_bytes,logs,program,end,run",
		.row_bytes = sizeof(*list),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	document_add_table(document, table);
}
