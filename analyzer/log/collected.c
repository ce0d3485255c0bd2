/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of one run's files are kept: its logs are opened one after the other. */
#include "analyzer/log/collected.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/log/log_elsewhere.h"
#include "insideme_log.h"

#define LOGS_MOST	(1u << 24)	/* of a file that is not damaged */

struct collection {
	char *path;
	struct log_collected *logs;	/* by name, which ends with a 0 */
	size_t nr;
};

static struct {
	char *run_path;			/* NULL: of no run yet */
	struct collection *list;
	size_t nr;
} known;

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct log_collected *)a)->name, ((const struct log_collected *)b)->name);
}

static bool ends_so(const char *name)
{
	size_t length = strlen(name), end = sizeof(LOG_COLLECTION_END) - 1;

	return name[0] != '.' && length > end && strcmp(name + length - end, LOG_COLLECTION_END) == 0;
}

/* Return: whether the table is whole and each log lies within the file */
static bool read_table(struct collection *collection, int fd)
{
	struct log_collection head;
	struct stat stat_of;
	ssize_t bytes;

	if (fstat(fd, &stat_of) < 0 || pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    head.magic != LOG_COLLECTION_MAGIC || head.version != LOG_VERSION || head.nr_logs > LOGS_MOST)
		return false;
	collection->nr = head.nr_logs;
	collection->logs = xcalloc(collection->nr + 1, sizeof(*collection->logs));
	bytes = (ssize_t)(collection->nr * sizeof(*collection->logs));
	if (pread(fd, collection->logs, (size_t)bytes, sizeof(head)) != bytes)
		return false;
	for (size_t i = 0; i < collection->nr; i++) {
		struct log_collected *log = &collection->logs[i];

		log->name[sizeof(log->name) - 1] = '\0';
		if (log->offset % LOG_COLLECTION_ALIGN || log->offset > (uint64_t)stat_of.st_size ||
		    log->bytes > (uint64_t)stat_of.st_size - log->offset || strchr(log->name, '/'))
			return false;
	}
	qsort(collection->logs, collection->nr, sizeof(*collection->logs), by_name);
	return true;
}

static void add_collection(const char *path)
{
	struct collection collection = { .path = xstrdup(path) };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && read_table(&collection, fd)) {
		APPEND(known.list, known.nr) = collection;
	} else {
		warning("%s: no sound collection of logs: those in it are left out", path);
		free(collection.path);
		free(collection.logs);
	}
	if (fd >= 0)
		close(fd);
}

static void forget(void)
{
	for (size_t i = 0; i < known.nr; i++) {
		free(known.list[i].path);
		free(known.list[i].logs);
	}
	free(known.list);
	free(known.run_path);
	known.list = NULL;
	known.nr = 0;
}

static void read_run(const char *run_path)
{
	DIR *directory = opendir(run_path);
	struct dirent *entry;

	forget();
	known.run_path = xstrdup(run_path);
	while (directory && (entry = readdir(directory))) {
		char *path = ends_so(entry->d_name) ? xasprintf("%s/%s", run_path, entry->d_name) : NULL;

		if (path)
			add_collection(path);
		free(path);
	}
	if (directory)
		closedir(directory);
}

void collected_list(const char *run_path, void (*visit)(const char *name, void *context), void *context)
{
	read_run(run_path);
	for (size_t i = 0; i < known.nr; i++)
		for (size_t j = 0; j < known.list[i].nr; j++)
			visit(known.list[i].logs[j].name, context);
}

static int open_collected(const char *path, struct log_place *place)
{
	const char *slash = strrchr(path, '/');
	char *run_path = slash ? xasprintf("%.*s", (int)(slash - path), path) : xstrdup(".");
	struct log_collected key = { .offset = 0 };

	if (!known.run_path || strcmp(known.run_path, run_path) != 0)
		read_run(run_path);
	free(run_path);
	strncpy(key.name, slash ? slash + 1 : path, sizeof(key.name) - 1);
	for (size_t i = 0; i < known.nr; i++) {
		const struct collection *in = &known.list[i];
		const struct log_collected *log = bsearch(&key, in->logs, in->nr, sizeof(key), by_name);

		if (!log)
			continue;
		*place = (struct log_place){ log->offset, log->bytes };
		return open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	errno = ENOENT;
	return -1;
}

int log_place_open(const char *path, struct log_place *place)
{
	int fd = pointer_open(path), error = errno;
	struct stat stat_of;

	if (fd < 0 && error == ENOENT && access(path, F_OK) < 0)
		return open_collected(path, place);
	errno = error;
	*place = (struct log_place){ .bytes = 0 };
	if (fd >= 0 && fstat(fd, &stat_of) == 0)
		place->bytes = (uint64_t)stat_of.st_size;
	return fd;
}
