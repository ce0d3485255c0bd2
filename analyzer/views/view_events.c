/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Entries and exits of recorded calls (events), and lines that ran (steps): a row each, in the order of
 * time. Memory does not grow with their number.
 */
#include "analyzer/views/views.h"

#include "analyzer/cells/events_table.h"
#include "analyzer/cells/steps_table.h"

struct event_source {
	struct model *model;
	bool has_window;
	struct call_events *events;	/* NULL: at the start */
};

static bool next_event(struct table *table, void *row)
{
	struct event_source *source = table->source;
	struct call_event *event = row;

	if (!source->events) {
		source->events = call_events_new();
		call_events_begin(source->events, source->model, true);
	}
	while (call_events_next(source->events, event))
		if (!source->has_window ||
		    (event->time >= source->model->from && event->time <= source->model->to))
			return true;
	call_events_end(source->events);
	call_events_free(source->events);
	source->events = NULL;
	return false;
}

int view_events(struct document *document, struct report *report)
{
	struct table table = events_table;
	struct event_source *source = document_new(document, sizeof(*source));

	source->model = report->model;
	source->has_window = window_is_given(&report->options->window);
	table.title = report->title;
	table.next = next_event;
	table.source = source;
	report_tell_runs(report, document, document_add_table(document, &table));
	events_tell_share(report->model, false);
	report_name_runs(report, document);
	return 0;
}

int view_steps(struct document *document, struct report *report)
{
	struct table table = steps_table;
	struct step_rows *rows = document_new(document, sizeof(*rows));

	rows->report = report;
	table.title = report->title;
	table.next = step_rows_next;
	table.source = rows;
	report_tell_runs(report, document, document_add_table(document, &table));
	report_name_runs(report, document);
	return 0;
}
