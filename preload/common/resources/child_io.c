/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Separates the I/O of children from their parent's figures. */
#include "preload/common/resources/child_io.h"

#include <stddef.h>

#include "preload/common/base/compiler.h"
#include "preload/common/base/directory.h"
#include "preload/common/log/columns.h"

/* looked at; what further threads do between two readings may be counted as the children's */
#define THREADS_MAX	64

static const uint16_t numbers[] = {
	offsetof(struct proc_io, read_chars),
	offsetof(struct proc_io, write_chars),
	offsetof(struct proc_io, read_calls),
	offsetof(struct proc_io, write_calls),
	offsetof(struct proc_io, read_bytes),
	offsetof(struct proc_io, write_bytes),
};

static uint64_t *number(struct proc_io *io, unsigned i)
{
	return (uint64_t *)((char *)io + numbers[i]);
}

static void add_thread(int task_fd, uint64_t tid, struct read_count *count, struct proc_io *sum)
{
	char said[512];
	struct proc_io io;
	int fd = proc_file_open_task(task_fd, tid, "io");

	if (proc_file_read(fd, count, said, sizeof(said), 0) > 0) {
		proc_parse_io(said, &io);
		for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++)
			*number(sum, i) += *number(&io, i) == LOG_NONE ? 0 : *number(&io, i);
	}
	proc_file_close(&fd);
}

/* Return: false when the threads cannot be listed. */
static bool add_threads(int task_fd, int own_tid, struct read_count *count, char *buffer, uint64_t bytes,
			struct proc_io *sum)
{
	unsigned nr_threads = 0;
	struct directory directory;
	uint64_t tid;

	*sum = (struct proc_io){ 0 };
	directory_begin(&directory, task_fd, buffer, bytes);
	while (nr_threads < THREADS_MAX && directory_next_number(&directory, &tid)) {
		if (tid == (uint64_t)own_tid)
			continue;
		add_thread(task_fd, tid, count, sum);
		nr_threads++;
	}
	return directory.length >= 0 && nr_threads > 0;
}

void child_io_take_off(struct child_io *waited, uint64_t child_faults, int task_fd, int own_tid,
			struct read_count *count, char *buffer, uint64_t bytes, struct proc_io *io)
{
	struct proc_io seen = *io, threads;
	bool is_found = child_io_is_due(waited, child_faults) &&
			add_threads(task_fd, own_tid, count, buffer, bytes, &threads);

	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
		uint64_t *all = number(io, i), *children = number(&waited->waited, i);

		if (*all == LOG_NONE)
			continue;
		if (is_found) {
			uint64_t beside = figure_less(*all, *number(&threads, i));
			uint64_t grown = figure_less(beside, *number(&waited->beside, i));
			uint64_t most = figure_less(*all, *number(&waited->seen, i));

			*children += grown < most ? grown : most;
			*number(&waited->beside, i) = beside;
		}
		*all = figure_less(*all, *children);
	}
	waited->seen = seen;
	if (is_found)
		waited->child_faults = child_faults;
}
