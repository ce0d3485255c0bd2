/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ended calls without a return: exceptions, jumps and the like. Equal ones share a row. */
#include "analyzer/views/errors_tables.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/cells/cells.h"
#include "analyzer/model/naming.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/tables/document.h"
#include "analyzer/views/heap_sites.h"

#define TEXT_ERRORS	20

enum { SUM_COUNT, SUM_CAUGHT, SUM_ELSEWHERE, SUM_UNCAUGHT, SUM_BROKEN, SUM_MESSAGES, SUM_LINE, SUM_FIRST };

static struct value get_number(const struct column *column, const void *row)
{
	const struct error_sum *sum = row;

	switch (column->index) {
	case SUM_COUNT:
		return value_integer(UNIT_COUNT, (int64_t)sum->count);
	case SUM_CAUGHT:
		return value_integer(UNIT_COUNT, (int64_t)sum->caught);
	case SUM_ELSEWHERE:
		return value_integer(UNIT_COUNT, (int64_t)sum->caught_elsewhere);
	case SUM_UNCAUGHT:
		return value_integer(UNIT_COUNT, (int64_t)sum->uncaught);
	case SUM_BROKEN:
		return value_integer(UNIT_COUNT, (int64_t)sum->broken_calls);
	case SUM_MESSAGES:
		return value_integer(UNIT_COUNT, (int64_t)sum->other_messages);
	case SUM_LINE:
		return sum->line ? value_integer(UNIT_NONE, sum->line) : value_empty();
	default:
		return value_integer(UNIT_NS, sum->first);
	}
}

/* "main;run;step", as in view tree. */
static char *path_text(struct document *document, const struct tree_node *path)
{
	char *text = NULL;

	for (; path && path->function; path = path->parent)
		text = text ? document_text(document, "%s;%s", path->function->name, text) :
			document_text(document, "%s", path->function->name);
	return text;
}

static const char *others_text(struct document *document, const struct error_sum *sum)
{
	if (!sum->other_messages)
		return "";
	if (sum->kept < sum->count)
		return document_text(document, " and at least %s",
				     document_count(document, (double)sum->other_messages, "other"));
	return document_text(document, " and %s",
			     document_count(document, (double)sum->other_messages, "other"));
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
	struct error_sum sum;		/* the first member, because getters of numbers take it */
	const char *what, *path, *caught_in, *caught_path;
};

enum {
	TEXT_WHAT,
	TEXT_KIND,
	TEXT_TYPE,
	TEXT_MESSAGE,
	TEXT_IN,
	TEXT_FILE,
	TEXT_PATH,
	TEXT_CAUGHT,
	TEXT_CAUGHT_PATH
};

static struct value get_text(const struct column *column, const void *of)
{
	const struct error_row *row = of;
	struct function *function = row->sum.path ? row->sum.path->function : NULL;

	switch (column->index) {
	case TEXT_WHAT:
		return value_text(row->what);
	case TEXT_KIND:
		return value_text(errors_kind(row->sum.kind));
	case TEXT_TYPE:
		return value_text(row->sum.type[0] ? row->sum.type : NULL);
	case TEXT_MESSAGE:
		return value_text(row->sum.message);
	case TEXT_IN:
		return function ? function_cell(function, CELL_NAME) : value_empty();
	case TEXT_FILE:
		return value_text(row->sum.file);
	case TEXT_PATH:
		return value_text(row->path);
	case TEXT_CAUGHT:
		return value_text(row->caught_in);
	default:
		return value_text(row->caught_path);
	}
}

static const struct column error_columns[] = {
	{ "kind", "Kind", COLUMN_LEFT, get_text, TEXT_KIND },
	{ "type", "Type", COLUMN_LEFT, get_text, TEXT_TYPE },
	{ "message", "Message", COLUMN_LEFT, get_text, TEXT_MESSAGE },
	{ "other_messages", "Others", 0, get_number, SUM_MESSAGES },
	{ "count", "Times", COLUMN_SUMS, get_number, SUM_COUNT },
	{ "caught", "Caught", COLUMN_SUMS, get_number, SUM_CAUGHT },
	{ "caught_elsewhere", "Elsewhere", COLUMN_SUMS, get_number, SUM_ELSEWHERE },
	{ "uncaught", "Uncaught", COLUMN_SUMS, get_number, SUM_UNCAUGHT },
	{ "broken_calls", "Broken", COLUMN_SUMS, get_number, SUM_BROKEN },
	{ "function", "Thrown in", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_text, TEXT_IN },
	{ "file", "File", COLUMN_LEFT, get_text, TEXT_FILE },
	{ "line", "Line", 0, get_number, SUM_LINE },
	{ "path", "Path", COLUMN_LEFT, get_text, TEXT_PATH },
	{ "caught_in", "Caught in", COLUMN_LEFT | COLUMN_ROOM, get_text, TEXT_CAUGHT },
	{ "caught_path", "Caught path", COLUMN_LEFT, get_text, TEXT_CAUGHT_PATH },
	{ "first_ns", "First", 0, get_number, SUM_FIRST },
	{ "what", "Type and message", COLUMN_LEFT | COLUMN_ROOM | COLUMN_TEXT, get_text, TEXT_WHAT },
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
static struct table_rows *list_errors(struct document *document, const struct error_sums *errors,
				      bool by_path)
{
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct error_row *list = document_new(document, (errors->nr + 1) * sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < errors->nr; i++) {
		size_t at = by_path ? nr : 0;

		while (at < nr && !looks_equal(&list[at].sum, &errors->sums[i]))
			at++;
		if (at < nr)
			add_sum(&list[at].sum, &errors->sums[i]);
		else
			list[nr++].sum = errors->sums[i];
	}
	for (size_t i = 0; i < nr; i++) {
		const struct error_sum *sum = &list[i].sum;

		list[i] = (struct error_row){ *sum, what_text(document, sum), path_text(document, sum->path),
			caught_text(document, sum), path_text(document, sum->caught_path) };
		list[i].sum.type = document_text(document, "%s", sum->type);
	}
	*rows = (struct table_rows){ list, nr };
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
	text = document_text(document, "%s", document_count(document, (double)thrown, "exception"));
	if (again)
		text = document_text(document, "%s, %s again", text,
				     document_number(document, UNIT_COUNT, (double)again));
	document_add(document, "Thrown",
		     document_text(document, "%s, %s caught; %s ended by them (broken)", text,
				   document_number(document, UNIT_COUNT, (double)caught),
				   document_count(document, (double)broken, "call")))
		->apart = true;
}

static void add_errors(struct document *document, struct report *report, const struct error_sums *errors)
{
	struct table *table = document_new(document, sizeof(*table));
	bool by_path = report->options->columns || strcmp(report->options->format, "text") != 0;

	*table = (struct table){
		.name = "errors",
		.what = "different errors",
		.title = report->title,
		.note = "broken: calls that did not return because of it",
		.columns = error_columns,
		.nr_columns = sizeof(error_columns) / sizeof(*error_columns),
		.text_columns = "count,broken_calls,what,function,caught_in",
		.text_top = TEXT_ERRORS,
		.aside = true,
		.row_bytes = sizeof(struct error_row),
		.next = table_next_row,
		.source = list_errors(document, errors, by_path),
		.formats = (errors->nr ? IN_TEXT : 0) | IN_CSV | IN_JSON,
	};
	document_add_table(document, table);
}

/* One error that was kept. */
struct thrown_row {
	const struct process *process;
	const struct thrown *thrown;
	const struct error *error;
	const char *type, *path;
};

enum { THROWN_PID, THROWN_TID, THROWN_TIME, THROWN_CAUGHT };

static struct value get_thrown(const struct column *column, const void *of)
{
	const struct thrown_row *row = of;

	switch (column->index) {
	case THROWN_PID:
		return value_integer(UNIT_NONE, row->process->header.pid);
	case THROWN_TID:
		return value_integer(UNIT_NONE, row->thrown->tid);
	case THROWN_TIME:
		return value_integer(UNIT_NS, row->thrown->time);
	default:
		return row->thrown->caught == NO_TIME ? value_empty()
						      : value_integer(UNIT_NS, row->thrown->caught);
	}
}

enum { THROWN_KIND, THROWN_TYPE, THROWN_MESSAGE, THROWN_PATH };

static struct value get_thrown_text(const struct column *column, const void *of)
{
	const struct thrown_row *row = of;

	switch (column->index) {
	case THROWN_KIND:
		return value_text(errors_kind(row->error->counts.error));
	case THROWN_TYPE:
		return value_text(row->type);
	case THROWN_MESSAGE:
		return value_text(row->thrown->message);
	default:
		return value_text(row->path);
	}
}

static const struct column thrown_columns[] = {
	{ "pid", "Pid", 0, get_thrown, THROWN_PID },
	{ "thread", "Thread", 0, get_thrown, THROWN_TID },
	{ "thrown_ns", "At", 0, get_thrown, THROWN_TIME },
	{ "caught_ns", "Caught", 0, get_thrown, THROWN_CAUGHT },
	{ "kind", "Kind", COLUMN_LEFT, get_thrown_text, THROWN_KIND },
	{ "type", "Type", COLUMN_LEFT, get_thrown_text, THROWN_TYPE },
	{ "message", "Message", COLUMN_LEFT, get_thrown_text, THROWN_MESSAGE },
	{ "path", "Path", COLUMN_LEFT, get_thrown_text, THROWN_PATH },
};

static struct table_rows *list_thrown(struct document *document, const struct model *model)
{
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct thrown_row *list;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->nr_thrown;
	rows->rows = list = document_new(document, (nr + 1) * sizeof(*list));
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_thrown; j++) {
			const struct thrown *thrown;
			const struct error *error = errors_find(process, process->thrown[j].place, &thrown);

			if (error)
				list[rows->nr_rows++] = (struct thrown_row){
					process, thrown, error,
					error->type[0] ? document_keep(document, name_of_type(error->type))
						       : NULL,
					path_text(document, errors_path(process, error, error->counts.node))
				};
		}
	}
	return rows;
}

static void add_thrown(struct document *document, const struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));

	*table = (struct table){
		.name = "thrown",
		.what = "errors",
		.columns = thrown_columns,
		.nr_columns = sizeof(thrown_columns) / sizeof(*thrown_columns),
		.aside = true,
		.row_bytes = sizeof(struct thrown_row),
		.next = table_next_row,
		.source = list_thrown(document, report->model),
		.formats = IN_CSV | IN_JSON,
	};
	document_add_table(document, table);
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
	struct document *document;
	const struct event *reached;
	const struct event *path;	/* of one thread; NULL: there was no room for any */
};

enum { ROW_BYTES, ROW_LIMIT, ROW_ALLOCATED, ROW_AFTER };

static struct value get_limit_number(const struct column *column, const void *row)
{
	const struct path_row *of = row;

	switch (column->index) {
	case ROW_BYTES:
		return value_integer(UNIT_BYTES, (int64_t)of->reached->values[0]);
	case ROW_LIMIT:
		return value_integer(UNIT_BYTES, (int64_t)of->reached->values[1]);
	case ROW_ALLOCATED:
		return of->path && of->reached->thread
			       ? value_integer(UNIT_NONE, of->path->thread == of->reached->thread)
			       : value_empty();
	default:
		return of->reached->time == NO_TIME ? value_empty()
						    : value_integer(UNIT_NS, of->reached->time);
	}
}

enum { ROW_MEMORY, ROW_PATH };

static struct value get_limit_text(const struct column *column, const void *row)
{
	const struct path_row *of = row;

	switch (column->index) {
	case ROW_MEMORY:
		return value_text(of->reached->values[2] == LOG_MEMORY_HEAP ? "heap" : "RSS");
	default:
		return of->path && of->path->node ? value_text(heap_path_text(of->document, of->path->node))
						  : value_empty();
	}
}

static struct value get_who(const struct column *column, const void *row)
{
	const struct path_row *of = row;

	return who_cell(of->reached->process, of->path ? of->path->thread : NULL, column->index);
}

static const struct column columns[] = {
	{ "pid", "Pid", 0, get_who, WHO_PID },
	{ "program", "Program", COLUMN_LEFT, get_who, WHO_PROGRAM },
	{ "memory", "Memory", COLUMN_LEFT, get_limit_text, ROW_MEMORY },
	{ "reached_bytes", "Reached", 0, get_limit_number, ROW_BYTES },
	{ "limit_bytes", "Limit", 0, get_limit_number, ROW_LIMIT },
	{ "after_ns", "After", 0, get_limit_number, ROW_AFTER },
	{ "thread", "Thread", 0, get_who, WHO_TID },
	{ "thread_name", "Name", COLUMN_LEFT | COLUMN_SPARE, get_who, WHO_THREAD_NAME },
	{ "allocated", "Allocated", 0, get_limit_number, ROW_ALLOCATED },
	{ "path", "In", COLUMN_LEFT | COLUMN_ROOM, get_limit_text, ROW_PATH },
	WHO_RUN_COLUMNS(get_who),
};

static const struct event *find_reached(const struct process *process)
{
	for (size_t i = 0; i < process->nr_events; i++)
		if (process->events[i].kind == LOG_EVENT_MEMORY)
			return &process->events[i];
	return NULL;
}

/* The thread that allocated comes first. */
static void list_process(struct table_rows *rows, struct path_row *list, struct document *document,
			 const struct process *process)
{
	const struct event *reached = find_reached(process);
	size_t before = rows->nr_rows;

	for (int others = 0; reached && others <= 1; others++)
		for (size_t i = 0; i < process->nr_events; i++) {
			const struct event *path = &process->events[i];

			if (path->kind == LOG_EVENT_MEMORY_PATH &&
			    (path->thread != reached->thread) == others)
				list[rows->nr_rows++] = (struct path_row){ document, reached, path };
		}
	if (reached && rows->nr_rows == before)
		list[rows->nr_rows++] = (struct path_row){ document, reached, NULL };
}

void memory_limits_add(struct document *document, struct report *report)
{
	const struct model *model = report->model;
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct path_row *list;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->nr_events;
	list = document_new(document, (nr + 1) * sizeof(*list));
	for (size_t i = 0; i < model->nr_processes; i++)
		list_process(rows, list, document, model->processes[i]);
	if (!rows->nr_rows)
		return;
	rows->rows = list;
	*table = (struct table){
		.name = "memory_limit",
		.what = "threads",
		.note = "open calls of each thread when memory reached INSIDEME_MAX_MEMORY; Allocated 1: "
			"the thread that allocated then",
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.text_columns =
			model->nr_processes > 1
				? "pid,memory,reached_bytes,after_ns,thread,thread_name,allocated,path"
				: "memory,reached_bytes,after_ns,thread,thread_name,allocated,path",
		.text_top = TEXT_PATHS,
		.aside = true,
		.row_bytes = sizeof(*list),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	report_tell_runs(report, document, table);
	document_add_table(document, table)->apart = true;
}
