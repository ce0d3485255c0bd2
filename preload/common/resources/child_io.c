/* SPDX-License-Identifier: GPL-3.0-or-later */
/* I/O of children in their parent's figures. */
#include "preload/common/resources/child_io.h"

#include <dirent.h>
#include <stddef.h>
#include <unistd.h>

#include "preload/common/base/compiler.h"
#include "preload/common/log/columns.h"

#define THREADS_MAX	64	/* looked at; what others do between two readings may be taken for the children's */

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

static void add_thread(int task_fd, const char *tid, struct source_count *count, struct proc_io *sum)
{
	char name[32], said[512];
	struct proc_io io;
	struct text text;
	int fd;

	text_init(&text, name, sizeof(name));
	text_add(&text, tid);
	text_add(&text, "/io");
	fd = (int)sys_openat(task_fd, name, O_RDONLY | O_CLOEXEC, 0);
	if (source_read(fd, count, said, sizeof(said), 0) > 0) {
		proc_parse_io(said, &io);
		for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++)
			*number(sum, i) += *number(&io, i) == LOG_NONE ? 0 : *number(&io, i);
	}
	source_close(&fd);
}

/* Return: false when the threads cannot be listed. */
static bool add_threads(int task_fd, int own_tid, struct source_count *count, char *buffer, uint64_t bytes,
			struct proc_io *sum)
{
	unsigned nr_threads = 0;
	long length;

	*sum = (struct proc_io){ 0 };
	raw_syscall(SYS_lseek, task_fd, 0, SEEK_SET, 0, 0, 0);
	while ((length = sys_getdents(task_fd, buffer, bytes)) > 0) {
		for (long at = 0; at < length && nr_threads < THREADS_MAX;) {
			const struct dirent64 *entry = (const struct dirent64 *)(buffer + at);
			const char *name = entry->d_name;
			uint64_t tid;

			at += entry->d_reclen;
			if (text_read_u64(&name, &tid) < 0 || tid == (uint64_t)own_tid)
				continue;
			add_thread(task_fd, entry->d_name, count, sum);
			nr_threads++;
		}
	}
	return length == 0 && nr_threads > 0;
}

void waited_io_take_off(struct waited_io *waited, uint64_t child_faults, int task_fd, int own_tid,
			struct source_count *count, char *buffer, uint64_t bytes, struct proc_io *io)
{
	struct proc_io seen = *io, threads;
	bool is_found = waited_io_is_due(waited, child_faults) &&
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
