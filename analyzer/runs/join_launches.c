/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that are parts of one launch. */
#include "analyzer/runs/join_launches.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/log/logfile.h"
#include "insideme_log.h"

/* The records that the ranks of a run have about their launch. */
struct launch {
	struct log_header first;	/* of any of its ranks */
	char *command;			/* of the same rank */
	int32_t *ranks;
	size_t nr_ranks;
	uint64_t begin_ns;		/* since 1970 */
	uint64_t end_ns;
};

/* When the log ended. If it has no end: when it was last written. */
static uint64_t end_of(const struct log_header *header, const char *path)
{
	struct stat stat_of;

	if (header->finish.realtime_ns)
		return header->finish.realtime_ns;
	if (stat(path, &stat_of) < 0 || stat_of.st_mtim.tv_sec < 0)
		return header->start.realtime_ns;
	return (uint64_t)stat_of.st_mtim.tv_sec * 1000000000u + (uint64_t)stat_of.st_mtim.tv_nsec;
}

static char *text_of(const struct logfile *log, uint64_t offset, const struct log_record *record)
{
	struct log_text text;

	if (record->kind != LOG_RECORD_TEXT || record->bytes < sizeof(text))
		return NULL;
	memcpy(&text, log->base + offset, sizeof(text));
	if (text.text_bytes > record->bytes - sizeof(text))
		return NULL;
	return logfile_text(log, offset + sizeof(text), text.text_bytes);
}

/* The fact "command=..." of a log; "" if it has none. */
static char *read_command(const char *path)
{
	struct logfile *log = logfile_open(path);
	struct record_cursor cursor;
	struct log_record record;
	char *command = NULL;
	uint64_t offset;

	for (size_t i = 0; log && i < log->nr_extents && !command; i++) {
		if (log->extents[i].kind != LOG_AREA_RECORDS)
			continue;
		record_cursor_init(&cursor, &log->extents[i]);
		while (!command && record_cursor_next(log, &cursor, &offset, &record)) {
			command = text_of(log, offset, &record);
			if (command && strncmp(command, "command=", 8) != 0) {
				free(command);
				command = NULL;
			}
		}
	}
	if (log)
		logfile_close(log);
	return command ? command : xstrdup("");
}

static bool has_rank(const struct launch *launch, int32_t rank)
{
	for (size_t i = 0; i < launch->nr_ranks; i++)
		if (launch->ranks[i] == rank)
			return true;
	return false;
}

static void add_rank(struct launch *launch, const struct log_header *header, const char *path)
{
	uint64_t end_ns = end_of(header, path);

	if (!launch->nr_ranks) {
		launch->first = *header;
		launch->command = read_command(path);
		launch->begin_ns = header->start.realtime_ns;
	}
	if (launch->begin_ns > header->start.realtime_ns)
		launch->begin_ns = header->start.realtime_ns;
	if (launch->end_ns < end_ns)
		launch->end_ns = end_ns;
	if (has_rank(launch, header->rank))
		return;
	APPEND(launch->ranks, launch->nr_ranks) = header->rank;
}

static bool same_launch(const struct log_header *a, const struct log_header *b)
{
	return a->nr_ranks == b->nr_ranks && memcmp(a->launch_id, b->launch_id, sizeof(a->launch_id)) == 0;
}

/* Return: whether the run has ranks, all of one launch of known size */
static bool launch_read(struct launch *launch, const struct run *run)
{
	struct log_header header;

	*launch = (struct launch){ 0 };
	for (size_t i = 0; i < run->nr_logs; i++) {
		if (strncmp(path_base(run->logs[i]), "rank", 4) != 0 ||
		    !run_read_head(run->logs[i], &header, sizeof(header)))
			continue;
		if (header.magic != LOG_MAGIC || header.version != LOG_VERSION || header.rank < 0 ||
		    header.nr_ranks < 2)
			continue;
		if (launch->nr_ranks && !same_launch(&header, &launch->first))
			return false;
		add_rank(launch, &header, run->logs[i]);
	}
	return launch->nr_ranks;
}

static void launch_release(struct launch *launch)
{
	free(launch->command);
	free(launch->ranks);
}

static bool is_part(const struct launch *launch, const struct launch *other)
{
	if (!same_launch(&launch->first, &other->first) || strcmp(launch->command, other->command) != 0 ||
	    launch->begin_ns > other->end_ns || other->begin_ns > launch->end_ns)
		return false;
	for (size_t i = 0; i < other->nr_ranks; i++)
		if (has_rank(launch, other->ranks[i]))
			return false;
	return true;
}

static void add_run(struct run *run, struct launch *launch, const struct run *part,
		    const struct launch *other)
{
	warning("%s: joined with %s: same command, number of ranks and time, other ranks", run->path,
		part->name);
	for (size_t i = 0; i < part->nr_logs; i++) {
		APPEND(run->logs, run->nr_logs) = xstrdup(part->logs[i]);
	}
	for (size_t i = 0; i < other->nr_ranks; i++) {
		APPEND(launch->ranks, launch->nr_ranks) = other->ranks[i];
	}
}

static void join_beside(struct run *run, struct launch *launch)
{
	const char *slash = strrchr(run->path, '/');
	char *directory = slash ? xasprintf("%.*s", (int)(slash - run->path), run->path) : xstrdup(".");
	struct launch other;
	struct run *runs;
	size_t nr = run_list_in(slash == run->path ? "/" : directory, &runs);

	for (size_t i = 0; i < nr; i++) {
		if (launch_read(&other, &runs[i]) && is_part(launch, &other))
			add_run(run, launch, &runs[i], &other);
		launch_release(&other);
		run_release(&runs[i]);
	}
	free(runs);
	free(directory);
}

void launch_join(struct run *run)
{
	struct launch launch;

	if (launch_read(&launch, run) && launch.nr_ranks < (size_t)launch.first.nr_ranks)
		join_beside(run, &launch);
	launch_release(&launch);
}
