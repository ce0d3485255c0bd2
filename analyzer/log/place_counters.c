/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/log/place_counters.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

struct pending_count pending_count_of(struct logfile *log, uint64_t pending_addr)
{
	const struct pending_count none = { 0, 0 };
	const struct log_extent *extent;
	uint64_t offset, in_node;

	if (!pending_addr || !logfile_offset(log, pending_addr, &offset))
		return none;
	extent = logfile_find(log, offset, sizeof(uint32_t));
	if (!extent || offset < extent->offset + sizeof(struct log_area))
		return none;
	in_node = (offset - extent->offset - sizeof(struct log_area)) % sizeof(struct log_node);
	if (in_node < offsetof(struct log_node, histogram) || in_node % sizeof(uint32_t))
		return none;
	if (extent->kind != LOG_AREA_CALL_PLACES &&
	    logfile_node_index(log, (uint32_t)((offset - in_node) >> LOG_REF_SHIFT)) < 0)
		return none;
	return (struct pending_count){
		offset - in_node,
		(uint32_t)((in_node - offsetof(struct log_node, histogram)) / sizeof(uint32_t)),
	};
}

void place_counters_read(const struct logfile *log, const struct place_counters *at, struct log_node *place,
		      uint64_t histogram[LOG_BUCKETS])
{
	logfile_node(log, at->offset, place);
	for (uint32_t i = 0; i < LOG_BUCKETS; i++)
		histogram[i] = place->histogram[i] + (i == at->pending_bucket);
}

static void add_place(struct log_node *node, const struct log_node *place)
{
	unsigned __int128 squares, more;

	memcpy(&squares, node->squares, sizeof(squares));
	memcpy(&more, place->squares, sizeof(more));
	squares += more;
	memcpy(node->squares, &squares, sizeof(squares));
	node->calls += place->calls;
	node->untimed_calls += place->untimed_calls;
	node->child_ticks += place->child_ticks;
	node->total_ticks += place->total_ticks;
	if (place->min_ticks < node->min_ticks)
		node->min_ticks = place->min_ticks;
	if (place->max_ticks > node->max_ticks)
		node->max_ticks = place->max_ticks;
}

void place_counters_add(const struct logfile *log, uint32_t index, struct log_node *node,
		       uint64_t histogram[LOG_BUCKETS])
{
	size_t at = PARTITION_POINT(i, log->nr_places, log->places[i].node_index < index);

	for (; at < log->nr_places && log->places[at].node_index == index; at++) {
		uint64_t counts[LOG_BUCKETS];
		struct log_node place;

		place_counters_read(log, &log->places[at], &place, counts);
		add_place(node, &place);
		for (int i = 0; i < LOG_BUCKETS; i++) {
			node->histogram[i] += place.histogram[i];
			histogram[i] += counts[i];
		}
	}
}

/* A path of the thread itself; -1: it is none. */
static int64_t path_index(struct logfile *log, uint32_t ref, uint32_t owner)
{
	const int64_t index = logfile_node_index(log, ref);
	const struct log_extent *extent =
		index < 0 ? NULL : logfile_find(log, (uint64_t)ref << LOG_REF_SHIFT, 1);

	return extent && extent->owner == owner ? index : -1;
}

void place_counters_list(struct logfile *log, const struct log_extent *extent,
			 const struct node_limits *limits, uint64_t current_node,
			 const struct pending_count *pending)
{
	uint64_t offset = extent->offset + sizeof(struct log_area), histogram[LOG_BUCKETS];

	for (; offset + sizeof(struct log_node) <= extent->offset + extent->used_bytes;
	     offset += sizeof(struct log_node)) {
		struct place_counters at = { .offset = offset, .owner = extent->owner };
		struct node_limits own = *limits;
		struct log_node place;
		int64_t index;

		at.pending_bucket = offset == pending->offset ? pending->bucket : LOG_BUCKETS;
		place_counters_read(log, &at, &place, histogram);
		if (!place.parent || !place.calls)
			continue;
		index = path_index(log, place.parent, extent->owner);
		own.changing |= (uint64_t)place.parent << LOG_REF_SHIFT == current_node;
		if (index < 0 || !node_is_sound(&place, histogram, &own)) {
			logfile_damaged(log, offset, "calls from a place that cannot be true");
			continue;
		}
		at.node_index = (uint32_t)index;
		APPEND(log->places, log->nr_places) = at;
	}
}

static int by_node(const void *a, const void *b)
{
	const struct place_counters *x = a, *y = b;

	if (x->node_index != y->node_index)
		return x->node_index < y->node_index ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void place_counters_sort(struct logfile *log)
{
	if (log->nr_places)
		qsort(log->places, log->nr_places, sizeof(*log->places), by_node);
}
