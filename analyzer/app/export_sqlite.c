/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sqlite database with the tables of all views. Columns are those of the views' csv. Names and paths are
 * stored once each, in the table texts. For each view there is a sqlite view of the same name, which joins
 * the rows with their texts. libsqlite3 is opened only when this format is asked for.
 */
#include "analyzer/app/export_sqlite.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/ask/table_select.h"
#include "analyzer/base/error.h"
#include "analyzer/base/text_numbers.h"
#include "analyzer/base/names.h"
#include "analyzer/formats/trace.h"
#include "analyzer/tables/table_text.h"
#include "analyzer/views/views.h"

#define SQLITE_OK	0
#define SQLITE_DONE	101
#define OPEN_FLAGS	(0x2 | 0x4 | 0x8000)	/* SQLITE_OPEN_READWRITE, _CREATE, _NOMUTEX */
#define KEEP_COPY	((void (*)(void *))-1)	/* SQLITE_TRANSIENT */

struct sqlite3;
struct sqlite3_stmt;

/* The functions of libsqlite3.so.0 that are called. Their names there begin with "sqlite3_". */
#define SQLITE_CALLS(CALL) \
	CALL(int, open_v2, (const char *path, struct sqlite3 **database, int flags, const char *vfs)) \
	CALL(int, close, (struct sqlite3 *database)) \
	CALL(int, exec, (struct sqlite3 *database, const char *sql, void *callback, void *context, \
		char **message)) \
	CALL(int, prepare_v2, (struct sqlite3 *database, const char *sql, int bytes, \
		struct sqlite3_stmt **statement, \
			       const char **rest)) \
	CALL(int, bind_int64, (struct sqlite3_stmt *statement, int index, long long number)) \
	CALL(int, bind_double, (struct sqlite3_stmt *statement, int index, double number)) \
	CALL(int, bind_text, (struct sqlite3_stmt *statement, int index, const char *text, int bytes, \
			      void (*release)(void *))) \
	CALL(int, bind_null, (struct sqlite3_stmt *statement, int index)) \
	CALL(int, step, (struct sqlite3_stmt *statement)) \
	CALL(int, reset, (struct sqlite3_stmt *statement)) \
	CALL(int, finalize, (struct sqlite3_stmt *statement)) \
	CALL(const char *, errmsg, (struct sqlite3 *database))

struct sqlite {
	struct sqlite3 *database;
	struct text_numbers texts;
	struct sqlite3_stmt *add_text;
#define CALL(type, name, arguments) type (*name) arguments;
	SQLITE_CALLS(CALL)
#undef CALL
};

static bool find(void *library, const char *name, void *place)
{
	void *symbol = dlsym(library, name);

	memcpy(place, &symbol, sizeof(symbol));
	return symbol;
}

static bool load(struct sqlite *sqlite)
{
	void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
	bool all = library;

#define CALL(type, name, arguments) all = all && find(library, "sqlite3_" #name, &sqlite->name);
	SQLITE_CALLS(CALL)
#undef CALL
	if (!all)
		error("-f sqlite needs libsqlite3.so.0, which is not installed (Debian: libsqlite3-0)");
	return all;
}

static bool execute(struct sqlite *sqlite, const char *sql)
{
	if (sqlite->exec(sqlite->database, sql, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	error("sqlite: %s", sqlite->errmsg(sqlite->database));
	return false;
}

/* "name", with quotes doubled: a column may be a program's own counter. */
static void add_name(struct row_text *sql, const char *name)
{
	row_add_char(sql, '"');
	for (; *name; name++) {
		if (*name == '"')
			row_add_char(sql, '"');
		row_add_char(sql, *name);
	}
	row_add_char(sql, '"');
}

static bool is_text(const struct column *column)
{
	return column->flags & (COLUMN_LEFT | COLUMN_NAME);
}

enum statement { CREATE_ROWS, INSERT_ROW, CREATE_VIEW };

/* CREATE TABLE "calls_rows" ("start_ns", "function"); the caller frees it */
static char *statement_of(const struct rows *rows, const char *name, enum statement kind)
{
	static const char *const begins[] = { "CREATE TABLE ", "INSERT INTO ", "CREATE VIEW " };
	static const char *const middles[] = { " (", " VALUES (", " AS SELECT " };
	char *rows_name = xasprintf("%s_rows", name);
	struct row_text sql = { 0 };

	row_add_text(&sql, begins[kind]);
	add_name(&sql, kind == CREATE_VIEW ? name : rows_name);
	row_add_text(&sql, middles[kind]);
	for (size_t i = 0; i < rows->nr_columns; i++) {
		bool is_joined = kind == CREATE_VIEW && is_text(rows->columns[i]);

		row_add_text(&sql, i ? ", " : "");
		row_add_text(&sql, is_joined ? "(SELECT text FROM texts WHERE id = " : "");
		if (kind == INSERT_ROW)
			row_add_char(&sql, '?');
		else
			add_name(&sql, rows->columns[i]->name);
		row_add_text(&sql, is_joined ? ") AS " : "");
		if (is_joined)
			add_name(&sql, rows->columns[i]->name);
	}
	row_add_text(&sql, kind == CREATE_VIEW ? " FROM " : ")");
	if (kind == CREATE_VIEW)
		add_name(&sql, rows_name);
	row_add_char(&sql, '\0');
	free(rows_name);
	return sql.bytes;
}

/* Its id in the table texts. */
static long long text_id(struct sqlite *sqlite, const char *value)
{
	bool is_new;
	long long id = (long long)text_number(&sqlite->texts, value, &is_new) + 1;
	char *clean;

	if (!is_new)
		return id;
	clean = utf8_cleaned(value);
	sqlite->bind_int64(sqlite->add_text, 1, id);
	sqlite->bind_text(sqlite->add_text, 2, clean, -1, KEEP_COPY);
	sqlite->step(sqlite->add_text);
	sqlite->reset(sqlite->add_text);
	free(clean);
	return id;
}

/* The value last bound to a column: a binding stays from row to row. */
struct cell {
	bool is_bound;
	struct value value;
	struct row_text text;		/* of the value */
};

static bool is_same(const struct cell *cell, struct value value)
{
	if (!cell->is_bound || value.type != cell->value.type)
		return false;
	if (value.type == VALUE_TEXT)
		return strcmp(value.text, cell->text.bytes) == 0;
	return value.type == VALUE_EMPTY ||
	       (value.type == VALUE_INTEGER && value.integer == cell->value.integer);
}

/* A column of texts has ids of texts alone: a number in it is one too. */
static void bind_text(struct sqlite *sqlite, struct sqlite3_stmt *statement, int index,
		      const struct cell *cell)
{
	if (cell->value.type == VALUE_EMPTY)
		sqlite->bind_null(statement, index);
	else
		sqlite->bind_int64(statement, index, text_id(sqlite, cell->text.bytes));
}

static void bind_number(struct sqlite *sqlite, struct sqlite3_stmt *statement, int index,
			const struct cell *cell)
{
	struct value value = cell->value;

	switch (value.type) {
	case VALUE_EMPTY:
		sqlite->bind_null(statement, index);
		break;
	case VALUE_INTEGER:
		sqlite->bind_int64(statement, index, value.integer);
		break;
	case VALUE_REAL:
		sqlite->bind_double(statement, index, value.real);
		break;
	case VALUE_TEXT:
		sqlite->bind_text(statement, index, cell->text.bytes, -1, KEEP_COPY);
		break;
	}
}

static void bind(struct sqlite *sqlite, struct sqlite3_stmt *statement, int index, struct cell *cell,
		 bool as_text)
{
	cell->text.used = 0;
	if (cell->value.type == VALUE_TEXT)
		row_add_text(&cell->text, cell->value.text);
	else if (as_text)
		row_add_csv(&cell->text, cell->value);
	if (cell->value.type == VALUE_TEXT || as_text)
		row_add_char(&cell->text, '\0');
	(as_text ? bind_text : bind_number)(sqlite, statement, index, cell);
	cell->is_bound = true;
}

static bool fill(struct sqlite *sqlite, struct rows *rows, struct sqlite3_stmt *statement)
{
	struct cell *cells = xcalloc(rows->nr_columns, sizeof(*cells));
	bool done = true;
	const void *row;

	while (done && (row = rows_next(rows)) != NULL) {
		for (size_t i = 0; i < rows->nr_columns; i++) {
			struct value value = rows_value(rows, i, row);

			if (is_same(&cells[i], value))
				continue;
			cells[i].value = value;
			bind(sqlite, statement, (int)i + 1, &cells[i], is_text(rows->columns[i]));
		}
		done = sqlite->step(statement) == SQLITE_DONE ||
		       (error("sqlite: %s", sqlite->errmsg(sqlite->database)), false);
		sqlite->reset(statement);
	}
	for (size_t i = 0; i < rows->nr_columns; i++)
		row_text_release(&cells[i].text);
	free(cells);
	return done;
}

static bool add_table(struct sqlite *sqlite, struct table *table, const char *name,
		      const struct options *options)
{
	struct sqlite3_stmt *statement = NULL;
	struct rows rows;
	char *create, *insert, *view;
	bool done;

	rows_open(&rows, table, options, false);
	create = statement_of(&rows, name, CREATE_ROWS);
	insert = statement_of(&rows, name, INSERT_ROW);
	view = statement_of(&rows, name, CREATE_VIEW);
	done = execute(sqlite, create) && execute(sqlite, view);
	if (done && sqlite->prepare_v2(sqlite->database, insert, -1, &statement, NULL) != SQLITE_OK) {
		error("sqlite: %s", sqlite->errmsg(sqlite->database));
		done = false;
	}
	done = done && fill(sqlite, &rows, statement);
	sqlite->finalize(statement);
	rows_close(&rows);
	free(create);
	free(insert);
	free(view);
	return done;
}

/* A view's table has the view's name; of several, "summary_processes". */
static bool add_view(struct sqlite *sqlite, struct report *report, const struct view *view)
{
	struct options options = { .view = view->name, .format = "csv", .filter = report->options->filter };
	struct document document = { .view = view->name };
	struct report own = *report;
	bool done;

	own.options = &options;
	done = report_build(&own, &document, view->build) == 0;
	for (size_t i = 0; i < document.nr_sections && done; i++) {
		struct table *table = document.sections[i].table;
		char *name;

		if (!table || !(table->formats & IN_CSV))
			continue;
		name = document_tables(&document, IN_CSV) > 1 ? xasprintf("%s_%s", view->name, table->name)
							      : xstrdup(view->name);
		done = add_table(sqlite, table, name, &options);
		free(name);
	}
	document_release(&document);
	return done;
}

/* Entries and exits are the calls once more. */
static bool is_wanted(const struct report *report, const struct view *view)
{
	if (view->build == view_events ||
	    (view->has_times && report->model->nr_profiles && trace_of_saved(report->model)))
		return false;
	return view->build != view_resources || !report_is_of_threads(report);
}

static bool fill_database(struct sqlite *sqlite, struct report *report)
{
	bool done = execute(sqlite, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; "
				    "CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)") &&
		    sqlite->prepare_v2(sqlite->database, "INSERT INTO texts VALUES (?, ?)", -1,
				       &sqlite->add_text, NULL) == SQLITE_OK;

	for (const struct view *view = views; view->name && done; view++)
		if (is_wanted(report, view))
			done = add_view(sqlite, report, view);
	sqlite->finalize(sqlite->add_text);
	text_numbers_release(&sqlite->texts);
	return done && execute(sqlite, "COMMIT");
}

int export_sqlite(struct report *report)
{
	const char *path = report->options->output;
	struct sqlite sqlite = { NULL };
	bool done = false;
	char *unfinished;

	if (!path)
		return error("-f sqlite: -o FILE says where"), EXIT_USAGE;
	if (!load(&sqlite))
		return EXIT_FAILURE;
	unfinished = xasprintf("%s.%d", path, (int)getpid());
	if (sqlite.open_v2(unfinished, &sqlite.database, OPEN_FLAGS, NULL) != SQLITE_OK)
		error("cannot write %s: %s", path, sqlite.errmsg(sqlite.database));
	else
		done = fill_database(&sqlite, report);
	done = sqlite.close(sqlite.database) == SQLITE_OK && done;
	if (done && rename(unfinished, path) < 0) {
		error("cannot write %s: %s", path, strerror(errno));
		done = false;
	}
	if (!done)
		unlink(unfinished);
	free(unfinished);
	return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
