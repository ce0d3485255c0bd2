/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sqlite database with the tables of all views. Columns are those of the views' csv. Names and paths are
 * stored once each, in the table texts. For each view there is a sqlite view of the same name, which joins
 * the rows with their texts. A call has the ids of its place and of the memory around it.
 */
#include "analyzer/app/export_sqlite.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/app/sqlite_file.h"
#include "analyzer/ask/table_select.h"
#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/base/names.h"
#include "analyzer/calls/slices.h"
#include "analyzer/formats/export.h"
#include "analyzer/tables/table_text.h"
#include "analyzer/views/views.h"

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

/*
 * Calls are many, and their values repeat. So a table may have parts: a part has each combination of its
 * columns once, and the rows have its id.
 */
enum { ROWS, PLACES, MEMORY, NR_PARTS };

static const struct {
	const char *name; /* of its table, after that of the view */
	const char *id;	  /* the column of rows that has its id */
} parts[] = { { "rows", NULL }, { "places", "place" }, { "memory", "memory" } };

/*
 * Columns of the view of calls that are in parts, of texts and whole numbers, and those whose rows have what
 * is beyond the sum of two others: 0, or 1 where these are rounded.
 */
static const struct layout {
	const char *column;
	size_t part;
	const char *of_sum[2];
} layouts[] = {
	{ "end_ns", ROWS, { "start_ns", "duration_ns" } },
	{ "pid", PLACES, { NULL } },
	{ "rank", PLACES, { NULL } },
	{ "nr_ranks", PLACES, { NULL } },
	{ "thread", PLACES, { NULL } },
	{ "thread_name", PLACES, { NULL } },
	{ "function", PLACES, { NULL } },
	{ "module", PLACES, { NULL } },
	{ "file", PLACES, { NULL } },
	{ "line", PLACES, { NULL } },
	{ "field", PLACES, { NULL } },
	{ "depth", PLACES, { NULL } },
	{ "heap_after_bytes", ROWS, { "heap_before_bytes", "heap_delta_bytes" } },
	{ "rss_at_entry_bytes", MEMORY, { NULL } },
	{ "vms_at_entry_bytes", MEMORY, { NULL } },
	{ "rss_at_exit_bytes", MEMORY, { NULL } },
	{ "vms_at_exit_bytes", MEMORY, { NULL } },
	{ "exit_age_ns", ROWS, { "entry_age_ns", "duration_ns" } },
	{ "broken", PLACES, { NULL } },
};

/* A column, and its value in the last row: values repeat, and a binding stays from row to row. */
struct cell {
	const struct layout *layout;
	size_t of_sum[2]; /* columns of layout->of_sum */
	bool is_text;
	bool is_known;
	struct value value;
	struct row_text text; /* of the value */
	long long id;	      /* of that text; a column of texts has ids alone */
};

struct part {
	struct sqlite3_stmt *insert;
	size_t *columns; /* those of sums come last */
	size_t nr_columns;
	size_t nr_ids;		   /* which its rows have before these */
	struct text_numbers known; /* combinations, of MEMORY */
	struct row_text key;
	bool has_changed;
};

struct filling {
	struct sqlite *sqlite;
	struct rows *rows;
	const char *name;
	bool is_of_calls;
	struct cell *cells;	 /* [rows->nr_columns] */
	struct hashtable places; /* of calls; struct place */
	struct part parts[NR_PARTS];
};

static bool is_same(const struct cell *cell, struct value value)
{
	if (!cell->is_known || value.type != cell->value.type)
		return false;
	if (value.type == VALUE_TEXT)
		return strcmp(value.text, cell->text.bytes) == 0;
	return value.type == VALUE_EMPTY ||
	       (value.type == VALUE_INTEGER && value.integer == cell->value.integer);
}

/* In a column of texts a number is one too. */
static void take(struct sqlite *sqlite, struct cell *cell, struct value value)
{
	cell->text.used = 0;
	if (value.type == VALUE_TEXT)
		row_add_text(&cell->text, value.text);
	else if (cell->is_text)
		row_add_csv(&cell->text, value);
	row_add_char(&cell->text, '\0');
	cell->value = value;
	cell->is_known = true;
	if (cell->is_text && value.type != VALUE_EMPTY)
		cell->id = sqlite_text_id(sqlite, cell->text.bytes);
}

static void bind(struct sqlite *sqlite, struct sqlite3_stmt *insert, int index, const struct cell *cell)
{
	struct value value = cell->value;

	if (value.type == VALUE_EMPTY)
		sqlite->bind_null(insert, index);
	else if (cell->is_text)
		sqlite->bind_int64(insert, index, cell->id);
	else if (value.type == VALUE_INTEGER)
		sqlite->bind_int64(insert, index, value.integer);
	else if (value.type == VALUE_REAL)
		sqlite->bind_double(insert, index, value.real);
	else
		sqlite->bind_text(insert, index, cell->text.bytes, -1, KEEP_COPY);
}

static void add_table_name(struct row_text *sql, const struct filling *filling, size_t part)
{
	char *name = xasprintf("%s_%s", filling->name, parts[part].name);

	add_name(sql, name);
	free(name);
}

/* "end_ns", or "end_ns_beyond" */
static void add_column_name(struct row_text *sql, const struct layout *layout, const char *column)
{
	char *name = xasprintf("%s%s", column, layout->of_sum[0] ? "_beyond" : "");

	add_name(sql, name);
	free(name);
}

/* CREATE TABLE "calls_places" (id INTEGER PRIMARY KEY, "pid", "function"); ids of parts come first */
static void add_create(struct row_text *sql, const struct filling *filling, size_t part)
{
	const char *comma = part ? ", " : "";

	row_add_text(sql, "CREATE TABLE ");
	add_table_name(sql, filling, part);
	row_add_text(sql, part ? " (id INTEGER PRIMARY KEY" : " (");
	for (size_t i = 1; !part && i < NR_PARTS && filling->parts[i].nr_columns; i++) {
		row_add_text(sql, comma);
		row_add_text(sql, parts[i].id);
		comma = ", ";
	}
	for (size_t i = 0; i < filling->parts[part].nr_columns; i++) {
		size_t column = filling->parts[part].columns[i];

		row_add_text(sql, comma);
		add_column_name(sql, filling->cells[column].layout, filling->rows->columns[column]->name);
		comma = ", ";
	}
	row_add_text(sql, ")");
}

static void add_insert(struct row_text *sql, const struct filling *filling, size_t part)
{
	row_add_text(sql, "INSERT INTO ");
	add_table_name(sql, filling, part);
	for (size_t i = 0; i < filling->parts[part].nr_ids + filling->parts[part].nr_columns; i++)
		row_add_text(sql, i ? ", ?" : " VALUES (?");
	row_add_char(sql, ')');
}

/*
 * "end_ns_beyond" + "start_ns" + "duration_ns" AS "end_ns". A view may have a column "text" or "id", as the
 * table texts has: so all names within its SELECT have their table's name.
 */
static void add_selected(struct row_text *sql, const struct filling *filling, size_t column)
{
	const char *name = filling->rows->columns[column]->name;
	const struct layout *layout = filling->cells[column].layout;
	bool is_joined = filling->cells[column].is_text;

	row_add_text(sql, column ? ", " : "");
	if (is_joined) {
		row_add_text(sql, "(SELECT texts.text FROM texts WHERE texts.id = ");
		row_add_text(sql, parts[layout->part].name);
		row_add_char(sql, '.');
	}
	add_column_name(sql, layout, name);
	for (size_t i = 0; i < 2 && layout->of_sum[i]; i++) {
		row_add_text(sql, " + ifnull(");
		add_name(sql, layout->of_sum[i]);
		row_add_text(sql, ", 0)");
	}
	row_add_text(sql, is_joined ? ") AS " : " AS ");
	add_name(sql, name);
}

static void add_create_view(struct row_text *sql, const struct filling *filling)
{
	row_add_text(sql, "CREATE VIEW ");
	add_name(sql, filling->name);
	row_add_text(sql, " AS SELECT ");
	for (size_t i = 0; i < filling->rows->nr_columns; i++)
		add_selected(sql, filling, i);
	row_add_text(sql, " FROM ");
	for (size_t i = 0; i < NR_PARTS && filling->parts[i].nr_columns; i++) {
		row_add_text(sql, i ? " JOIN " : "");
		add_table_name(sql, filling, i);
		row_add_text(sql, " AS ");
		row_add_text(sql, parts[i].name);
		if (!i)
			continue;
		row_add_text(sql, " ON ");
		row_add_text(sql, parts[i].name);
		row_add_text(sql, ".id = ");
		row_add_text(sql, parts[i].id);
	}
}

static bool create(struct filling *filling, struct row_text *sql)
{
	bool done = true;

	for (size_t i = 0; i < NR_PARTS && filling->parts[i].nr_columns && done; i++) {
		sql->used = 0;
		add_create(sql, filling, i);
		row_add_char(sql, '\0');
		done = sqlite_execute(filling->sqlite, sql->bytes);
		sql->used = 0;
		add_insert(sql, filling, i);
		row_add_char(sql, '\0');
		done = done && sqlite_prepare(filling->sqlite, sql->bytes, &filling->parts[i].insert);
	}
	sql->used = 0;
	add_create_view(sql, filling);
	row_add_char(sql, '\0');
	return done && sqlite_execute(filling->sqlite, sql->bytes);
}

static const struct layout *layout_of(const struct filling *filling, const char *column)
{
	static const struct layout in_rows = { NULL, ROWS, { NULL } };

	for (size_t i = 0; filling->is_of_calls && i < sizeof(layouts) / sizeof(*layouts); i++)
		if (strcmp(layouts[i].column, column) == 0)
			return &layouts[i];
	return &in_rows;
}

static void lay_out_part(struct filling *filling, size_t part_number)
{
	struct part *part = &filling->parts[part_number];
	struct rows *rows = filling->rows;

	part->columns = xcalloc(rows->nr_columns, sizeof(*part->columns));
	for (size_t of_sums = 0; of_sums < 2; of_sums++)
		for (size_t i = 0; i < rows->nr_columns; i++)
			if (filling->cells[i].layout->part == part_number &&
			    !filling->cells[i].layout->of_sum[0] == !of_sums)
				part->columns[part->nr_columns++] = i;
	if (filling->is_of_calls)
		part->nr_ids = part_number == ROWS ? NR_PARTS - 1 : 1;
}

/* The place of each column. */
static void lay_out(struct filling *filling)
{
	struct rows *rows = filling->rows;

	for (size_t i = 0; i < rows->nr_columns; i++) {
		struct cell *cell = &filling->cells[i];

		cell->is_text = is_text(rows->columns[i]);
		cell->layout = layout_of(filling, rows->columns[i]->name);
		for (size_t term = 0; term < 2 && cell->layout->of_sum[term]; term++)
			while (strcmp(rows->columns[cell->of_sum[term]]->name, cell->layout->of_sum[term]) !=
			       0)
				cell->of_sum[term]++;
	}
	for (size_t i = 0; i < NR_PARTS; i++)
		lay_out_part(filling, i);
}

/* What the row has of a column, beyond the sum of others, which were taken before. */
static struct value to_keep(const struct filling *filling, size_t column, const void *row)
{
	const struct cell *cell = &filling->cells[column];
	struct value value = rows_value(filling->rows, column, row);

	for (size_t i = 0; i < 2 && cell->layout->of_sum[i] && value.type == VALUE_INTEGER; i++)
		if (filling->cells[cell->of_sum[i]].value.type == VALUE_INTEGER)
			value.integer -= filling->cells[cell->of_sum[i]].value.integer;
	return value;
}

static void take_part(struct filling *filling, size_t part_number, const void *row)
{
	struct part *part = &filling->parts[part_number];

	for (size_t i = 0; i < part->nr_columns; i++) {
		struct cell *cell = &filling->cells[part->columns[i]];
		struct value value = to_keep(filling, part->columns[i], row);

		if (is_same(cell, value))
			continue;
		take(filling->sqlite, cell, value);
		bind(filling->sqlite, part->insert, (int)(part->nr_ids + i + 1), cell);
		part->has_changed = true;
	}
}

static bool insert_part(struct filling *filling, size_t part, long long id)
{
	filling->sqlite->bind_int64(filling->parts[part].insert, 1, id);
	return sqlite_insert(filling->sqlite, filling->parts[part].insert);
}

/* All that a call's columns of places depend on, so that these are computed once for each place. */
struct place {
	const struct thread *thread;
	const struct tree_node *node;
	const char *thread_name;
	uint32_t tid, broken;
	long long id;
};

static bool is_place(const void *item, const void *key)
{
	return memcmp(item, key, offsetof(struct place, id)) == 0;
}

static bool add_place(struct filling *filling, const struct slice *call)
{
	struct place key = { call->thread, call->node, call->thread_name, call->tid, call->broken, 0 };
	uint64_t hash = hash_pair((uintptr_t)key.node, (uintptr_t)key.thread);
	struct place *found = hashtable_find(&filling->places, hash, is_place, &key);
	bool done = true;

	if (!found) {
		found = xcalloc(1, sizeof(*found));
		*found = key;
		found->id = (long long)filling->places.nr_items + 1;
		hashtable_add(&filling->places, hash, found);
		take_part(filling, PLACES, call);
		done = insert_part(filling, PLACES, found->id);
	}
	filling->sqlite->bind_int64(filling->parts[ROWS].insert, PLACES, found->id);
	return done;
}

/* The sampler's last reading before a call is often also its last before the call's end. */
static bool add_memory(struct filling *filling, const struct slice *call)
{
	struct part *part = &filling->parts[MEMORY];
	long long id;
	bool is_new;

	take_part(filling, MEMORY, call);
	if (!part->has_changed)
		return true;
	part->has_changed = false;
	part->key.used = 0;
	for (size_t i = 0; i < part->nr_columns; i++) {
		row_add_csv(&part->key, filling->cells[part->columns[i]].value);
		row_add_char(&part->key, ',');
	}
	row_add_char(&part->key, '\0');
	id = (long long)text_number(&part->known, part->key.bytes, &is_new) + 1;
	filling->sqlite->bind_int64(filling->parts[ROWS].insert, MEMORY, id);
	return !is_new || insert_part(filling, MEMORY, id);
}

static bool add_row(struct filling *filling, const void *row)
{
	take_part(filling, ROWS, row);
	if (filling->is_of_calls && (!add_place(filling, row) || !add_memory(filling, row)))
		return false;
	return sqlite_insert(filling->sqlite, filling->parts[ROWS].insert);
}

static void release(struct filling *filling)
{
	for (size_t i = 0; i < NR_PARTS; i++) {
		filling->sqlite->finalize(filling->parts[i].insert);
		text_numbers_release(&filling->parts[i].known);
		row_text_release(&filling->parts[i].key);
		free(filling->parts[i].columns);
	}
	for (size_t i = 0; i < filling->rows->nr_columns; i++)
		row_text_release(&filling->cells[i].text);
	hashtable_release(&filling->places);
	free(filling->cells);
}

static bool add_table(struct sqlite *sqlite, struct table *table, const char *name,
		      const struct options *options)
{
	struct rows rows;
	struct filling filling = {
		.sqlite = sqlite, .rows = &rows, .name = name, .is_of_calls = strcmp(name, "calls") == 0
	};
	struct row_text sql = { 0 };
	const void *row;
	bool done;

	rows_open(&rows, table, options, false);
	filling.cells = xcalloc(rows.nr_columns, sizeof(*filling.cells));
	lay_out(&filling);
	done = create(&filling, &sql);
	while (done && (row = rows_next(&rows)) != NULL)
		done = add_row(&filling, row);
	row_text_release(&sql);
	release(&filling);
	rows_close(&rows);
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
	if (view->build == view_events || view->build == view_steps ||
	    (view->has_times && report->model->nr_profiles && model_has_saved(report->model)))
		return false;
	return view->build != view_resources || !report_is_of_threads(report);
}

static bool fill_database(struct sqlite *sqlite, struct report *report)
{
	bool done = true;

	for (const struct view *view = views; view->name && done; view++)
		if (is_wanted(report, view))
			done = add_view(sqlite, report, view);
	return done;
}

int export_sqlite(struct report *report)
{
	const char *path = report->options->output;
	const bool is_compressed = export_is_compressed(report->options);
	struct sqlite sqlite;
	bool done;

	if (!path)
		return error("-f sqlite: -o FILE says where"), EXIT_USAGE;
	done = sqlite_create(&sqlite, path);
	if (done && is_compressed && !sqlite.file.unfinished)
		done = error("cannot compress into %s: it is no plain file", path) == 0;
	done = done && fill_database(&sqlite, report);
	return sqlite_close(&sqlite, done, is_compressed) ? EXIT_SUCCESS : EXIT_FAILURE;
}
