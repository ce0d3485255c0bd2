/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One log of a run. */
#include "preload/monitor/watch/watched_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/common/log/log.h"
#include "preload/common/log/log_elsewhere.h"
#include "preload/common/run/process_id.h"
#include "preload/monitor/stacks/thread_copies.h"
#include "preload/monitor/watch/log_in_maps.h"

#define PAUSE_FIRST_NS	500000
#define PAUSE_LAST_NS	1000000000

struct watched *watched_new(const char *name)
{
	struct watched *watched = calloc(1, sizeof(*watched) + strlen(name) + 1);

	if (!watched)
		return NULL;
	watched->pause_ns = PAUSE_FIRST_NS;
	strcpy(watched->name, name);
	return watched;
}

int watched_compare(const void *a, const void *b)
{
	return strcmp(((const struct watched *)a)->name, ((const struct watched *)b)->name);
}

static void path_of(char *path, size_t bytes, const struct run *run, const char *name)
{
	snprintf(path, bytes, "%s/%s", run->path, name);
}

static int open_file(const struct watched *watched, const struct run *run)
{
	char path[RUN_PATH_BYTES + NAME_MAX + 2];

	path_of(path, sizeof(path), run, watched->name);
	return (int)elsewhere_open(path, O_RDWR);
}

/* Several hosts may share a directory of runs. Each has its own pids. */
static bool is_of_this_host(const struct log_header *header)
{
	char boot_id[sizeof(header->boot_id)];

	return read_file("/proc/sys/kernel/random/boot_id", boot_id, 37) < 0 ||
	       !strcmp(boot_id, header->boot_id);
}

/* Return: 0; -EAGAIN: the log has not begun yet; -EINVAL: it is not for us */
static int check_header(int fd, const struct log_header *header, ssize_t length)
{
	struct stat stat_of;

	if (length < (ssize_t)sizeof(*header) || header->magic != LOG_MAGIC)
		return -EAGAIN;
	if (header->version != LOG_VERSION || header->kind != LOG_OF_PROGRAM || !is_of_this_host(header) ||
	    fstat(fd, &stat_of) < 0)
		return -EINVAL;
	if (header->file_bytes > (uint64_t)stat_of.st_size || header->map_bytes < header->file_bytes)
		return -EINVAL;
	return 0;
}

static int map_log(struct watched *watched, int fd)
{
	struct log_header header;
	int error = check_header(fd, &header, pread(fd, &header, sizeof(header), 0));
	void *log;

	if (error)
		return error;
	log = mmap(NULL, header.map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (log == MAP_FAILED)
		return -errno;
	watched->log = log;
	watched->map_bytes = header.map_bytes;
	watched->pid = (pid_t)header.pid;
	return 0;
}

/* If the process is gone, there is no sampler. The sampler takes @fd; without one @fd is closed. */
static void start_sampler(struct watched *watched, int fd, const struct sampler_settings *settings)
{
	const struct sampler_config config = {
		.log = watched->log,
		.log_fd = fd,
		.pid = watched->pid,
		.settings = *settings,
	};

	watched->sampler = calloc(1, SAMPLER_BYTES);
	if (watched->sampler && sampler_start(watched->sampler, &config) == 0)
		return;
	free(watched->sampler);
	watched->sampler = NULL;
	close(fd);
}

/* @how: sampler_stop, or sampler_pause, which writes no last row. */
static void end_sampler(struct watched *watched, void (*how)(struct sampler *))
{
	if (watched->sampler)
		how(watched->sampler);
	free(watched->sampler);
	watched->sampler = NULL;
}

/*
 * Called once the sampler has opened its files, so that an exec before that is seen. Return: 0, -ESTALE after
 * an exec.
 */
static int check_image(struct watched *watched)
{
	if (!image_is_another(watched->pid, watched->log->process_start, watched->log))
		return 0;
	end_sampler(watched, sampler_pause);
	watched->log->sampler_kind = 0;
	watched->log->sampler_tid = 0;
	return -ESTALE;
}

static int begin(struct watched *watched, const struct run *run, const struct sampler_settings *settings,
		 int64_t now_ns)
{
	int fd = open_file(watched, run);
	int error = fd < 0 ? fd : map_log(watched, fd);

	if (!error) {
		start_sampler(watched, fd, settings);
		return check_image(watched);
	}
	if (fd >= 0)
		close(fd);
	if (error != -EAGAIN)
		return error;
	watched->due_ns = now_ns + watched->pause_ns;
	if (watched->pause_ns < PAUSE_LAST_NS)
		watched->pause_ns *= 2;
	return -EAGAIN;
}

int watched_step(struct watched *watched, const struct run *run, const struct sampler_settings *settings,
		 int64_t now_ns)
{
	int64_t due_ns;

	if (!watched->log) {
		int error = begin(watched, run, settings, now_ns);

		if (error)
			return error == -EAGAIN ? 0 : error;
	}
	due_ns = watched->sampler ? sampler_step(watched->sampler) : -ESRCH;
	if (due_ns < 0)
		return (int)due_ns;
	watched->due_ns = due_ns;
	return 0;
}

/*
 * A child of a raw clone may still have the log mapped. A hole in the file does not harm it, where a cut
 * would.
 */
static void return_room(const struct watched *watched, int fd, uint64_t file_bytes)
{
	uint64_t begin = (watched->log->tail_bytes + LOG_AREA_ALIGN - 1) & ~(uint64_t)(LOG_AREA_ALIGN - 1);

	if (begin < file_bytes)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)begin,
			  (off_t)(file_bytes - begin));
}

static void bring_home(const struct watched *watched, const struct run *run)
{
	char path[RUN_PATH_BYTES + NAME_MAX + 2];

	path_of(path, sizeof(path), run, watched->name);
	elsewhere_bring_home(path);
}

void watched_new_entries(struct watched *watched, void (*each)(void *context, const struct log_entry *entry),
			 void *context)
{
	const struct log_header *log = watched->log;
	uint32_t newest = __atomic_load_n(&log->entries, __ATOMIC_ACQUIRE), place = newest;
	uint64_t end = __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE);
	const struct log_entry *entry;

	if (end > watched->map_bytes)
		end = watched->map_bytes;
	/*
	 * The list of a damaged log may be a circle: follow no more links than the log has room for entries.
	 */
	for (uint64_t left = end / sizeof(*entry); place != watched->seen_entry && left; left--) {
		uint64_t offset = (uint64_t)place * 8;

		if (offset < LOG_HEADER_BYTES || offset + sizeof(*entry) > end)
			break;
		entry = (const struct log_entry *)((const char *)log + offset);
		place = entry->older;
		if (!entry->has_heap || offset + sizeof(*entry) + sizeof(struct log_heap) <= end)
			each(context, entry);
	}
	watched->seen_entry = newest;
}

void watched_take_stacks(struct watched *watched, const struct run *run)
{
	uint32_t wanted = LOG_STACKS_WANTED;
	int fd;

	if (!watched->log ||
	    likely(__atomic_load_n(&watched->log->stacks_wanted, __ATOMIC_ACQUIRE) != wanted) ||
	    !__atomic_compare_exchange_n(&watched->log->stacks_wanted, &wanted, LOG_STACKS_BEGUN, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	fd = open_file(watched, run);
	if (fd >= 0) {
		watched->stacks_pid = thread_copies_start(watched->pid, watched->log, fd);
		close(fd);
	}
}

void watched_stop(struct watched *watched)
{
	end_sampler(watched, sampler_stop);
}

void watched_close(struct watched *watched, const struct run *run, bool has_ended, struct count *count)
{
	struct stat stat_of;
	int fd;

	watched->is_done = true;
	if (!watched->log)
		return;
	fd = open_file(watched, run);
	if (fd >= 0 && fstat(fd, &stat_of) == 0) {
		count_log(count, watched->log, (uint64_t)stat_of.st_size);
		if (has_ended)
			return_room(watched, fd, (uint64_t)stat_of.st_size);
	}
	if (fd >= 0)
		close(fd);
	if (has_ended)
		bring_home(watched, run);
	munmap(watched->log, watched->map_bytes);
	watched->log = NULL;
}
