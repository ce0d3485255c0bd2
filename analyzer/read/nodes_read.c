/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a log's nodes to the merged tree. A node names its parent, so each stands for itself: damage in one does
 * not hide others, and the links to children are not needed. Parents are older than their children and lie before
 * them in the file, so one pass in the order of the file sees them first.
 */
#include "analyzer/read/nodes_read.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/log/node_check.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/selection.h"
#include "analyzer/model/tree.h"

/* What is needed at each node of a thread. */
struct node_reader {
	struct thread *thread;
	struct node_limits limits;
	uint64_t current_node;		/* offset of the node where the thread is */
	uint64_t pending_node;		/* offset of the node with a bucket that waits to be counted, 0: none */
	uint32_t pending_bucket;
};

struct thread *nodes_thread(const struct process *process, uint32_t ref)
{
	size_t low = 0, high = process->nr_threads;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->threads[middle]->ref == ref)
			return process->threads[middle];
		if (process->threads[middle]->ref < ref)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The thread that an area belongs to, its own included. */
static uint32_t owner_of(const struct log_extent *extent)
{
	return extent->kind == LOG_AREA_THREAD ? (uint32_t)(extent->offset >> LOG_REF_SHIFT) : extent->owner;
}

static bool is_others(const struct logfile *log, uint32_t ref)
{
	struct log_node node;

	logfile_node(log, (uint64_t)ref << LOG_REF_SHIFT, &node);
	return node.function_addr & LOG_FUNCTION_OTHERS;
}

/* The path of calls whose path is not known. */
static struct tree_node *others_path(struct model *model)
{
	return selection_keeps(model, model->root, &model->tables->functions.others) ? tree_others(model) : model->root;
}

bool nodes_is_left_out(const struct process *process, uint32_t ref)
{
	int64_t index = process->is_left_out ? logfile_node_index(process->log, ref) : -1;

	return index >= 0 && process->is_left_out[index];
}

struct tree_node *nodes_path(struct thread *thread, uint32_t ref)
{
	struct process *process = thread->process;
	int64_t index = logfile_node_index(process->log, ref);
	const struct log_extent *extent;

	if (index < 0)
		return NULL;
	extent = logfile_find(process->log, (uint64_t)ref << LOG_REF_SHIFT, 1);
	if (owner_of(extent) != thread->ref)
		return NULL;
	if (!process->tree_of[index] && is_others(process->log, ref))	/* left out when its counters were read */
		return others_path(process->model);
	return process->tree_of[index];
}

static void find_pending(struct node_reader *reader)
{
	struct logfile *log = reader->thread->process->log;
	const struct log_extent *extent;
	struct log_thread thread;
	uint64_t offset, in_node;

	memcpy(&thread, log->base + ((uint64_t)reader->thread->ref << LOG_REF_SHIFT),
	       offsetof(struct log_thread, cache));
	reader->pending_node = 0;
	reader->thread->new_path_ns = thread.nr_new_paths ? (double)thread.new_paths_ticks / thread.nr_new_paths *
				      reader->thread->process->tick_ns : 0;
	reader->current_node = (uint64_t)thread.current << LOG_REF_SHIFT;
	if (!thread.pending_addr || !logfile_offset(log, thread.pending_addr, &offset))
		return;
	extent = logfile_find(log, offset, sizeof(uint32_t));
	if (!extent || offset < extent->offset + sizeof(struct log_area))
		return;
	in_node = (offset - extent->offset - sizeof(struct log_area)) % sizeof(struct log_node);
	if (in_node < offsetof(struct log_node, histogram) || in_node % sizeof(uint32_t) ||
	    logfile_node_index(log, (uint32_t)((offset - in_node) >> LOG_REF_SHIFT)) < 0)
		return;
	reader->pending_node = offset - in_node;
	reader->pending_bucket = (uint32_t)((in_node - offsetof(struct log_node, histogram)) / sizeof(uint32_t));
}

/* A node's histogram with the call that waits to be counted. */
static void whole_histogram(const struct node_reader *reader, const struct log_node *node, uint64_t offset,
			    uint64_t histogram[LOG_BUCKETS])
{
	for (int i = 0; i < LOG_BUCKETS; i++)
		histogram[i] = node->histogram[i];
	if (offset == reader->pending_node)
		histogram[reader->pending_bucket]++;
}

bool nodes_is_half_counted(struct thread *thread, uint32_t ref)
{
	struct node_reader reader = { .thread = thread };
	uint64_t offset = (uint64_t)ref << LOG_REF_SHIFT, histogram[LOG_BUCKETS], sum = 0;
	struct log_node node;

	find_pending(&reader);
	logfile_node(thread->process->log, offset, &node);
	whole_histogram(&reader, &node, offset, histogram);
	for (int i = 0; i < LOG_BUCKETS; i++)
		sum += histogram[i];
	return (uint32_t)(sum + 1) == (uint32_t)log_node_timed_calls(&node);
}

static bool is_adaptive(const struct process *process)
{
	return process->header.timing == LOG_TIMING_ADAPTIVE;
}

/* Add a node's counters to its path. */
static void add_counters(struct node_reader *reader, struct tree_node *path, const struct log_node *node,
			 const uint64_t histogram[LOG_BUCKETS])
{
	const struct process *process = reader->thread->process;
	double tick_ns = process->tick_ns, total_ns = (double)node->total_ticks * tick_ns;
	double squares = (double)node->squares[1] * 0x1p64 + (double)node->squares[0];
	struct call_stats *stats = &path->stats;
	uint64_t known_calls = is_adaptive(process) ? 0 : log_node_timed_calls(node);

	for (int i = 0; i < LOG_BUCKETS && is_adaptive(process); i++)
		known_calls += histogram[i];
	stats->calls += node->calls;
	stats->timed_calls += log_node_timed_calls(node);
	stats->known_calls += known_calls;
	stats->total_variance_ns2 += (double)node->variance * (1ull << LOG_VARIANCE_SHIFT) * tick_ns * tick_ns;
	stats->total_ns += total_ns;
	stats->duration_ns += total_ns;
	stats->self_ns += (double)(int64_t)(node->total_ticks - node->child_ticks) * tick_ns;
	stats->square_ns2 += squares * tick_ns * tick_ns;
	if (log_node_timed_calls(node) && node->min_ticks <= node->max_ticks) {
		stats->min_ns = fmin(stats->min_ns, (double)node->min_ticks * tick_ns);
		stats->max_ns = fmax(stats->max_ns, (double)node->max_ticks * tick_ns);
		stats->finished_max_ns = fmax(stats->finished_max_ns, (double)node->max_ticks * tick_ns);
	}
	if (path->last_thread != reader->thread) {
		path->last_thread = reader->thread;
		path->nr_threads++;
		path->threads_unknown |= reader->thread->nr_threads > 1;
	}
	reader->thread->calls += node->calls;
	reader->thread->functions_ns += (double)(int64_t)(node->total_ticks - node->child_ticks) * tick_ns;
	hook_costs_add(path, reader->thread, node);
}

/* Calls that stand for their caller @path, or for nothing. */
static void add_left_out(struct node_reader *reader, struct tree_node *path, const struct log_node *node)
{
	struct thread *thread = reader->thread;
	struct selection *selection = &thread->process->model->selection;
	double self_ns = (double)(int64_t)(node->total_ticks - node->child_ticks) * thread->process->tick_ns;

	if (path->function) {
		selection->inside_calls += node->calls;
		path->stats.self_ns += self_ns;
		thread->functions_ns += self_ns;
	} else {
		selection->outside_calls += node->calls;
		selection->outside_ns += self_ns;
	}
	hook_costs_add_left_out(path, thread, node);
}

static void add_node(struct node_reader *reader, struct tree_node *path, const struct log_node *node, uint64_t offset)
{
	struct process *process = reader->thread->process;
	struct node_limits limits = reader->limits;
	uint64_t histogram[LOG_BUCKETS];

	limits.changing |= offset == reader->current_node;	/* a kill may have come between its counters */
	whole_histogram(reader, node, offset, histogram);
	if (!node_is_sound(node, histogram, &limits)) {
		logfile_damaged(process->log, offset, "counters of a call path that cannot be true");
		return;
	}
	if (nodes_is_left_out(process, (uint32_t)(offset >> LOG_REF_SHIFT))) {
		add_left_out(reader, path, node);
		return;
	}
	if (!path->function)	/* calls for which there was not even room in "(other paths)" */
		path = node->calls ? tree_others(process->model) : path;
	add_counters(reader, path, node, histogram);
	if (path->function && log_node_timed_calls(node))
		histogram_add(&path->function->histogram, histogram, process->tick_ns);
}

/* The merged path of a node: that of its parent, and its function; that of its parent alone if it is *@left_out. */
static struct tree_node *make_path(struct node_reader *reader, const struct log_node *node, uint64_t offset, bool *left_out)
{
	struct process *process = reader->thread->process;
	struct model *model = process->model;
	struct tree_node *parent = (uint64_t)node->parent << LOG_REF_SHIFT < offset ?
				   nodes_path(reader->thread, node->parent) : NULL;
	struct function *function;

	if (node->function_addr & LOG_FUNCTION_OTHERS) {
		parent = others_path(model);
		*left_out = parent == model->root;
		return parent;
	}
	if (!parent) {
		logfile_damaged(process->log, offset, "a call path without a beginning");
		parent = others_path(model);
	}
	function = function_find(&model->tables->functions, process, node->function_addr);
	*left_out = !selection_keeps(model, parent, function);
	return *left_out ? parent : tree_child(model, parent, function);
}

/* Claimed and not filled, whole or in part, or "(other paths)" that nothing needed: neither says anything. */
static bool is_blank(const struct log_node *node)
{
	return node->calls == 0 && node->child == 0 &&
	       (node->function_addr == 0 || node->parent == 0 || node->function_addr & LOG_FUNCTION_OTHERS);
}

static void read_area(struct node_reader *reader, const struct log_extent *extent)
{
	struct process *process = reader->thread->process;
	uint64_t offset = extent->offset + sizeof(struct log_area);

	for (uint32_t i = 0; i < extent->nr_nodes; i++, offset += sizeof(struct log_node)) {
		struct log_node node;
		bool left_out;

		logfile_node(process->log, offset, &node);
		if (is_blank(&node))
			continue;
		if (!(node.function_addr & ~LOG_FUNCTION_FLAGS) && !(node.function_addr & LOG_FUNCTION_OTHERS)) {
			logfile_damaged(process->log, offset, "a call path without a function");
			continue;
		}
		process->tree_of[extent->first_node + i] = make_path(reader, &node, offset, &left_out);
		if (left_out)
			process->is_left_out[extent->first_node + i] = true;
		add_node(reader, process->tree_of[extent->first_node + i], &node, offset);
	}
}

static void read_root(struct node_reader *reader, const struct log_extent *extent)
{
	struct process *process = reader->thread->process;
	uint64_t offset = extent->offset + sizeof(struct log_area);
	struct log_node node;

	logfile_node(process->log, offset, &node);
	process->tree_of[extent->first_node] = process->model->root;
	if (process->is_left_out)
		process->is_left_out[extent->first_node] =
			!selection_keeps(process->model, process->model->root, &process->model->tables->functions.others);
	if (node.calls || node.total_ticks)
		add_node(reader, process->model->root, &node, offset);
}

/* A bucket that went past 2^32 left an event. */
static void add_wrapped(struct process *process)
{
	for (size_t i = 0; i < process->nr_events; i++) {
		const struct event *event = &process->events[i];
		uint64_t counts[LOG_BUCKETS] = { 0 };
		struct tree_node *path;

		if (event->kind != LOG_EVENT_BUCKET_WRAPPED || !event->thread || event->thread->left_out ||
		    event->values[0] > UINT32_MAX || event->values[1] >= LOG_BUCKETS ||
		    nodes_is_left_out(process, (uint32_t)event->values[0]))
			continue;
		path = nodes_path(event->thread, (uint32_t)event->values[0]);
		counts[event->values[1]] = 1ull << 32;
		if (path && is_adaptive(process))
			path->stats.known_calls += 1ull << 32;
		if (path && path->function)
			histogram_add(&path->function->histogram, counts, process->tick_ns);
	}
}

static int by_owner(const void *a, const void *b)
{
	const struct log_extent *x = *(const struct log_extent *const *)a, *y = *(const struct log_extent *const *)b;

	if (owner_of(x) != owner_of(y))
		return owner_of(x) < owner_of(y) ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The areas that hold nodes, thread by thread, in the order of the file. */
static const struct log_extent **list_areas(const struct logfile *log, size_t *nr)
{
	const struct log_extent **areas = NULL;

	*nr = 0;
	for (size_t i = 0; i < log->nr_extents; i++) {
		if (log->extents[i].nr_nodes == 0)
			continue;
		areas = xgrow(areas, *nr, sizeof(*areas));
		areas[(*nr)++] = &log->extents[i];
	}
	if (*nr)
		qsort(areas, *nr, sizeof(*areas), by_owner);
	return areas;
}

void nodes_read(struct process *process)
{
	struct logfile *log = process->log;
	struct node_reader reader = {
		.limits = { .changing = process->end_kind == END_RUNNING, .adaptive = is_adaptive(process) },
	};
	const struct log_extent **areas;
	size_t nr;

	reader.limits.span_ticks = process->limit_ticks - process->timebase.points[0].ticks;
	reader.limits.calls = process_most_calls(process);
	process->tree_of = xcalloc(log->nr_nodes, sizeof(struct tree_node *));
	if (process->model->selection.is_on)
		process->is_left_out = xcalloc(log->nr_nodes, sizeof(*process->is_left_out));
	areas = list_areas(log, &nr);
	for (size_t i = 0; i < nr; i++) {
		reader.thread = nodes_thread(process, owner_of(areas[i]));
		if (!reader.thread) {
			logfile_damaged(log, areas[i]->offset, "call paths of no thread");
			continue;
		}
		if (reader.thread->left_out)
			continue;
		find_pending(&reader);
		if (areas[i]->kind == LOG_AREA_THREAD)
			read_root(&reader, areas[i]);
		else
			read_area(&reader, areas[i]);
		logfile_forget(log, areas[i]);
	}
	free(areas);
	add_wrapped(process);
}

void nodes_each_function(struct process *process, void (*visit)(struct process *, uint64_t function_addr, void *),
			 void *context)
{
	const struct logfile *log = process->log;
	struct log_node node;

	for (size_t i = 0; i < log->nr_extents; i++) {
		uint64_t offset = log->extents[i].offset + sizeof(struct log_area);

		if (log->extents[i].kind == LOG_AREA_THREAD)
			continue;
		for (uint32_t j = 0; j < log->extents[i].nr_nodes; j++, offset += sizeof(node)) {
			logfile_node(log, offset, &node);
			if (node.function_addr & ~LOG_FUNCTION_FLAGS)
				visit(process, node.function_addr, context);
		}
	}
}
