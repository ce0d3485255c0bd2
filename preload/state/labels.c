/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of the program: a hash table of lists that only grow, in private memory, which a forked child
 * inherits.
 */
#include "preload/state/labels.h"

#include <sys/mman.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/state/live.h"
#include "preload/state/log_space.h"

#define LISTS		256u
#define CHUNK_BYTES	(16u << 10)
#define MOST_CHUNKS	256u	/* 4 MiB: a program may make up names without end */

LARGE static struct label *lists[LISTS];	/* each grows at its head; atomic */

/* The newest chunk of memory, used from its start. */
struct chunk {
	uint32_t used_bytes;	/* atomic; may pass the end */
	char bytes[];
};
LARGE static char first_chunk[CHUNK_BYTES];	/* few names need no mapping */
static struct chunk *newest = (struct chunk *)first_chunk;	/* atomic */
static uint32_t nr_chunks = 1, last_number, nr_labels;	/* atomic; nr_labels: those that are in the lists */

static struct chunk *new_chunk(struct chunk *full)
{
	long place;

	if (live_is_sealed() || __atomic_fetch_add(&nr_chunks, 1, __ATOMIC_RELAXED) >= MOST_CHUNKS)
		return NULL;
	place = sys_mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(place))
		return NULL;
	if (__atomic_compare_exchange_n(&newest, &full, (struct chunk *)place, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return (struct chunk *)place;
	sys_munmap((void *)place, CHUNK_BYTES);	/* another thread was faster */
	__atomic_fetch_sub(&nr_chunks, 1, __ATOMIC_RELAXED);
	return full;
}

static void *allocate(uint32_t bytes)
{
	struct chunk *chunk = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);

	for (bytes = (bytes + 7) & ~7u;;) {
		uint32_t place = chunk ? __atomic_load_n(&chunk->used_bytes, __ATOMIC_RELAXED) : CHUNK_BYTES;

		if (place < CHUNK_BYTES)	/* otherwise names without end would make it wrap */
			place = __atomic_fetch_add(&chunk->used_bytes, bytes, __ATOMIC_RELAXED);
		if (place <= CHUNK_BYTES - sizeof(*chunk) - bytes)
			return chunk->bytes + place;
		chunk = new_chunk(chunk);
		if (!chunk)
			return NULL;
	}
}

static struct label *find_in(struct label *list, const struct label *end, uint32_t hash, const char *name,
			     uint32_t length)
{
	for (; list != end; list = list->next)
		if (list->hash == hash && list->bytes == length + 1 && text_begins(name, list->text))
			return list;
	return NULL;
}

static void write_record(struct log_header *log, const struct label *label)
{
	struct log_label *record = (struct log_label *)log_new_record(
		log, (uint32_t)sizeof(*record) + label->bytes, clock_ticks(log->clock));

	if (!record)
		return;
	record->number = label->number;
	record->text_bytes = label->bytes;
	__builtin_memcpy(record + 1, label->text, label->bytes);
	log_publish(&record->record, LOG_RECORD_LABEL);
}

static struct label *add(struct label **list, uint32_t hash, const char *name, uint32_t length)
{
	struct label *seen = __atomic_load_n(list, __ATOMIC_ACQUIRE),
		     *known = find_in(seen, NULL, hash, name, length), *label;

	if (known)
		return known;
	label = allocate((uint32_t)sizeof(*label) + length + 1);
	if (!label)
		return NULL;
	label->hash = hash;
	label->bytes = length + 1;
	__builtin_memcpy(label->text, name, length);
	label->number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
	do {
		label->next = seen;
		if (__atomic_compare_exchange_n(list, &seen, label, false, __ATOMIC_SEQ_CST,
						__ATOMIC_ACQUIRE)) {
			__atomic_fetch_add(&nr_labels, 1, __ATOMIC_RELEASE);
			if (live.log) {	/* otherwise the task that opens a log finds the label in the list */
				log_space_for_records(live.log);
				write_record(live.log, label);
			}
			return label;
		}
		known = find_in(seen, label->next, hash, name, length);
	} while (!known);
	return known;	/* the number and memory of our copy stay unused */
}

static uint32_t hash_of(const char *name, uint32_t *length)
{
	uint32_t hash = 0;

	for (*length = 0; name[*length] && *length < LOG_LABEL_MAX; ++*length)
		hash = (hash ^ (unsigned char)name[*length]) * 0x9e3779b1u;
	return hash ^ hash >> 15;
}

struct label *label_look_up(const char *name)
{
	uint32_t length, hash = hash_of(name, &length);

	return find_in(__atomic_load_n(&lists[hash % LISTS], __ATOMIC_ACQUIRE), NULL, hash, name, length);
}

struct label *label_find(const char *name)
{
	uint32_t length, hash = hash_of(name, &length);
	struct label **list = &lists[hash % LISTS], *label;

	label = find_in(__atomic_load_n(list, __ATOMIC_ACQUIRE), NULL, hash, name, length);
	if (unlikely(!label))
		label = add(list, hash, name, length);
	if (unlikely(!label && live.log))
		log_lose(live.log, LOG_LOST_RECORDS);
	return label;
}

/* Names are compared as far as they are kept: a longer one is cut. */
static ALWAYS_INLINE int compare(const char *a, const char *b)
{
	uint32_t at = 0;

	while (at < LOG_LABEL_MAX && a[at] && a[at] == b[at])
		at++;
	return at < LOG_LABEL_MAX ? (unsigned char)a[at] - (unsigned char)b[at] : 0;
}

/* ---- in their order ---- */

/*
 * All labels that existed when they were last sorted. While another task uses it, look at all labels instead.
 */
static struct {
	uint32_t is_used;		/* atomic */
	uint32_t nr_known;		/* nr_labels at that time, or fewer */
	uint32_t nr;
	uint32_t room;
	struct label **list;
} order;

static void sink(struct label **heap, uint32_t at, uint32_t nr)
{
	for (uint32_t child; (child = 2 * at + 1) < nr; at = child) {
		struct label *label = heap[at];

		child += child + 1 < nr && compare(heap[child + 1]->text, heap[child]->text) > 0;
		if (compare(heap[child]->text, label->text) <= 0)
			return;
		heap[at] = heap[child];
		heap[child] = label;
	}
}

/* Heap sort: no recursion. */
static void sort_order(void)
{
	for (uint32_t i = order.nr / 2; i-- > 0; )
		sink(order.list, i, order.nr);
	for (uint32_t last = order.nr; last-- > 1; ) {
		struct label *label = order.list[last];

		order.list[last] = order.list[0];
		order.list[0] = label;
		sink(order.list, 0, last);
	}
}

static bool make_room(uint32_t wanted)
{
	void *old = order.list;
	size_t old_bytes = order.room * sizeof(*order.list);
	long place;

	if (wanted <= order.room)
		return true;
	if (live_is_sealed())
		return false;
	place = sys_mmap(NULL, 2ul * wanted * sizeof(*order.list), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(place))
		return false;
	order.room = 0;		/* a fork may happen between any two of these */
	signal_fence();
	order.list = (struct label **)place;
	signal_fence();
	order.room = 2 * wanted;
	if (old)
		sys_munmap(old, old_bytes);
	return true;
}

static bool read_order(void)
{
	uint32_t nr_known = __atomic_load_n(&nr_labels, __ATOMIC_ACQUIRE);

	if (nr_known == order.nr_known)
		return true;
	if (!make_room(nr_known))
		return false;
	order.nr = 0;
	for (uint32_t i = 0; i < LISTS; i++)
		for (struct label *label = __atomic_load_n(&lists[i], __ATOMIC_ACQUIRE);
		     label && order.nr < order.room; label = label->next)
			order.list[order.nr++] = label;
	sort_order();
	order.nr_known = nr_known;
	return true;
}

static struct label *timed_after_in_order(const char *name)
{
	uint32_t low = 0, high = order.nr;

	while (name && low < high) {	/* to the first one behind it */
		uint32_t middle = low + (high - low) / 2;

		if (compare(order.list[middle]->text, name) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < order.nr && !order.list[low]->is_timed)
		low++;
	return low < order.nr ? order.list[low] : NULL;
}

static struct label *timed_after_of_all(const char *name)
{
	struct label *found = NULL;

	for (uint32_t i = 0; i < LISTS; i++)
		for (struct label *label = __atomic_load_n(&lists[i], __ATOMIC_ACQUIRE); label;
		     label = label->next)
			if (label->is_timed && (!name || compare(label->text, name) > 0) &&
			    (!found || compare(label->text, found->text) < 0))
				found = label;
	return found;
}

struct label *label_timed_after(const char *name)
{
	struct label *found;
	bool is_ordered;

	/* by another thread, or by the code that this handler interrupted */
	if (__atomic_exchange_n(&order.is_used, 1, __ATOMIC_ACQUIRE))
		return timed_after_of_all(name);
	is_ordered = read_order();
	found = is_ordered ? timed_after_in_order(name) : NULL;
	__atomic_store_n(&order.is_used, 0, __ATOMIC_RELEASE);
	return is_ordered ? found : timed_after_of_all(name);
}

const struct label *label_numbered(uint32_t number)
{
	for (uint32_t i = 0; i < LISTS; i++)
		for (const struct label *label = __atomic_load_n(&lists[i], __ATOMIC_ACQUIRE); label;
		     label = label->next)
			if (label->number == number)
				return label;
	return NULL;
}

void labels_forked(void)
{
	order.is_used = 0;
	order.nr_known = 0;
}

void labels_log_all(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < LISTS; i++)
		for (struct label *label = __atomic_load_n(&lists[i], __ATOMIC_ACQUIRE); label;
		     label = label->next) {
			label->counter = NULL;	/* of the earlier log */
			label->timer = label->added = NULL;
			label->reset_calls = label->reset_ticks = 0;
			write_record(live.log, label);
		}
}
