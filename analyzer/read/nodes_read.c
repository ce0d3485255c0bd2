/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the nodes of a log and adds them to the merged tree. A node names its parent, so each can be read
 * alone: damage in one does not hide others, and the links to children are not needed. Parents are older than
 * their children and lie before them in the file, so one pass in the order of the file sees them first.
 */
#include "analyzer/read/nodes_read.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/log/node_check.h"
#include "analyzer/log/place_counters.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/selection.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/code_paths.h"

/* A place in process->path_of. 0: the node is blank. Else the id of its merged path + 1, with these flags. */
#define LEFT_OUT	(1u << 31) /* its calls are not reported; the path is the one they are counted for */
#define UNSOUND		(1u << 30)	/* its counters cannot be true */
#define MOST_NESTED	100	/* parallel regions: more only where a log is damaged */
#define FORGET_BYTES	(4u << 20)	/* of areas that were read: their pages are let go together */
#define PATH(id)	((id) + 1)
#define PATH_ID(place)	(((place) & ~(LEFT_OUT | UNSOUND)) - 1)

/* Data for each node of a thread. */
struct node_reader {
	struct thread *thread;
	struct node_limits limits;
	uint64_t current_node;		/* offset of the node that the thread is in */
	struct pending_count pending;
};

struct thread *nodes_thread(const struct process *process, uint32_t ref)
{
	size_t at = PARTITION_POINT(i, process->nr_threads, process->threads[i]->ref < ref);

	return at < process->nr_threads && process->threads[at]->ref == ref ? process->threads[at] : NULL;
}

/* The thread of an area; an area of a thread belongs to itself. */
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

/* The path for calls whose path is not known. */
static struct tree_node *others_path(struct model *model)
{
	return selection_keeps(model, model->root, &model->tables->functions.others) ? tree_others(model)
										     : model->root;
}

bool nodes_is_left_out(const struct process *process, uint32_t ref)
{
	int64_t index = process->path_of ? logfile_node_index(process->log, ref) : -1;

	return index >= 0 && process->path_of[index] & LEFT_OUT;
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
	if (process->path_of[index])
		return tree_node(process->model, PATH_ID(process->path_of[index]));
	/* it was blank when its counters were read */
	return is_others(process->log, ref) ? others_path(process->model) : NULL;
}

static void find_pending(struct node_reader *reader)
{
	struct thread *thread = reader->thread;
	struct log_thread record;

	memcpy(&record, thread->process->log->base + ((uint64_t)thread->ref << LOG_REF_SHIFT),
	       offsetof(struct log_thread, cache));
	thread->new_path_ns = record.nr_new_paths ? (double)record.new_paths_ticks / record.nr_new_paths *
							    thread->process->tick_ns
						  : 0;
	reader->current_node = (uint64_t)record.current << LOG_REF_SHIFT;
	reader->pending = pending_count_of(thread->process->log, record.pending_addr);
}

/* Read a node, with its calls that were counted by place and the call that is not in its histogram yet. */
static void read_node(const struct node_reader *reader, uint32_t index, uint64_t offset,
		      struct log_node *node, uint64_t histogram[LOG_BUCKETS])
{
	const struct logfile *log = reader->thread->process->log;

	logfile_node(log, offset, node);
	for (int i = 0; i < LOG_BUCKETS; i++)
		histogram[i] = node->histogram[i];
	if (offset == reader->pending.offset)
		histogram[reader->pending.bucket]++;
	place_counters_add(log, index, node, histogram);
}

bool nodes_is_half_counted(struct thread *thread, uint32_t ref)
{
	struct node_reader reader = { .thread = thread };
	uint64_t offset = (uint64_t)ref << LOG_REF_SHIFT, histogram[LOG_BUCKETS], sum = 0;
	struct log_node node;

	find_pending(&reader);
	read_node(&reader, (uint32_t)logfile_node_index(thread->process->log, ref), offset, &node, histogram);
	for (int i = 0; i < LOG_BUCKETS; i++)
		sum += histogram[i];
	return (uint32_t)(sum + 1) == (uint32_t)log_node_timed_calls(&node);
}

static bool is_adaptive(const struct process *process)
{
	return process->header.timing == LOG_TIMING_ADAPTIVE;
}

/* Statistics of a node's calls, including the cost of hooks. @histogram is read only with adaptive timing. */
static struct call_stats stats_of(const struct node_reader *reader, const struct log_node *node,
				  const uint64_t histogram[LOG_BUCKETS])
{
	const struct process *process = reader->thread->process;
	const struct hook_cost cost = hook_cost_of(reader->thread, node);
	double tick_ns = process->tick_ns,
	       squares = (double)node->squares[1] * 0x1p64 + (double)node->squares[0];
	struct call_stats stats = NO_CALLS;

	stats.calls = node->calls;
	stats.timed_calls = stats.known_calls = log_node_timed_calls(node);
	if (is_adaptive(process)) {
		stats.known_calls = 0;
		stats.total_variance_ns2 =
			(double)node->variance * (1ull << LOG_VARIANCE_SHIFT) * tick_ns * tick_ns;
	}
	for (int i = 0; i < LOG_BUCKETS && is_adaptive(process); i++)
		stats.known_calls += histogram[i];
	stats.total_ns = (double)node->total_ticks * tick_ns;
	stats.self_ns = (double)(int64_t)(node->total_ticks - node->child_ticks) * tick_ns;
	stats.square_ns2 = squares * tick_ns * tick_ns;
	stats.inside_ns = cost.inside_ns;
	stats.hooks_ns = cost.hooks_ns;
	stats.noise_ns = cost.noise_ns;
	stats.new_paths_ns = cost.new_paths_ns;
	stats.around_ns = cost.around_ns;
	if (stats.timed_calls && node->min_ticks <= node->max_ticks) {
		stats.min_ns = (double)node->min_ticks * tick_ns;
		stats.max_ns = stats.finished_max_ns = (double)node->max_ticks * tick_ns;
	}
	return stats;
}

/* Calls of a counted function that came to a hook because their call sites could not be patched. */
static void note_counted(struct call_stats *stats)
{
	stats->counted_calls = stats->calls - stats->timed_calls;
	stats->known_calls = stats->calls;
}

static bool is_outermost(const struct tree_node *path)
{
	return !path->starter && (path->depth == 1 || (path->depth == 2 && path->parent->starter));
}

static void note_outermost(struct thread *thread, const struct tree_node *path, double total_ns)
{
	if (!path->function || path->function->kind != FUNCTION_PLAIN || !is_outermost(path) ||
	    (thread->outermost && total_ns <= thread->outermost_ns))
		return;
	thread->outermost = path->function;
	thread->outermost_ns = total_ns;
}

static void add_node(struct node_reader *reader, uint32_t index, const struct log_node *node, uint64_t offset,
		     const uint64_t histogram[LOG_BUCKETS])
{
	struct process *process = reader->thread->process;
	struct tree_node *path = tree_node(process->model, PATH_ID(process->path_of[index]));
	struct node_limits limits = reader->limits;
	struct function_time time;
	struct call_stats stats;
	bool left_out = process->path_of[index] & LEFT_OUT;

	limits.changing |= offset == reader->current_node; /* a kill may have come between its counters */
	if (!node_is_sound(node, histogram, &limits)) {
		logfile_damaged(process->log, offset, "counters of a call path that cannot be true");
		process->path_of[index] |= UNSOUND;
		return;
	}
	if (!path->function && !left_out)	/* calls that had no room even in "(other paths)" */
		path = node->calls ? tree_others(process->model) : path;
	stats = stats_of(reader, node, histogram);
	process->hooks_ns += stats.hooks_ns;
	if (path->function && path->function->is_counted)
		note_counted(&stats);
	time = tree_add_recorded(process->model, path, &stats, left_out,
				 hook_costs_is_outermost(reader->thread, node));
	if (path->parent == process->model->root && path->function->is_counted)
		reader->thread->outside_ns -= time.recorded_ns;
	reader->thread->functions_ns += time.recorded_ns;
	reader->thread->hooks_ns += time.hooks_ns;
	if (left_out)
		return;
	note_outermost(reader->thread, path, stats.total_ns);
	reader->thread->is_in_teams |= path->starter != NULL;
	reader->thread->calls += node->calls;
	tree_add_thread(path, reader->thread);
	if (path->function && stats.timed_calls)
		histogram_add(&path->function->histogram, histogram, process->tick_ns);
}

bool nodes_is_beside(const struct process *process, uint64_t function_addr)
{
	return !process->header.has_hooks && log_is_wait(function_addr);
}

static bool has_function(const struct log_node *node)
{
	return node->function_addr & ~LOG_FUNCTION_FLAGS || node->function_addr & LOG_FUNCTION_OTHERS;
}

static uint32_t make_path(struct thread *thread, const struct log_node *node, uint64_t offset,
			  uint32_t nested);

/*
 * Make the path of a node, and of those above it. Its thread's tree may not have been read yet. Return: NULL
 * if there is no such path
 */
static struct tree_node *path_early(struct thread *thread, uint32_t ref, uint32_t nested)
{
	struct process *process = thread->process;
	uint32_t *refs = NULL, at = ref;
	struct log_node node;
	size_t nr = 0;

	for (;;) {
		const int64_t index = logfile_node_index(process->log, at);

		if (index < 0 || process->path_of[index])
			break;
		logfile_node(process->log, (uint64_t)at << LOG_REF_SHIFT, &node);
		if (!node.parent && !node.function_addr)
			process->path_of[index] = PATH(0);
		if (node.parent >= at || !has_function(&node))
			break;
		APPEND(refs, nr) = at;
		at = node.parent;
	}
	while (nr-- > 0) {
		const uint64_t offset = (uint64_t)refs[nr] << LOG_REF_SHIFT;

		logfile_node(process->log, offset, &node);
		process->path_of[logfile_node_index(process->log, refs[nr])] =
			make_path(thread, &node, offset, nested);
	}
	free(refs);
	return nodes_path(thread, ref);
}

/* The path that began the parallel region, of which @node is a part. NULL: it is not known, or left out. */
static struct tree_node *find_starter(struct process *process, const struct log_node *node, uint32_t nested)
{
	const uint32_t ref = log_team_starter(node->function_addr);
	const struct log_extent *extent =
		ref && nested < MOST_NESTED ? logfile_find(process->log, (uint64_t)ref << LOG_REF_SHIFT, 1)
					    : NULL;
	struct thread *thread = extent ? nodes_thread(process, owner_of(extent)) : NULL;
	struct tree_node *path = thread && !thread->left_out ? path_early(thread, ref, nested + 1) : NULL;

	return path && path->function ? path : NULL;
}

/*
 * The place of a node: the path of its parent and its function. If its calls are left out: its parent's path.
 * @nested: how many parallel regions are within each other
 */
static uint32_t make_path(struct thread *thread, const struct log_node *node, uint64_t offset,
			  uint32_t nested)
{
	struct process *process = thread->process;
	struct model *model = process->model;
	struct tree_node *parent = (uint64_t)node->parent << LOG_REF_SHIFT < offset ?
				   nodes_path(thread, node->parent) : NULL, *starter;
	struct function *function;

	if (node->function_addr & LOG_FUNCTION_OTHERS) {
		parent = others_path(model);
		return PATH(parent->id) | (parent == model->root ? LEFT_OUT : 0);
	}
	if (!parent) {
		logfile_damaged(process->log, offset, "a call path without a beginning");
		parent = others_path(model);
	}
	function = function_find(&model->tables->functions, process, log_node_function(node));
	if (nodes_is_beside(process, node->function_addr))
		return PATH(model->root->id) | LEFT_OUT;
	starter = parent == model->root ? find_starter(process, node, nested) : NULL;
	if (!selection_keeps(model, starter ?: parent, function))
		return PATH(parent->id) | LEFT_OUT;
	parent = starter ? tree_team(model, starter, function) : tree_child(model, parent, function);
	parent->was_called = function->was_called = true;
	return PATH(code_path(thread, node, parent)->id);
}

/* A node that was claimed but not filled, or an unused "(other paths)". */
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
		uint64_t histogram[LOG_BUCKETS];
		struct log_node node;

		read_node(reader, extent->first_node + i, offset, &node, histogram);
		if (is_blank(&node))
			continue;
		if (!has_function(&node)) {
			logfile_damaged(process->log, offset, "a call path without a function");
			continue;
		}
		process->path_of[extent->first_node + i] = make_path(reader->thread, &node, offset, 0);
		if (!nodes_is_beside(process, node.function_addr))
			add_node(reader, extent->first_node + i, &node, offset, histogram);
	}
}

static void read_root(struct node_reader *reader, const struct log_extent *extent)
{
	struct process *process = reader->thread->process;
	uint64_t offset = extent->offset + sizeof(struct log_area), histogram[LOG_BUCKETS];
	struct log_node node;

	read_node(reader, extent->first_node, offset, &node, histogram);
	process->path_of[extent->first_node] = PATH(0);
	if (!selection_keeps(process->model, process->model->root, &process->model->tables->functions.others))
		process->path_of[extent->first_node] |= LEFT_OUT;
	if (node.calls || node.total_ticks)
		add_node(reader, extent->first_node, &node, offset, histogram);
	else	/* cost of heap blocks outside of all functions */
		process->hooks_ns += hook_cost_of(reader->thread, &node).hooks_ns;
}

/* A bucket that passed 2^32 left an event. */
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
			tree_add_calls(path, &(struct call_stats){ .known_calls = 1ull << 32, NO_RANGES });
		if (path && path->function)
			histogram_add(&path->function->histogram, counts, process->tick_ns);
	}
}

static int by_owner(const void *a, const void *b)
{
	const struct log_extent *x = *(const struct log_extent *const *)a,
				*y = *(const struct log_extent *const *)b;

	if (owner_of(x) != owner_of(y))
		return owner_of(x) < owner_of(y) ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The areas with nodes, thread by thread, each in the order of the file. */
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

static void list_places(struct node_reader *reader, struct process *process)
{
	struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		if (log->extents[i].kind != LOG_AREA_CALL_PLACES)
			continue;
		reader->thread = nodes_thread(process, log->extents[i].owner);
		if (!reader->thread || reader->thread->left_out)
			continue;
		find_pending(reader);
		place_counters_list(log, &log->extents[i], &reader->limits, reader->current_node,
				    &reader->pending);
	}
	place_counters_sort(log);
}

void nodes_read(struct process *process)
{
	struct logfile *log = process->log;
	struct node_reader reader = {
		.limits = { .changing = process->end_kind == END_RUNNING, .adaptive = is_adaptive(process) },
	};
	const struct log_extent **areas;
	uint64_t bytes = 0;
	size_t nr;

	reader.limits.span_ticks = process->limit_ticks - process->timebase.points[0].ticks;
	reader.limits.calls = process_most_calls(process);
	process->path_of = xcalloc(log->nr_nodes, sizeof(*process->path_of));
	list_places(&reader, process);
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
		bytes += areas[i]->bytes;
		if (bytes < FORGET_BYTES)
			continue;
		logfile_forget_all(log);
		bytes = 0;
	}
	free(areas);
	add_wrapped(process);
}

static void give_area(struct node_reader *reader, const struct log_extent *extent, nodes_visit *visit,
		      void *context)
{
	struct process *process = reader->thread->process;
	uint64_t offset = extent->offset + sizeof(struct log_area), histogram[LOG_BUCKETS];

	for (uint32_t i = 0; i < extent->nr_nodes; i++, offset += sizeof(struct log_node)) {
		struct node_fact fact = { .index = extent->first_node + i, .thread = reader->thread };
		uint32_t place = process->path_of[fact.index];
		struct log_node node;

		if (!place || place & UNSOUND)
			continue;
		read_node(reader, fact.index, offset, &node, histogram);
		fact.parent = (uint64_t)node.parent << LOG_REF_SHIFT < offset
				      ? logfile_node_index(process->log, node.parent)
				      : -1;
		fact.stats = stats_of(reader, &node, histogram);
		visit(&fact, context);
	}
}

void nodes_each(struct process *process, nodes_visit *visit, void *context)
{
	struct logfile *log = process->log;
	struct node_reader reader = { .thread = NULL };

	for (size_t i = 0; i < log->nr_extents && process->path_of; i++) {
		if (!log->extents[i].nr_nodes)
			continue;
		reader.thread = nodes_thread(process, owner_of(&log->extents[i]));
		if (!reader.thread)
			continue;
		find_pending(&reader);
		give_area(&reader, &log->extents[i], visit, context);
	}
	logfile_forget_all(log);
}

struct tree_node *nodes_place(const struct process *process, uint32_t index, bool *left_out)
{
	uint32_t place = process->path_of[index];

	*left_out = place & LEFT_OUT;
	return place ? tree_node(process->model, PATH_ID(place)) : NULL;
}

void nodes_each_function(struct process *process,
			 void (*visit)(struct process *, uint64_t function_addr, void *), void *context)
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
				visit(process, log_node_function(&node), context);
		}
	}
}
