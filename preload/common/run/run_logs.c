/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and finds the logs in a run. */
#include "preload/common/run/run_logs.h"

#include <errno.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/directory.h"
#include "preload/common/base/proc_text.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/log/log_elsewhere.h"

#define RANK_DIGITS	4
#define NEWBORN_TICKS	2u	/* no pid is used for a second process within this time */

/* "rank0003-" */
static void add_rank(struct text *text, int32_t rank)
{
	text_add(text, "rank");
	text_add_padded(text, (uint64_t)rank, RANK_DIGITS);
	text_add_char(text, '-');
}

/* The path of a log of process @pid on @id's host. @rank: -1 for a name without a rank. */
static void log_path(char *path, uint64_t bytes, const char *run_path, const struct process_id *id,
		     int32_t rank, uint32_t pid, uint32_t count)
{
	struct text text;

	text_init(&text, path, bytes);
	text_add(&text, run_path);
	text_add_char(&text, '/');
	if (rank >= 0)
		add_rank(&text, rank);
	text_add(&text, id->host);
	text_add_char(&text, '-');
	text_add_number(&text, pid);
	text_add_char(&text, '-');
	text_add_number(&text, count);
	text_add(&text, ".log");
}

static bool read_header(const char *path, struct log_header *header)
{
	long fd = elsewhere_open(path, O_RDONLY), length;

	if (fd < 0)
		return false;
	length = sys_read((int)fd, header, sizeof(*header));
	sys_close((int)fd);
	return length == sizeof(*header) && header->magic == LOG_MAGIC;
}

bool run_knows_newborn(const char *path, struct process_id *id)
{
	uint64_t now = clock_ns(CLOCK_BOOTTIME) / PROC_TICK_NS, newborn;
	struct log_header header;
	uint32_t age;

	if (!read_header(path, &header) || header.version != LOG_VERSION)
		return false;
	newborn = header.newborns[id->pid % LOG_NEWBORNS];
	age = (uint32_t)now - (uint32_t)(newborn >> 32);
	if ((uint32_t)newborn != id->pid || age > NEWBORN_TICKS)
		return false;
	id->start = now - age;
	return true;
}

/*
 * Find the first log of the process @pid that began at @start. Its name may contain this process's
 * rank.
 */
static bool find_log(const char *run_path, const struct process_id *id, uint32_t pid, uint64_t start,
		     struct log_header *header)
{
	char path[RUN_PATH_BYTES];
	int32_t ranks[] = { -1, id->rank.rank };

	for (int i = 0; i < (id->rank.rank < 0 ? 1 : 2); i++) {
		log_path(path, sizeof(path), run_path, id, ranks[i], pid, 0);
		if (read_header(path, header) && header->pid == pid && header->process_start == start &&
		    text_equal(header->boot_id, id->boot_id))
			return true;
	}
	return false;
}

bool run_has_own_log(const char *run_path, const struct process_id *id)
{
	struct log_header header;

	return find_log(run_path, id, id->pid, id->start, &header);
}

static bool is_of_rank(const struct log_header *header, const struct process_id *id)
{
	return header->kind == LOG_OF_PROGRAM && header->rank == id->rank.rank &&
	       text_equal(header->launch_id, id->rank.launch_id);
}

bool run_knows_rank(const char *run_path, const struct process_id *id, bool *is_child)
{
	struct log_header header;
	uint32_t pid = id->ppid;

	*is_child = false;
	if (find_log(run_path, id, id->pid, id->start, &header) && is_of_rank(&header, id)) {
		*is_child = header.is_rank_child;
		return true;
	}
	for (int i = 0; i < PROCESS_ANCESTORS_MAX && pid > 0; i++) {
		uint32_t parent;
		uint64_t start;

		if (process_parent(pid, &parent, &start) < 0)
			return false;
		if (find_log(run_path, id, pid, start, &header) && is_of_rank(&header, id)) {
			*is_child = true;
			return true;
		}
		pid = parent;
	}
	return false;
}

/* @name: of a log whose name has this process's rank. */
static bool is_elsewhere(const char *run_path, const char *name, const struct process_id *id)
{
	char path[RUN_PATH_BYTES];
	struct log_header header;

	path_join(path, sizeof(path), run_path, name);
	return read_header(path, &header) && is_of_rank(&header, id) &&
	       !(header.ppid == id->ppid && text_equal(header.boot_id, id->boot_id));
}

bool run_rank_is_taken(const char *run_path, const struct process_id *id)
{
	_Alignas(8) char buffer[DIRECTORY_BUFFER_BYTES];
	struct directory directory;
	char prefix[32];
	bool is_taken = false;
	struct text text;
	const char *name;

	text_init(&text, prefix, sizeof(prefix));
	add_rank(&text, id->rank.rank);
	if (directory_open(&directory, run_path, buffer, sizeof(buffer)) < 0)
		return false;
	while (!is_taken && (name = directory_next(&directory)))
		is_taken = text_begins(name, prefix) && is_elsewhere(run_path, name, id);
	directory_close(&directory);
	return is_taken;
}

void run_shared_log(char *path, uint64_t path_bytes, const struct run *run, const struct process_id *id)
{
	log_path(path, path_bytes, run->path, id, -1, 0, 0);
}

int run_new_log(const struct run *run, const struct process_id *id, char *path, uint64_t path_bytes,
		uint32_t *exec_count)
{
	int32_t rank = id->rank.is_child ? -1 : id->rank.rank;

	for (uint32_t count = 0; count < 100000; count++) {
		long fd;

		log_path(path, path_bytes, run->path, id, rank, id->pid, count);
		fd = sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd == -EEXIST && id->pid)
			continue;
		*exec_count = count;
		return (int)fd;
	}
	return -EEXIST;
}
