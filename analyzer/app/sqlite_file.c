/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/app/sqlite_file.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"

#define SQLITE_OK 0
#define SQLITE_DONE 101
#define OPEN_FLAGS (0x2 | 0x4 | 0x8000) /* SQLITE_OPEN_READWRITE, _CREATE, _NOMUTEX */

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

/* Only the first error says why: the later ones come from what it left. */
static bool check(struct sqlite *sqlite, bool done)
{
	if (!done && !sqlite->failed)
		error("cannot write %s: %s", sqlite->file.path, sqlite->errmsg(sqlite->database));
	sqlite->failed |= !done;
	return !sqlite->failed;
}

bool sqlite_execute(struct sqlite *sqlite, const char *sql)
{
	return check(sqlite, sqlite->exec(sqlite->database, sql, NULL, NULL, NULL) == SQLITE_OK);
}

bool sqlite_prepare(struct sqlite *sqlite, const char *sql, struct sqlite3_stmt **statement)
{
	return check(sqlite, sqlite->prepare_v2(sqlite->database, sql, -1, statement, NULL) == SQLITE_OK);
}

bool sqlite_insert(struct sqlite *sqlite, struct sqlite3_stmt *insert)
{
	bool done = check(sqlite, sqlite->step(insert) == SQLITE_DONE);

	sqlite->reset(insert);
	return done;
}

long long sqlite_text_id(struct sqlite *sqlite, const char *value)
{
	bool is_new;
	long long id = (long long)text_number(&sqlite->texts, value, &is_new) + 1;
	char *clean;

	if (!is_new)
		return id;
	clean = utf8_cleaned(value);
	sqlite->bind_int64(sqlite->add_text, 1, id);
	sqlite->bind_text(sqlite->add_text, 2, clean, -1, KEEP_COPY);
	sqlite_insert(sqlite, sqlite->add_text);
	free(clean);
	return id;
}

bool sqlite_create(struct sqlite *sqlite, const char *path)
{
	int result;

	*sqlite = (struct sqlite){ NULL };
	if (!load(sqlite)) {
		*sqlite = (struct sqlite){ NULL };
		return false;
	}
	result = whole_file_open(&sqlite->file, path);
	if (result < 0) {
		error("cannot write %s: %s", path, strerror(-result));
		*sqlite = (struct sqlite){ NULL };
		return false;
	}
	/* an empty file is an empty database */
	return check(sqlite, sqlite->open_v2(sqlite->file.unfinished ?: path, &sqlite->database, OPEN_FLAGS,
					     NULL) == SQLITE_OK) &&
	       sqlite_execute(sqlite, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; "
				      "CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)") &&
	       sqlite_prepare(sqlite, "INSERT INTO texts VALUES (?, ?)", &sqlite->add_text);
}

bool sqlite_close(struct sqlite *sqlite, bool done, bool is_compressed)
{
	const char *path = sqlite->file.path;
	int result = 0, closed;

	if (!path)
		return false;
	sqlite->finalize(sqlite->add_text);
	text_numbers_release(&sqlite->texts);
	done = done && sqlite_execute(sqlite, "COMMIT");
	done = check(sqlite, sqlite->close(sqlite->database) == SQLITE_OK) && done;
	if (done && is_compressed)
		result = whole_file_compress_written(&sqlite->file);
	closed = whole_file_close(&sqlite->file, done && result == 0);
	result = result ?: closed;
	if (done && result < 0)
		error("cannot write %s: %s", path, strerror(-result));
	return done && result == 0;
}
