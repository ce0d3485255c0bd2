/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grows a log ahead of its writers. */
#include "preload/common/log/log_growth.h"

#include <stdbool.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/log/log.h"

#define LEAST_BYTES		(128u << 10)
#define MOST_BYTES		(32u << 20)
#define USUAL_MOST_BYTES	(8u << 20)	/* two of the largest steps */
#define LOOK_SHORTEST_NS	1000000u
#define LOOK_LONGEST_NS		10000000u
#define RETRY_NS		1000000000u
#define PIECE_BYTES		(512u << 10)	/* brought into memory at once: 0.1 to 0.6 ms */
/* The rest between pieces: a task that shares our processor runs now, not at the kernel's next tick */
#define PIECE_REST_NS		500000u
#define RANDOM			1		/* MADV_RANDOM */
#define POPULATE_WRITE		23		/* MADV_POPULATE_WRITE, Linux 5.14 */

void log_growth_init(struct log_growth *ahead, struct log_header *log, int log_fd)
{
	ahead->log = log;
	ahead->log_fd = log_fd;
	ahead->last_tail_bytes = log->tail_bytes;
	ahead->in_memory_bytes = log->tail_bytes & ~(uint64_t)(LOG_AREA_ALIGN - 1);
	ahead->last_ns = 0;
	ahead->retry_ns = 0;
}

void log_growth_touch_singly(struct log_header *log)
{
	sys_madvise(log, log->map_bytes, RANDOM);
}

/* Two growth steps, or more if the writers took more than a quarter of that since the last look. */
static uint64_t wanted_bytes(const struct log_growth *ahead, uint64_t tail)
{
	uint64_t moved = tail - ahead->last_tail_bytes, usual = tail / 2, wanted = moved * 4;

	if (usual > USUAL_MOST_BYTES)
		usual = USUAL_MOST_BYTES;
	if (wanted < usual)
		wanted = usual;
	if (wanted < LEAST_BYTES)
		wanted = LEAST_BYTES;
	return wanted < MOST_BYTES ? wanted : MOST_BYTES;
}

/*
 * Afterwards a writer's first touch of a page takes 0.5 us instead of 4.8 on ext4. Kernels before
 * 5.14 cannot do it, and the writers pay. They pay too if RSS is read at each call, because there
 * it would show.
 */
static bool bring_into_memory(struct log_growth *ahead)
{
	uint64_t mapped = ahead->log->map_bytes, file_bytes = ahead->log->file_bytes;
	uint64_t reached = file_bytes < mapped ? file_bytes : mapped,
		 bytes = reached - ahead->in_memory_bytes;

	if (reached <= ahead->in_memory_bytes || ahead->log->snapshot & LOG_SNAPSHOT_EVERY)
		return false;
	if (bytes > PIECE_BYTES)
		bytes = PIECE_BYTES;
	if (sys_madvise((char *)ahead->log + ahead->in_memory_bytes, bytes, POPULATE_WRITE) < 0)
		ahead->in_memory_bytes = reached;
	else
		ahead->in_memory_bytes += bytes;
	return ahead->in_memory_bytes < reached;
}

/* At this time half of what is left is used up, if the writers go on as they did since the last look. */
static uint64_t next_look(uint64_t left, uint64_t moved, uint64_t passed_ns)
{
	uint64_t bytes_per_ms = moved / (passed_ns / 1000000 + 1) + 1;
	uint64_t ns = left / 2 / bytes_per_ms * 1000000;

	if (ns < LOOK_SHORTEST_NS)
		return LOOK_SHORTEST_NS;
	return ns < LOOK_LONGEST_NS ? ns : LOOK_LONGEST_NS;
}

uint64_t log_growth_grow(struct log_growth *ahead, uint64_t now_ns)
{
	struct log_header *log = ahead->log;
	uint64_t tail = __atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED);
	uint64_t target = tail + wanted_bytes(ahead, tail);
	uint64_t moved = tail - ahead->last_tail_bytes, passed_ns = now_ns - ahead->last_ns;

	ahead->last_tail_bytes = tail;
	ahead->last_ns = now_ns;
	if (target > log->map_bytes)
		target = log->map_bytes;
	if (target > log->file_bytes && now_ns >= ahead->retry_ns && log_grow(log, ahead->log_fd, target) < 0)
		ahead->retry_ns = now_ns + RETRY_NS;
	if (!log->has_hooks)	/* it is idle, or rows are due anyway */
		return UINT64_MAX;
	if (bring_into_memory(ahead))
		return PIECE_REST_NS;
	if (log->file_bytes >= log->map_bytes)
		/* The log cannot grow any more; looking each ms would take one per cent of a core */
		return UINT64_MAX;
	return next_look(log->file_bytes - tail, moved, passed_ns);
}
