/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of libsqlite3, which is opened only here: rows, and the table texts, which has each text once. */
#pragma once

#include <stdbool.h>

#include "analyzer/base/text_numbers.h"
#include "analyzer/base/whole_file.h"

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
	struct whole_file file;
	struct sqlite3 *database;
	bool failed;			/* after the first error() */
	struct text_numbers texts;
	struct sqlite3_stmt *add_text;
#define CALL(type, name, arguments) type (*name) arguments;
	SQLITE_CALLS(CALL)
#undef CALL
};

/* KEEP_COPY: sqlite copies a text that is bound. */
#define KEEP_COPY	((void (*)(void *))-1)	/* SQLITE_TRANSIENT */

/*
 * A new database, whose table texts is empty; a transaction is begun. The file appears at @path when it is
 * closed.
 * Return: false after an error(); it is to be closed all the same
 */
bool sqlite_create(struct sqlite *sqlite, const char *path);
/* Return: false after an error(), as do the following */
bool sqlite_execute(struct sqlite *sqlite, const char *sql);
bool sqlite_prepare(struct sqlite *sqlite, const char *sql, struct sqlite3_stmt **statement);
/* Run an INSERT with what is bound to it. */
bool sqlite_insert(struct sqlite *sqlite, struct sqlite3_stmt *insert);
/* The id of @value in the table texts, which has it from then on. */
long long sqlite_text_id(struct sqlite *sqlite, const char *value);
/*
 * @done: all went well; else nothing is left. @is_compressed: by zlib; for a new or a plain file only.
 * Return: false if not all is in the file
 */
bool sqlite_close(struct sqlite *sqlite, bool done, bool is_compressed);
