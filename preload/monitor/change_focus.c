/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process looks for a request at calls that are not on its hooks' fast way. So a process that makes only
 * short calls for a while follows it later.
 */
#include "preload/monitor/change_focus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "insideme_log.h"
#include "preload/common/base/text.h"
#include "preload/common/run/mapped_runs.h"
#include "preload/monitor/tools/process_info.h"

#define LOOK_NS 5000000
#define LOOKS 400 /* two seconds */

struct wish {
	const struct options *options;
	const char *focus;
	pid_t pid;
	struct log_header *log; /* of the process; NULL: not found */
	int error;		/* why its log cannot be used; 0: it has none */
	int nr_done;
};

static struct log_header *map(const char *path, int *error)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *place =
		fd < 0 ? MAP_FAILED : mmap(NULL, LOG_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	*error = place == MAP_FAILED ? errno : 0;
	if (fd >= 0)
		close(fd);
	return place == MAP_FAILED ? NULL : place;
}

/* The map has the run's page and the log of a parent too. */
static bool take_log(const char *path, size_t run_bytes, void *context)
{
	struct wish *wish = context;
	struct log_header *log;

	if (!strcmp(path + run_bytes, "/run"))
		return false;
	log = map(path, &wish->error);
	if (!log)
		return false;
	if (log->magic == LOG_MAGIC && log->version == LOG_VERSION && log->kind == LOG_OF_PROGRAM &&
	    log->pid == (uint32_t)wish->pid) {
		wish->log = log;
		return true;
	}
	munmap(log, LOG_HEADER_BYTES);
	return false;
}

/* Return: false if the process has not seen it after some time. */
static bool wait_until_seen(const struct log_header *log, uint32_t number)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };

	for (int i = 0; i < LOOKS; i++) {
		if (__atomic_load_n(&log->focus_seen, __ATOMIC_ACQUIRE) == number)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static void ask(struct wish *wish)
{
	struct log_header *log = wish->log;
	uint32_t number = log->focus_wanted + 1;
	bool is_seen;

	text_copy(log->focus, sizeof(log->focus), wish->focus);
	__atomic_store_n(&log->focus_wanted, number, __ATOMIC_RELEASE);
	is_seen = wait_until_seen(log, number);
	if (!wish->options->quiet && *wish->focus)
		fprintf(stderr, "insideme: process %d: %s %s, and what it calls\n", (int)wish->pid,
			is_seen ? "records" : "will from its next recorded call on record", wish->focus);
	else if (!wish->options->quiet)
		fprintf(stderr, "insideme: process %d: %s\n", (int)wish->pid,
			is_seen ? "records all calls"
				: "will from its next recorded call on record all calls");
	wish->nr_done++;
}

static void ask_process(pid_t pid, void *context)
{
	struct wish *wish = context;

	wish->pid = pid;
	wish->log = NULL;
	wish->error = 0;
	mapped_runs_search((uint32_t)pid, take_log, wish);
	if (!wish->log) {
		fprintf(stderr, "insideme-run: --focus: process %d: %s\n", (int)pid,
			wish->error ? strerror(wish->error)
				    : "it has no log of its own, or its memory map cannot be read");
		return;
	}
	ask(wish);
	munmap(wish->log, LOG_HEADER_BYTES);
}

int focus_change(const struct options *options)
{
	struct wish wish = { .options = options, .focus = options->settings[SETTING_FOCUS] };

	pids_each(options->pids, ask_process, &wish);
	return wish.nr_done ? 0 : 1;
}
