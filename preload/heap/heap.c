/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rare parts of counting the heap: whether and how it is done, new records, the process's total. */
#include "preload/heap/heap.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "preload/common/base/text.h"
#include "preload/common/log/heap_peak.h"
#include "preload/common/resources/cgroup.h"
#include "preload/common/run/process_id.h"
#include "preload/common/sampler/memory_limit.h"
#include "preload/objects/loaded_objects.h"
#include "preload/samples/backtrace.h"
#include "preload/samples/last_words.h"
#include "preload/stacks/thread.h"
#include "preload/state/process_entry.h"
#include "preload/state/log_space.h"
#include "preload/state/sampler_task.h"

#define FIRST_AREA_BYTES	4096u
#define LATER_AREA_BYTES	16384u
#define LEAST_ROOM_BYTES	(4u << 20)	/* what the log keeps when the program needs address space */
#define TURN_BYTES		(512 << 10)
#define MEMORY_SHARE		16	/* part of the process's memory limit for the map of live blocks */

struct allocator allocator;
LARGE struct log_thread heap_early;		/* for the process's first thread only */
static int64_t bootstrap_known_bytes; /* of heap_early, in the log's total; set by the opening task */

/* A sanitizer's malloc is called before it is ready, and then returns blocks that it knows nothing of. */
static bool is_sanitizer(const struct object *object)
{
	static const char name[] = "__sanitizer_get_allocated_size";

	return object_find(object, name, symbol_hash(name));
}

static int find_allocator(const struct object *object, void *context)
{
	const char *name = text_base_name(object->name);

	/* All of valgrind's objects but the core bring a malloc, which valgrind puts in place of others. */
	if (text_begins(name, "vgpreload_") && !text_begins(name, "vgpreload_core"))
		allocator.unusable = "valgrind puts its own malloc in place of any other";
	if (!real.malloc || !object_holds(object, (uintptr_t)real.malloc))
		return 0;
	allocator.begin = object->begin;
	allocator.bytes = object->end - object->begin;
	allocator.is_libcs = text_begins(object->soname, "libc.so.");
	if (is_sanitizer(object))
		allocator.unusable = "a sanitizer's malloc cannot be measured";
	return 0;
}

static bool is_allocators(const void *function)
{
	return (uintptr_t)function - allocator.begin < allocator.bytes;
}

void heap_init(void)
{
	objects_each(find_allocator, NULL);
	if (real_is_taken("malloc"))
		allocator.unusable =
			"malloc is defined by the program or by an object that comes before the recorder";
	else if (!is_allocators(real.calloc) || !is_allocators(real.realloc) || !is_allocators(real.free) ||
		 !is_allocators(real.malloc_usable_size))
		allocator.unusable = "malloc, free and malloc_usable_size are not of one allocator";
	if (allocator.unusable)
		allocator.bytes = 0;
}

/* ---- how ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A limit of private memory is treated as one of address space: the map counts in both. */
static uint64_t space_limit(void)
{
	return least(sys_limit(RLIMIT_AS), sys_limit(RLIMIT_DATA));
}

static uint64_t memory_limit(void)
{
	LARGE static struct cgroup group; /* the first hook may be on a small stack */
	struct sysinfo machine;
	uint64_t bytes = cgroup_memory_limit(&group);

	if (raw_syscall(SYS_sysinfo, (long)&machine, 0, 0, 0, 0, 0) == 0)
		bytes = least(bytes, machine.totalram * machine.mem_unit);
	return least(bytes, space_limit());
}

static void limit_space(void)
{
	uint64_t bytes = space_limit();

	if (bytes != RLIM_INFINITY)
		blocks_limit_space(bytes / MEMORY_SHARE);
}

void heap_limit_space(void)
{
	if (live.log && (live.heap == HEAP_LIVE || live.heap == HEAP_SAMPLED))
		limit_space();
}

void heap_cut_space(void)
{
	if (live.heap == HEAP_LIVE || live.heap == HEAP_SAMPLED)
		blocks_cut();
}

/*
 * The log's room goes first, because without spare pages blocks are lost. A larger block would fail in any
 * case.
 */
bool heap_make_room(uint64_t bytes)
{
	const struct log_header *log = live.log;
	uint64_t kept = log ? log->tail_bytes + LEAST_ROOM_BYTES : UINT64_MAX;
	uint64_t had = log ? log->map_bytes : 0;

	if (!log)
		return false;
	if (had > kept && bytes <= had - kept) {
		room_cut(kept);
		if (log->map_bytes < had)	/* a vfork child cannot cut its parent's log */
			return true;
	}
	if (bytes > blocks_spare_bytes() || !blocks_spare_bytes())
		return false;
	blocks_cut();
	return true;
}

/* The first time in the constructor, or with the first hook; again for the log of a forked child. */
static void begin_map(void)
{
	static bool was_begun;

	if (was_begun) {
		blocks_inherit(entry_holder()->tail_bytes >> LOG_REF_SHIFT);
		return;
	}
	blocks_init(allocator.is_libcs, memory_limit() / MEMORY_SHARE);
	limit_space();
	was_begun = true;
}

static const char *sample_unusable;	/* why no stacks are taken; NULL: they are taken, or not wanted */

/* The first time in the constructor, where there are no hooks yet. */
static bool begin_samples(void)
{
	sample_unusable = backtrace_init();
	return !sample_unusable;
}

uint32_t heap_begin_log(bool has_hooks)
{
	static bool knows_runtimes;
	uint32_t setting = heap_setting();

	heap_birth = 0;
	if (!knows_runtimes)	/* in the constructor only: it takes ld.so's lock */
		runtimes_init();
	knows_runtimes = true;
	if (setting != HEAP_OFF && settings.value[SETTING_HEAP_SAMPLE] && !has_hooks && begin_samples())
		setting = HEAP_SAMPLED;
	else if (setting == HEAP_LIVE && !has_hooks)
		setting = HEAP_COUNTERS;
	if (setting == HEAP_LIVE || setting == HEAP_SAMPLED)
		begin_map();
	return setting;
}

/*
 * Other threads allocate meanwhile, and write to their paths' records. So each thread sets aside its earlier
 * counts when it counts its first block in the map, see heap_keep_peak().
 */
bool heap_begin_late(struct log_header *log)
{
	uint32_t none = 0;

	if (!__atomic_compare_exchange_n(&log->has_hooks, &none, 1, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	if (live.heap != HEAP_COUNTERS || heap_setting() != HEAP_LIVE || live_is_sealed())
		return true;
	begin_map();
	log->heap_before_bytes = log->heap_total_bytes;
	log->heap_peak_number = 1;
	log->heap_began_late = 1;
	log->heap_bytes = LOG_HEAP_REQUESTED;
	__atomic_store_n(&live.heap, (uint32_t)HEAP_LIVE, __ATOMIC_RELEASE);
	return true;
}

void heap_tell(struct log_header *log)
{
	if (allocator.unusable)
		log_write_text(log, "heap_off", allocator.unusable, clock_ticks(log->clock));
	if (sample_unusable)
		log_write_text(log, "heap_sample_off", sample_unusable, clock_ticks(log->clock));
}

/* ---- threads and records ---- */

NOINLINE uint64_t heap_ask_allocator(struct log_thread *thread, void *block)
{
	uint32_t inside = thread->heap_inside;
	uint64_t bytes;

	thread->heap_inside = inside + 1;
	bytes = real.malloc_usable_size(block);
	thread->heap_inside = inside;
	return bytes;
}

struct log_thread *heap_thread_slowly(void)
{
	if (!live.log && live.bootstrap_heap && !(entry_is_due() && live_open_child()))
		return &heap_early;
	if (unlikely(live.bootstrap_heap && live.log && sys_gettid() == (long)live.log->pid))
		heap_take_early();
	return thread_make();
}

/* After a fork it has the parent's counts. */
void heap_begin_early(struct log_heap *heap)
{
	heap_early.heap_bytes = heap_early.heap_held_bytes = 0;
	heap_early.heap_inside = 0;
	live.bootstrap_heap = heap;
}

int64_t heap_early_bytes(void)
{
	bootstrap_known_bytes = live.bootstrap_heap ? heap_early.heap_bytes : 0;
	return bootstrap_known_bytes;
}

void heap_take_early(void)
{
	struct log_heap *early =
		live.main_record ? __atomic_exchange_n(&live.bootstrap_heap, NULL, __ATOMIC_ACQ_REL) : NULL;
	struct log_thread *thread = live.main_record;
	struct log_heap *heap;

	if (!early)
		return;
	thread->heap_inside = heap_early.heap_inside;	/* between the two calls around a pool's malloc */
	add_own(&thread->heap_bytes, heap_early.heap_bytes);
	add_own(&thread->heap_held_bytes, heap_early.heap_bytes - bootstrap_known_bytes);
	if (!early->alloc_calls && !early->free_calls && !early->failed_calls)
		return;
	heap = heap_new_record(thread, &thread->root);
	if (!heap)
		return;
	add_own(&heap->alloc_calls, (long)early->alloc_calls);
	add_own(&heap->alloc_bytes, (long)early->alloc_bytes);
	add_own(&heap->free_calls, (long)early->free_calls);
	add_own(&heap->freed_bytes, (long)early->freed_bytes);
	if (heap->peak_number) {	/* the map has begun: these blocks are older */
		add_own(&heap->released_calls, (long)early->alloc_calls);
		add_own(&heap->released_bytes, (long)early->alloc_bytes);
	}
	add_own(&heap->failed_calls, (long)early->failed_calls);
	heap_raise_largest(heap, early->largest_bytes);
}

/* A blank record from the thread's newest area, or from a new one. A signal handler may come in between. */
static struct log_heap *claim_record(struct log_header *log, struct log_thread *thread)
{
	struct log_area *area = log_at(log, thread->heaps), *next;
	uint64_t place;

	if (thread->heaps) {
		place = __atomic_fetch_add(&area->used_bytes, sizeof(struct log_heap), __ATOMIC_RELAXED);
		if (place + sizeof(struct log_heap) <= area->bytes)
			return (struct log_heap *)((char *)area + place);
	}
	next = log_space_new_area(LOG_AREA_HEAPS, thread->head.self,
				  thread->heaps ? LATER_AREA_BYTES : FIRST_AREA_BYTES,
				  sizeof(*area) + sizeof(struct log_heap), sizeof(struct log_heap));
	if (!next)
		return NULL;
	if (thread->heaps)
		area->next = next->self;
	thread->heaps = next->self;
	return (struct log_heap *)(next + 1);
}

/* In a library call that waits: its allocations count for its caller, as if the call had no node. */
static struct log_heap *caller_record(struct log_thread *thread, struct log_node *node)
{
	struct log_node *caller = node_at(live.log, node->parent);
	struct log_heap *heap =
		caller->heap ? log_at(live.log, caller->heap) : heap_new_record(thread, caller);

	if (heap)
		__atomic_store_n(&node->heap, log_ref(live.log, heap), __ATOMIC_RELEASE);
	return heap;
}

NOINLINE struct log_heap *heap_new_record(struct log_thread *thread, struct log_node *node)
{
	struct log_header *log = live.log;
	struct log_heap *heap;
	uint32_t none = 0;

	if (log && log_is_wait(node->function_addr))
		return caller_record(thread, node);
	heap = log ? claim_record(log, thread) : NULL;
	if (!heap) {
		if (log)
			log_lose(log, LOG_LOST_HEAP_CALLS);
		return NULL;
	}
	heap->thread = thread->head.self;
	heap->node = log_ref(log, node);
	if (__atomic_compare_exchange_n(&node->heap, &none, log_ref(log, heap), false, __ATOMIC_RELEASE,
					__ATOMIC_RELAXED))
		return heap;
	heap->node = 0;		/* a handler has made one: ours stays blank */
	return log_at(log, node->heap);
}

/* Make a record at @link, unless a handler does so first. Return: whether there is one; false: no room. */
static bool add_caller(struct log_thread *thread, const struct log_heap *first, uint32_t *link,
		       uintptr_t caller)
{
	struct log_heap *heap = claim_record(live.log, thread);
	uint32_t none = 0;

	if (!heap)
		return false;
	heap->thread = first->thread;
	heap->node = first->node;
	heap->caller_addr = caller;
	if (!__atomic_compare_exchange_n(link, &none, log_ref(live.log, heap), false, __ATOMIC_RELEASE,
					 __ATOMIC_RELAXED))
		heap->node = 0;
	return true;
}

/*
 * The first caller takes the record if only frees have made it. The depth of the tree is limited, because
 * code made at run time may call from ever new places; callers without a record of their own share the first
 * one.
 */
NOINLINE struct log_heap *heap_find_caller(struct log_thread *thread, struct log_heap *first,
					   uintptr_t caller)
{
	struct log_heap *at = first;
	uint64_t bits;

	if (caller - allocator.begin < allocator.bytes) /* strdup() and the like, for their callers */
		caller = 0;
	if (!first->caller_addr && !first->alloc_calls)
		first->caller_addr = caller;
	bits = heap_caller_hash(caller);
	for (uint32_t level = 0; at->caller_addr != caller; level++, bits <<= 1) {
		uint32_t *link = &at->others[bits >> 63];

		if (!*link && (first->has_many || level == LOG_HEAP_CALLER_LEVELS ||
			       !add_caller(thread, first, link, caller))) {
			first->has_many = 1;
			return first;
		}
		at = log_at(live.log, *link);
	}
	return at;
}

/* It is not known whether blocks older than the map still live. The path's own thread comes here first. */
void heap_keep_peak(struct log_heap *heap)
{
	const struct log_header *log = live.log;
	uint64_t number = log ? __atomic_load_n(&log->heap_peak_number, __ATOMIC_ACQUIRE) : 0;

	if (!heap->peak_number && log && log->heap_began_late) {
		heap->released_calls = heap->alloc_calls;
		heap->released_bytes = heap->alloc_bytes;
	}
	heap->peak_calls = heap->alloc_calls - heap->released_calls - heap->others_calls;
	heap->peak_bytes = heap->alloc_bytes - heap->released_bytes - heap->others_bytes;
	heap->peak_variance = heap->variance - heap->released_variance;
	__atomic_store_n(&heap->peak_number, number, __ATOMIC_RELEASE);
}

uint64_t heap_birth;

NOINLINE uint8_t heap_birth_at(const struct log_header *log, uint64_t ticks)
{
	uint64_t since = ticks > log->start.ticks ? ticks - log->start.ticks : 0, end = UINT64_MAX;
	uint8_t class = 0;

	since >>= LOG_HEAP_BIRTH_SHIFT;
	if (since)
		class = (uint8_t)(64 - __builtin_clzll(since));
	if (class < LOG_HEAP_BIRTHS - 1)
		end = log->start.ticks + (1ull << (LOG_HEAP_BIRTH_SHIFT + class));
	else
		class = LOG_HEAP_BIRTHS - 1;
	__atomic_store_n(&heap_birth, (end & ~(LOG_HEAP_BIRTHS - 1ull)) | class, __ATOMIC_RELAXED);
	return class;
}

void heap_count_runtimes(struct log_heap *heap, uint64_t blocks, uint64_t bytes)
{
	__atomic_fetch_add(&heap->runtime_calls, blocks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&heap->runtime_bytes, bytes, __ATOMIC_RELAXED);
}

static NOINLINE void reach_ceiling(struct log_header *log, const struct log_thread *thread, uint64_t total)
{
	bool is_sealed = live_is_sealed();

	/* a vfork child, or a fork in a handler: it is not its log */
	if (!is_sealed && log->pid != (uint32_t)sys_getpid())
		return;
	log_space_for_records(log);
	if (!ceiling_note(log, LOG_MEMORY_HEAP, total, thread) || is_sealed)
		return;
	if (!log->has_hooks) {
		last_words_here();
		last_words_of_others(log->memory_action != LOG_MEMORY_STACK);
	}
	ceiling_act(log, LOG_MEMORY_HEAP, total, (int)log->pid, (int)sys_gettid(), CEILING_SAYS_HERE);
}

/*
 * When the heap has fallen by a sixteenth, pages of the map are given back in turns, one each time that the
 * heap has changed by a certain size. A turn takes up to 0.1 ms, so turns are few. After the last turn the
 * heap must fall again.
 */
static void return_some(int64_t total)
{
	static int64_t highest, newest;		/* atomic; since the last turn, and at the newest one */
	int64_t before = __atomic_load_n(&highest, __ATOMIC_RELAXED), step = before / 16;
	int64_t since = total - __atomic_load_n(&newest, __ATOMIC_RELAXED);

	if (total >= before) {
		__atomic_store_n(&highest, total, __ATOMIC_RELAXED);
		return;
	}
	if (total > before - step || (since < 0 ? -since : since) < (step < TURN_BYTES ? step : TURN_BYTES) ||
	    (int64_t)live.log->heap_map_bytes < step) /* large blocks: there is little to give back */
		return;
	__atomic_store_n(&newest, total, __ATOMIC_RELAXED);
	if (blocks_return_some())
		__atomic_store_n(&highest, total, __ATOMIC_RELAXED);
}

/* @node: the path that a new peak was reached in. */
static void publish_held(struct log_thread *thread, uint32_t node)
{
	struct log_header *log = live.log;
	int64_t held = __atomic_exchange_n(&thread->heap_held_bytes, 0, __ATOMIC_RELAXED), total;

	if (log && thread != &heap_early) {
		total = __atomic_add_fetch(&log->heap_total_bytes, held, __ATOMIC_RELAXED);
		if (unlikely(total > log->heap_look_bytes))
			heap_peak_look(log, thread, node);
		if (live.heap == HEAP_LIVE)
			return_some(total);
		if (unlikely(ceiling_is_reached(log, total)))
			reach_ceiling(log, thread, (uint64_t)total);
	}
	sampler_task_poll(now_ticks());
	heap_poll_soon();
}

NOINLINE void heap_publish_held(struct log_thread *thread)
{
	publish_held(thread, thread->current);
}

/*
 * The path of the thread's newest block. If that is @freed, which was just taken, it is no longer in the map.
 */
static uint32_t newest_node(const struct log_header *log, const struct log_thread *thread,
			    const struct log_heap *freed)
{
	struct place place;
	struct block newest;
	const bool is_found =
		blocks_find_usual((const void *)thread->heap_last_addr, &place, &newest) && newest.heap;
	const struct log_heap *heap = is_found ? log_at(log, newest.heap) : freed;

	return heap->thread == thread->head.self ? heap->node : thread->current;
}

NOINLINE void heap_release(struct log_thread *thread, struct log_heap *heap, struct heap_released released)
{
	const struct log_header *log = live.log;

	/* the peak was reached by the newest block, before this free */
	if (heap_is_at_peak(log, thread))
		publish_held(thread, newest_node(log, thread, heap));
	heap_before_change(log, heap);
	if (heap->thread == thread->head.self) {
		heap_add_released(heap, released);
		return;
	}
	__atomic_fetch_add(&heap->others_calls, released.blocks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&heap->others_bytes, released.bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&heap->others_births[released.birth], (uint32_t)released.blocks, __ATOMIC_RELAXED);
}

/* Then the thread holds back more than it may, and the total is too low. */
void heap_poll_soon(void)
{
	struct log_thread *thread = live.log && self ? self : live.bootstrap_heap ? &heap_early : NULL;
	int64_t held, most = HEAP_STEP_BYTES + 1;

	if (likely(!__atomic_load_n(&sampler_task_due_ticks, __ATOMIC_RELAXED)) || !thread ||
	    __atomic_load_n(&sampler_task_is_watched, __ATOMIC_RELAXED))
		return;
	held = thread->heap_held_bytes;
	if (held < 0)
		most = -most;
	if (thread != &heap_early)
		__atomic_fetch_sub(&live.log->heap_total_bytes, most - held, __ATOMIC_RELAXED);
	add_own(&thread->heap_held_bytes, most - held);
}

NOINLINE void heap_raise_largest(struct log_heap *heap, uint64_t bytes)
{
	uint64_t largest = heap->largest_bytes;

	while (bytes > largest && !__atomic_compare_exchange_n(&heap->largest_bytes, &largest, bytes, false,
							       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}
