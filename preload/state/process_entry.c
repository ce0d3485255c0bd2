/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of processes that have no log yet. */
#include "preload/state/process_entry.h"

#include <errno.h>
#include <sys/prctl.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/proc_text.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/log/log.h"
#include "preload/common/resources/usage.h"
#include "preload/common/run/shared_log.h"
#include "preload/state/log_space.h"

#define LOG_AFTER_US	5000u		/* only without hooks: shells exec before that */

uint64_t entry_due_ticks;

/* All set before any thread; in a forked child, by its only thread. */
static struct log_header *holder;
static struct log_entry *entry;		/* after a raw clone it may be the parent's entry */
static uint32_t entry_clock;		/* enum log_clock */
static uint32_t own_program;		/* as log_entry.program, for this process's children */
static struct open_calls *calls;	/* private memory */

/* A child that shares the log of programs needs no room here, nor does one that opens a log of its own. */
void entry_make_room(void)
{
	if (holder && holder->kind != LOG_OF_PROGRAMS)
		log_space_for_records(holder);
}

/* Unmap the shared log except for the page of the own entry, to which other tasks may still write. */
static void trim_shared(void)
{
	uintptr_t begin = (uintptr_t)holder, end = begin + holder->map_bytes, kept = (uintptr_t)entry;
	uintptr_t kept_end = kept + entry->record.bytes;

	kept &= ~(uintptr_t)(LIVE_BYTES - 1);
	kept_end = (kept_end + LIVE_BYTES - 1) & ~(uintptr_t)(LIVE_BYTES - 1);
	sys_munmap((void *)begin, kept - begin);
	if (kept_end < end)
		sys_munmap((void *)kept_end, end - kept_end);
}

/*
 * Unmap the part of an ancestor's log that has no file behind it: it would count in our limits. The rest
 * stays mapped, because frames of code that the fork interrupted may point into it.
 */
static void trim_ancestors(void)
{
	uint64_t mapped = holder->map_bytes, end = __atomic_load_n(&holder->file_bytes, __ATOMIC_ACQUIRE);
	uint64_t tail = __atomic_load_n(&holder->tail_bytes, __ATOMIC_ACQUIRE);

	if (end < tail)
		end = tail;
	end = (end + LIVE_BYTES - 1) & ~(uint64_t)(LIVE_BYTES - 1);
	if (end < mapped)
		sys_munmap((char *)holder + end, mapped - end);
}

void entry_have_log(struct log_header *log)
{
	const struct log_entry *own = log ? entry_own() : NULL;

	if (own)
		__atomic_store_n(&entry->has_log, 1, __ATOMIC_RELEASE);
	if (own && holder->kind == LOG_OF_PROGRAMS)
		trim_shared();
	else if (log && holder)
		trim_ancestors();
	if (log)
		entry = NULL;
	live.pid = 0;
	holder = log;
	entry_due_ticks = 0;
}

struct log_entry *entry_own(void)
{
	struct log_entry *own = __atomic_load_n(&entry, __ATOMIC_RELAXED);

	return own && own->pid == (uint32_t)sys_getpid() ? own : NULL;
}

bool entry_is_program(void)
{
	const struct log_entry *own = entry_own();

	return own && own->is_program;
}

struct log_heap *entry_heap(void)
{
	struct log_entry *own = entry_own();

	return own && own->has_heap ? (struct log_heap *)(own + 1) : NULL;
}

bool entry_is_of_vfork_parent(void)
{
	return !live.log && live.pid && live.pid != (uint32_t)sys_getpid();
}

struct log_header *entry_holder(void)
{
	return holder;
}

static void wait_for_log(void)
{
	entry_due_ticks = entry->begin.ticks + holder->threshold_floor_ticks * LOG_AFTER_US;
}

/* An entry with the fields that all entries have. NULL: the log is full. */
static struct log_entry *new_entry(uint32_t heap_bytes, bool has_heap, size_t text_bytes)
{
	const size_t bytes = sizeof(struct log_entry) + (has_heap ? sizeof(struct log_heap) : 0) + text_bytes;
	struct log_clocks begin;
	struct log_entry *made;

	clock_read_all(holder->clock, &begin);
	made = (struct log_entry *)log_new_record(holder, (uint32_t)bytes, begin.ticks);
	if (!made)
		return NULL;
	made->begin = begin;
	made->start_cost_ns = LOG_NONE;
	made->heap_bytes = heap_bytes;
	made->has_heap = has_heap;
	return made;
}

static void publish(struct log_entry *made)
{
	log_publish_entry(holder, made);
	entry = made;
	live.pid = made->pid;
	entry_clock = live.clock = holder->clock;
}

/*
 * Field 22 of /proc/PID/stat. The kernel takes it from the same clock, between the two readings around the
 * fork; reading the file itself is slow.
 */
static uint64_t start_of(uint64_t before_ns)
{
	uint64_t start = clock_ns(CLOCK_BOOTTIME) / PROC_TICK_NS;
	uint32_t ppid;

	if (before_ns / PROC_TICK_NS != start)
		process_parent(PROCESS_SELF, &ppid, &start);
	return start;
}

static void fill_child(struct log_entry *made, const struct fork_origin *origin)
{
	made->pid = (uint32_t)sys_getpid();
	made->ppid = (uint32_t)raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	made->process_start = start_of(origin->before_ns);
	made->thread = entry ? entry->thread : origin->thread;
	made->node = entry ? entry->node : origin->node;
	made->program = holder->kind == LOG_OF_PROGRAMS ? own_program : 0;
	made->heap_before_bytes = origin->heap_before_bytes;
	__atomic_store_n(&holder->newborns[made->pid % LOG_NEWBORNS], made->process_start << 32 | made->pid,
			 __ATOMIC_RELAXED);
}

bool entry_enter_child(const struct fork_origin *origin)
{
	struct log_entry *made;
	bool is_waiting;

	if (!entry)
		calls = origin->calls;
	entry_due_ticks = 0;
	if (!holder)
		return false;
	log_keep_in_memory(NULL);	/* the pages that we touch are not in the ancestor's memory */
	is_waiting = !holder->has_hooks && !calls;
	made = new_entry(is_waiting ? origin->heap_bytes : holder->heap_bytes,
			 is_waiting && origin->counts_heap, 0);
	if (!made) {
		entry = NULL;
		return false;
	}
	fill_child(made, origin);
	publish(made);
	wait_for_log();
	return true;
}

static void fill_program(struct log_entry *made, const struct process_id *id, const char *const *texts)
{
	struct usage_totals totals;
	char *at = (char *)(made + 1) + sizeof(struct log_heap);

	made->pid = id->pid;
	made->ppid = id->ppid;
	made->process_start = id->start;
	made->is_program = 1;
	made->uid = (uint32_t)raw_syscall(SYS_getuid, 0, 0, 0, 0, 0, 0);
	usage_read_totals(&totals);
	made->start_peak_rss_bytes = totals.peak_rss_bytes;
	made->user_ns = totals.user_ns;
	made->system_ns = totals.system_ns;
	for (int i = 0; i < LOG_ENTRY_TEXTS; i++) {
		size_t bytes = text_length(texts[i]) + 1;

		text_copy(at, bytes, texts[i]);
		at += bytes;
	}
}

static int map_shared(struct run *run, const struct process_id *id, uint64_t us_ticks)
{
	int error;

	if (run->shared)
		return 0;
	error = run->page->no_shared_log ? -ENODEV : shared_log_map(run, id);
	return error == -ENOENT ? shared_log_make(run, id, &settings, us_ticks) : error;
}

bool entry_enter_program(struct run *run, const struct process_id *id, const struct facts *facts,
			 uint64_t us_ticks, uint32_t heap_bytes)
{
	char name[16];
	const char *texts[LOG_ENTRY_TEXTS] = { id->program, name, facts->command, facts->exe, facts->cwd };
	struct log_entry *made;
	size_t text_bytes = 0;

	if (map_shared(run, id, us_ticks))
		return false;
	holder = run->shared;
	raw_syscall(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
	for (int i = 0; i < LOG_ENTRY_TEXTS; i++)
		text_bytes += text_length(texts[i]) + 1;
	made = new_entry(heap_bytes, true, text_bytes);
	if (!made) {
		holder = NULL;
		shared_log_leave(run);
		return false;
	}
	fill_program(made, id, texts);
	publish(made);
	own_program = (uint32_t)(((char *)made - (char *)holder) / 8);
	wait_for_log();
	return true;
}

static const char *text_of(const struct log_entry *of, enum log_entry_text which)
{
	const char *text = (const char *)(of + 1) + sizeof(struct log_heap);

	for (int i = 0; i < (int)which; i++)
		text += text_length(text) + 1;
	return text;
}

void entry_facts(const struct log_entry *of, struct facts *facts)
{
	facts->command = text_of(of, LOG_ENTRY_COMMAND);
	facts->exe = text_of(of, LOG_ENTRY_EXE);
	facts->cwd = text_of(of, LOG_ENTRY_CWD);
}

struct open_calls *entry_take_calls(void)
{
	struct open_calls *taken = calls;

	calls = NULL;
	return taken;
}

/* The second number of statm: pages in memory. */
static uint64_t read_rss_bytes(void)
{
	char content[64];
	const char *at = content;
	uint64_t pages = 0;

	if (read_file("/proc/self/statm", content, sizeof(content)) > 0 && text_read_u64(&at, &pages) == 0)
		text_read_u64(&at, &pages);
	return pages * holder->page_bytes;
}

void entry_mark_end(enum log_end end, int status)
{
	struct log_entry *own = entry_own();
	struct usage_totals totals;

	if (!own || live_is_sealed())
		return;
	if (end == LOG_EXITED) {
		usage_read_totals(&totals);
		/*
		 * The kernel's peak may be that of an earlier program of the pid, a shell. Then the current
		 * value is a lower bound.
		 */
		if (own->is_program && totals.peak_rss_bytes <= own->start_peak_rss_bytes) {
			totals.peak_rss_bytes = read_rss_bytes();
			own->start_peak_rss_bytes = 0;
		}
		own->user_ns = totals.user_ns;
		own->system_ns = totals.system_ns;
		own->peak_rss_bytes = totals.peak_rss_bytes;
		clock_read_all(entry_clock, &own->finish);
		own->end_status = status;
	}
	__atomic_store_n(&own->end, (uint32_t)end, __ATOMIC_RELEASE);
}

bool entry_is_due(void)
{
	return entry_due_ticks && clock_ticks(entry_clock) >= entry_due_ticks && entry_own();
}

void entry_look(void)
{
	if (entry_is_due())
		live_open_child();
}
