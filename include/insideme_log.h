/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log: what the recording side (preload/) writes and the reading side (analyzer/) reads.
 *
 * The file is the recorder's working state itself, mapped shared into the program, so that whatever
 * the recorder knows is in the file at all times. doc/log-format.md describes it field by field; only
 * this header knows an offset.
 *
 * Words used everywhere:
 *   call path   the chain of functions from a thread's start to a call
 *   node        one distinct call path of one thread, with its counters; the nodes form the call tree
 *   frame       one call that is open now
 *   slice       one finished call that lasted at least the threshold
 *   row         one resource sample: numbers under named columns
 *   total time  inclusive time of a call; self time: total less the time in functions it called
 *   ticks       the log's clock: the CPU's time-stamp counter, or CLOCK_MONOTONIC in ns
 *   ref         a place in the log: file offset / 64 as uint32_t, 0 for none
 *   _addr       an address in the recorded process; in the log's own range if it is in
 *               [base_addr, base_addr + map_bytes): subtract base_addr to get the file offset
 */
#ifndef INSIDEME_LOG_H
#define INSIDEME_LOG_H

#include <stdint.h>

#define LOG_MAGIC		0x474f4c454d534e49u	/* "INSMELOG" as little-endian bytes */
#define LOG_VERSION		2
#define LOG_BYTE_ORDER		0x01020304u
#define LOG_HEADER_BYTES	4096
#define LOG_REF_SHIFT		6			/* ref = offset >> LOG_REF_SHIFT */
#define LOG_AREA_MAGIC		0x41524541u		/* "AREA" */
#define LOG_AREA_ALIGN		4096			/* areas begin and end at multiples of this */
#define LOG_LAUNCH_ID_BYTES	64
#define LOG_NONE		UINT64_MAX		/* a value that could not be read */
/* A file of a run that begins with this continues with the path of its log, and \n */
#define LOG_POINTER		"INSIDEME LOG AT "
#define LOG_SHARED		/* written by several, or read while it changes: use the __atomic builtins */

/* insideme-run writes the second; all programs of a run on one host share the third, see struct log_entry. */
enum log_kind { LOG_OF_PROGRAM = 1, LOG_OF_MONITOR = 2, LOG_OF_PROGRAMS = 3 };
enum log_clock { LOG_CLOCK_TSC = 1, LOG_CLOCK_MONOTONIC = 2 };
/* Adaptive: of logs before timing `auto` only. */
enum log_timing { LOG_TIMING_EXACT = 1, LOG_TIMING_COUNTS = 2, LOG_TIMING_ADAPTIVE = 3, LOG_TIMING_AUTO = 4 };
/*
 * How bytes of the heap are counted. Usable: malloc_usable_size of the block, without the map of
 * live blocks. Requested: as requested, with that map. Sampled: usable, but call paths are those of
 * sampled allocations and hold estimates; only the roots of threads count exactly.
 */
enum log_heap_bytes { LOG_HEAP_OFF = 0, LOG_HEAP_USABLE = 1, LOG_HEAP_REQUESTED = 2, LOG_HEAP_SAMPLED = 3 };

/* The action when the process's memory reaches memory_limit_bytes, after the event. */
enum log_memory_action { LOG_MEMORY_STACK, LOG_MEMORY_STOP, LOG_MEMORY_ABORT };
#define LOG_MARK_SHARE	8

#define LOG_SNAPSHOT_HEAP	1u	/* in the slice */
#define LOG_SNAPSHOT_RSS	2u	/* in rows of the set "memory", every ms while slices are written */
#define LOG_SNAPSHOT_EVERY	4u	/* RSS and VMS in the slice, as read at entry and exit */

enum log_end {
	/* No end yet: running, killed, or exec'ed; then the pid's next log continues */
	LOG_RUNNING = 0,
	LOG_EXITED,		/* end_status is the exit status */
	LOG_TURNED_OFF,		/* the recorder gave up; a text record says why */
};

/* Losses and repairs, counted in log_header.losses. The reader shows all that are not 0. */
enum log_loss {
	LOG_LOST_EARLY_CALLS,		/* calls before the recorder was ready */
	LOG_LOST_FRAMES,		/* calls counted but not timed: no room for their frame */
	LOG_LOST_UNKNOWN_EXITS,		/* exits of functions that were not open */
	LOG_LOST_BROKEN_CALLS,		/* calls ended without an exit (longjmp, exception, thread end) */
	LOG_LOST_SLICES,		/* slices not written: no room, or signal handlers nested too deep */
	LOG_LOST_PATHS,			/* call paths folded under "(other paths)" */
	LOG_LOST_CALLS,			/* calls not recorded at all */
	LOG_LOST_RECORDS,		/* events, modules, texts for which there was no room */
	LOG_LOST_ROWS,			/* resource samples for which there was no room */
	LOG_LOST_GROWTH,		/* times that the file could not grow */
	LOG_LOST_HEAP_CALLS,		/* allocations and frees that were not counted */
	LOG_LOST_PROCESSES,		/* forked children for which no log could be made */
	LOG_LOST_SAMPLES,		/* CPU samples for which there was no room */
	LOG_LOST_SAMPLED_THREADS,	/* threads that the kernel gave no timer for samples */
	LOG_LOST_SWITCHES,		/* context switches that came faster than they were read */
	LOG_LOST_FORKS_IN_HOOKS,	/* children of forks in a signal handler that interrupted a hook */
	LOG_LOST_WAITS,			/* library calls of which it is not known what they waited for */
	LOG_LOST_TRANSFERS,		/* MPI calls that communicate, but have no record of their own */
	/* For stacks that insideme-run takes: */
	LOG_LOST_STACK_ENDS,		/* those whose outermost functions are missing */
	LOG_LOST_WOKEN,			/* those of threads that began to run meanwhile */
	LOG_LOST_LINE_COUNTS,		/* source files whose counts of lines had no room */
	LOG_LOST_PAGE_FAULTS,		/* page faults that came faster than they were read, or had no room */
	LOG_LOST_STACK_COPIES,		/* stacks that could not be copied, or had no room */
	LOG_LOST_CALL_PLACES,		/* calls whose calling place had no room */
	LOG_LOST_LINE_EVENTS,		/* line events for which there was no room */
	/* Call sites of counted functions that go on to the hook: */
	LOG_LOST_SITES_UNKNOWN,		/* they call it by a register, or their code is of no known file */
	LOG_LOST_SITES_ROOM,		/* there was no counter, no stub or no record for them */
	LOG_LOST_SITES_DETOURS,		/* they cross a line of the cache, and no detour to a stub was left */
	LOG_LOST_TRACED,		/* stacks of running threads that a debugger or tracer has */
	LOG_LOSSES,
	LOG_LOSSES_MAX = 32,
};

/* One reading of all clocks at once. */
struct log_clocks {
	uint64_t ticks;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
};

/* The cost of the two hooks of a call, and of a counted block of the heap, measured at start. */
enum log_cost_kind {
	LOG_COST_TIMED,			/* a call that is timed */
	LOG_COST_UNTIMED,		/* one that is counted only */
	LOG_COST_RECORDED,		/* one that is timed and gets a slice */
	/* A block, with LOG_HEAP_REQUESTED: all of its cost is in the function that allocates it */
	LOG_COST_ALLOCATION,
	LOG_COST_FREE,			/* that allocates or frees it */
	/* What the program's own code does around hooks that return at once: arguments, saved registers */
	LOG_COST_AROUND,
	LOG_COSTS,
	LOG_COSTS_MAX = 8,
};
#define LOG_COST_SHIFT		8	/* in units of 1/256 tick */
struct log_cost {
	uint32_t full;			/* the whole cost */
	uint32_t inside;		/* of that, between the call's own two readings of the clock */
	uint32_t spread;		/* between the quartiles of several measurements of full */
	uint32_t reserved;
};

/* Stacks of all threads but one, by insideme-run. It wakes the thread that waits for the last value. */
enum log_stacks_wanted { LOG_STACKS_NOT_WANTED, LOG_STACKS_WANTED, LOG_STACKS_BEGUN, LOG_STACKS_TAKEN };

/* The first page of the file. Written once unless noted; magic is written last. */
#define LOG_NEWBORNS	8
#define LOG_FOCUS_BYTES	1024
struct log_header {
	uint64_t magic;
	uint32_t version;
	uint32_t byte_order;
	uint32_t header_bytes;
	uint32_t kind;			/* enum log_kind */
	uint64_t base_addr;		/* where the program has the file mapped */
	uint64_t map_bytes;	/* the budget, areas end before it; cut when the program limits its memory */

	uint32_t pid;
	uint32_t ppid;
	uint32_t uid;
	uint32_t exec_count;		/* images this pid has exec'ed before under the recorder */
	uint64_t process_start;		/* field 22 of /proc/PID/stat, clock ticks after boot */
	char boot_id[40];		/* /proc/sys/kernel/random/boot_id */
	char host[64];
	char program[64];		/* base name of the executable, cut */
	int32_t rank;			/* -1: none in the environment */
	int32_t nr_ranks;		/* -1: none, or not known */

	uint32_t clock;			/* enum log_clock */
	uint32_t timing;		/* enum log_timing */
	uint32_t heap_bytes;		/* enum log_heap_bytes */
	uint32_t slice_shift;		/* slices hold ticks >> slice_shift */
	LOG_SHARED uint32_t has_hooks;	/* 1: a loaded object imports the entry hook, or a hook was called */
	uint32_t page_bytes;
	struct log_clocks start;	/* in the constructor */
	struct log_clocks start_again;	/* a moment later: a first tick rate */

	/* Recorder's own cost, measured by the sampler; LOG_NONE: not measured. */
	uint64_t start_cost_ns;		/* time in our constructor */
	LOG_SHARED uint64_t sampler_cpu_ns;	/* CPU time of the sampling so far */
	LOG_SHARED uint64_t sampler_rows;		/* rows it has read */
	uint32_t sampler_kind;		/* 0: none, 1: a thread of the library, 2: insideme-run */
	uint32_t sampler_tid;

	uint64_t interval_ns;		/* between process rows, as set */
	uint64_t threshold_set_ns;	/* INSIDEME_THRESHOLD as set; threshold_ticks is what is in force */
	uint64_t threshold_floor_ticks;	/* 1 us: where a threshold of 0 is raised to */
	uint32_t snapshot;		/* LOG_SNAPSHOT_ bits: which memory values each slice has */
	int32_t local_rank;		/* among the ranks of this host; -1: none, or not known */
	uint32_t is_rank_child;		/* 1: a process that the rank started, not the rank itself */
	/* > 0: only 1 window of the heap in 2^heap_shift is known; frees are extrapolated */
	LOG_SHARED uint32_t heap_shift;
	/* The map of live blocks, which is the recorder's memory */
	LOG_SHARED uint64_t heap_map_bytes;
	uint32_t sample_interval_ns;	/* of CPU time between a thread's samples; 0: none are taken */
	uint32_t memory_action;		/* enum log_memory_action */
	uint64_t memory_limit_bytes;	/* INSIDEME_MAX_MEMORY, 0: none */
	LOG_SHARED uint32_t memory_passed;	/* 1: memory has reached the limit, see LOG_EVENT_MEMORY */
	uint32_t heap_sample_bytes;	/* LOG_HEAP_SAMPLED: mean number of bytes between two samples */
	/* LOG_SNAPSHOT_EVERY: how much of the log is in the process's memory */
	LOG_SHARED uint64_t resident_bytes;

	/*
	 * The fields from here on change while the program runs. Each kind of writer has a line of
	 * its own.
	 */
	_Alignas(64) LOG_SHARED uint64_t threshold_ticks;	/* shortest call that gets a slice, now */
	LOG_SHARED uint64_t next_step_bytes;	/* tail_bytes at which threshold_ticks rises next */

	/* Live heap of the process, less what threads have not yet added */
	_Alignas(64) LOG_SHARED int64_t heap_total_bytes;
	/* The part inherited at the fork, or from before the map of live blocks */
	int64_t heap_before_bytes;
	/* Blocks that are not in the map: older ones, or another allocator's */
	LOG_SHARED uint64_t heap_unknown_frees;
	LOG_SHARED int64_t heap_peak_bytes;	/* the highest live heap so far, with what threads held */
	LOG_SHARED uint64_t heap_peak_number;	/* how often it has risen, see log_heap.peak_number */
	LOG_SHARED uint64_t heap_peak_ticks;	/* when it did last, */
	/* By which thread, and on which call path of it, refs; 0: not known */
	LOG_SHARED uint32_t heap_peak_thread;
	LOG_SHARED uint32_t heap_peak_node;
	LOG_SHARED uint64_t newest_ticks;	/* the clock at the sampler's last look; it dates blocks */

	/* The file ends here; no process touches a page beyond */
	_Alignas(64) LOG_SHARED uint64_t file_bytes;
	LOG_SHARED uint64_t tail_bytes;		/* areas lie in [header_bytes, tail_bytes) */
	LOG_SHARED uint32_t nr_threads;		/* threads so far; several may share a record */
	LOG_SHARED uint32_t end;			/* enum log_end */
	int32_t end_status;
	LOG_SHARED uint32_t records;		/* ref of the newest records area */
	LOG_SHARED uint32_t stacks;		/* ref of the newest stack, see log_frames.next_stack */
	/* 1: the map of live blocks began with the first hook; paths with peak_number 0 are not in it */
	uint32_t heap_began_late;
	struct log_clocks finish;		/* at end; all 0 before */

	_Alignas(64) LOG_SHARED uint64_t losses[LOG_LOSSES_MAX];

	/* The same in all ranks of a launch; "": none, or not known */
	char launch_id[LOG_LAUNCH_ID_BYTES];
	/* Ref of the newest thread's record, see log_thread.next_thread */
	_Alignas(64) LOG_SHARED uint32_t threads;
	LOG_SHARED uint32_t nr_thread_areas;	/* such records */
	LOG_SHARED uint32_t next_thread_look;	/* where a new thread begins to look for a free record */
	LOG_SHARED uint32_t clones;	/* as threads, for tasks that run with another task's TLS block */
	/* Ref of the newest free stack, see log_frames.next_free; high half: changes */
	LOG_SHARED uint64_t free_stacks;

	/* From getrusage(); the peak includes the log's pages. */
	/* When the log began: of the pid's earlier images, or of the parent after vfork */
	uint64_t start_peak_rss_bytes;
	uint64_t finish_user_ns;	/* at the end; all three 0 before */
	uint64_t finish_system_ns;
	uint64_t finish_peak_rss_bytes;

	struct log_cost costs[LOG_COSTS_MAX];	/* of a call, by enum log_cost_kind; all 0: not measured */
	/* Marks, counters and spans; they may use 1/LOG_MARK_SHARE of map_bytes */
	LOG_SHARED uint64_t mark_bytes;

	LOG_SHARED uint64_t off_since_ticks;	/* recording of calls has been off since then; 0: it is on */
	LOG_SHARED uint64_t off_ticks;		/* how long it was off before */
	LOG_SHARED uint64_t nr_switches;	/* off, or on again */

	LOG_SHARED uint32_t several_boots;	/* of LOG_OF_PROGRAMS: as log_run's */
	LOG_SHARED uint32_t entries;		/* the newest struct log_entry: offset / 8, 0: none */
	/* The last children with an entry here, at pid % LOG_NEWBORNS: process_start << 32 | pid */
	LOG_SHARED uint64_t newborns[LOG_NEWBORNS];
	LOG_SHARED uint64_t heap_reserved_bytes;	/* address space of the map of live blocks */
	/* No transfer that began before this was lost; 0: no such instant */
	LOG_SHARED uint64_t transfers_end_ticks;
	LOG_SHARED uint32_t nr_routes;	/* struct log_messages so far */
	/* 1: insideme-run took the samples, each sample_interval_ns of time, not of CPU time */
	LOG_SHARED uint32_t samples_are_of_time;
	LOG_SHARED uint32_t line_counts;	/* ref of the newest struct log_line_counts, 0: none */
	LOG_SHARED uint32_t page_faults;	/* ref of the newest struct log_page_faults, 0: none */
	LOG_SHARED uint32_t stacks_wanted;	/* enum log_stacks_wanted: insideme-run is asked for them */
	LOG_SHARED uint32_t stacks_tid;		/* of the thread that asks; it has copied its own; 0: none */
	uint64_t last_calls;		/* INSIDEME_LAST: slices of a stream that count, the newest; 0: all */
	/* Times that the focus changed after the start; calls outside of the focus then are not recorded */
	LOG_SHARED uint64_t focus_changes;
	/*
	 * insideme-run --pid --focus: wishes so far, those that the process has fulfilled, and the last one
	 */
	LOG_SHARED uint32_t focus_wanted;
	LOG_SHARED uint32_t focus_seen;
	LOG_SHARED char focus[LOG_FOCUS_BYTES];
	/* Above it, heap_total_bytes with what a thread holds back, the thread looks for a peak */
	LOG_SHARED int64_t heap_look_bytes;
	/* CPU time at @start: of exec, the dynamic linker and the images before; 0: not known */
	uint64_t start_cpu_ns;
	uint64_t exiting_ticks;	/* the recorder began to end its work, in the exit; 0: not yet */
	uint64_t exiting_thread; /* ref of the thread whose exit that was; 0: it has no record */
	uint64_t heap_map_most_bytes; /* the most that heap_map_bytes has been */
	uint64_t long_bytes; /* the file is that long, behind file_bytes without blocks; 0: not longer */
};
_Static_assert(sizeof(struct log_header) <= LOG_HEADER_BYTES, "the header is one page");

enum log_area_kind {
	LOG_AREA_THREAD = 1,	/* struct log_thread */
	LOG_AREA_FRAMES,	/* struct log_frames, frames */
	LOG_AREA_NODES,		/* struct log_area, log_node[] */
	LOG_AREA_HEAPS,		/* struct log_area, log_heap[] */
	LOG_AREA_SLICES,	/* struct log_slices, bytes */
	LOG_AREA_ROWS,		/* struct log_rows, columns, rows */
	LOG_AREA_RECORDS,	/* struct log_area, records, each with struct log_record at its head */
	LOG_AREA_INDEX,		/* struct log_index, u64[] */
	LOG_AREA_SAMPLES,	/* struct log_area, log_sample[] */
	LOG_AREA_ERRORS,	/* struct log_errors */
	/* Struct log_area, log_memory_reading[] of one area's frames; [0] belongs to the sentinel */
	LOG_AREA_READINGS,
	LOG_AREA_SCRATCH,	/* of no meaning: where hooks ran to be measured */
	/* struct log_area, u64[LOG_COUNTERS]: calls that a thread made at the site of each struct log_site */
	LOG_AREA_COUNTERS,
	/* the same: of these, calls made while recording was off; while it is, less the calls until then */
	LOG_AREA_UNCOUNTED,
	LOG_AREA_WAITS,		/* struct log_area, log_wait[] */
	LOG_AREA_TRANSFERS,	/* struct log_transfers, bytes */
	LOG_AREA_LINE_COUNTS,	/* struct log_line_counts */
	LOG_AREA_PAGE_FAULTS,	/* struct log_page_faults */
	LOG_AREA_STACK_COPY,	/* struct log_stack_copy, bytes */
	LOG_AREA_OLD_PLACES,	/* struct log_area, log_call_place[]; of logs before LOG_AREA_CALL_PLACES */
	LOG_AREA_BLOCKED,	/* struct log_area, log_blocked[] */
	LOG_AREA_LINE_EVENTS,	/* struct log_area, log_line_event[] */
	LOG_AREA_CALL_PLACES,	/* struct log_area, log_node[], see LOG_PLACE */
};

/*
 * Head of each area. An offset may have no valid head: the process was killed between claiming room
 * and writing the head, or the log is damaged. Then a reader goes on at the next multiple of
 * LOG_AREA_ALIGN. A real head has its own ref in self.
 */
struct log_area {
	uint32_t magic;			/* LOG_AREA_MAGIC, written last */
	uint32_t self;			/* ref of this area */
	uint32_t kind;			/* enum log_area_kind */
	uint32_t owner;			/* ref of the thread's area, 0: the process */
	uint64_t bytes;			/* size with this head */
	/* In use, with this head; may exceed bytes when writers found no room */
	LOG_SHARED uint64_t used_bytes;
	uint32_t next;			/* ref of the writer's next area of this kind, 0 if none */
	uint32_t record_bytes;		/* size of one record if all have the same size, otherwise 0 */
	/*
	 * Of frames: ref of their readings; of counters: of what is not to be counted; of a thread: of its
	 * newest call places; 0: none
	 */
	uint32_t beside;
	uint32_t line_events;		/* of a thread: ref of its newest line events; 0: none */
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct log_area) == 64, "an area's head is one line");

/*
 * One distinct call path of one thread. calls counts finished calls; the reader adds the open
 * frames. A retired node's function was unloaded: the address may belong to another function by
 * now.
 *
 * Adaptive timing: of each block of 2^shift calls, one is timed and stands for all. It counts
 * 2^shift times in total_ticks, squares and the histogram. child_ticks gets such shares of all
 * calls that were made from here.
 */
#define LOG_BUCKETS		38
#define LOG_SHIFT_MAX		7
#define LOG_VARIANCE_SHIFT	10
#define LOG_FUNCTION_RETIRED	(1ull << 63)	/* in log_node.function_addr */
#define LOG_FUNCTION_OTHERS	(1ull << 62)	/* the node "(other paths)" itself */
/* No address, but a region of the source: log_label.number << LOG_REGION_SHIFT */
#define LOG_FUNCTION_REGION	(1ull << 61)
/* Like functions, which begin at multiples of 16: spreads over the cache */
#define LOG_REGION_SHIFT	4
/* A region without a label: calls that began while recording was off */
#define LOG_FUNCTION_GAP	LOG_FUNCTION_REGION
/* With LOG_FUNCTION_REGION: a library call that waits, named by its label; enum log_wait_kind beside it */
#define LOG_FUNCTION_WAIT	(1ull << 44)
#define LOG_WAIT_KIND_SHIFT	40
#define LOG_WAIT_KIND_MASK	0xfull
static inline int log_is_wait(uint64_t function_addr)
{
	const uint64_t flags = LOG_FUNCTION_REGION | LOG_FUNCTION_WAIT;

	return (function_addr & flags) == flags;
}

/* The label of a region or of a library call. */
static inline uint64_t log_region_label(uint64_t function_addr)
{
	return (function_addr & ((1ull << LOG_WAIT_KIND_SHIFT) - 1)) >> LOG_REGION_SHIFT;
}
/*
 * With LOG_FUNCTION_REGION: a thread's part of a parallel region that another thread began. No label, but the
 * ref of the node that the other thread was in, << LOG_REGION_SHIFT.
 */
#define LOG_FUNCTION_TEAM	(1ull << 45)
#define LOG_NAME_OF_TEAMS	"(other threads)"	/* for people */
static inline uint64_t log_team_function(uint32_t starter)
{
	return LOG_FUNCTION_REGION | LOG_FUNCTION_TEAM | (uint64_t)starter << LOG_REGION_SHIFT;
}

/* The ref of the node, 0: it is no such function. */
static inline uint32_t log_team_starter(uint64_t function_addr)
{
	const uint64_t flags = LOG_FUNCTION_REGION | LOG_FUNCTION_TEAM;

	return (function_addr & flags) == flags ? (uint32_t)(function_addr >> LOG_REGION_SHIFT) : 0;
}
/* Not a function's first instruction: the place in it that its call of the next function comes from */
#define LOG_FUNCTION_CODE	(1ull << 60)
#define LOG_FUNCTION_MODULE_SHIFT 48	/* 12 bits of a retired function: log_module.number, 0: not known */
#define LOG_FUNCTION_MODULE_MAX	0xfffull
#define LOG_FUNCTION_FLAGS	(LOG_FUNCTION_RETIRED | LOG_FUNCTION_OTHERS | LOG_FUNCTION_CODE | \
				 LOG_FUNCTION_MODULE_MAX << LOG_FUNCTION_MODULE_SHIFT)
struct log_node {
	uint64_t function_addr;	/* as the hook got it, with flags; or a region; 0: the thread's root */
	uint32_t parent;		/* ref of the caller's node; 0 for the root */
	LOG_SHARED uint32_t child;	/* ref of the first child, published with release; or LOG_PLACE */
	uint32_t next;			/* ref of the next sibling */
	uint32_t heap;			/* ref of its first log_heap, with its frees; 0: none */
	uint64_t calls;
	uint64_t untimed_calls;		/* of calls, those that were counted only */
	uint64_t child_ticks;		/* of total, in functions it called */
	union {
		uint64_t reserved_adaptive;
		uint64_t begin_addr;	/* LOG_FUNCTION_CODE: where the function begins; 0: not written */
		struct {		/* the recorder's own, timing auto: not in the function's sums yet */
			uint32_t function;	/* its place in the recorder's table, 0: it has none */
			uint16_t window_calls;
			uint8_t window_heap;	/* of these calls: allocated beneath, */
			uint8_t window_longs;	/* lasted long */
		};
		struct {		/* of a library call that waits */
			uint32_t reserved_cost;
			uint16_t cost_calls;	/* in which cost_ticks was measured; halved at 2^15 */
		};
	};
	uint64_t total_ticks;
	uint64_t min_ticks;		/* UINT64_MAX before the first; min and max are of timed calls */
	uint64_t squares[2];		/* sum of squared durations, low and high word */
	uint64_t max_ticks;
	union {
		uint64_t variance;	/* adaptive: of total_ticks, in 2^LOG_VARIANCE_SHIFT ticks^2 */
		struct {		/* the recorder's own, timing auto */
			uint32_t window_ticks;
			uint32_t caller;	/* ref of the node that was the thread's current one */
		};
		uint32_t cost_ticks;	/* what it took to record cost_calls, outside of their own time */
	};
	/* [i]: calls of [2^i, 2^(i+1)) ticks; the first also 0, the last also longer ones */
	uint32_t histogram[LOG_BUCKETS];
};
_Static_assert(sizeof(struct log_node) == 256, "a node is four lines");

/* The function of a path's last call, with flags. */
static inline uint64_t log_node_function(const struct log_node *node)
{
	const uint64_t flags = node->function_addr & LOG_FUNCTION_FLAGS & ~LOG_FUNCTION_CODE;

	if (!(node->function_addr & LOG_FUNCTION_CODE))
		return node->function_addr;
	return node->begin_addr ? node->begin_addr | flags : node->function_addr & ~LOG_FUNCTION_CODE;
}

/* Calls that were timed: one counter less on the hot path. */
static inline uint64_t log_node_timed_calls(const struct log_node *node)
{
	return node->calls > node->untimed_calls ? node->calls - node->untimed_calls : 0;
}

/*
 * Heap use of one call path: of its function itself, not of the functions it called. With the map
 * of live blocks (LOG_HEAP_REQUESTED) a free also counts at the path that allocated the block, as
 * "released". The record's own thread does that without a locked instruction; other threads have a
 * line of their own.
 *
 * LOG_HEAP_SAMPLED: a sampled block of s bytes counts 1 / p times, p = 1 - exp(-s /
 * heap_sample_bytes), and adds s^2 (1 - p) / p^2 to the variance of the bytes, in units of
 * heap_sample_bytes^2 / 2^LOG_SAMPLE_VARIANCE_SHIFT.
 */
#define LOG_SAMPLE_VARIANCE_SHIFT	16
/* [i]: allocations of up to 16 << i bytes; the last one: all larger ones */
#define LOG_HEAP_SIZES		24
/* [0]: born in the first 2^28 ticks of the log; [i]: before 2^(28 + i); the last: later */
#define LOG_HEAP_BIRTHS		16
#define LOG_HEAP_BIRTH_SHIFT	28
/* Depth of the tree of a path's callers, below its first record */
#define LOG_HEAP_CALLER_LEVELS	7
struct log_heap {
	uint32_t node;
	uint32_t thread;		/* ref of the path's thread */
	uint64_t alloc_calls;
	uint64_t alloc_bytes;
	uint64_t free_calls;		/* frees done by this path, of blocks of any path */
	uint64_t freed_bytes;
	uint64_t failed_calls;		/* allocations that returned NULL */
	uint64_t largest_bytes;		/* largest single allocation */
	/* Blocks of this path that were freed while they were the thread's newest */
	uint64_t temporary_calls;

	/* Freed blocks of this path; freed by the record's thread, or older than the map */
	uint64_t released_calls;
	uint64_t released_bytes;
	/* log_header.heap_peak_number when the path was last touched; written last */
	LOG_SHARED uint64_t peak_number;
	LOG_SHARED uint64_t peak_calls;	/* its live blocks at that peak. After a later peak: those of now */
	LOG_SHARED uint64_t peak_bytes;
	uint64_t nr_samples;		/* sampled: allocations whose stack was taken */
	uint64_t variance;	/* of alloc_bytes; minus released_variance it is that of the live blocks */
	LOG_SHARED uint64_t peak_variance;	/* and of peak_bytes */

	uint64_t sizes[LOG_HEAP_SIZES];
	/* Blocks by time of allocation, less those that the thread freed */
	uint32_t births[LOG_HEAP_BIRTHS];

	/* As the three above, of frees by other threads: to be subtracted */
	LOG_SHARED uint64_t others_calls;
	LOG_SHARED uint64_t others_bytes;
	/* The live blocks that the C and C++ runtimes keep for themselves */
	LOG_SHARED uint64_t runtime_calls;
	LOG_SHARED uint64_t runtime_bytes;
	LOG_SHARED uint64_t released_variance;	/* of the blocks that any thread freed */
	/* Live blocks: where the program goes on after it called the allocator; 0: libc called it */
	uint64_t caller_addr;
	/* Refs of the path's records of other callers, a binary tree by their hash; 0: none */
	LOG_SHARED uint32_t others[2];
	uint32_t has_many;		/* 1, in the path's first record: it stands for several callers */
	uint32_t is_usual;		/* 1: caller_addr is known to be no function of the runtimes */
	LOG_SHARED uint32_t others_births[LOG_HEAP_BIRTHS];
};
_Static_assert(sizeof(struct log_heap) == 512, "a heap record is eight lines");

/*
 * One open call. The topmost frame of a thread counts only if its node is the thread's current one.
 * Otherwise it is being pushed or popped.
 */
struct log_frame {
	uint64_t function_addr;		/* 0: the sentinel at the bottom of each frames area */
	uint64_t stack_addr;		/* frame address of the entry hook */
	union {
		uint32_t return_low;	/* low half of the entry hook's return address */
		uint32_t nr_calls;	/* of LOG_FUNCTION_GAP: calls in it that are open */
	};
	union {
		uint32_t wait;		/* of LOG_FUNCTION_WAIT: offset / 8 of its struct log_wait, 0: none */
		uint32_t site_low;	/* of a function, with call places: low half of the call_site */
	};
	uint64_t start_ticks;		/* 0: it is not timed */
	uint64_t child_ticks;		/* so far, of calls that have ended */
	int64_t thread_heap_bytes;	/* log_thread.heap_bytes at entry */
	int64_t heap_bytes;		/* the process's heap as known to the thread at entry */
	uint32_t node;
	uint32_t parent;		/* ref of the node that the thread was in before */
};
_Static_assert(sizeof(struct log_frame) == 64, "a frame is one line");

/* INSIDEME_SNAPSHOT=rss:every: the process's memory, without the recorder's, when a call began. */
struct log_memory_reading {
	uint64_t rss_bytes;		/* LOG_NONE: not read */
	uint64_t vms_bytes;
};

/*
 * Frames of one stack (a thread's own, a coroutine's, a signal stack) in a chain of areas. The
 * first area (stack == head.self) stands for the stack; the fields marked * count only there. The
 * frames follow the head: [0] is a sentinel, the open ones are [1] up to the top.
 */
struct log_frames {
	struct log_area head;		/* owner: the thread that runs it, or ran it last */
	uint32_t stack;			/* ref of the stack's first area */
	uint32_t below;			/* ref of the area with the frames below these, 0 in the first */
	uint64_t stack_low_addr;	/* * the stack's memory */
	uint64_t stack_bytes;		/* * */
	uint64_t top_addr;		/* * its top frame while no thread runs on it */
	uint64_t left_ticks;		/* * when it was left, 0 while a thread runs on it */
	uint32_t current;		/* * its current node while no thread runs on it */
	uint32_t next_stack;		/* * ref of the process's next stack */
	uint32_t is_signal;		/* * 1: a stack for signal handlers, left when its last call ends */
	uint32_t interrupted;		/* * ref of the stack that such a handler interrupted, 0: of none */
	uint16_t is_own;		/* * 1: the thread's own stack, whose calls begin at the root */
	uint16_t is_mapping;		/* * 1: its memory is a mapping that may hold other stacks too */
	uint32_t next_free;		/* * ref of the next free stack (owner 0) */
};
_Static_assert(sizeof(struct log_frames) == 128, "frames begin at a line");

/*
 * A thread: its state, its root node and the cache in front of its call tree. In a log of many
 * threads, a new thread takes over the record of one that is gone. Then the tree and heap_bytes are
 * sums, begin_ticks is the first thread's, and all else belongs to the last thread alone.
 */
#define LOG_NAME_MAX		32
#define LOG_CACHE_ENTRIES	1024
struct log_thread {
	struct log_area head;
	struct log_node root;		/* the empty call path: time and memory outside of all functions */

	uint64_t top_addr;		/* the top frame of the stack it runs on */
	uint64_t limit_addr;		/* no frame at or above this */
	uint64_t stack_low_addr;	/* the stack it runs on */
	uint64_t stack_bytes;
	uint64_t pending_addr;	/* histogram bucket of the last finished call, counted at the next exit */
	uint32_t current;		/* ref of the node it is in */
	uint32_t frames;		/* ref of the first frames area of the stack it runs on, 0 before */
	int64_t heap_bytes;		/* allocated less freed by this thread */
	int64_t heap_held_bytes;	/* the part that is not yet in log_header.heap_total_bytes */

	uint32_t slices[2];	/* newest slice area of each stream; [1]: of signal handlers during a write */
	uint32_t slice_depth;		/* streams in use now */
	uint32_t tid;
	uint32_t serial;		/* 0: the first thread of the log */
	LOG_SHARED uint32_t nr_threads;	/* threads that shared this record one after the other */
	uint64_t begin_ticks;
	LOG_SHARED uint64_t end_ticks;	/* 0: has not ended */
	uint64_t begin_function_addr;	/* of pthread_create, 0 for main */
	char name[LOG_NAME_MAX];

	uint64_t overflow_depth;	/* calls open for which there is no frame */
	uint64_t overflow_addr;		/* stack address of the first of them */
	uint32_t others;		/* ref of "(other paths)", 0: none yet */
	uint32_t nodes;			/* ref of the newest nodes area */
	uint32_t heaps;			/* ref of the newest heaps area */
	/* > 0: in an allocator's function, whose own allocations do not count. Bit 31: in setlocale() */
	uint32_t heap_inside;
	uint64_t slice_second_ticks;	/* start of the second whose slice bytes are counted */
	uint64_t slice_second_bytes;
	/* Stack address of code that is changing its stacks; a handler's hooks are dropped */
	uint64_t repair_addr;
	LOG_SHARED uint32_t claim;	/* nr_threads; 0 while another than this thread changes the record */
	uint32_t next_thread;		/* ref of the record made before this one, 0: the first */
	uint32_t has_stacks;		/* 1: it ran on other stacks than its own */
	uint32_t is_kept;		/* 1: coroutines wait in it: no other thread takes it over */
	uint32_t is_clone;	/* 1: the place of its stack cannot be known; all its calls have one stack */
	char earlier_name[16];		/* of the threads before the last one; "": they had several */
	uint32_t index;			/* ref of the largest table of its nodes, 0: none yet */
	uint32_t latest;		/* the node looked up last beside the cache, 0: none yet */
	uint32_t callbacks;		/* of the program that run now: insideme_on_call() */
	uint64_t heap_last_addr;	/* the newest block, until it is freed */
	uint32_t samples;		/* ref of the newest samples area */
	/* The kernel's number of its timer, plus 1; 0: it is not sampled */
	LOG_SHARED uint32_t sample_timer;
	uint32_t counters;		/* timing auto: ref of its counters; 0: it has none yet */
	uint32_t waits;			/* ref of the newest waits area, 0: none yet */
	uint32_t transfers;		/* ref of the newest transfers area, 0: none yet */
	uint32_t nr_new_paths;	/* nodes that it made, except those under the root and those that took far
				 * longer than others, and the time for them */
	uint64_t new_paths_ticks;
	uint32_t errors;		/* ref of its struct log_errors, 0: none yet */
	uint32_t broken_reason;		/* as in slices, of the calls that are closed now */
	int64_t heap_sample_left_bytes;	/* sampled heap: that it may allocate before the next sample */
	uint64_t heap_sample_random;	/* state of the generator that draws these, 0: not drawn yet */
	uint64_t unused_ticks;		/* since begin_ticks, between one thread of the record and the next */
	/*
	 * What the MPI call waits for that began at awaited_ticks, as in struct log_messages and
	 * log_transfers
	 */
	uint64_t awaited_ticks;		/* 0: none yet */
	uint32_t awaited_direction;	/* enum log_message_direction */
	int32_t awaited_peer;
	uint32_t awaited_label;
	uint32_t awaited_detail;
	uint32_t nr_waits;		/* library calls that wait which have begun. The recorder's own */

	_Alignas(64) uint32_t cache[LOG_CACHE_ENTRIES];	/* refs of nodes, checked against the node itself */
};
_Static_assert(sizeof(struct log_thread) == 64 + 256 + 384 + 4 * LOG_CACHE_ENTRIES, "thread layout");

/*
 * From here to the end of its area are the thread's first nodes, at multiples of a node after the
 * root. A thread of few paths has no other area. That saves time, since the first touch of each
 * page of a log takes some us.
 */
#define LOG_FIRST_NODES_AT (sizeof(struct log_area) + (sizeof(struct log_thread) - sizeof(struct log_area) + \
						       sizeof(struct log_node) - 1) / \
						       sizeof(struct log_node) * sizeof(struct log_node))

/* The first of an area's nodes; others follow up to its used_bytes. 0: it has none but a root. */
static inline uint64_t log_nodes_at(const struct log_area *area)
{
	if (area->kind == LOG_AREA_NODES)
		return sizeof(*area);
	return area->kind == LOG_AREA_THREAD ? LOG_FIRST_NODES_AT : 0;
}

/*
 * Finds a thread's nodes by caller and function: a hash table with open addressing. For the
 * recorder alone; readers use the nodes' lists. Entries: hash << 32 | ref of the node, 0: free. The
 * search begins at place hash * nr_places >> 32.
 */
struct log_index {
	struct log_area head;		/* owner: the thread */
	uint64_t nr_places;
	uint64_t nr_entries;
	uint64_t nr_moved;		/* places of the smaller table whose entries are in this one too */
	uint32_t smaller;	/* ref of the table that this one replaces; 0: all of it has been moved */
	uint32_t reserved[9];
	/* uint64_t entries[nr_places] */
};
_Static_assert(sizeof(struct log_index) == 128, "entries begin at a line");

/*
 * Slices of one thread, in the order of their ends: bytes that follow this head, up to head.used_bytes.
 * Each: varint(zigzag(node - previous node in units of 256 bytes) << 1 | more)
 *       varint((end >> shift) - (previous end >> shift))
 *       varint(duration >> shift)
 *       if more: a byte of LOG_SLICE_ flags, then what each set flag, lowest first, brings:
 *         HEAP      zigzag: thread_delta, allocated less freed by the thread during the call
 *                   zigzag: change of the process's heap during the call, less thread_delta
 *                   zigzag: the process's heap at the exit, less the same of the previous slice
 *         BROKEN    varint: why the call ended without a return: the place / 8 of a struct log_thrown or
 *                   log_error, or an enum log_broken. Its end is when that was noticed
 *         THREAD    from here on slices are of another thread with this record: serial, tid
 *         BOUNDS    the call was not timed: varint(by how much longer it may have lasted >> shift); its
 *                   heap is not known
 *         MEMORY    in pages: varint: RSS at the entry, zigzag: its change until the exit; the same of VMS
 * A slice without HEAP: no change during the call, nor since the previous slice.
 * The first slice of an area follows (first_node, first_ticks, first_heap_bytes). shift is that of
 * log_header.
 *
 * With log_header.last_calls the areas of a stream are a ring: head.next of the newest is the oldest. The
 * oldest is written again once the others hold as many slices; its magic is 0 meanwhile.
 */
#define LOG_SLICE_HEAP		1u
#define LOG_SLICE_BROKEN	2u
#define LOG_SLICE_THREAD	4u
#define LOG_SLICE_BOUNDS	8u
#define LOG_SLICE_MEMORY	16u
#define LOG_SLICE_MAX_BYTES	128	/* no slice is longer */
#define LOG_NODE_STEP		4u	/* refs of nodes differ by multiples of this */
struct log_slices {
	struct log_area head;		/* owner: the thread */
	uint64_t first_ticks;
	int64_t first_heap_bytes;
	uint64_t last_ticks;	/* end of the newest slice: the writer's state, and the reader's time index */
	int64_t last_heap_bytes;
	uint32_t first_node;
	uint32_t last_node;
	uint32_t nr_slices;
	uint32_t stream;		/* 0 or 1, see log_thread.slices */
	uint32_t first_serial;		/* the thread of the first slice */
	uint32_t first_tid;
	uint32_t last_serial;		/* and of the newest one */
	uint32_t nr_others;		/* last_calls: slices in the ring's other areas when this began */
};
_Static_assert(sizeof(struct log_slices) == 128, "slice bytes begin at a line");

/*
 * Library calls that wait. Each is a call of its own in the call tree (LOG_FUNCTION_WAIT). All calls of one
 * path, on one object, from one place and with one holder share a record. A thread's newest area has its
 * next records, at places by hash; records with calls 0 and no open frame say nothing. A lock whose first
 * attempt succeeded has neither a call nor a record.
 */
enum log_wait_kind {
	LOG_WAIT_LOCK = 1,	/* mutexes, read-write locks */
	LOG_WAIT_CONDITION,	/* condition variables */
	LOG_WAIT_SEMAPHORE,
	LOG_WAIT_BARRIER,
	LOG_WAIT_THREAD,	/* the end of a thread */
	LOG_WAIT_CHILD,		/* of a child process */
	LOG_WAIT_SLEEP,
	LOG_WAIT_EVENT,		/* of one of several descriptors, or a signal */
	LOG_WAIT_FILE,		/* a descriptor's input and output: of files, pipes, terminals */
	LOG_WAIT_STORAGE,	/* until data are stored */
	LOG_WAIT_SOCKET,
	LOG_WAIT_STREAM,	/* stdio that passes its buffer */
	LOG_WAIT_FUTEX,		/* by syscall() */
	LOG_WAIT_KINDS,
};
enum log_wait_object { LOG_WAIT_NOTHING, LOG_WAIT_ADDRESS, LOG_WAIT_NAME };
struct log_wait {
	LOG_SHARED uint32_t node;	/* ref of the library call's node; 0: the place is free */
	uint32_t object_kind;		/* enum log_wait_object */
	uint64_t object;		/* a lock's address, or a descriptor's log_label.number; 0: unknown */
	/* This address, that of a lock, and init_addr have the flags of a node where their module is gone */
	uint64_t caller_addr;	/* where the program's own code goes on after the call, or else a library's */
	/* refs of the lock's holder, and of its path, when the wait began; 0: not known */
	uint32_t holder_thread;
	uint32_t holder_node;
	uint64_t calls;			/* that have ended */
	uint64_t total_ticks;
	uint64_t max_ticks;
	union {
		uint64_t bytes;		/* read or written */
		uint64_t init_addr;	/* LOG_WAIT_ADDRESS: where the code goes on that initialised it */
	};
};
_Static_assert(sizeof(struct log_wait) == 64, "a wait record is one line");

/*
 * A struct log_node of LOG_AREA_CALL_PLACES: the calls of a path that came from one place in the code
 * (INSIDEME_CALL_LINES). They are not in the path's own counters. parent is the path, child is LOG_PLACE.
 * function_addr is return_low << 32 | site_low, low halves of addresses. The code at return_low, where the
 * entry hook returned to, is the called function's own, perhaps in a copy that was inlined: then its debug
 * information says where. Otherwise site_low says it: where the call returns to, as the hook got it; 0: it is
 * inlined, or not known. The area is a hash table. When it has no room, a larger one takes what follows, so a
 * place may be in several.
 */
#define LOG_PLACE		1u

/* The same in logs before that: also in the path's counters, without a histogram. */
struct log_call_place {
	LOG_SHARED uint32_t node;	/* ref of the path; 0: the place is free */
	uint32_t reserved;
	uint64_t code;			/* return_low << 32 | site_low */
	uint64_t calls;			/* this and the following: as in struct log_node */
	uint64_t untimed_calls;
	uint64_t total_ticks;
	uint64_t min_ticks;		/* UINT64_MAX before the first */
	uint64_t max_ticks;
	uint64_t reserved_2;
};
_Static_assert(sizeof(struct log_call_place) == 64, "a call place is one line");

/*
 * A line that a thread began (INSIDEME_LINE_EVENTS), in code of insideme-cc --line-events; in the order in
 * which they began.
 */
struct log_line_event {
	LOG_SHARED uint64_t ticks;	/* written last; 0: not yet written */
	uint64_t code_addr;		/* the first instruction of the line in this piece of code */
	uint64_t stack_addr;		/* where the stack of its function ends */
	/* With LOG_SNAPSHOT_EVERY: as in log_memory_reading; UINT32_MAX: not read */
	uint32_t rss_pages;
	uint32_t vms_pages;
};

/*
 * Calls that the sampler found blocked threads in: a sum for each thread, path, call and argument. A
 * finding stands for all the time since the thread's last finding in which it was neither running nor
 * ready.
 */
#define LOG_BLOCKED_ELSEWHERE	(-1)	/* log_blocked.call: in no system call, as in a page fault */
#define LOG_BLOCKED_IN_WAIT	(-2)	/* in a library call that is recorded as a wait */
#define LOG_BLOCKED_NAME	"descriptor."	/* log_text: "descriptor.1=/tmp/fifo" */
#define LOG_BLOCKED_NAME_SHIFT	32	/* of log_blocked.argument, if not of a futex: which name; 0: none */
struct log_blocked {
	uint32_t thread;		/* refs of its record and of the path; 0: not known */
	uint32_t node;
	int32_t call;			/* number of a system call, or as above */
	uint32_t nr;			/* how often it was found so */
	uint64_t argument; /* the call's first: a futex's address, or what may be a descriptor; 0: none */
	LOG_SHARED uint64_t blocked_ns;
};

/*
 * MPI calls that communicate, of one thread, in the order in which they ended: bytes that follow this head,
 * up to head.used_bytes. A call of several messages has one for each. Each:
 *   varint(log_messages.number << 3 | LOG_TRANSFER_ flags)
 *   varint((begin >> shift) - (begin of the one before >> shift))
 *   varint((end >> shift) - (begin >> shift))
 *   varint: of a message zigzag(tag), LOG_TAG_ANY: not known; of a collective root << 2 | enum log_collective
 *   varint: bytes + 1; 0: not known
 *   with REQUEST: the call completed a request that an earlier call started, perhaps of another thread:
 *     varint((begin >> shift) - (begin of the call that started it >> shift))
 *     varint(zigzag(node of this call - the same of the one before in units of 256 bytes))
 * A nonblocking or persistent transfer has one when it is started, and one with REQUEST when that is
 * completed, except for sends and collectives whose call took less than log_header.threshold_floor_ticks.
 * STARTS: it is only started. GONE: it was cancelled, there is no message. shift is log_header.slice_shift.
 */
#define LOG_TRANSFER_REQUEST	1u
#define LOG_TRANSFER_GONE	2u
#define LOG_TRANSFER_STARTS	4u
#define LOG_TRANSFER_SHIFT	3
#define LOG_TRANSFER_MAX_BYTES	64
#define LOG_TAG_ANY		INT32_MIN
/* Which ranks wait for which. A root is a rank in MPI_COMM_WORLD. */
enum log_collective {
	LOG_ALL_WAIT_FOR_ALL,
	LOG_ALL_WAIT_FOR_ROOT,
	LOG_ROOT_WAITS_FOR_ALL,
	LOG_NOBODY_WAITS,	/* or only for some, as in MPI_Scan */
};
struct log_transfers {
	struct log_area head;		/* owner: the thread */
	uint64_t last_ticks;		/* begin of the newest, and its node: the writer's state */
	uint32_t last_node;
	uint32_t nr_transfers;
	uint64_t first_ticks;		/* what the first one follows */
	uint32_t first_node;
	uint32_t reserved[9];
};
_Static_assert(sizeof(struct log_transfers) == 128, "transfers begin at a line");

/*
 * The coverage counters that a compiler put into the code of one source file: copies of what is in the
 * program's memory. They never fall. gcov makes counts of lines of them, with the notes that the compiler
 * wrote.
 */
struct log_line_function {
	uint32_t ident;			/* these three as in the notes */
	uint32_t lineno_checksum;
	uint32_t cfg_checksum;
	uint32_t nr_counters;
	uint64_t counters_addr;		/* the program's */
};
struct log_line_counts {
	struct log_area head;		/* next: ref of the process's next one */
	uint64_t unit_addr;		/* the program's description of them, in the object of the code */
	uint32_t format;		/* the compiler's version: "B22*" of gcc 12 as a number */
	uint32_t stamp;			/* these two as in the notes */
	uint32_t checksum;
	LOG_SHARED uint32_t is_final;	/* 1: the program's counters may be gone; they are not copied again */
	/* with its final 0: where gcov would have written, FILE.gcda; notes: FILE.gcno */
	uint32_t path_bytes;
	LOG_SHARED uint32_t nr_functions;	/* written last; 0: the format is not known */
	/* 0: the copies below are not made yet, or the kernel did not allow it */
	LOG_SHARED uint32_t is_copied;
	uint32_t reserved;
	/*
	 * struct log_line_function functions[nr_functions]; uint64_t counters[], of all of them; char
	 * path[]
	 */
};

/*
 * Page faults outside of the kernel, by the code that touched the page first: a hash table, which
 * insideme-run writes. When it is nearly full a larger one takes what follows, so a place in the code may
 * be in several.
 */
struct log_page_fault {
	uint64_t code_addr;
	uint64_t caller_addr;		/* the word on top of the stack: a simple function returns there */
	uint64_t nr;			/* 0: the place is free; written last */
	uint64_t first_ticks;		/* when the first of them was read */
};
struct log_page_faults {
	struct log_area head;		/* next: ref of the table before it */
	uint32_t nr_places;		/* a power of two */
	uint32_t nr_used;		/* the writer's own */
	uint64_t reserved[7];
	/* struct log_page_fault places[nr_places] */
};
_Static_assert(sizeof(struct log_page_faults) == 128, "places begin at a line");

/*
 * A thread at one instant: its registers, and what its stack had from begin_addr on. Nothing is unwound where
 * that is written; the reader walks it by the unwind tables of the loaded files.
 */
enum log_stack_reason {
	LOG_STACK_SIGNAL = 1,		/* INSIDEME_CRASH: this thread got the signal */
	LOG_STACK_BESIDE,		/* another thread then, or at that: copied by insideme-run */
	LOG_STACK_MEMORY,		/* INSIDEME_MAX_MEMORY: this thread allocated */
};
#define LOG_STACK_REGISTERS	33
#define LOG_STACK_BYTES		(64u << 10)	/* at most */
struct log_stack_copy {
	struct log_area head;		/* owner: the thread; used_bytes is written last */
	uint64_t ticks;
	uint64_t begin_addr;		/* of the bytes that follow */
	uint32_t tid;
	uint16_t reason;		/* enum log_stack_reason */
	uint16_t flags;			/* what it did, as in samples of time: LOG_SAMPLE_ */
	char name[16];			/* of the thread; cut, zero-terminated */
	uint64_t known;			/* a bit for each register that is */
	/* as DWARF numbers them for the processor; the last known one: the code */
	uint64_t registers[LOG_STACK_REGISTERS];
	/* bytes of the stack */
};
_Static_assert(sizeof(struct log_stack_copy) % 8 == 0, "the bytes are words");

/*
 * CPU samples of one thread, one each time that it has used log_header.sample_interval_ns more.
 * They are in order of time.
 *
 * With log_header.samples_are_of_time: what the thread did at intervals of time. While it stays where it is,
 * its last sample counts them.
 */
/* The address is in the recorder: its own cost, or the allocation that it forwards */
#define LOG_SAMPLE_IN_HOOK	1u
/* With the first: in the code that counts for a call site, see struct log_site */
#define LOG_SAMPLE_IN_STUB	2u
/* Of CPU time, 7 bits: percent of the CPU time since the thread's last sample that was spent in the kernel */
#define LOG_SAMPLE_KERNEL_SHIFT 2
static inline uint32_t log_sample_kernel_percent(uint16_t flags)
{
	const uint32_t percent = flags >> LOG_SAMPLE_KERNEL_SHIFT & 127;

	return percent < 100 ? percent : 100;
}
/*
 * Samples of time only: the state, and the number of the system call that the thread waited in, plus 1; 0:
 * none
 */
#define LOG_SAMPLE_STATE_SHIFT	2
#define LOG_SAMPLE_CALL_SHIFT	4
#define LOG_SAMPLE_CALL_MOST	4095
enum log_sample_state { LOG_SAMPLE_RUNNING, LOG_SAMPLE_READY, LOG_SAMPLE_WAITING, LOG_SAMPLE_STOPPED };
static inline enum log_sample_state log_sample_state(uint16_t flags)
{
	return (enum log_sample_state)(flags >> LOG_SAMPLE_STATE_SHIFT & 3);
}

/* The system call; -1: none. */
static inline int log_sample_call(uint16_t flags)
{
	return (flags >> LOG_SAMPLE_CALL_SHIFT) - 1;
}
struct log_sample {
	uint64_t ticks;
	uint64_t pc_addr;		/* the code that ran; in the kernel: where it comes back to */
	uint32_t node;			/* the path that the thread was in; without hooks: its stack */
	uint16_t flags;			/* LOG_SAMPLE_ */
	/*
	 * Intervals before this one without a sample: the kernel was late. Samples of time: intervals after
	 * it, at the same place
	 */
	uint16_t missed;
};
_Static_assert(sizeof(struct log_sample) == 24, "sample layout");

/*
 * Rows of one set: nr_columns columns, then rows of 1 + nr_columns words: ticks, values. Sets of a
 * process: "process", "memory", "process_slow", "process_maps", "process_gpu", "thread" (one for
 * each thread; id: its tid). Sets of the machine: "clock", "system", "cores", "cgroup", "gpu0" and
 * so on, "gpu0_process" (id: the pid there). When a set's room is used up, every second row is
 * removed and step doubles. Readers drop rows whose ticks do not rise.
 */
enum log_unit {
	LOG_UNIT_NONE = 1,
	LOG_UNIT_BYTES,
	LOG_UNIT_NS,		/* of CPU time, or of a clock */
	LOG_UNIT_MILLI,		/* thousandths */
	LOG_UNIT_COUNT,
	LOG_UNIT_WAIT_NS,	/* of waiting: its rate is a share of time */
	LOG_UNIT_PERCENT,
	LOG_UNIT_REAL,		/* the bits of a double; a reader's own: of a program's counters */
};
enum log_column_kind { LOG_GAUGE = 1, LOG_CUMULATIVE = 2 };
struct log_column {
	char name[28];			/* ends with its unit; zero-terminated */
	uint16_t unit;			/* enum log_unit */
	uint16_t kind;			/* enum log_column_kind */
};
struct log_rows {
	struct log_area head;		/* record_bytes: of one row */
	char set[24];
	uint32_t nr_columns;
	uint32_t step;			/* every how many-th sample is kept by now */
	uint64_t interval_ns;		/* between samples; between rows: times step */
	uint64_t cost_ns;		/* median cost of reading one row, 0: not measured yet */
	uint64_t first_cost_ns;		/* of the first one */
	uint32_t id;	/* which thread or device the set belongs to: a tid, a number; 0: there is only one */
	uint32_t reserved;
	/* struct log_column columns[nr_columns]; rows */
};
_Static_assert(sizeof(struct log_rows) == 128, "columns begin at a line");

/* Record of variable length. bytes is written first, kind last: kind 0 is stepped over. */
enum log_record_kind {
	LOG_RECORD_MODULE = 1,	/* struct log_module */
	LOG_RECORD_TEXT,	/* struct log_text: a fact about the run, "key=value" */
	LOG_RECORD_EVENT,	/* struct log_event */
	LOG_RECORD_ENTRY,	/* struct log_entry */
	LOG_RECORD_LABEL,	/* struct log_label */
	LOG_RECORD_ERROR,	/* struct log_error */
	LOG_RECORD_THROWN,	/* struct log_thrown */
	LOG_RECORD_MARK,	/* struct log_mark */
	LOG_RECORD_COUNTER,	/* struct log_counter */
	LOG_RECORD_SPAN,	/* struct log_span */
	LOG_RECORD_TIMER,	/* struct log_timer */
	LOG_RECORD_FIELD,	/* struct log_field */
	LOG_RECORD_SITE,	/* struct log_site */
	LOG_RECORD_COUNTED,	/* struct log_counted */
	LOG_RECORD_MESSAGES,	/* struct log_messages */
	LOG_RECORD_DISK,	/* struct log_disk */
};
struct log_record {
	uint32_t bytes;			/* with this head, a multiple of 8 */
	LOG_SHARED uint32_t kind;		/* enum log_record_kind */
	uint64_t ticks;
};

/* A loaded object. Its addresses mean it from record.ticks until gone_ticks. */
struct log_module {
	struct log_record record;
	LOG_SHARED uint64_t gone_ticks;	/* 0: still loaded */
	uint64_t begin_addr;		/* lowest and end of its loaded segments */
	uint64_t end_addr;
	uint64_t bias;			/* address in the process less address in the file (dlpi_addr) */
	uint64_t file_bytes;		/* size and time of the file when it was seen, 0: no file */
	uint64_t file_mtime_ns;
	uint8_t build_id[32];
	uint32_t build_id_bytes;	/* 0: it has none */
	uint32_t path_bytes;		/* of the text that follows, with its final 0 */
	uint32_t number;	/* number in retired nodes of its functions; 0: too many modules for that */
	uint32_t reserved;
	/* char path[path_bytes] */
};

/*
 * A name that the program gave to a region, mark or counter, or a function's name that
 * INSIDEME_VERBOSE printed. A log may have the same label twice.
 */
#define LOG_LABEL_MAX	255	/* bytes; longer ones are cut */
struct log_label {
	struct log_record record;
	uint32_t number;		/* of the process, from 1 */
	uint32_t text_bytes;		/* with its final 0 */
	/* char text[text_bytes]: any bytes */
};

/*
 * A mark of the program: an instant; with a text, a failure of the path's call, or the memory used
 * then.
 */
enum log_mark_kind { LOG_MARK_INSTANT = 1, LOG_MARK_FAILURE = 2, LOG_MARK_SNAPSHOT = 3 };
#define LOG_FAILURE_MAX	1023u	/* bytes of its text; longer ones are cut */
struct log_mark {
	struct log_record record;
	uint32_t mark;			/* enum log_mark_kind */
	uint32_t label;			/* log_label.number: its name, or the failure's type */
	uint32_t thread;		/* refs of thread and path */
	uint32_t node;
	uint32_t text_bytes;		/* with its final 0; 0: none */
	uint32_t reserved;
	/* char text[text_bytes]: the failure's message; "rss_bytes=1234 heap_bytes=567" */
};

/*
 * Timing auto: a place in the code that called the entry hook, and counts its calls by itself from
 * record.ticks on. Its counter of each thread is word @number of the thread's LOG_AREA_COUNTERS. Written
 * before the place is changed.
 */
#define LOG_COUNTERS	8184u		/* with the area's head 16 pages; fewer in older logs */
struct log_site {
	struct log_record record;
	uint64_t function_addr;		/* as given to the hook */
	uint64_t place_addr;		/* where the place's call returns to */
	uint32_t number;
	uint32_t reserved;
};

/* Timing auto: from record.ticks on calls of this function are counted, no longer timed. */
struct log_counted {
	struct log_record record;
	uint64_t function_addr;
};

/*
 * Messages of one MPI call's path that have the same communicator, peer and direction. Their bytes are
 * those of the messages whose size is known: of a receive it is known where the program asks for a status.
 */
enum log_message_direction {
	LOG_MESSAGE_NONE,	/* a call that transfers nothing, or whose messages are not known */
	LOG_MESSAGE_SENT,
	LOG_MESSAGE_RECEIVED,
	LOG_MESSAGE_COLLECTIVE,	/* bytes: of this rank's own buffer */
	LOG_MESSAGE_MOVED,	/* of no MPI call: insideme_moved(), by the call that was open */
	LOG_MESSAGE_PROBED,	/* none: the call waited for a message, and another call receives it */
	LOG_MESSAGE_PUT,	/* one-sided: to the peer's memory */
	LOG_MESSAGE_GOT,	/* and from it */
	LOG_MESSAGE_FILE,	/* to or from a file */
};
enum log_message_peer { LOG_PEER_NONE = -1, LOG_PEER_ANY = -2 };
struct log_messages {
	struct log_record record;	/* ticks: of the first */
	uint32_t thread;		/* refs of thread and path */
	uint32_t node;
	uint32_t label;			/* log_label.number: the communicator's name; 0: none */
	int32_t peer;			/* rank in MPI_COMM_WORLD, or enum log_message_peer */
	uint32_t direction;		/* enum log_message_direction */
	uint32_t number;		/* of the process, from 1: what transfers name it by */
	LOG_SHARED uint64_t nr_calls;	/* a call of several messages counts once, with the first of them */
	/* A nonblocking receive's message counts when it is completed, by a thread that may be another */
	LOG_SHARED uint64_t nr_messages;
	LOG_SHARED uint64_t nr_sized;	/* of these, those whose size is known */
	LOG_SHARED uint64_t bytes;
	LOG_SHARED uint64_t call_ticks;	/* time in the calls, as the clock saw it */
	LOG_SHARED uint64_t most_ticks;	/* of one call */
	/* of one call that did not only start a transfer; UINT64_MAX: none yet */
	LOG_SHARED uint64_t least_ticks;
	LOG_SHARED uint64_t size_bytes;	/* of each message, plus 1; 0: they differ, or one is not known */
	uint64_t caller_addr;		/* where the program goes on after the call; 0: not known */
};

/* The purpose of the function or region of a path. */
struct log_field {
	struct log_record record;
	uint32_t label;			/* log_label.number: the field's name */
	uint32_t thread;		/* refs of thread and path */
	uint32_t node;
	uint32_t reserved;
};

/*
 * Values of one counter that came within 1/1024 of the log's time so far: the longer it runs, the
 * fewer records there are. Values are the bits of doubles.
 */
struct log_counter {
	struct log_record record;	/* ticks: of the first value */
	uint32_t label;
	uint32_t reserved;
	LOG_SHARED uint64_t newest_ticks;	/* of the last one, */
	LOG_SHARED uint64_t last;		/* which it is */
	LOG_SHARED uint64_t nr_values;
};

/* A timer from its start to its stop, where that lasted the threshold. */
struct log_span {
	struct log_record record;	/* ticks: of the stop */
	uint64_t start_ticks;
	uint64_t paused_ticks;		/* of that, in pauses */
	uint32_t label;
	uint32_t thread;	/* refs of the thread that stopped it, and of the thread's path then */
	uint32_t node;
	uint32_t reserved;
};

/* All spans of one name; there may be several such records, to be added up. */
struct log_timer {
	struct log_record record;
	uint32_t label;
	uint32_t in_ns;			/* 1: of times that were added, which are in ns instead of ticks */
	LOG_SHARED uint64_t nr_spans;
	LOG_SHARED uint64_t timer_ticks;	/* without pauses */
	LOG_SHARED uint64_t paused_ticks;
	LOG_SHARED uint64_t least_ticks;	/* UINT64_MAX before the first */
	LOG_SHARED uint64_t most_ticks;
	LOG_SHARED uint64_t nr_starts, nr_stops;	/* of timers; the others are not stopped (yet) */
	LOG_SHARED uint64_t last_start_ticks;
	LOG_SHARED uint64_t squares[2];	/* sum of squared times, low and high word */
};

/*
 * Keys of text records: command (arguments separated by spaces, quoted as for a shell), exe, cwd,
 * kernel, cpu_model, nr_cpus, memory_bytes, setting.NAME (one for each setting: the value in
 * force), off (why the recorder gave up), heap_off (why the heap is not counted although the
 * setting asks for it), heap_sample_off (why no stacks of allocations are taken), samples_off (why
 * nothing is sampled), samples_without_callers (why samples of counted functions know the innermost one
 * alone), bypassed (an object whose hooks are not the recorder's: RTLD_DEEPBIND),
 * namespaces (dlmopen: the recorder does not see some loaded objects), refused (insideme-run's log:
 * why its program does not load the recorder), attached (insideme-run made this log of a process
 * that was already running; no process has it mapped at base_addr, which is 0), descriptor.N (a
 * name, for struct log_blocked).
 */
struct log_text {
	struct log_record record;
	uint32_t text_bytes;		/* with its final 0 */
	uint32_t reserved;
	/* char text[text_bytes]: key=value */
};

enum log_event_kind {
	LOG_EVENT_THRESHOLD = 1,	/* values: new threshold in ticks, old, enum log_threshold_reason */
	LOG_EVENT_FORK,	/* values: child's pid; in the child's own log 0, and the parent's pid in [1] */
	LOG_EVENT_EXEC,			/* text: path; values: 0, or errno when it came back */
	LOG_EVENT_THREAD_END,		/* values: frames open at the end; of a record's first thread only */
	LOG_EVENT_BUCKET_WRAPPED,	/* values: ref of a node, index of its bucket: add 2^32 */
	/* monitor: pid, wait status, user ns, system ns, peak RSS in bytes, process_start */
	LOG_EVENT_PROCESS_END,
	/* monitor: pid, start.monotonic_ns of the image that exec'ed it, 0: not known; text: program */
	LOG_EVENT_PROCESS_UNSEEN,
	LOG_EVENT_PROCESS_LEFT,	/* monitor: pid, process_start of a process that runs on after insideme-run */
	/* values: bytes reached, limit, enum log_memory; thread: the one that allocated, 0: not known */
	LOG_EVENT_MEMORY,
	LOG_EVENT_MEMORY_PATH,	/* follows for each thread: its node; the thread that allocated is first */
	/* INSIDEME_CRASH: values: signal, si_code, si_addr, address of the code that ran */
	LOG_EVENT_CRASH,
};
enum log_memory { LOG_MEMORY_HEAP = 1, LOG_MEMORY_RSS };
enum log_threshold_reason { LOG_THRESHOLD_BUDGET = 1, LOG_THRESHOLD_RATE = 2 };
struct log_event {
	struct log_record record;
	uint32_t event;			/* enum log_event_kind */
	uint32_t thread;		/* ref, 0: the process */
	uint64_t values[6];
	uint32_t text_bytes;		/* with its final 0; 0: none */
	uint32_t reserved;
	/* char text[text_bytes] */
};

/* Why a call ended without a return, where no record tells. */
enum log_broken { LOG_BROKEN_UNSEEN = 0, LOG_BROKEN_THREAD_END = 1 };

/* Causes that end calls without a return. */
enum log_error_kind {
	LOG_ERROR_THROW = 1,		/* of a C++ exception */
	LOG_ERROR_RETHROW,		/* throw; and std::rethrow_exception() */
	LOG_ERROR_LONGJMP,		/* only where it left calls */
	LOG_ERROR_THREAD_EXIT,		/* pthread_exit() within calls */
	LOG_ERROR_TERMINATE,		/* std::terminate() that the program called itself */
	LOG_ERROR_ABORT,		/* abort() */
	LOG_ERROR_ASSERTION,		/* assert() that failed */
};

/* All errors of one kind, type, place and call path. Counters are the thread's own. */
struct log_error {
	struct log_record record;	/* ticks: of the first */
	uint32_t error;			/* enum log_error_kind */
	uint32_t thread;		/* ref */
	uint32_t node;			/* ref of the path where it was thrown */
	uint32_t caught_node;		/* likewise where the first that was caught was; 0: none was */
	uint64_t place_addr;	/* where the program goes on after the call that throws, if that returned */
	uint64_t type_addr;		/* the recorder's own: which type_info */
	uint64_t count;
	uint64_t caught;
	uint64_t caught_elsewhere;	/* of the caught ones, those not in caught_node */
	uint64_t broken_calls;		/* that they ended */
	uint32_t uncaught;		/* 1: the last one was not caught, and ended the process */
	uint32_t next;			/* the recorder's own: of the same hash, place / 8, 0: none */
	uint32_t own_what;		/* 1: what() is the program's own function, and was not called */
	uint32_t text_bytes;		/* with its final 0 */
	/* char type[text_bytes]: mangled; "" where there is none */
};

/* Free space of a file system on which the process has had a file open for writing. */
struct log_disk {
	struct log_record record;	/* ticks: when it was first seen */
	uint64_t device;		/* major << 32 | minor, as in /proc/PID/mountinfo */
	uint64_t first_free_bytes;	/* for users without privileges */
	LOG_SHARED uint64_t least_free_bytes;	/* of the readings while such a file was open */
	uint32_t path_bytes;		/* with its final 0 */
	uint32_t reserved;
	/* char path[path_bytes]: the folder of the first such file */
};

/* One of the first LOG_THROWN_MOST of a log_error. */
#define LOG_THROWN_MOST		100
#define LOG_THROWN_TEXT_BYTES	1024
struct log_thrown {
	struct log_record record;
	uint32_t error;			/* place / 8 of its struct log_error */
	uint32_t tid;
	uint64_t caught_ticks;		/* 0: it was not */
	uint32_t reserved;
	uint32_t text_bytes;		/* with its final 0; 0: there is no message, or it is not known */
	/* char message[text_bytes] */
};

/* For the recorder alone: a thread's errors, and what is between a throw and its catch. */
#define LOG_UNWINDINGS	8
#define LOG_ERROR_LISTS	512
struct log_unwinding {
	uint64_t object_addr;		/* the thrown object; 0: no exception */
	uint64_t top_addr;		/* frame of the innermost call that it has not ended yet */
	uint64_t left_addr;		/* that frame's stack_addr */
	uint64_t stack_addr;		/* where it was thrown */
	uint32_t reason;		/* as in slices */
	uint32_t reserved;
};
struct log_errors {
	struct log_area head;		/* owner: the thread */
	uint32_t nr_unwindings;
	uint32_t is_ending;		/* 1: it is known already why the process ends */
	struct log_unwinding unwindings[LOG_UNWINDINGS];
	uint32_t lists[LOG_ERROR_LISTS];	/* by hash: place / 8 of the newest log_error */
};

/*
 * A process without a log of its own yet, which writes its entry here. Most such processes end, or
 * exec, before they have anything for a log. A forked child has its entry in the log of its nearest
 * ancestor that has one; calls that were open at the fork are open in the child too. A program
 * without hooks has its entry in the log that the run's programs share (LOG_OF_PROGRAMS), and so do
 * the children that it forks.
 */
struct log_entry {
	struct log_record record;	/* ticks: of the fork, or of the program's begin */
	uint32_t pid;
	uint32_t ppid;
	uint64_t process_start;		/* as log_header's */
	struct log_clocks begin;	/* at the program's begin, or just after the fork */
	struct log_clocks finish;	/* all 0 before the end */
	LOG_SHARED uint32_t has_log;	/* 1: the process opened its own log later, which tells all */
	LOG_SHARED uint32_t end;	/* enum log_end */
	int32_t end_status;
	uint32_t older;			/* the log's next older entry: offset / 8, 0: none */
	uint64_t user_ns;	/* at its end: CPU time and the most memory; before: at a program's begin */
	uint64_t system_ns;
	uint64_t peak_rss_bytes;
	int64_t heap_before_bytes;	/* of a child: the heap that it inherited */
	uint32_t heap_bytes;		/* enum log_heap_bytes */
	uint16_t has_heap;		/* 1: a struct log_heap follows, all of its heap use; its node is 0 */
	uint16_t is_program;		/* 1: a program, whose texts follow; 0: a forked child */
	uint32_t thread;		/* of a child: ref of the thread that forked, 0: not known */
	uint32_t node;	/* of a child: ref of the path that was open in that thread; 0: none */
	/* For a child in a shared log: offset / 8 of the entry of the program that forked */
	uint32_t program;
	uint32_t uid;			/* of a program, as these three: as log_header's */
	uint64_t start_peak_rss_bytes;
	uint64_t start_cost_ns;
	/* struct log_heap heap, where has_heap is 1; then the texts of a program, each with its final 0 */
};
_Static_assert(sizeof(struct log_entry) == 168, "a forked child costs no more of its ancestor's budget");

/* The texts in their order. The last three are as in the text records of these keys. */
enum log_entry_text {
	LOG_ENTRY_PROGRAM,
	LOG_ENTRY_THREAD,
	LOG_ENTRY_COMMAND,
	LOG_ENTRY_EXE,
	LOG_ENTRY_CWD,
	LOG_ENTRY_TEXTS,
};

/*
 * RUN/run: one page that the processes of a run share. Each process keeps it mapped, or a log of
 * the run: so processes find their run through their ancestors' maps.
 */
#define LOG_MACHINE_IDLE	0x80000000u	/* a process that works may take over */
/* Logs of a host's ranks in one file, RUN/HOST-PID.logs: this, the table, and each log at its offset. */
#define LOG_COLLECTION_END	".logs"
#define LOG_COLLECTION_MAGIC	0x53474f4c4d534e49ull	/* "INSMLOGS" */
#define LOG_COLLECTION_ALIGN	65536u	/* of each log's offset: no machine has larger pages */
#define LOG_COLLECTED_NAME	112
struct log_collection {
	uint64_t magic;
	uint32_t version;
	uint32_t nr_logs;
	/* struct log_collected[nr_logs], by name */
};
struct log_collected {
	uint64_t offset;
	uint64_t bytes;
	char name[LOG_COLLECTED_NAME];	/* of the log's own file in the run; ends with a 0 */
};

#define LOG_RUN_MAGIC		0x4e55524d534e49ull	/* "INSMRUN" */
struct log_run {
	uint64_t magic;
	uint32_t version;
	LOG_SHARED uint32_t monitor_pid;	/* insideme-run that samples this run, 0: none */
	LOG_SHARED uint32_t messages;	/* bit i: message i was printed for this run */
	uint32_t creator_pid;	/* the process that made the run, and its start: field 22 of /proc/PID/stat */
	uint64_t start_realtime_ns;
	uint64_t creator_start;
	/* Ticks in 1 us on the host of boot_id, measured once; 0, 1: not known yet */
	LOG_SHARED uint64_t us_ticks;
	char boot_id[40];		/* of the process that made the run */
	LOG_SHARED uint32_t no_shared_log;	/* 1: its file system cannot hold a log of LOG_OF_PROGRAMS */
	LOG_SHARED uint32_t several_boots;	/* 1: processes of another boot or host are in the run too */
	/*
	 * The process that writes the machine's rows on boot_id: its start << 32 | LOG_MACHINE_IDLE
	 * | pid; 0: none
	 */
	LOG_SHARED uint64_t machine_owner;
	/* Inode of the network namespace that is counted; 0: not known yet */
	LOG_SHARED uint64_t machine_network;
};

#endif
