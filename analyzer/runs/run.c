/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding a run by what the user calls it. */
#include "analyzer/runs/run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/log/collected.h"
#include "analyzer/log/logfile.h"
#include "insideme_log.h"

#define DATE_LENGTH	15	/* YYYYMMDD-hhmmss */
#define DEFAULT_DIR	"insideme.data"

/*
 * The recorder's rule: it does not use a directory that others may write to, but one with the user's id in
 * its name.
 */
bool run_is_ours(const char *path)
{
	struct stat stat_of;

	return stat(path, &stat_of) == 0 && S_ISDIR(stat_of.st_mode) && stat_of.st_uid == geteuid() &&
	       !(stat_of.st_mode & 022);
}

const char *run_directory(void)
{
	static char *directory;
	const char *set = getenv("INSIDEME_DIR");
	char *with_id;

	if (directory)
		return directory;
	if (!set || !*set)
		set = DEFAULT_DIR;
	with_id = xasprintf("%s-%u", set, (unsigned)geteuid());
	if (!run_is_ours(set) && run_is_ours(with_id)) {
		directory = with_id;
	} else {
		directory = xstrdup(set);
		free(with_id);
	}
	return directory;
}

static bool ends_in_log(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, ".log") == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_log(const char *name, void *context)
{
	struct run *run = context;

	APPEND(run->logs, run->nr_logs) = xasprintf("%s/%s", run->path, name);
}

/* While logs are collected they are there twice. */
static void keep_one_of_each(struct run *run)
{
	size_t nr = 0;

	for (size_t i = 0; i < run->nr_logs; i++)
		if (nr && strcmp(run->logs[nr - 1], run->logs[i]) == 0)
			free(run->logs[i]);
		else
			run->logs[nr++] = run->logs[i];
	run->nr_logs = nr;
}

static void list_logs(struct run *run)
{
	DIR *directory = opendir(run->path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || !ends_in_log(entry->d_name))
			continue;
		add_log(entry->d_name, run);
	}
	if (directory)
		closedir(directory);
	collected_list(run->path, add_log, run);
	if (run->nr_logs)
		qsort(run->logs, run->nr_logs, sizeof(*run->logs), by_name);
	keep_one_of_each(run);
}

bool run_read_head(const char *path, void *head, size_t bytes)
{
	struct log_place place;
	int fd = log_place_open(path, &place);
	bool whole = fd >= 0 && pread(fd, head, bytes, (off_t)place.offset) == (ssize_t)bytes;

	if (fd >= 0)
		close(fd);
	return whole;
}

static uint64_t read_start(const char *path)
{
	char *page = xasprintf("%s/run", path);
	struct log_run head;
	bool whole = run_read_head(page, &head, sizeof(head));

	free(page);
	return whole && head.magic == LOG_RUN_MAGIC ? head.start_realtime_ns : 0;
}

/* Read @path as a run. Return: whether it has logs; if not, nothing is kept */
static bool open_run(struct run *run, const char *path)
{
	size_t length = strlen(path);
	const char *slash;

	memset(run, 0, sizeof(*run));
	run->path = xstrdup(path);
	while (length > 1 && run->path[length - 1] == '/')
		run->path[--length] = '\0';
	list_logs(run);
	if (run->nr_logs == 0) {
		run_release(run);
		return false;
	}
	slash = strrchr(run->path, '/');
	run->name = xstrdup(slash && slash[1] ? slash + 1 : run->path);
	run->start_realtime_ns = read_start(run->path);
	return true;
}

void run_release(struct run *run)
{
	for (size_t i = 0; i < run->nr_logs; i++)
		free(run->logs[i]);
	free(run->logs);
	free(run->path);
	free(run->name);
	memset(run, 0, sizeof(*run));
}

static int newest_first(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->start_realtime_ns != y->start_realtime_ns)
		return x->start_realtime_ns > y->start_realtime_ns ? -1 : 1;
	return strcmp(y->name, x->name);
}

size_t run_list_in(const char *path, struct run **runs)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	size_t nr = 0;

	*runs = NULL;
	while (directory && (entry = readdir(directory))) {
		char *child = xasprintf("%s/%s", path, entry->d_name);
		struct run run;

		if (entry->d_name[0] != '.' && open_run(&run, child)) {
			*runs = xgrow(*runs, nr, sizeof(run));
			(*runs)[nr++] = run;
		}
		free(child);
	}
	if (directory)
		closedir(directory);
	if (nr)
		qsort(*runs, nr, sizeof(**runs), newest_first);
	for (size_t i = 0; i < nr; i++) {
		(*runs)[i].nr_runs = nr;
		(*runs)[i].newer = i;
	}
	return nr;
}

size_t run_list(struct run **runs)
{
	return run_list_in(run_directory(), runs);
}

static void free_all_but(struct run *runs, size_t nr, const struct run *kept)
{
	for (size_t i = 0; i < nr; i++)
		if (&runs[i] != kept)
			run_release(&runs[i]);
	free(runs);
}

/* "20261120-101403-indexd-2" is a run of indexd. */
static bool is_run_of(const char *name, const char *program)
{
	size_t length = strlen(program);

	if (strlen(name) <= DATE_LENGTH + 1 || strncmp(name + DATE_LENGTH + 1, program, length) != 0)
		return false;
	name += DATE_LENGTH + 1 + length;
	if (*name == '-' && name[1])
		while (isdigit((unsigned char)*++name))
			;
	return *name == '\0';
}

static bool is_program(const char *found, size_t bytes, const char *program)
{
	return strncmp(found, program, bytes) == 0;
}

/* Look into the log of programs that ended before they had a log of their own. */
static bool has_entry_of(const char *path, const char *program)
{
	struct logfile *log = logfile_open(path);
	struct record_cursor cursor;
	struct log_record record;
	struct log_entry entry;
	bool found = false;
	uint64_t offset;
	char *name;

	for (size_t i = 0; log && i < log->nr_extents && !found; i++) {
		if (log->extents[i].kind != LOG_AREA_RECORDS)
			continue;
		record_cursor_init(&cursor, &log->extents[i]);
		while (!found && record_cursor_next(log, &cursor, &offset, &record)) {
			if (record.kind != LOG_RECORD_ENTRY || !logfile_entry(log, offset, &entry) ||
			    !entry.is_program)
				continue;
			name = logfile_entry_text(log, offset, &entry, LOG_ENTRY_PROGRAM);
			found = is_program(name, sizeof(log->header.program), program);
			free(name);
		}
	}
	if (log)
		logfile_close(log);
	return found;
}

/* A run that another program started, for example a shell, but in which @program took part. */
static bool has_log_of(const struct run *run, const char *program)
{
	struct log_header header;

	for (size_t i = 0; i < run->nr_logs; i++) {
		if (!run_read_head(run->logs[i], &header, sizeof(header)) || header.magic != LOG_MAGIC)
			continue;
		if (header.kind == LOG_OF_PROGRAMS ? has_entry_of(run->logs[i], program) :
		    is_program(header.program, sizeof(header.program), program))
			return true;
	}
	return false;
}

static bool has_name(const struct run *run, const char *name)
{
	return strcmp(run->name, name) == 0;
}

static bool is_named_after(const struct run *run, const char *program)
{
	return is_run_of(run->name, program);
}

/* The meanings that a name may have, most exact first. */
static const struct run *find_by_name(const struct run *runs, size_t nr, const char *name)
{
	static bool (*const meanings[])(const struct run *, const char *) = { has_name, is_named_after,
									      has_log_of };

	for (size_t k = 0; k < sizeof(meanings) / sizeof(meanings[0]); k++)
		for (size_t i = 0; i < nr; i++)
			if (meanings[k](&runs[i], name))
				return &runs[i];
	return NULL;
}

/* "last" is 0, "last~2" is 2; -1: neither. */
static long parse_last(const char *argument)
{
	char *end;
	long back;

	if (!argument || strcmp(argument, "last") == 0)
		return 0;
	if (strncmp(argument, "last~", 5) != 0 || !isdigit((unsigned char)argument[5]))
		return -1;
	errno = 0;
	back = strtol(argument + 5, &end, 10);
	return *end || errno ? -1 : back;
}

char *run_own_file(const struct run *run, const char *name)
{
	return run->start_realtime_ns && run_is_ours(run->path) ? xasprintf("%s/%s", run->path, name) : NULL;
}

int run_none(const char *directory)
{
	return error("no runs in %s%s: record one with: insideme-run ./app", directory[0] == '/' ? "" : "./",
		     directory);
}

/* @argument may be the path of a program; it then means the last run of that program. */
static int choose_in(struct run *run, const char *directory, const char *argument)
{
	long back = parse_last(argument);
	const struct run *found;
	struct run *runs;
	size_t nr = run_list_in(directory, &runs);

	if (nr == 0)
		return run_none(directory);
	found = back < 0	    ? find_by_name(runs, nr, path_base(argument))
		: (size_t)back < nr ? &runs[back]
				    : NULL;
	if (found)
		*run = *found;
	else if (back >= 0)
		error("%s: only %zu run%s in %s", argument, nr, nr == 1 ? "" : "s", directory);
	else if (access(argument, F_OK) == 0)
		error("%s: neither a run nor a log, and no run of that name in %s", argument, directory);
	else
		error("no run of %s in %s; the newest there is %s (insideme-report --list)", argument,
		      directory, runs[0].name);
	free_all_but(runs, nr, found);
	return found ? 0 : -1;
}

static int open_file(struct run *run, const char *path, bool is_profile)
{
	memset(run, 0, sizeof(*run));
	run->path = xstrdup(path);
	run->name = xstrdup(path_base(path));
	run->is_profile = is_profile;
	if (is_profile)
		return 0;
	run->logs = xgrow(NULL, 0, sizeof(*run->logs));
	run->logs[run->nr_logs++] = xstrdup(path);
	return 0;
}

/*
 * Any JSON file counts, compressed or not: reading it reports what is wrong with it. A file here may also
 * have the name of a program.
 */
static bool is_profile(const char *path)
{
	char first = 0;

	return run_read_head(path, &first, 1) && (first == '{' || first == '\x1f');
}

/* A directory that the user named is a run, or holds runs. */
static int open_directory(struct run *run, const char *path)
{
	struct run *runs;
	size_t nr;

	if (open_run(run, path))
		return 0;
	nr = run_list_in(path, &runs);
	if (nr == 0)
		return error("%s: no logs in this directory", path);
	*run = runs[0];
	free_all_but(runs, nr, &runs[0]);
	return 0;
}

int run_choose(struct run *run, const char *argument)
{
	struct stat stat_of;

	if (!argument || parse_last(argument) >= 0)
		return choose_in(run, run_directory(), argument);
	if (stat(argument, &stat_of) == 0) {
		if (S_ISDIR(stat_of.st_mode))
			return open_directory(run, argument);
		if (ends_in_log(argument))
			return open_file(run, argument, false);
		if (is_profile(argument))
			return open_file(run, argument, true);
	} else if (strchr(argument, '/')) {
		return error("cannot open %s: %s", argument, strerror(errno));
	}
	return choose_in(run, run_directory(), argument);
}
