/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of timers and regions: their current values in the log, less their values when they were reset. */
#include "preload/api/api.h"

#include <errno.h>

#include "preload/calls/paths.h"
#include "preload/common/base/proc_text.h"
#include "preload/common/base/text.h"
#include "preload/common/resources/usage.h"
#include "preload/common/run/process_id.h"
#include "preload/objects/fork_gate.h"
#include "preload/stacks/thread.h"
#include "preload/state/labels.h"

#define INSIDEME_RECORDER
#include "insideme.h"

/* Since the log began. */
struct so_far {
	uint64_t calls;
	uint64_t ticks;
	uint64_t all_ticks; /* also of calls within another one of the same region */
	uint64_t paused_ticks;
	uint64_t added_ns;
	uint64_t least_ticks;
	uint64_t most_ticks;
	uint64_t least_added_ns, most_added_ns;
};

static void add_bounds(struct so_far *sum, uint64_t least_ticks, uint64_t most_ticks)
{
	if (least_ticks < sum->least_ticks)
		sum->least_ticks = least_ticks;
	if (most_ticks > sum->most_ticks)
		sum->most_ticks = most_ticks;
}

/* Is the call within another one of the same region? Then that one's time includes it. */
static bool is_within_itself(const struct log_node *node)
{
	uint64_t function_addr = node->function_addr;

	for (uint32_t ref = node->parent; ref; ref = node_at(live.log, ref)->parent)
		if (node_at(live.log, ref)->function_addr == function_addr)
			return true;
	return false;
}

static void add_nodes(struct so_far *sum, struct log_area *area, uint64_t region)
{
	uint64_t used = __atomic_load_n(&area->used_bytes, __ATOMIC_ACQUIRE);
	const struct log_node *node = (const struct log_node *)((char *)area + log_nodes_at(area));

	for (; (const char *)(node + 1) <= (char *)area + (used < area->bytes ? used : area->bytes); node++) {
		if (node->function_addr != region || !node->calls)
			continue;
		sum->calls += node->calls;
		sum->all_ticks += node->total_ticks;
		if (!is_within_itself(node))
			sum->ticks += node->total_ticks;
		if (log_node_timed_calls(node))
			add_bounds(sum, node->min_ticks, node->max_ticks);
	}
}

static void add_region(struct so_far *sum, uint64_t region)
{
	uint64_t at = LOG_HEADER_BYTES;
	struct log_area *area;

	while ((area = log_next_area(live.log, &at)))
		if (log_nodes_at(area))
			add_nodes(sum, area, region);
}

static struct so_far sum_up(const struct label *label)
{
	const struct log_timer *timer = __atomic_load_n(&label->timer, __ATOMIC_ACQUIRE);
	const struct log_timer *added = __atomic_load_n(&label->added, __ATOMIC_ACQUIRE);
	struct so_far sum = { .least_ticks = UINT64_MAX, .least_added_ns = UINT64_MAX };

	add_region(&sum, LOG_FUNCTION_REGION | (uint64_t)label->number << LOG_REGION_SHIFT);
	if (timer && timer->nr_spans) {
		sum.calls += timer->nr_spans;
		sum.ticks += timer->timer_ticks;
		sum.all_ticks += timer->timer_ticks;
		sum.paused_ticks = timer->paused_ticks;
		add_bounds(&sum, timer->least_ticks, timer->most_ticks);
	}
	if (added && added->nr_spans) {
		sum.calls += added->nr_spans;
		sum.added_ns = added->timer_ticks;
		sum.least_added_ns = added->least_ticks;
		sum.most_added_ns = added->most_ticks;
	}
	return sum;
}

static void fill(struct insideme_sum *sum, const struct label *label)
{
	struct so_far so_far = sum_up(label);
	bool is_timed = so_far.least_ticks <= so_far.most_ticks;
	bool was_added = so_far.least_added_ns <= so_far.most_added_ns;
	uint64_t ns[] = { so_far.ticks - label->reset_ticks, so_far.paused_ticks,
			  is_timed ? so_far.least_ticks : 0, so_far.most_ticks };

	live_make_ns(ns, sizeof(ns) / sizeof(*ns));
	sum->name = label->text;
	sum->calls = so_far.calls - label->reset_calls;
	sum->total_ns = ns[0] + so_far.added_ns - label->reset_added_ns;
	sum->paused_ns = ns[1];
	sum->min_ns = ns[2];
	if (was_added && (!is_timed || so_far.least_added_ns < ns[2]))
		sum->min_ns = so_far.least_added_ns;
	sum->max_ns = so_far.most_added_ns > ns[3] ? so_far.most_added_ns : ns[3];
}

int query_sum(const char *name, struct insideme_sum *sum)
{
	const struct label *label;

	if (!name || !sum)
		return -EINVAL;
	if (!thread_self())
		return -ENODATA;
	label = label_look_up(name);
	if (!label || !label->is_timed)
		return -ENOENT;
	fill(sum, label);
	return 0;
}

int query_sum_after(const char *name, struct insideme_sum *sum)
{
	const struct label *label;

	if (!sum)
		return -EINVAL;
	if (!thread_self())	/* opens a child's log */
		return -ENODATA;
	label = label_timed_after(name);
	if (!label)
		return -ENOENT;
	fill(sum, label);
	return 0;
}

static void reset(struct label *label)
{
	struct so_far sum = sum_up(label);

	label->reset_calls = sum.calls;
	label->reset_ticks = sum.ticks;
	label->reset_all_ticks = sum.all_ticks;
	label->reset_added_ns = sum.added_ns;
}

int query_reset(const char *name)
{
	struct label *label;

	if (!thread_self())
		return -ENODATA;
	label = name ? label_look_up(name) : NULL;
	if (name && (!label || !label->is_timed))
		return -ENOENT;
	if (label)
		reset(label);
	for (label = name ? NULL : label_timed_after(NULL); label; label = label_timed_after(label->text))
		reset(label);
	return 0;
}

uint64_t query_mean_ns(const char *name)
{
	const struct label *label = name && thread_self() ? label_look_up(name) : NULL;
	struct so_far sum;

	if (!label || !label->is_timed)
		return 0;
	sum = sum_up(label);
	return sum.calls > label->reset_calls ? (live_ns_of(sum.all_ticks - label->reset_all_ticks) +
						 sum.added_ns - label->reset_added_ns) /
							(sum.calls - label->reset_calls)
					      : 0;
}

static uint64_t rss_bytes(void)
{
	struct proc_statm statm;
	char text[256];
	uint64_t mask;
	long length;

	if (live_is_sealed())
		return 0;
	sys_block_signals(&mask);	/* a handler that jumps away would leave the descriptor open */
	moment_begin();
	length = read_file("/proc/self/statm", text, sizeof(text));
	moment_end();
	sys_restore_signals(&mask);
	if (length <= 0 || proc_parse_statm(text, &statm) < 0)
		return 0;
	return statm.resident_pages * LOG_AREA_ALIGN;
}

uint64_t query_memory(int which)
{
	struct usage_totals totals = { .peak_rss_bytes = 0 };
	uint64_t now_bytes = rss_bytes();

	if (which == INSIDEME_MEMORY_PEAK && !live_is_sealed())
		usage_read_totals(&totals);
	/* the kernel updates it late */
	return totals.peak_rss_bytes > now_bytes ? totals.peak_rss_bytes : now_bytes;
}
