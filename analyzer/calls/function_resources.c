/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One pass over all single calls, process by process, in the order of their ends: what a call's callees
 * used is known before the call.
 */
#include "analyzer/calls/function_resources.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/max_tree.h"
#include "analyzer/calls/path_shares.h"
#include "analyzer/calls/slices.h"
#include "analyzer/calls/thread_curves.h"
#include "analyzer/calls/wait_curve.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/resources/time_curve.h"

#define SPANS_JOINED	1024	/* so few are joined at the end only */
#define SPANS_SERIAL	4096	/* that are kept of a single thread */

/*
 * Calls of a thread that ended and were not yet subtracted from their caller. Adjacent ones of one caller are
 * summed up.
 */
struct pending {
	const struct tree_node *parent;
	int64_t middle;			/* of the newest: lies within the caller, in spite of rounding */
	double used[NR_USES];
	double peak[NR_PEAKS];
};

/* The calls of a thread that were read so far. */
struct call_stack {
	struct thread_use use;
	struct pending *pending;
	size_t nr;
	bool is_open;
	double known[2], stored[2];	/* read and written: see thread_use_take_out() */
};

/* A call that has ended, or is taken as ended. */
struct call {
	struct thread *thread;
	uint32_t tid;
	struct tree_node *node;
	int64_t start, end;
	double rss_growth;		/* read at its entry and exit; NAN: from rows */
	double peak[NR_PEAKS];		/* by its own readings so far */
};

/* Times during which a function's calls were open. Those of one process are in order and do not overlap. */
struct span {
	int64_t begin, end;
};

struct spans {
	struct span *list;
	size_t nr;
	size_t most;			/* beyond that many, those of several processes are joined */
	const struct process *process;	/* of those from @first on */
	size_t first;
	double settled_ns;		/* of spans that are no longer in the list; nothing begins before */
	int64_t settled_end;
};

/* State while the calls are read. */
struct uses {
	struct path_shares *shares;
	struct spans *spans;		/* [number of a function] */
	struct process *process;	/* that is read now, with: */
	bool is_serial;			/* the run's only process has one thread */
	struct call_stack *stacks;	/* [index of a thread] */
	struct peaks peaks[NR_PEAKS];
	bool has_peaks;
};

static struct call_stack *stack_of(const struct uses *uses, struct thread *thread, uint32_t tid)
{
	struct call_stack *stack = &uses->stacks[thread->index];

	if (stack->is_open && stack->use.tid == tid)
		return stack;
	if (stack->is_open)
		thread_use_close(&stack->use);
	stack->is_open = true;
	stack->nr = 0;
	thread_use_open(&stack->use, thread, tid);
	thread_use_take_out(&stack->use, thread, stack->known, stack->stored);
	return stack;
}

static struct function_use *use_of(struct function *function)
{
	if (!function->use) {
		function->use = xcalloc(1, sizeof(*function->use));
		for (int i = 0; i < NR_USES; i++)
			function->use->total[i] = function->use->self[i] = NAN;
		for (int i = 0; i < NR_PEAKS; i++)
			function->use->peak[i] = NAN;
	}
	return function->use;
}

static void add(double *sum, double number)
{
	if (!isnan(number))
		*sum = isnan(*sum) ? number : *sum + number;
}

/* The set "memory" was read more often than the heap. */
static struct peaks *peaks_of(struct uses *uses)
{
	struct process *process = uses->process;

	if (!uses->has_peaks) {
		peaks_init(&uses->peaks[PEAK_RSS_BYTES], process,
			   process_rowset(process, "memory") ? "memory" : "process", "rss_bytes");
		peaks_init(&uses->peaks[PEAK_HEAP_BYTES], process, "process", "heap_bytes");
		uses->has_peaks = true;
	}
	return uses->peaks;
}

static void raise_peaks(double *peak, const double *other)
{
	for (int i = 0; i < NR_PEAKS; i++)
		peak[i] = fmax(peak[i], other[i]);
}

/* The process's own peak is exact. */
static void raise_by_samples(struct uses *uses, struct call *call)
{
	const struct process *process = uses->process;
	struct peaks *peaks = peaks_of(uses);

	if (process->heap_peak != NO_TIME && process->heap_peak >= call->start &&
	    process->heap_peak <= call->end)
		call->peak[PEAK_HEAP_BYTES] =
			fmax(call->peak[PEAK_HEAP_BYTES], (double)process->heap_peak_bytes);
	for (int i = 0; i < NR_PEAKS; i++)
		call->peak[i] = fmax(call->peak[i], peaks_between(&peaks[i], call->start, call->end));
}

/* Subtract what callees used from @self. Then the call itself waits for its caller in their place. */
static void take_in(struct call_stack *stack, struct call *call, double *self)
{
	struct pending *top = stack->nr ? &stack->pending[stack->nr - 1] : NULL;
	double used[NR_USES];

	memcpy(used, self, sizeof(used));
	for (; top && top->middle >= call->start; top = stack->nr ? &stack->pending[stack->nr - 1] : NULL) {
		for (int i = 0; i < NR_USES; i++)
			self[i] -= top->used[i];
		raise_peaks(call->peak, top->peak);
		stack->nr--;
	}
	if (!top || top->parent != call->node->parent) {
		top = &APPEND(stack->pending, stack->nr);
		memset(top, 0, sizeof(*top));
		memcpy(top->peak, call->peak, sizeof(top->peak));
		top->parent = call->node->parent;
	}
	top->middle = call->start + (call->end - call->start) / 2;
	for (int i = 0; i < NR_USES; i++)
		top->used[i] += used[i];
	raise_peaks(top->peak, call->peak);
}

static int by_begin(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Those of one process are in order. */
static bool is_in_order(const struct spans *spans)
{
	size_t i = 1;

	while (i < spans->nr && spans->list[i - 1].begin <= spans->list[i].begin)
		i++;
	return i >= spans->nr;
}

/* Spans of all processes become spans that are in order and do not overlap. */
static void join_spans(struct spans *spans)
{
	size_t nr = 0;

	if (!is_in_order(spans))
		qsort(spans->list, spans->nr, sizeof(*spans->list), by_begin);
	for (size_t i = 0; i < spans->nr; i++) {
		const struct span span = spans->list[i];

		if (!nr || spans->list[nr - 1].end < span.begin)
			spans->list[nr++] = span;
		else if (spans->list[nr - 1].end < span.end)
			spans->list[nr - 1].end = span.end;
	}
	spans->nr = nr;
	spans->most = 2 * nr + SPANS_JOINED;
}

/*
 * Calls of one thread follow each other, so the older half of the list is only summed up. If coroutines share
 * the thread, a call may have begun before: of that the part after these spans counts.
 */
static void settle_spans(struct spans *spans)
{
	const size_t nr = SPANS_SERIAL / 2;

	for (size_t i = 0; i < nr; i++)
		spans->settled_ns += (double)(spans->list[i].end - spans->list[i].begin);
	spans->settled_end = spans->list[nr - 1].end;
	spans->nr -= nr;
	memmove(spans->list, spans->list + nr, spans->nr * sizeof(*spans->list));
}

/* The process's spans end before @end. Those that overlap the new one become one with it. */
static void add_span(struct spans *spans, const struct uses *uses, int64_t begin, int64_t end)
{
	const struct process *process = uses->process;

	if (uses->is_serial && spans->nr == SPANS_SERIAL)
		settle_spans(spans);
	if (spans->settled_ns > 0 && begin < spans->settled_end)
		begin = spans->settled_end < end ? spans->settled_end : end;
	if (spans->process != process) {
		if (spans->nr > spans->most)
			join_spans(spans);
		spans->process = process;
		spans->first = spans->nr;
	}
	while (spans->nr > spans->first && spans->list[spans->nr - 1].end >= begin) {
		struct span *last = &spans->list[--spans->nr];

		begin = last->begin < begin ? last->begin : begin;
		end = last->end > end ? last->end : end;
	}
	APPEND(spans->list, spans->nr) = (struct span){ begin, end };
}

/* Parts of time are computed for all calls at the end: give_times(). */
static bool is_time(int kind)
{
	return kind <= USE_BLOCKED_NS;
}
_Static_assert((int)USE_CPU_NS == SHARE_CPU && (int)USE_WAIT_NS == SHARE_WAIT &&
		       (int)USE_BLOCKED_NS == SHARE_BLOCKED,
	       "in the order of use_shares.h");

/* A sleep or a lock has no I/O, though it lies between the same two readings as its caller's. */
static void remove_io(enum log_wait_kind kind, double *total)
{
	if (kind == LOG_WAIT_STORAGE || wait_is_blocked(kind))
		total[USE_READ_CHARS] = total[USE_WRITE_CHARS] = 0;
	if (wait_is_blocked(kind))
		total[USE_READ_BYTES] = total[USE_WRITE_BYTES] = 0;
}

static void add_call(struct call *call, struct uses *uses)
{
	struct call_stack *stack = stack_of(uses, call->thread, call->tid);
	struct function_use *use = use_of(call->node->function);
	double total[NR_USES], self[NR_USES];

	thread_use_between(&stack->use, call->start, call->end, total);
	if (!isnan(call->rss_growth))
		total[USE_RSS_BYTES] = call->rss_growth;
	remove_io(call->node->function->wait, total);
	memcpy(self, total, sizeof(self));
	raise_by_samples(uses, call);
	take_in(stack, call, self);
	use_shares_add(uses->shares, call->node, (double)(call->end - call->start), self);
	use->calls++;
	raise_peaks(use->peak, call->peak);
	for (int i = 0; i < NR_USES; i++)
		add(&use->self[i], is_time(i) ? NAN : self[i]);
	if (tree_is_recursion(call->node))
		return;
	for (int i = 0; i < NR_USES; i++)
		add(&use->total[i], is_time(i) ? NAN : total[i]);
	add_span(&uses->spans[call->node->function->number], uses, call->start, call->end);
}

/* With several threads, it is not known which of them the growth belongs to. */
static double rss_growth(const struct slice *slice)
{
	return slice->has_memory && thread_is_alone(slice->thread)
		       ? (double)(slice->rss_after_bytes - slice->rss_before_bytes)
		       : NAN;
}

static void add_slice(const struct slice *slice, struct uses *uses)
{
	struct call call = { slice->thread, slice->tid,	       slice->node, slice->start,
			     slice->end,    rss_growth(slice), { NAN, NAN } };

	if (slice->has_heap)
		call.peak[PEAK_HEAP_BYTES] =
			fmax((double)slice->heap_before_bytes, (double)slice->heap_after_bytes);
	if (slice->has_memory)
		call.peak[PEAK_RSS_BYTES] =
			fmax((double)slice->rss_before_bytes, (double)slice->rss_after_bytes);
	add_call(&call, uses);
}

/*
 * The calls that never ended, the innermost first. They end with their process. If one was not timed, its
 * begin is not known.
 */
static void add_open_calls(struct process *process, struct uses *uses)
{
	for (size_t i = 0; i < process->nr_stacks; i++) {
		const struct open_stack *stack = &process->stacks[i];

		for (size_t j = stack->nr_calls; j-- > 0 && !stack->left;) {
			const struct open_call *call = &stack->calls[j];

			if (call->node->function->kind == FUNCTION_PLAIN && call->since != NO_TIME)
				add_call(&(struct call){ stack->thread,
							 stack->thread->tid,
							 call->node,
							 call->since,
							 process->last,
							 NAN,
							 { NAN, NAN } },
					 uses);
		}
	}
}

/*
 * The times of a path include those of the paths below it, as far as they are known. A function has those of
 * all its paths.
 */
static void give_times(struct model *model, const struct path_shares *shares)
{
	struct tree_node **nodes = xcalloc(model->nr_tree_nodes, sizeof(struct tree_node *));
	double (*totals)[NR_SHARES] = xcalloc(model->nr_tree_nodes, sizeof(*totals));
	bool *is_outermost = tree_find_outermost(model);
	size_t nr = 0;

	model->path_used_ns = xcalloc(model->nr_tree_nodes, sizeof(*model->path_used_ns));
	for (struct tree_node *node = model->root; node; node = tree_next(node)) {
		memcpy(model->path_used_ns[node->id], use_shares_of(shares, node), sizeof(*totals));
		nodes[nr++] = node;
		memcpy(totals[node->id], use_shares_of(shares, node), sizeof(*totals));
	}
	while (--nr > 0) {
		const struct tree_node *node = nodes[nr];
		const double *self = use_shares_of(shares, node), *total = totals[node->id];
		struct function_use *use = isnan(total[0]) ? NULL : use_of(node->function);

		for (int i = 0; use && i < NR_SHARES; i++) {
			add(&use->self[i], self[i]);
			if (is_outermost[node->id])
				add(&use->total[i], total[i]);
			if (!node->starter)
				add(&totals[node->parent->id][i], total[i]);
		}
	}
	free(is_outermost);
	free(totals);
	free(nodes);
}

/* ---- input and output by library calls whose bytes were recorded ---- */

/* The call at @path of a thread has read this many bytes, or written them. */
struct transfer {
	struct thread *thread;
	struct tree_node *path;
	bool is_write;
	double bytes;
};

/*
 * Streams have a buffer, and the kernel does not count what sockets receive and send by their own calls.
 * Return: false: @transfer->path is no call of read() or write(), or a relative.
 */
static bool set_direction(struct transfer *transfer)
{
	const struct function *function = transfer->path ? transfer->path->function : NULL;

	if (!function || function->wait != LOG_WAIT_FILE)
		return false;
	transfer->is_write = strstr(function->region, "write") != NULL;
	return transfer->is_write || strstr(function->region, "read") != NULL;
}

static void each_transfer(struct uses *uses,
			  void (*visit)(struct uses *uses, const struct transfer *transfer))
{
	const struct logfile *log = uses->process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		struct transfer transfer = { NULL };
		uint64_t offset = extent->offset + sizeof(struct log_area),
			 end = extent->offset + extent->bytes;

		if (extent->kind == LOG_AREA_WAITS)
			transfer.thread = nodes_thread(uses->process, extent->owner);
		if (!transfer.thread || transfer.thread->left_out)
			continue;
		for (; offset + sizeof(struct log_wait) <= end; offset += sizeof(struct log_wait)) {
			struct log_wait wait;

			memcpy(&wait, log->base + offset, sizeof(wait));
			transfer.path = wait.node ? nodes_path(transfer.thread, wait.node) : NULL;
			transfer.bytes = (double)wait.bytes;
			if (wait.object_kind != LOG_WAIT_ADDRESS && set_direction(&transfer))
				visit(uses, &transfer);
		}
	}
}

static void know_transfer(struct uses *uses, const struct transfer *transfer)
{
	uses->stacks[transfer->thread->index].known[transfer->is_write] += transfer->bytes;
}

static void add_transfer(struct uses *uses, const struct transfer *transfer)
{
	const struct call_stack *stack = stack_of(uses, transfer->thread, transfer->thread->tid);
	const int chars = USE_READ_CHARS + transfer->is_write, bytes = USE_READ_BYTES + transfer->is_write;
	const double stored = transfer->bytes * stack->stored[transfer->is_write];

	add(&use_of(transfer->path->function)->self[chars], transfer->bytes);
	add(&use_of(transfer->path->function)->self[bytes], stored);
	for (struct tree_node *node = transfer->path; node && node->function;
	     node = node->starter ? NULL : node->parent) {
		if (tree_is_recursion(node))
			continue;
		add(&use_of(node->function)->total[chars], transfer->bytes);
		add(&use_of(node->function)->total[bytes], stored);
	}
}

/* One process after the other: the curves of 10,000 ranks would not fit in memory. */
static void read_process(struct process *process, struct uses *uses)
{
	struct slice_reader *reader = slices_open_process(process);
	struct slice slice;

	uses->process = process;
	uses->stacks = xcalloc(process->nr_threads + 1, sizeof(*uses->stacks));
	uses->has_peaks = false;
	each_transfer(uses, know_transfer);
	while (slices_next(reader, &slice))
		if (slice.node->function->stats.calls)
			add_slice(&slice, uses);
	add_open_calls(process, uses);
	each_transfer(uses, add_transfer);
	slices_close(reader);
	for (int i = 0; i < NR_PEAKS && uses->has_peaks; i++)
		peaks_release(&uses->peaks[i]);
	for (size_t i = 0; i < process->nr_threads; i++)
		if (uses->stacks[i].is_open) {
			thread_use_close(&uses->stacks[i].use);
			free(uses->stacks[i].pending);
		}
	free(uses->stacks);
}

/* The parts of some paths are not those of a function that spent most of its time in others. */
static void drop_mostly_unknown(double *parts, double ns)
{
	double known_ns = 0;

	for (int i = 0; i < NR_SHARES; i++)
		add(&known_ns, parts[i]);
	for (int i = 0; known_ns < ns / 2 && i < NR_SHARES; i++)
		parts[i] = NAN;
}

static void finish_function(struct model *model, struct function *function, struct spans *spans)
{
	if (function->use) {
		drop_mostly_unknown(function->use->self, function->stats.self_ns);
		drop_mostly_unknown(function->use->total, function->stats.total_ns);
	}
	for (int i = 0; function->use && i < NR_SHARES; i++)
		add(&model->used_ns[i], function->use->self[i]);
	join_spans(spans);
	if (function->use)
		function->use->elapsed_ns += spans->settled_ns;
	for (size_t i = 0; function->use && i < spans->nr; i++)
		function->use->elapsed_ns += (double)(spans->list[i].end - spans->list[i].begin);
	free(spans->list);
}

/*
 * Calls may add up to more CPU time than the processes had: rows are apart in time, and a thread on its
 * processor does not run while the host takes the processor away, or while the kernel serves interrupts. It
 * is ready then.
 */
static void limit_cpu(struct model *model)
{
	double cpu_ns = 0, share;

	for (size_t i = 0; i < model->nr_processes; i++)	/* the kernel counts on through an exec */
		if (!process_next_image(model->processes[i]))
			cpu_ns += usage_of_process(model->processes[i]).cpu_ns;
	share = cpu_ns / model->used_ns[USE_CPU_NS];
	if (!(share < 1))
		return;
	for (size_t i = 0; i < model->nr_tree_nodes; i++) {
		double *used_ns = model->path_used_ns[i];

		used_ns[USE_WAIT_NS] += (1 - share) * used_ns[USE_CPU_NS];
		used_ns[USE_CPU_NS] *= share;
	}
	for (size_t i = 0; i < model->nr_functions; i++) {
		struct function_use *use = model->functions[i]->use;

		if (!use)
			continue;
		add(&use->self[USE_WAIT_NS], (1 - share) * use->self[USE_CPU_NS]);
		add(&use->total[USE_WAIT_NS], (1 - share) * use->total[USE_CPU_NS]);
		use->self[USE_CPU_NS] *= share;
		use->total[USE_CPU_NS] *= share;
	}
	model->used_ns[USE_WAIT_NS] += (1 - share) * model->used_ns[USE_CPU_NS];
	model->used_ns[USE_CPU_NS] *= share;
}

static void read_uses(struct model *model)
{
	struct uses uses = {
		.shares = use_shares_new(model),
		.spans = xcalloc(functions_count(&model->tables->functions), sizeof(*uses.spans)),
		.is_serial = model->nr_processes == 1 && model->processes[0]->nr_threads == 1,
	};

	for (size_t i = 0; i < model->nr_processes; i++)
		read_process(model->processes[i], &uses);
	use_shares_finish(uses.shares, model);
	give_times(model, uses.shares);
	for (size_t i = 0; i < model->nr_functions; i++)
		finish_function(model, model->functions[i], &uses.spans[model->functions[i]->number]);
	limit_cpu(model);
	use_shares_free(uses.shares);
	free(uses.spans);
}

void function_use_read(struct model *model)
{
	if (model->use_is_read)
		return;
	model->use_is_read = true;
	for (int i = 0; i < NR_SHARES; i++)
		model->used_ns[i] = NAN;
	if (!model_keeps_last_calls(model)) /* the use of the calls before these is not known */
		read_uses(model);
}
