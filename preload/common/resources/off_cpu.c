/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads records of context switches, and turns them into cumulative rows. */
#include "preload/common/resources/off_cpu.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "preload/common/base/clock.h"
#include "preload/common/log/columns.h"
#include "preload/common/log/log.h"

/* An interval takes 32 bytes. On a busy machine readings are some 0.1 s apart, and come late. */
#define DATA_BYTES	(128u << 10)	/* room for 4096 intervals between two readings */
#define LESS_BYTES	(16u << 10)	/* with many threads, or where the kernel does not allow more */
#define WIDE_RINGS	16u		/* so many have DATA_BYTES, others LESS_BYTES */
#define RINGS_MAX	256u		/* together they keep at most 7 MiB in memory */
#define LEAST_NS	50000u		/* shorter intervals get no rows of their own */
#define QUIET_NS	10000000u	/* where something changes, a row at least this often */

static uint32_t nr_rings;	/* used by the sampling thread only */

/* A ring of a page for its head, and of data. Return: NULL: the kernel does not allow so much */
static void *map_ring(struct off_cpu *off, int fd, uint64_t data_bytes)
{
	const uint64_t page = off->log->page_bytes;
	long ring;

	off->data_bytes = page > data_bytes ? page : data_bytes;
	ring = sys_mmap(NULL, page + off->data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return sys_failed(ring) ? NULL : (void *)ring;
}

static void *map_records(struct off_cpu *off, int tid)
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
	void *ring;

	if (fd < 0)
		return NULL;
	ring = nr_rings < WIDE_RINGS ? map_ring(off, (int)fd, DATA_BYTES) : NULL;
	if (!ring)
		ring = map_ring(off, (int)fd, LESS_BYTES);
	sys_close((int)fd);	/* the mapping keeps it open */
	nr_rings += ring != NULL;
	return ring;
}

void off_cpu_open(struct off_cpu *off, int tid, struct log_header *log)
{
	off->log = log;
	off->state = OFF_CPU_UNKNOWN;
	off->since_ns = off->told_ns = clock_ns(CLOCK_MONOTONIC);
	__builtin_memset(off->ended_ns, 0, sizeof(off->ended_ns));
	off->rows.step = 1;
	off->ring = map_records(off, tid);
	if (off->ring)
		row_set_init(&off->rows, log, -1, &column_sets[SET_THREAD_OFF], (uint32_t)tid, off->last);
}

/* How long the thread had been in @state at @when_ns, which is not before the present state began. */
static uint64_t state_ns(const struct off_cpu *off, enum off_cpu_state state, uint64_t when_ns)
{
	return off->ended_ns[state] + (off->state == state ? when_ns - off->since_ns : 0);
}

/* Write the sums at @when_ns, which must not be earlier than the state's start. */
static void add_row(struct off_cpu *off, uint64_t when_ns)
{
	struct figures figures;

	figures.thread_blocked_ns = state_ns(off, OFF_CPU_BLOCKED, when_ns);
	figures.thread_preempted_ns = state_ns(off, OFF_CPU_PREEMPTED, when_ns);
	figures.thread_unseen_ns = state_ns(off, OFF_CPU_UNSEEN, when_ns);
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
	off->ended_ns[off->state] = state_ns(off, off->state, when_ns);
}

/* The thread ran until @when_ns. If that was long, short stops before it must not be spread over it. */
static void end_run(struct off_cpu *off, uint64_t when_ns)
{
	if (when_ns - off->since_ns >= (uint64_t)LEAST_NS * off->rows.step && off->since_ns > off->told_ns)
		add_row(off, off->since_ns);
}

/* If a thread's first record says that it runs again, it had been asleep since the records began. */
static void take_switch(struct off_cpu *off, uint64_t when_ns, uint32_t misc)
{
	bool is_out = misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (when_ns < off->since_ns)
		return;
	if (off->state == OFF_CPU_UNKNOWN) {
		off->state = is_out ? OFF_CPU_ON : OFF_CPU_BLOCKED;
		add_row(off, off->since_ns);
	}
	if (off->state != OFF_CPU_UNSEEN && is_out == (off->state != OFF_CPU_ON))
		return;
	if (off->state != OFF_CPU_ON)
		end_interval(off, when_ns);
	else
		end_run(off, when_ns);
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

/* Records were lost: the thread's state since the last one is not known. The next record ends that. */
static void lose_records(struct off_cpu *off, uint64_t nr)
{
	while (nr--)
		log_lose(off->log, LOG_LOST_SWITCHES);
	if (off->state != OFF_CPU_UNKNOWN)
		off->state = OFF_CPU_UNSEEN;
}

/*
 * Take all records up to now. A record is {u32 type; u16 misc, size}, with the time as its last
 * word. One of lost records is {u64 id, number} between them.
 */
static void take_records(struct off_cpu *off)
{
	uint64_t head = __atomic_load_n(&off->ring->data_head, __ATOMIC_ACQUIRE), at = off->ring->data_tail;

	while (at < head) {
		uint64_t first = word_at(off, at), bytes = first >> 48,
			 when_ns = word_at(off, at + bytes - 8);

		if (bytes < 8 || when_ns > off->now.monotonic_ns)
			break;
		if ((uint32_t)first == PERF_RECORD_LOST)
			lose_records(off, word_at(off, at + 16));
		if ((uint32_t)first == PERF_RECORD_SWITCH)
			take_switch(off, when_ns, (uint16_t)(first >> 32));
		at += bytes;
	}
	__atomic_store_n(&off->ring->data_tail, at, __ATOMIC_RELEASE);
}

static void read_rows(struct off_cpu *off, int log_fd, uint64_t quiet_ns, bool may_be_gone)
{
	uint64_t now_ns;

	if (!off->ring)
		return;
	clock_read_all(off->log->clock, &off->now);
	now_ns = off->now.monotonic_ns;
	off->rows.log_fd = log_fd;
	take_records(off);
	if (off->state != OFF_CPU_UNKNOWN && now_ns - off->told_ns > quiet_ns) {
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
