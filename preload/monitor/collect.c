/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/monitor/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/common/log/log_elsewhere.h"

struct collection {
	const struct run *run;
	const struct process_id *id;
	struct log_collected *logs;
	size_t nr, room;
	bool is_full;			/* no memory for more */
};

#define LOCK_PATH_BYTES	(RUN_PATH_BYTES + 80)

/* The file that each insideme-run of the host keeps locked. */
static void lock_path(char *path, const struct run *run, const struct process_id *id)
{
	snprintf(path, LOCK_PATH_BYTES, "%s/.%s.ranks", run->path, id->host);
}

int collect_begin(const struct run *run, const struct process_id *id)
{
	char path[LOCK_PATH_BYTES];
	int fd;

	lock_path(path, run, id);
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_SH) < 0)
		return -errno;
	return fd;
}

/* flock() drops the shared lock before it tries the other one, so if two end together, one succeeds. */
void collect_end(int fd, const struct run *run, const struct process_id *id)
{
	char path[LOCK_PATH_BYTES];

	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		collect_logs(run, id);
		lock_path(path, run, id);
		unlink(path);
	}
	close(fd);
}

/*
 * Does no process of this host write the log any more? The kernel gives a lease for reading only then, if the
 * file system has leases. On one without leases no log is written in place, and the log itself says whether
 * it is complete.
 */
static bool is_over(int fd, const struct log_header *header)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
		return fcntl(fd, F_SETLEASE, F_UNLCK) == 0;
	return errno != EAGAIN && header->end != LOG_RUNNING;
}

static bool is_wanted(const struct collection *collection, int fd)
{
	const struct process_id *id = collection->id;
	struct log_header header;

	return pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	       header.magic == LOG_MAGIC && header.version == LOG_VERSION && header.kind == LOG_OF_PROGRAM &&
	       strncmp(header.host, id->host, sizeof(header.host)) == 0 &&
	       strncmp(header.boot_id, id->boot_id, sizeof(header.boot_id)) == 0 && is_over(fd, &header);
}

static int open_log(const struct collection *collection, const char *name)
{
	char path[RUN_PATH_BYTES + LOG_COLLECTED_NAME];

	snprintf(path, sizeof(path), "%s/%s", collection->run->path, name);
	return (int)elsewhere_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

static void add_log(struct collection *collection, const char *name)
{
	struct log_collected *longer = collection->logs;

	if (collection->nr == collection->room) {
		longer = reallocarray(longer, 2 * collection->room + 64, sizeof(*longer));
		if (!longer) {
			collection->is_full = true;
			return;
		}
		collection->logs = longer;
		collection->room = 2 * collection->room + 64;
	}
	longer[collection->nr] = (struct log_collected){ .offset = 0 };
	strcpy(longer[collection->nr++].name, name);
}

static void find_logs(struct collection *collection)
{
	DIR *directory = opendir(collection->run->path);
	struct dirent *entry;

	while (directory && !collection->is_full && (entry = readdir(directory))) {
		size_t length = strlen(entry->d_name);
		int fd;

		if (strncmp(entry->d_name, "rank", 4) || length < 4 || length >= LOG_COLLECTED_NAME ||
		    strcmp(entry->d_name + length - 4, ".log"))
			continue;
		fd = open_log(collection, entry->d_name);
		if (fd >= 0 && is_wanted(collection, fd))
			add_log(collection, entry->d_name);
		if (fd >= 0)
			close(fd);
	}
	if (directory)
		closedir(directory);
}

/* Append a log up to its tail: what lies behind it means nothing. Return: whether it is there */
static bool copy_log(int from, int to, struct log_collected *log, off_t at)
{
	struct log_header header;
	struct stat stat_of;
	uint64_t left;

	if (pread(from, &header, sizeof(header), 0) != (ssize_t)sizeof(header) || fstat(from, &stat_of) < 0 ||
	    lseek(from, 0, SEEK_SET) != 0 || lseek(to, at, SEEK_SET) != at)
		return false;
	log->offset = (uint64_t)at;
	log->bytes = header.tail_bytes < (uint64_t)stat_of.st_size ? header.tail_bytes :
								   (uint64_t)stat_of.st_size;
	for (left = log->bytes; left;) {
		ssize_t done = sendfile(to, from, NULL, left);

		if (done <= 0)
			return false;
		left -= (uint64_t)done;
	}
	return true;
}

static off_t aligned(uint64_t bytes)
{
	return (off_t)((bytes + LOG_COLLECTION_ALIGN - 1) / LOG_COLLECTION_ALIGN * LOG_COLLECTION_ALIGN);
}

/* The head is written last. Return: whether all is in the file */
static bool write_logs(struct collection *collection, int to)
{
	const struct log_collection head = { LOG_COLLECTION_MAGIC, LOG_VERSION, (uint32_t)collection->nr };
	size_t table_bytes = collection->nr * sizeof(*collection->logs);
	off_t at = aligned(sizeof(head) + table_bytes);

	for (size_t i = 0; i < collection->nr; i++) {
		int from = open_log(collection, collection->logs[i].name);
		bool done = from >= 0 && copy_log(from, to, &collection->logs[i], at);

		if (from >= 0)
			close(from);
		if (!done)
			return false;
		at = aligned((uint64_t)at + collection->logs[i].bytes);
	}
	return pwrite(to, collection->logs, table_bytes, sizeof(head)) == (ssize_t)table_bytes &&
	       pwrite(to, &head, sizeof(head), 0) == (ssize_t)sizeof(head) && fsync(to) == 0;
}

/* The logs are there twice for an instant: readers take each name once. */
static void remove_logs(const struct collection *collection)
{
	for (size_t i = 0; i < collection->nr; i++) {
		char path[RUN_PATH_BYTES + LOG_COLLECTED_NAME];

		snprintf(path, sizeof(path), "%s/%s", collection->run->path, collection->logs[i].name);
		elsewhere_bring_home(path);
		unlink(path);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct log_collected *)a)->name, ((const struct log_collected *)b)->name);
}

void collect_logs(const struct run *run, const struct process_id *id)
{
	struct collection collection = { .run = run, .id = id };
	char path[RUN_PATH_BYTES + sizeof(id->host) + 32], new_path[sizeof(path) + 8];
	bool done = false;
	int to;

	find_logs(&collection);
	if (collection.nr < 2)
		goto out;
	qsort(collection.logs, collection.nr, sizeof(*collection.logs), by_name);
	snprintf(path, sizeof(path), "%s/%s-%d" LOG_COLLECTION_END, run->path, id->host, (int)getpid());
	snprintf(new_path, sizeof(new_path), "%s.new", path);
	to = open(new_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		goto out;
	done = write_logs(&collection, to);
	done = close(to) == 0 && done && rename(new_path, path) == 0;
	if (done)
		remove_logs(&collection);
	else
		unlink(new_path);
out:
	free(collection.logs);
}
