/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads records of context switches, and turns them into cumulative rows. */
#include "preload/common/resources/off_cpu.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "preload/common/base/clock.h"
#include "preload/common/log/columns.h"
#include "preload/common/log/log.h"

#define DATA_BYTES	(16u << 10)	/* room for 512 intervals between two readings: 50,000 a second */
#define RINGS_MAX	256u		/* each of them keeps 20 KiB in memory, all 5 MiB */
#define LEAST_NS	50000u		/* shorter intervals get no rows of their own */
#define QUIET_NS	10000000u	/* where something changes, a row at least this often */

static uint32_t nr_rings;	/* used by the sampling thread only */

static void *map_records(int tid, uint64_t bytes)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.context_switch = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	long fd = nr_rings < RINGS_MAX ? raw_syscall(SYS_perf_event_open, (long)&attr, tid, -1, -1,
						     PERF_FLAG_FD_CLOEXEC, 0)
				       : -1;
	long ring;

	if (fd < 0)
		return NULL;
	ring = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	sys_close((int)fd);	/* the mapping keeps it open */
	if (sys_failed(ring))
		return NULL;
	nr_rings++;
	return (void *)ring;
}

void off_cpu_open(struct off_cpu *off, int tid, struct log_header *log)
{
	off->log = log;
	off->data_bytes = log->page_bytes > DATA_BYTES ? log->page_bytes : DATA_BYTES;
	off->state = OFF_CPU_UNKNOWN;
	off->since_ns = off->told_ns = clock_ns(CLOCK_MONOTONIC);
	off->blocked_ns = off->preempted_ns = 0;
	off->rows.step = 1;
	off->ring = map_records(tid, log->page_bytes + off->data_bytes);
	if (off->ring)
		row_set_init(&off->rows, log, -1, &column_sets[SET_THREAD_OFF], (uint32_t)tid, off->last);
}

/* Write the sums at @when_ns, which must not be earlier than the state's start. */
static void add_row(struct off_cpu *off, uint64_t when_ns)
{
	uint64_t passed_ns = when_ns - off->since_ns;
	struct figures figures;

	figures.thread_blocked_ns = off->blocked_ns + (off->state == OFF_CPU_BLOCKED ? passed_ns : 0);
	figures.thread_preempted_ns = off->preempted_ns + (off->state == OFF_CPU_PREEMPTED ? passed_ns : 0);
	row_set_add(&off->rows, clock_ticks_at(off->log->clock, &off->log->start, &off->now, when_ns),
		    &figures);
	off->told_ns = when_ns;
}

static void end_interval(struct off_cpu *off, uint64_t when_ns)
{
	bool is_told = when_ns - off->since_ns >= (uint64_t)LEAST_NS * off->rows.step;

	if (is_told && off->since_ns > off->told_ns)
		add_row(off, off->since_ns);
	if (is_told)
		add_row(off, when_ns);
	*(off->state == OFF_CPU_BLOCKED ? &off->blocked_ns : &off->preempted_ns) += when_ns - off->since_ns;
}

/* If a thread's first record says that it goes on, the thread had been asleep since we began to look. */
static void take_switch(struct off_cpu *off, uint64_t when_ns, uint32_t misc)
{
	bool is_out = misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (when_ns < off->since_ns)
		return;
	if (off->state == OFF_CPU_UNKNOWN) {
		off->state = is_out ? OFF_CPU_ON : OFF_CPU_BLOCKED;
		add_row(off, off->since_ns);
	}
	if (is_out == (off->state != OFF_CPU_ON))
		return;
	if (!is_out)
		end_interval(off, when_ns);
	off->since_ns = when_ns;
	off->state = !is_out					  ? OFF_CPU_ON
		     : misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? OFF_CPU_PREEMPTED
								  : OFF_CPU_BLOCKED;
}

static uint64_t word_at(const struct off_cpu *off, uint64_t at)
{
	const char *data = (const char *)off->ring + off->log->page_bytes;

	return *(const uint64_t *)(data + (at & (off->data_bytes - 1)));
}

static void release(struct off_cpu *off)
{
	raw_syscall(SYS_munmap, (long)off->ring, (long)(off->log->page_bytes + off->data_bytes), 0, 0, 0, 0);
	off->ring = NULL;
	nr_rings--;
}

/*
 * Take all records up to now. A record is {u32 type; u16 misc, size}, with the time as its last
 * word. Return: false when some were lost.
 */
static bool take_records(struct off_cpu *off)
{
	uint64_t head = __atomic_load_n(&off->ring->data_head, __ATOMIC_ACQUIRE), at = off->ring->data_tail;

	while (at < head) {
		uint64_t first = word_at(off, at), bytes = first >> 48,
			 when_ns = word_at(off, at + bytes - 8);

		if ((uint32_t)first == PERF_RECORD_LOST || bytes < 8)
			return false;
		if (when_ns > off->now.monotonic_ns)
			break;
		if ((uint32_t)first == PERF_RECORD_SWITCH)
			take_switch(off, when_ns, (uint16_t)(first >> 32));
		at += bytes;
	}
	__atomic_store_n(&off->ring->data_tail, at, __ATOMIC_RELEASE);
	return true;
}

/* A thread that switches faster than we read gets no more rows; its curve ends with the last one. */
static void read_rows(struct off_cpu *off, int log_fd, uint64_t quiet_ns, bool may_be_gone)
{
	uint64_t now_ns;

	if (!off->ring)
		return;
	clock_read_all(off->log->clock, &off->now);
	now_ns = off->now.monotonic_ns;
	off->rows.log_fd = log_fd;
	if (!take_records(off)) {
		log_lose(off->log, LOG_LOST_SWITCHES);
		release(off);
	} else if (off->state != OFF_CPU_UNKNOWN && now_ns - off->told_ns > quiet_ns) {
		if (off->since_ns > off->told_ns)
			add_row(off, off->since_ns);
		if (!may_be_gone || off->state != OFF_CPU_ON)
			add_row(off, now_ns);
	}
}

void off_cpu_read(struct off_cpu *off, int log_fd)
{
	read_rows(off, log_fd, QUIET_NS * (uint64_t)off->rows.step, false);
}

void off_cpu_close(struct off_cpu *off, int log_fd)
{
	read_rows(off, log_fd, 0, true);	/* the kernel does not report a thread's last moment */
	if (off->ring)
		release(off);
}

void off_cpu_move(struct off_cpu *to, const struct off_cpu *from)
{
	__builtin_memcpy(to, from, sizeof(*to));
	to->rows.last = to->last;
}
