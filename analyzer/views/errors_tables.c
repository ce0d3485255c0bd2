/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of calls that did not return: exceptions, jumps and the like. Equal ones share a row. */
#include "analyzer/views/errors_tables.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/path_text.h"
#include "analyzer/model/naming.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/tables/document.h"
#include "analyzer/views/heap_sites.h"

#define TEXT_ERRORS	20

/* As in view tree. */
static char *path_of(struct document *document, const struct tree_node *path)
{
	return path && path->function ? document_text(document, "%s", path_text(path)) : NULL;
}

static const char *others_text(struct document *document, const struct error_sum *sum)
{
	if (!sum->other_messages)
		return "";
	if (sum->kept < sum->count)
		return document_text(document, " and at least %s",
				     document_count(document, sum->other_messages, "other"));
	return document_text(document, " and %s",
			     document_count(document, sum->other_messages, "other"));
}

static char *what_text(struct document *document, const struct error_sum *sum)
{
	const char *others = others_text(document, sum);

	switch (sum->kind) {
	case LOG_ERROR_THROW:
	case LOG_ERROR_RETHROW:
		return document_text(document, "%s%s%s%s%s%s", sum->type, sum->message ? " \"" : "",
				     sum->message ?: "",
				     sum->message    ? "\""
				     : sum->own_what ? " (has a what() of its own)"
						     : "",
				     others, sum->kind == LOG_ERROR_RETHROW ? ", thrown again" : "");
	case ERROR_SAID:
		return document_text(document, "%s%s%s%s%s", sum->type, sum->message ? " \"" : "",
				     sum->message ?: "", sum->message ? "\"" : "", others);
	case LOG_ERROR_ASSERTION:
		return document_text(document, "assertion failed: %s%s", sum->message ?: "", others);
	case LOG_ERROR_TERMINATE:
		return document_text(document, "std::terminate()%s%s%s%s%s",
				     sum->type[0] ? " because of " : "", sum->type, sum->message ? " \"" : "",
				     sum->message ?: "", sum->message ? "\"" : "");
	default:
		return document_text(document, "%s()", errors_kind(sum->kind));
	}
}

/* Rows, with the texts that they show. */
struct error_row {
	struct error_sum sum;
	const char *what, *kind, *type, *path, *caught_in, *caught_path;
};

static struct value get_function(const struct column *column, const void *of)
{
	const struct tree_node *path = ((const struct error_row *)of)->sum.path;

	return path && path->function ? function_cell(path->function, column->index) : value_empty();
}

#define ERROR(member, unit) MEMBER(struct error_row, member, unit)
static const struct column error_columns[] = {
	{ "kind", "Kind", COLUMN_LEFT, ERROR(kind, 0) },
	{ "type", "Type", COLUMN_LEFT, ERROR(type, 0) },
	{ "message", "Message", COLUMN_LEFT, ERROR(sum.message, 0) },
	{ "other_messages", "Others", 0, ERROR(sum.other_messages, UNIT_COUNT) },
	{ "count", "Times", COLUMN_SUMS, ERROR(sum.count, UNIT_COUNT) },
	{ "caught", "Caught", COLUMN_SUMS, ERROR(sum.caught, UNIT_COUNT) },
	{ "caught_elsewhere", "Elsewhere", COLUMN_SUMS, ERROR(sum.caught_elsewhere, UNIT_COUNT) },
	{ "uncaught", "Uncaught", COLUMN_SUMS, ERROR(sum.uncaught, UNIT_COUNT) },
	{ "broken_calls", "Broken", COLUMN_SUMS, ERROR(sum.broken_calls, UNIT_COUNT) },
	{ "function", "Thrown in", COLUMN_FUNCTION, get_function, CELL_NAME },
	{ "file", "File", COLUMN_LEFT, ERROR(sum.file, 0) },
	{ "line", "Line", 0, ERROR(sum.line, UNIT_NONE | NOT_0) },
	{ "path", "Path", COLUMN_LEFT, ERROR(path, 0) },
	{ "caught_in", "Caught in", COLUMN_LEFT | COLUMN_ROOM, ERROR(caught_in, 0) },
	{ "caught_path", "Caught path", COLUMN_LEFT, ERROR(caught_path, 0) },
	{ "first_ns", "First", 0, ERROR(sum.first, UNIT_NS) },
	{ "what", "Type and message", COLUMN_LEFT | COLUMN_ROOM | COLUMN_TEXT, ERROR(what, 0) },
};

static const char *caught_text(struct document *document, const struct error_sum *sum)
{
	const struct function *function = sum->caught_path ? sum->caught_path->function : NULL;

	if (sum->uncaught)
		return sum->kind <= LOG_ERROR_RETHROW ? "nobody" : NULL;
	if (!sum->caught)
		return NULL;
	return document_text(document, "%s%s", function ? function->short_name : "(no function)",
			     sum->caught_elsewhere ? " and elsewhere" : "");
}

static bool of_one_function(const struct tree_node *a, const struct tree_node *b)
{
	return a == b || (a && b && a->function == b->function);
}

/* Whether two errors differ only by their call paths. */
static bool looks_equal(const struct error_sum *a, const struct error_sum *b)
{
	return a->kind == b->kind && a->object == b->object && a->addr == b->addr &&
	       strcmp(a->type, b->type) == 0 && !a->uncaught == !b->uncaught && !a->caught == !b->caught &&
	       of_one_function(a->path, b->path) && of_one_function(a->caught_path, b->caught_path);
}

static void add_sum(struct error_sum *sum, const struct error_sum *other)
{
	sum->count += other->count;
	sum->caught += other->caught;
	sum->caught_elsewhere += other->caught_elsewhere;
	sum->broken_calls += other->broken_calls;
	sum->uncaught += other->uncaught;
	sum->first = other->first < sum->first ? other->first : sum->first;
	sum->kept += other->kept;
	sum->other_messages += other->other_messages +
		(sum->message && other->message && strcmp(sum->message, other->message) != 0);
	sum->message = sum->message ?: other->message;
}

/* @by_path: a row for each call path; otherwise one for all paths by which the same code throws. */
static struct table_rows list_errors(struct document *document, const struct error_sums *errors, bool by_path)
{
	struct table_rows rows = ROWS_OF(struct error_row);

	for (size_t i = 0; i < errors->nr; i++) {
		struct error_row *row = (struct error_row *)rows.list + (by_path ? rows.nr : 0),
				 *end = (struct error_row *)rows.list + rows.nr;

		while (row < end && !looks_equal(&row->sum, &errors->sums[i]))
			row++;
		if (row < end)
			add_sum(&row->sum, &errors->sums[i]);
		else
			document_add_row(document, &rows, &(struct error_row){ .sum = errors->sums[i] });
	}
	for (size_t i = 0; i < rows.nr; i++) {
		struct error_row *row = (struct error_row *)rows.list + i;
		const struct error_sum *sum = &row->sum;

		*row = (struct error_row){
			*sum, what_text(document, sum), errors_kind(sum->kind),
			sum->type[0] ? document_text(document, "%s", sum->type) : NULL,
			path_of(document, sum->path), caught_text(document, sum),
			path_of(document, sum->caught_path) };
	}
	return rows;
}

static uint64_t sum_of(const struct error_sums *errors, uint32_t first_kind, uint32_t last_kind,
		       size_t offset)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < errors->nr; i++)
		if (errors->sums[i].kind >= first_kind && errors->sums[i].kind <= last_kind)
			sum += *(const uint64_t *)((const char *)&errors->sums[i] + offset);
	return sum;
}

static void add_lead(struct document *document, const struct error_sums *errors)
{
	uint64_t thrown = sum_of(errors, LOG_ERROR_THROW, LOG_ERROR_THROW, offsetof(struct error_sum, count));
	uint64_t again =
		sum_of(errors, LOG_ERROR_RETHROW, LOG_ERROR_RETHROW, offsetof(struct error_sum, count));
	uint64_t caught =
		sum_of(errors, LOG_ERROR_THROW, LOG_ERROR_RETHROW, offsetof(struct error_sum, caught));
	uint64_t broken =
		sum_of(errors, LOG_ERROR_THROW, LOG_ERROR_RETHROW, offsetof(struct error_sum, broken_calls));
	const char *text;

	if (!thrown && !again)
		return;
	text = document_text(document, "%s", document_count(document, thrown, "exception"));
	if (again)
		text = document_text(document, "%s, %s again", text,
				     document_number(document, UNIT_COUNT, again));
	document_add(document, "Thrown",
		     document_text(document, "%s, %s caught; %s ended by them (broken)", text,
				   document_number(document, UNIT_COUNT, caught),
				   document_count(document, broken, "call")))
		->apart = true;
}

static void add_errors(struct document *document, struct report *report, const struct error_sums *errors)
{
	bool by_path = report->options->columns || strcmp(report->options->format, "text") != 0;

	document_add_table(document, &(struct table){
		.name = "errors",
		.what = "different errors",
		.title = report->title,
		.note = "broken: calls that did not return because of it",
		TABLE_COLUMNS(error_columns),
		.text_columns = "count,broken_calls,what,function,caught_in",
		.text_top = TEXT_ERRORS,
		.aside = true,
		.rows = list_errors(document, errors, by_path),
		.formats = (errors->nr ? IN_TEXT : 0) | IN_CSV | IN_JSON,
	});
}

/* One error that was kept. */
struct thrown_row {
	struct thrown thrown;
	uint32_t pid;
	const char *kind, *type, *path;
};

#define THROWN(member, unit) MEMBER(struct thrown_row, member, unit)
static const struct column thrown_columns[] = {
	{ "pid", "Pid", 0, THROWN(pid, UNIT_NONE) },
	{ "thread", "Thread", 0, THROWN(thrown.tid, UNIT_NONE) },
	{ "thrown_ns", "At", 0, THROWN(thrown.time, UNIT_NS) },
	{ "caught_ns", "Caught", 0, THROWN(thrown.caught, UNIT_NS) },
	{ "kind", "Kind", COLUMN_LEFT, THROWN(kind, 0) },
	{ "type", "Type", COLUMN_LEFT, THROWN(type, 0) },
	{ "message", "Message", COLUMN_LEFT, THROWN(thrown.message, 0) },
	{ "path", "Path", COLUMN_LEFT, THROWN(path, 0) },
};

static struct table_rows list_thrown(struct document *document, const struct model *model)
{
	struct table_rows rows = ROWS_OF(struct thrown_row);

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_thrown; j++) {
			const struct thrown *thrown;
			const struct error *error = errors_find(process, process->thrown[j].place, &thrown);
			const uint32_t thrown_in = error ? error->counts.node : 0;
			char *type = error && error->type[0] ? name_of_type(error->type) : NULL;

			if (error)
				document_add_row(document, &rows, &(struct thrown_row){
					*thrown, process->header.pid, errors_kind(error->counts.error), type,
					path_of(document, errors_path(process, error, thrown_in)) });
			document_keep(document, type);
		}
	}
	return rows;
}

static void add_thrown(struct document *document, const struct report *report)
{
	document_add_table(document, &(struct table){
		.name = "thrown",
		.what = "errors",
		TABLE_COLUMNS(thrown_columns),
		.aside = true,
		.rows = list_thrown(document, report->model),
		.formats = IN_CSV | IN_JSON,
	});
}

/*
 * A C++ library linked into the program calls its own functions, so our wrappers do not see its exceptions.
 */
static void tell_unseen(struct document *document, const struct model *model)
{
	for (struct object *object = model->objects; object; object = object->next) {
		const char *name = path_base(object->path);
		struct symbols *symbols;
		uint64_t addr;

		if (strncmp(name, "lib", 3) == 0 || strncmp(name, "ld-", 3) == 0)
			continue;
		symbols = naming_symbols(object);
		if (symbols && symbols_find(symbols, "__cxa_throw", &addr))
			document_add(
				document, "Not seen",
				document_text(
					document,
					"exceptions in %s: it contains its own C++ library, linked "
					"statically",
					name))
				->wraps = true;
	}
}

void errors_tables(struct document *document, struct report *report)
{
	struct error_sums errors;

	errors_sum_up(&errors, report->model);
	add_lead(document, &errors);
	add_errors(document, report, &errors);
	add_thrown(document, report);
	tell_unseen(document, report->model);
	errors_release(&errors);
}

#define TEXT_PATHS	20

struct path_row {
	const struct event *reached;
	const struct event *path;	/* of one thread; NULL: there was no room for any */
	uint64_t bytes, limit_bytes;
	int64_t time;			/* NO_TIME: not known */
	const char *memory, *text;
};

/* Whether it is the thread that allocated then. */
static struct value get_allocated(const struct column *column, const void *row)
{
	const struct path_row *of = row;

	return of->path && of->reached->thread
		       ? value_integer(UNIT_NONE, of->path->thread == of->reached->thread)
		       : value_empty();
}

static struct value get_who(const struct column *column, const void *row)
{
	const struct path_row *of = row;

	return who_cell(of->reached->process, of->path ? of->path->thread : NULL, column->index);
}

#define LIMIT(member, unit) MEMBER(struct path_row, member, unit)
static const struct column columns[] = {
	{ "pid", "Pid", 0, get_who, WHO_PID },
	{ "program", "Program", COLUMN_LEFT, get_who, WHO_PROGRAM },
	{ "memory", "Memory", COLUMN_LEFT, LIMIT(memory, 0) },
	{ "reached_bytes", "Reached", 0, LIMIT(bytes, UNIT_BYTES) },
	{ "limit_bytes", "Limit", 0, LIMIT(limit_bytes, UNIT_BYTES) },
	{ "after_ns", "After", 0, LIMIT(time, UNIT_NS) },
	{ "thread", "Thread", 0, get_who, WHO_TID },
	{ "thread_name", "Name", COLUMN_LEFT | COLUMN_SPARE, get_who, WHO_THREAD_NAME },
	{ "allocated", "Allocated", 0, get_allocated, 0 },
	{ "path", "In", COLUMN_LEFT | COLUMN_ROOM, LIMIT(text, 0) },
	WHO_RUN_COLUMNS(get_who),
};

static const struct event *find_reached(const struct process *process)
{
	for (size_t i = 0; i < process->nr_events; i++)
		if (process->events[i].kind == LOG_EVENT_MEMORY)
			return &process->events[i];
	return NULL;
}

static void add_path(struct document *document, struct table_rows *rows, const struct event *reached,
		     const struct event *path)
{
	document_add_row(document, rows, &(struct path_row){
		reached, path, reached->values[0], reached->values[1], reached->time,
		reached->values[2] == LOG_MEMORY_HEAP ? "heap" : "RSS",
		path && path->node ? heap_path_text(document, path->node) : NULL });
}

/* The thread that allocated comes first. */
static void list_process(struct table_rows *rows, struct document *document, const struct process *process)
{
	const struct event *reached = find_reached(process);
	size_t before = rows->nr;

	for (int others = 0; reached && others <= 1; others++)
		for (size_t i = 0; i < process->nr_events; i++) {
			const struct event *path = &process->events[i];

			if (path->kind == LOG_EVENT_MEMORY_PATH &&
			    (path->thread != reached->thread) == others)
				add_path(document, rows, reached, path);
		}
	if (reached && rows->nr == before)
		add_path(document, rows, reached, NULL);
}

void memory_limits_add(struct document *document, struct report *report)
{
	const struct model *model = report->model;
	struct table_rows rows = ROWS_OF(struct path_row);

	for (size_t i = 0; i < model->nr_processes; i++)
		list_process(&rows, document, model->processes[i]);
	if (!rows.nr)
		return;
	report_tell_runs(report, document, document_add_table(document, &(struct table){
		.name = "memory_limit",
		.what = "threads",
		.note = "open calls of each thread when memory reached INSIDEME_MAX_MEMORY; Allocated 1: "
			"the thread "
			"that allocated then",
		TABLE_COLUMNS(columns),
		.text_columns = model->nr_processes > 1 ?
			"pid,memory,reached_bytes,after_ns,thread,thread_name,allocated,path" :
			"memory,reached_bytes,after_ns,thread,thread_name,allocated,path",
		.text_top = TEXT_PATHS,
		.aside = true,
		.rows = rows,
		.apart = true,
	}));
}
