/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of runs. It reads only the header of each log, and how the process ended. */
#include "analyzer/app/list_runs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/view_context.h"
#include "analyzer/load/load.h"
#include "analyzer/log/collected.h"
#include "analyzer/read/ends_read.h"

struct list_row {
	struct run run;
	uint64_t bytes;
	char *start;			/* local time */
	char *program;
	char *end;
};

static const struct column columns[] = {
	{ "run", "Run", COLUMN_LEFT, MEMBER(struct list_row, run.name, 0) },
	{ "start_realtime_ns", "Start", 0, MEMBER(struct list_row, run.start_realtime_ns, UNIT_NONE) },
	{ "size_bytes", "Size", COLUMN_SUMS, MEMBER(struct list_row, bytes, UNIT_BYTES) },
	{ "logs", "Logs", COLUMN_SUMS, MEMBER(struct list_row, run.nr_logs, UNIT_COUNT) },
	{ "program", "Program", COLUMN_LEFT | COLUMN_NAME, MEMBER(struct list_row, program, 0) },
	{ "end", "Ended", COLUMN_LEFT | COLUMN_ROOM, MEMBER(struct list_row, end, 0) },
	{ "start", "Start", COLUMN_LEFT | COLUMN_TEXT, MEMBER(struct list_row, start, 0) },
};

uint64_t list_run_bytes(const struct run *run)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < run->nr_logs; i++) {
		struct log_place place;
		int fd = log_place_open(run->logs[i], &place);
		struct stat stat_of;

		if (fd < 0)
			continue;
		if (fstat(fd, &stat_of) == 0)
			bytes += place.offset ? place.bytes : (uint64_t)stat_of.st_blocks * 512;
		close(fd);
	}
	return bytes;
}

static void read_end(struct list_row *row, struct document *document)
{
	struct report report = { .model = model_open(&row->run, 1), .runs = &row->run, .nr_runs = 1 };
	const struct process *ended;
	char end[160] = "";

	if (!report.model) {
		row->program = "";
		row->end = "no log is readable";
		return;
	}
	row->program =
		document_text(document, "%s", report.model->nr_processes ? report_program(&report) : "");
	ended = report_ended(&report);
	row->end = document_text(document, "%s", ended ? process_end_text(ended, end, sizeof(end)) : "");
	model_free(report.model);
}

void list_runs(struct document *document, const struct run *runs, size_t nr)
{
	struct list_row *list = document_new(document, nr * sizeof(*list));

	for (size_t i = 0; i < nr; i++) {
		time_t start = (time_t)(runs[i].start_realtime_ns / 1000000000);
		struct tm then;

		list[i].run = runs[i];
		list[i].bytes = list_run_bytes(&runs[i]);
		list[i].start = document_new(document, 24);
		strftime(list[i].start, 24, "%Y-%m-%d %H:%M:%S", localtime_r(&start, &then));
		read_end(&list[i], document);
	}
	document_add_table(document, &(struct table){
		.name = "runs",
		.title = run_directory(),
		TABLE_COLUMNS(columns),
		.text_columns = "start,size_bytes,logs,program,end,run",
		.rows = TABLE_ROWS(list, nr),
	});
}
