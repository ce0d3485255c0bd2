/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what the program reported itself, from the log's records. */
#include "analyzer/read/marks_read.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/utf8.h"
#include "analyzer/log/logfile.h"
#include "analyzer/read/nodes_read.h"

/* A record of the log, copied as far as it reaches, and 0 beyond. */
struct saying {
	struct process *process;
	uint64_t offset;
	union {
		struct log_record record;
		struct log_mark mark;
		struct log_counter counter;
		struct log_span span;
		struct log_timer timer;
		struct log_field field;
	};
};

static const char *label_of(const struct process *process, uint32_t number)
{
	return number < process->nr_labels && process->labels[number] ? process->labels[number] : "(no name)";
}

static void read_mark(const struct saying *saying)
{
	struct process *process = saying->process;
	const struct log_mark *record = &saying->mark;
	struct mark *mark;
	uint32_t room = record->record.bytes - (uint32_t)sizeof(*record);

	mark = &APPEND(process->said->marks, process->said->nr_marks);
	*mark = (struct mark){
		.kind = record->mark,
		.thread = nodes_thread(process, record->thread),
		.time = process_time(process, record->record.ticks),
		.node = record->node,
		.name = label_of(process, record->label),
	};
	if (!record->text_bytes)
		return;
	mark->text = logfile_text(process->log, saying->offset + sizeof(*record),
				  record->text_bytes < room ? record->text_bytes : room);
	if (strlen(mark->text) == LOG_FAILURE_MAX)
		utf8_drop_cut(mark->text);
}

static void read_span(const struct saying *saying)
{
	struct process *process = saying->process;
	const struct log_span *record = &saying->span;

	if (record->start_ticks > record->record.ticks ||
	    record->paused_ticks > record->record.ticks - record->start_ticks) {
		logfile_damaged(process->log, saying->offset, "a timer that stops before it starts");
		return;
	}
	process->said->spans =
		xgrow(process->said->spans, process->said->nr_spans, sizeof(*process->said->spans));
	process->said->spans[process->said->nr_spans++] = (struct timer_span){
		.thread = nodes_thread(process, record->thread),
		.start = process_time(process, record->start_ticks),
		.end = process_time(process, record->record.ticks),
		.paused_ns = (double)record->paused_ticks * process->tick_ns,
		.node = record->node,
		.name = label_of(process, record->label),
	};
}

static struct timer_sum *timer_of(struct process *process, const char *name)
{
	for (size_t i = 0; i < process->said->nr_timers; i++)
		if (strcmp(process->said->timers[i].name, name) == 0)
			return &process->said->timers[i];
	process->said->timers =
		xgrow(process->said->timers, process->said->nr_timers, sizeof(*process->said->timers));
	process->said->timers[process->said->nr_timers] =
		(struct timer_sum){ .name = name, .min_ns = NAN, .max_ns = NAN };
	return &process->said->timers[process->said->nr_timers++];
}

static void read_timer(const struct saying *saying)
{
	const struct log_timer *record = &saying->timer;
	struct timer_sum *timer;
	double tick_ns = record->in_ns ? 1 : saying->process->tick_ns;
	bool has_spans = record->nr_spans && record->least_ticks <= record->most_ticks;
	bool is_open = record->nr_starts > record->nr_stops && record->last_start_ticks;

	if (!has_spans && !is_open)
		return;		/* killed before the first one was counted */
	timer = timer_of(saying->process, label_of(saying->process, record->label));
	if (is_open) {
		timer->nr_open += record->nr_starts - record->nr_stops;
		timer->open_since = process_time(saying->process, record->last_start_ticks);
	}
	if (!has_spans)
		return;
	timer->nr_spans += record->nr_spans;
	timer->total_ns += (double)record->timer_ticks * tick_ns;
	timer->paused_ns += (double)record->paused_ticks * tick_ns;
	timer->min_ns = fmin(timer->min_ns, (double)record->least_ticks * tick_ns);
	timer->max_ns = fmax(timer->max_ns, (double)record->most_ticks * tick_ns);
	timer->square_ns2 +=
		((double)record->squares[1] * 0x1p64 + (double)record->squares[0]) * tick_ns * tick_ns;
}

static void read_field(const struct saying *saying)
{
	struct process *process = saying->process;
	struct said *said = process->said;

	APPEND(said->fields, said->nr_fields) = (struct said_field){
		.thread = nodes_thread(process, saying->field.thread),
		.node = saying->field.node,
		.name = label_of(process, saying->field.label),
	};
}

static struct rowset *counter_rows(struct process *process, uint32_t label)
{
	struct rowset *rows;

	for (size_t i = 0; i < process->nr_rowsets; i++)
		if (process->rowsets[i].id == label && strcmp(process->rowsets[i].set, "counter") == 0)
			return &process->rowsets[i];
	rows = &APPEND(process->rowsets, process->nr_rowsets);
	*rows = (struct rowset){ .set = "counter", .id = label, .nr_columns = 1, .step = 1 };
	rows->columns = xcalloc(1, sizeof(*rows->columns));
	rows->columns->unit = LOG_UNIT_REAL;
	rows->columns->kind = LOG_GAUGE;
	strncpy(rows->columns->name, label_of(process, label), sizeof(rows->columns->name) - 1);
	return rows;
}

/*
 * Records of several threads may lie a little out of order. As in other rows, values whose ticks do not rise
 * are dropped.
 */
static void read_counter(const struct saying *saying)
{
	const struct log_counter *record = &saying->counter;
	struct rowset *rows = counter_rows(saying->process, record->label);

	if (record->newest_ticks < record->record.ticks ||
	    record->newest_ticks > saying->process->limit_ticks)
		logfile_damaged(saying->process->log, saying->offset,
				"a counter's value of no possible time");
	else
		rowset_add(rows, record->newest_ticks, &(uint64_t){ record->last });
}

/* The kinds of records that are read here: least size, and reader. */
static const struct {
	enum log_record_kind kind;
	uint32_t bytes;
	void (*read)(const struct saying *saying);
} readers[] = {
	{ LOG_RECORD_MARK, sizeof(struct log_mark), read_mark },
	{ LOG_RECORD_COUNTER, sizeof(struct log_counter), read_counter },
	{ LOG_RECORD_SPAN, sizeof(struct log_span), read_span },
	{ LOG_RECORD_TIMER, offsetof(struct log_timer, squares), read_timer },	/* older logs lack these */
	{ LOG_RECORD_FIELD, sizeof(struct log_field), read_field },
};

static void read_record(struct saying *saying, const struct log_record *head)
{
	const size_t most = sizeof(*saying) - offsetof(struct saying, record);

	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		if (readers[i].kind != (enum log_record_kind)head->kind)
			continue;
		if (head->bytes < readers[i].bytes ||
		    head->ticks < saying->process->timebase.points[0].ticks ||
		    head->ticks > saying->process->limit_ticks) {
			logfile_damaged(saying->process->log, saying->offset,
					"a record that is too short, or of no possible time");
			return;
		}
		memset(&saying->record, 0, most);
		memcpy(&saying->record, saying->process->log->base + saying->offset,
		       head->bytes < most ? head->bytes : most);
		readers[i].read(saying);
	}
}

void marks_read(struct process *process)
{
	struct logfile *log = process->log;

	process->said = xcalloc(1, sizeof(*process->said));
	for (size_t i = 0; i < log->nr_extents; i++) {
		struct saying saying = { .process = process };
		struct record_cursor cursor;
		struct log_record head;

		if (log->extents[i].kind != LOG_AREA_RECORDS)
			continue;
		record_cursor_init(&cursor, &log->extents[i]);
		while (record_cursor_next(log, &cursor, &saying.offset, &head))
			read_record(&saying, &head);
	}
}

void marks_release(struct process *process)
{
	if (!process->said)
		return;
	for (size_t i = 0; i < process->said->nr_marks; i++)
		free(process->said->marks[i].text);
	free(process->said->marks);
	free(process->said->spans);
	free(process->said->timers);
	free(process->said->fields);
	free(process->said);
}
