/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A forked child's entry in the log of an ancestor. */
#include "preload/state/child_entry.h"

#include "preload/common/base/text.h"
#include "preload/common/resources/usage.h"
#include "preload/common/run/process_id.h"
#include "preload/state/log_space.h"

#define LOG_AFTER_US	5000u		/* without hooks: shells exec before that */

uint64_t child_due_ticks;

/* All set before any thread, and by a forked child, whose only thread sets them. */
static struct log_header *ancestor;
static struct log_child *entry;		/* may be that of a parent, after a raw clone */
static uint32_t entry_clock;	/* enum log_clock */
static struct open_calls *calls;	/* private memory */
static bool is_interrupted;		/* a hook in the ancestor's log goes on in this process */

/* All but the page of the own entry, which other tasks may still write to. */
static void trim_common(const struct log_header *common)
{
	uintptr_t begin = (uintptr_t)common, end = begin + common->map_bytes, kept = (uintptr_t)entry;
	uintptr_t kept_end = kept + entry->record.bytes;

	kept &= ~(uintptr_t)(LIVE_BYTES - 1);
	kept_end = (kept_end + LIVE_BYTES - 1) & ~(uintptr_t)(LIVE_BYTES - 1);
	sys_munmap((void *)begin, kept - begin);
	if (kept_end < end)
		sys_munmap((void *)kept_end, end - kept_end);
}

static uint32_t own_program;		/* see log_child.program */

static void begin_waiting(const struct log_child *child)
{
	entry_clock = ancestor->clock;
	child_due_ticks = child->begin.ticks + ancestor->threshold_floor_ticks * LOG_AFTER_US;
}

void child_is_program(struct log_header *common, struct log_program *program)
{
	ancestor = common;
	entry = &program->child;
	live.pid = entry->pid;
	own_program = (uint32_t)(((char *)program - (char *)common) / 8);
	begin_waiting(entry);
}

struct log_program *child_program(void)
{
	struct log_child *child = child_entry();

	return child && child->record.kind == LOG_RECORD_PROGRAM ? (struct log_program *)child : NULL;
}

/* In the shared log there is room, or the child opens a log of its own. */
void child_make_room(void)
{
	if (ancestor && ancestor->kind != LOG_OF_PROGRAMS)
		log_space_for_records(ancestor);
}

/*
 * The room that no file stands behind would count in our limits. The rest stays: pointers into it may lie in frames of
 * code that the fork interrupted.
 */
static void trim(const struct log_header *log)
{
	uint64_t mapped = log->map_bytes, end = __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE);
	uint64_t tail = __atomic_load_n(&log->tail_bytes, __ATOMIC_ACQUIRE);

	if (end < tail)
		end = tail;
	end = (end + LIVE_BYTES - 1) & ~(uint64_t)(LIVE_BYTES - 1);
	if (end < mapped && !is_interrupted)
		sys_munmap((char *)log + end, mapped - end);
}

void child_have_log(struct log_header *log)
{
	if (log && child_entry())
		__atomic_store_n(&entry->has_log, 1, __ATOMIC_RELEASE);
	if (log && ancestor && ancestor->kind == LOG_OF_PROGRAMS && child_entry())
		trim_common(ancestor);
	else if (log && ancestor)
		trim(ancestor);
	if (log)
		entry = NULL;
	is_interrupted = false;
	live.pid = 0;
	ancestor = log;
	child_due_ticks = 0;
}

struct log_child *child_entry(void)
{
	struct log_child *child = __atomic_load_n(&entry, __ATOMIC_RELAXED);

	return child && child->pid == (uint32_t)sys_getpid() ? child : NULL;
}

bool child_is_vforked(void)
{
	return !live.log && live.pid && live.pid != (uint32_t)sys_getpid();
}

struct log_header *child_ancestor(void)
{
	return ancestor;
}

/*
 * Field 22 of /proc/PID/stat, which the kernel reads from the same clock between the two readings around the
 * fork; the file itself is slow.
 */
static uint64_t start_of(uint64_t before_ns)
{
	uint64_t start = clock_ns(CLOCK_BOOTTIME) / PROCESS_TICK_NS;
	uint32_t ppid;

	if (before_ns / PROCESS_TICK_NS != start)
		process_parent(PROCESS_SELF, &ppid, &start);
	return start;
}

struct log_heap *child_heap(void)
{
	struct log_child *child = child_entry();

	return child && child->has_heap ? (struct log_heap *)(child + 1) : NULL;
}

static void fill(struct log_child *child, const struct child_origin *origin, const struct log_clocks *begin)
{
	child->pid = (uint32_t)sys_getpid();
	child->ppid = (uint32_t)raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	child->process_start = start_of(origin->before_ns);
	child->begin = *begin;
	child->thread = entry ? entry->thread : origin->thread;
	child->node = entry ? entry->node : origin->node;
	child->program = ancestor->kind == LOG_OF_PROGRAMS ? own_program : 0;
	child->heap_before_bytes = origin->heap_before_bytes;
	__atomic_store_n(&ancestor->newborns[child->pid % LOG_NEWBORNS], child->process_start << 32 | child->pid,
			 __ATOMIC_RELAXED);
}

bool child_enter(const struct child_origin *origin)
{
	struct log_child *child;
	struct log_clocks begin;
	bool is_waiting, counts_heap;

	if (!entry)
		calls = origin->calls;
	is_interrupted = origin->is_interrupted;
	child_due_ticks = 0;
	if (!ancestor)
		return false;
	clock_read_all(ancestor->clock, &begin);
	log_keep_in_memory(NULL);	/* what we touch of it is not in the ancestor's memory */
	is_waiting = !ancestor->has_hooks && !calls;
	counts_heap = is_waiting && origin->counts_heap;
	child = (struct log_child *)log_new_record(ancestor, sizeof(*child) + (counts_heap ? sizeof(struct log_heap) : 0),
						   begin.ticks);
	if (!child) {
		entry = NULL;
		return false;
	}
	fill(child, origin, &begin);
	child->heap_bytes = is_waiting ? origin->heap_bytes : ancestor->heap_bytes;
	child->has_heap = counts_heap;
	log_publish(&child->record, LOG_RECORD_CHILD);
	entry = child;
	live.pid = child->pid;
	entry_clock = live.clock = ancestor->clock;
	if (is_waiting)
		begin_waiting(child);
	return true;
}

struct open_calls *child_take_calls(void)
{
	struct open_calls *taken = calls;

	calls = NULL;
	return taken;
}

/* The second number of statm: pages in memory. */
static uint64_t read_rss_bytes(const struct log_header *log)
{
	char content[64];
	const char *at = content;
	uint64_t pages = 0;

	if (read_file("/proc/self/statm", content, sizeof(content)) > 0 && text_read_u64(&at, &pages) == 0)
		text_read_u64(&at, &pages);
	return pages * log->page_bytes;
}

/* The kernel's peak may be that of an earlier image of the process, a shell: then what there is now is the least. */
static void correct_peak(struct log_program *program, struct usage_totals *totals)
{
	if (!program || totals->peak_rss_bytes > program->start_peak_rss_bytes)
		return;
	totals->peak_rss_bytes = read_rss_bytes(ancestor);
	program->start_peak_rss_bytes = 0;
}

void child_mark_end(enum log_end end, int status)
{
	struct log_child *child = child_entry();
	struct usage_totals totals;

	if (!child || live_is_sealed())
		return;
	if (end == LOG_EXITED) {
		usage_read_totals(&totals);
		correct_peak(child_program(), &totals);
		child->user_ns = totals.user_ns;
		child->system_ns = totals.system_ns;
		child->peak_rss_bytes = totals.peak_rss_bytes;
		clock_read_all(entry_clock, &child->finish);
		child->end_status = status;
	}
	__atomic_store_n(&child->end, (uint32_t)end, __ATOMIC_RELEASE);
}

bool child_is_due(void)
{
	return child_due_ticks && clock_ticks(entry_clock) >= child_due_ticks && child_entry();
}

void child_look(void)
{
	if (child_is_due())
		live_open_child();
}
