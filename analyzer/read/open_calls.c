/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open calls. The frames of a stack lie in a chain of areas. Each area begins with a sentinel, whose child
 * time belongs to the frame below it. The thread's record says where the frames of its current stack end.
 * Other stacks say that themselves.
 */
#include "analyzer/read/open_calls.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/selection.h"
#include "analyzer/model/tree.h"
#include "analyzer/read/nodes_read.h"

#define FIRST_FRAME sizeof(struct log_frames)

/* The frames of a stack, without sentinels, bottom to top. */
struct frames {
	struct thread *thread;
	struct log_frame *frames;
	struct log_memory_reading *readings;	/* [frame]: memory at its entry */
	size_t nr;
	uint64_t left_ticks;		/* 0: a thread runs on the stack */
};

static struct log_frames frames_head(const struct logfile *log, const struct log_extent *extent)
{
	struct log_frames head;

	memcpy(&head, log->base + extent->offset, sizeof(head));
	return head;
}

static const struct log_extent *frames_area(struct logfile *log, uint64_t offset)
{
	const struct log_extent *extent = logfile_find(log, offset, sizeof(struct log_frame));

	return extent && extent->kind == LOG_AREA_FRAMES && offset >= extent->offset + FIRST_FRAME &&
	       (offset - extent->offset) % sizeof(struct log_frame) == 0 ? extent : NULL;
}

/* The memory that was read at the entry of frame @i of an area. */
static struct log_memory_reading reading_of(struct logfile *log, const struct log_extent *area, uint64_t i)
{
	struct log_memory_reading reading = { LOG_NONE, LOG_NONE };
	uint64_t offset = (uint64_t)frames_head(log, area).head.beside << LOG_REF_SHIFT;
	const struct log_extent *readings =
		offset ? logfile_find(log, offset, sizeof(struct log_area)) : NULL;

	offset += sizeof(struct log_area) + i * sizeof(reading);
	if (readings && readings->kind == LOG_AREA_READINGS &&
	    logfile_find(log, offset, sizeof(reading)) == readings)
		memcpy(&reading, log->base + offset, sizeof(reading));
	return reading;
}

static void add_frame(struct frames *frames, struct logfile *log, const struct log_extent *extent, uint64_t i)
{
	const uint64_t offset = extent->offset + FIRST_FRAME + i * sizeof(struct log_frame);
	struct log_memory_reading reading;
	struct log_frame frame, again;

	memcpy(&frame, log->base + offset, sizeof(frame));
	reading = reading_of(log, extent, i);
	memcpy(&again, log->base + offset, sizeof(again));
	if (again.start_ticks != frame.start_ticks)	/* another call uses the frame by now */
		reading.rss_bytes = reading.vms_bytes = LOG_NONE;
	frames->frames = xgrow(frames->frames, frames->nr, sizeof(frame));
	frames->readings = xgrow(frames->readings, frames->nr, sizeof(reading));
	frames->readings[frames->nr] = reading;
	frames->frames[frames->nr++] = frame;
}

/*
 * Copy the frames of one area up to the one at @top. The sentinel's child time goes to @below, the last frame
 * of the area below.
 */
static void copy_area(struct frames *frames, struct logfile *log, const struct log_extent *extent,
		      uint64_t top)
{
	const uint64_t begin = extent->offset + FIRST_FRAME;
	struct log_frame sentinel;

	memcpy(&sentinel, log->base + begin, sizeof(sentinel));
	if (frames->nr && begin <= top)
		frames->frames[frames->nr - 1].child_ticks += sentinel.child_ticks;
	for (uint64_t i = 1; begin + i * sizeof(sentinel) <= top; i++)
		add_frame(frames, log, extent, i);
}

/* Copy a whole stack that begins at @first and ends with the frame at @top. Return: false if it is damaged */
static bool copy_stack(struct frames *frames, struct logfile *log, uint32_t first, uint64_t top)
{
	const struct log_extent *extent = frames_area(log, top), **areas = NULL;
	size_t nr = 0;
	bool whole;

	while (extent && nr <= log->nr_extents && frames_head(log, extent).stack == first) {
		APPEND(areas, nr) = extent;
		if (extent->offset >> LOG_REF_SHIFT == first)
			break;
		extent = frames_area(log, ((uint64_t)frames_head(log, extent).below << LOG_REF_SHIFT) +
						  FIRST_FRAME);
	}
	whole = nr && areas[nr - 1]->offset >> LOG_REF_SHIFT == first;
	for (size_t i = nr; whole && i-- > 0;) {
		uint64_t last = areas[i]->offset + areas[i]->bytes - sizeof(struct log_frame);

		copy_area(frames, log, areas[i], i == 0 ? top : last);
	}
	free(areas);
	return whole;
}

/* A frame that is being pushed or popped does not match the node that the thread is in. */
static void drop_unfinished(struct frames *frames, uint32_t current)
{
	if (frames->nr && frames->frames[frames->nr - 1].node != current)
		frames->nr--;
}

/* The stack that each thread runs on. */
struct runner {
	struct thread *thread;
	uint32_t first;			/* ref of the stack's first area */
	uint32_t current;
	uint64_t top_addr;
};

#define TRIES_MOST 100

/*
 * Copy the thread's record; of a running thread at an instant when its top frame is whole, if one is met. A
 * thread that makes short calls is within a push or a pop for much of its time.
 */
static void copy_runner(struct process *process, uint64_t offset, struct log_thread *thread)
{
	struct logfile *log = process->log;

	for (int i = 0; i < TRIES_MOST; i++) {
		struct log_frame frame;
		uint64_t top;

		memcpy(thread, log->base + offset, offsetof(struct log_thread, cache));
		if (!process->is_running || !logfile_offset(log, thread->top_addr, &top) ||
		    !frames_area(log, top))
			return;
		memcpy(&frame, log->base + top, sizeof(frame));
		if (frame.node == thread->current)
			return;
	}
}

static struct runner *find_runners(struct process *process)
{
	struct runner *runners = xcalloc(process->nr_threads, sizeof(*runners));
	struct logfile *log = process->log;

	for (size_t i = 0; i < process->nr_threads; i++) {
		uint64_t offset = (uint64_t)process->threads[i]->ref << LOG_REF_SHIFT;
		const struct log_extent *extent;
		struct log_thread thread;

		copy_runner(process, offset, &thread);
		extent = frames_area(log, ((uint64_t)thread.frames << LOG_REF_SHIFT) + FIRST_FRAME);
		runners[i] = (struct runner){
			.thread = process->threads[i],
			.first = thread.frames && extent ? frames_head(log, extent).stack : 0,
			.current = thread.current,
			.top_addr = thread.top_addr,
		};
	}
	return runners;
}

/* Return: false if the stack has no frames that can be used */
static bool read_stack(struct process *process, const struct runner *runners, const struct log_extent *extent,
		       struct frames *frames)
{
	struct logfile *log = process->log;
	struct log_frames head = frames_head(log, extent);
	uint32_t first = (uint32_t)(extent->offset >> LOG_REF_SHIFT), current = head.current;
	uint64_t top_addr = head.top_addr, top;
	size_t i = 0;

	memset(frames, 0, sizeof(*frames));
	/* a later area of a stack; a stack without a thread */
	if (head.stack != first || head.head.owner == 0)
		return false;
	/* A thread that ran on it before may not know yet that another thread does now. */
	while (i < process->nr_threads &&
	       (runners[i].first != first || process->threads[i]->ref != head.head.owner))
		i++;
	if (i < process->nr_threads) {
		frames->thread = runners[i].thread;
		current = runners[i].current;
		top_addr = runners[i].top_addr;
	} else {
		frames->thread = nodes_thread(process, head.head.owner);
		frames->left_ticks = head.left_ticks;
	}
	if (!frames->thread || !logfile_offset(log, top_addr, &top) || !copy_stack(frames, log, first, top)) {
		logfile_damaged(log, extent->offset, "the open calls of a stack");
		return false;
	}
	drop_unfinished(frames, current);
	return frames->nr > 0;
}

/* The path of a frame, or NULL if the frame is not sound. */
static struct tree_node *frame_path(const struct frames *frames, const struct log_frame *frame,
				    uint64_t not_before, bool *left_out)
{
	struct process *process = frames->thread->process;
	struct tree_node *path = nodes_path(frames->thread, frame->node);
	struct log_node node;
	bool is_others;

	if (!path)
		return NULL;
	*left_out = nodes_is_left_out(process, frame->node);
	logfile_node(process->log, (uint64_t)frame->node << LOG_REF_SHIFT, &node);
	is_others = !node.function_addr || node.function_addr & LOG_FUNCTION_OTHERS;
	if (is_others && !*left_out)
		path = tree_others(process->model);
	else if (!is_others && (node.function_addr & ~LOG_FUNCTION_FLAGS) != frame->function_addr)
		return NULL;
	if (process->header.timing != LOG_TIMING_COUNTS && frame->start_ticks &&
	    (frame->start_ticks < not_before || frame->start_ticks > process->last_ticks))
		return NULL;
	return path;
}

static void keep_wait(struct process *process, const struct open_call *call, double so_far_ns)
{
	if (call->was_counted)
		return;
	process->open_waits =
		xgrow(process->open_waits, process->nr_open_waits, sizeof(*process->open_waits));
	process->open_waits[process->nr_open_waits++] = (struct open_wait){ call->wait, so_far_ns };
}

/* Add one open call: @ticks so far, of which @child_ticks in its callees. */
static void add_time(struct open_call *call, struct thread *thread, uint64_t ticks, uint64_t child_ticks)
{
	double tick_ns = thread->process->tick_ns, self_ns = (double)(int64_t)(ticks - child_ticks) * tick_ns;
	struct call_stats stats = NO_CALLS;

	call->self_ns = self_ns;
	if (call->wait)
		keep_wait(thread->process, call, (double)ticks * tick_ns);
	if (call->is_beside)
		return;
	if (call->left_out) {	/* the time of its nearest reported caller, if there is one */
		if (call->node->function) {
			call->node->sum.self_ns += self_ns;
			thread->functions_ns += self_ns;
		} else {
			thread->process->model->selection.outside_ns += self_ns;
		}
		return;
	}
	call->so_far_ns = (double)ticks * tick_ns;
	stats.total_ns = stats.open_ns = stats.max_ns = call->so_far_ns;
	stats.self_ns = self_ns;
	tree_add_calls(call->node, &stats);
	thread->functions_ns += self_ns;
}

static void count_left_out(const struct open_call *call, struct selection *selection)
{
	if (!call->was_counted && !call->is_beside)
		*(call->node->function ? &selection->inside_calls : &selection->outside_calls) += 1;
}

static void count_call(struct open_call *call, struct thread *thread)
{
	struct call_stats stats = NO_CALLS;

	if (call->left_out) {
		count_left_out(call, &thread->process->model->selection);
		return;
	}
	stats.open_calls = 1;
	stats.calls = !call->was_counted;
	if (call->was_counted)
		stats.timed_calls = stats.known_calls = (uint64_t)-1;	/* subtracts one */
	tree_add_calls(call->node, &stats);
	thread->open_calls++;
	thread->calls += stats.calls;
}

/* The top call may have been ending when the program was stopped. */
static bool is_counted(const struct frames *frames, size_t i)
{
	const struct process *process = frames->thread->process;

	return i + 1 == frames->nr && process->end_kind != END_RUNNING &&
	       process->header.timing == LOG_TIMING_EXACT && !frames->left_ticks &&
	       nodes_is_half_counted(frames->thread, frames->frames[i].node);
}

/* Until when a call is open that began at @start_ticks: without the recorder's work in its thread's exit. */
static uint64_t open_until(const struct thread *thread, uint64_t start_ticks)
{
	const struct process *process = thread->process;
	const uint64_t exit_ticks = process->header.exiting_ticks;

	return exit_ticks >= start_ticks && exit_ticks < process->last_ticks &&
			       process->header.exiting_thread == thread->ref
		       ? exit_ticks
		       : process->last_ticks;
}

/*
 * From the top down: the time of a call is child time of the next timed call below it. An untimed call adds
 * nothing. Its child time comes from calls that stand for others, and goes to the next one.
 */
static void add_times(struct open_stack *stack, const struct frames *frames)
{
	struct process *process = stack->thread->process;
	uint64_t above_ticks = frames->left_ticks ? process->last_ticks - frames->left_ticks : 0;

	for (size_t i = stack->nr_calls; i-- > 0;) {
		const struct log_frame *frame = &frames->frames[i];
		uint64_t ticks = open_until(stack->thread, frame->start_ticks) - frame->start_ticks;
		uint64_t child_ticks = frame->child_ticks + above_ticks;

		if (!frame->start_ticks)
			continue;
		if (frame->child_ticks > ticks || child_ticks > ticks)
			child_ticks = ticks;	/* a child ended after the last known instant */
		stack->calls[i].since = process_time(process, frame->start_ticks);
		stack->calls[i].start_ticks = frame->start_ticks;
		stack->calls[i].ref = frame->node;
		add_time(&stack->calls[i], stack->thread, ticks, child_ticks);
		above_ticks = ticks;
	}
}

static void add_call(struct open_stack *stack, struct open_call call)
{
	call.since = NO_TIME;
	call.so_far_ns = NAN;
	stack->calls = xgrow(stack->calls, stack->nr_calls, sizeof(*stack->calls));
	stack->calls[stack->nr_calls] = call;
	count_call(&stack->calls[stack->nr_calls++], stack->thread);
}

/* Keep the sound frames. @frames is compacted to match stack->calls. */
static void take_frames(struct open_stack *stack, struct frames *frames, uint64_t offset)
{
	struct process *process = stack->thread->process;
	uint64_t not_before = process->timebase.points[0].ticks, stack_addr = 0;

	for (size_t i = 0; i < frames->nr; i++) {
		struct log_frame frame = frames->frames[i];
		const uint64_t addr = frame.function_addr;
		const bool is_inlined = stack_addr == frame.stack_addr; /* in the one around it */
		bool left_out = false;
		struct tree_node *path = frame_path(frames, &frame, not_before, &left_out);

		stack_addr = frame.stack_addr;
		if (!path && process->end_kind == END_RUNNING)
			break;			/* it began after the clock was read */
		if (!path) {
			logfile_damaged(process->log, offset, "an open call");
			continue;
		}
		if (frame.start_ticks)
			not_before = frame.start_ticks;
		add_call(stack, (struct open_call){ .node = path,
						    .was_counted = is_counted(frames, i),
						    .left_out = left_out,
						    .wait = log_is_wait(addr) ? frame.wait : 0,
						    .site_low = is_inlined ? 0 : frame.site_low,
						    .return_low = frame.return_low,
						    .is_beside = nodes_is_beside(process, addr),
						    .memory = frames->readings[i] });
		frames->frames[stack->nr_calls - 1] = frame;
	}
}

/* Their time goes to the next reported call below them. */
static void drop_left_out(struct open_stack *stack)
{
	size_t nr = 0;

	for (size_t i = 0; i < stack->nr_calls; i++) {
		if (!stack->calls[i].left_out)
			stack->calls[nr++] = stack->calls[i];
		else if (nr)
			stack->calls[nr - 1].self_ns += stack->calls[i].self_ns;
	}
	stack->nr_calls = nr;
	if (nr == 0)
		free(stack->calls);
}

static void end_stack(struct open_stack *stack, const struct frames *frames)
{
	struct process *process = stack->thread->process;

	if (process->header.timing != LOG_TIMING_COUNTS)
		add_times(stack, frames);
	drop_left_out(stack);
	if (stack->nr_calls == 0)
		return;
	APPEND(process->stacks, process->nr_stacks) = *stack;
}

static void add_stack(struct process *process, struct frames *frames, uint64_t offset)
{
	struct open_stack stack = { .thread = frames->thread, .left = frames->left_ticks != 0 };

	if (frames->left_ticks > process->last_ticks)
		frames->left_ticks = process->last_ticks;
	take_frames(&stack, frames, offset);
	end_stack(&stack, frames);
}

/* The path of a function called from @parent, as in nodes_read(). If it is *@left_out: @parent. */
static struct tree_node *path_below(struct thread *thread, struct tree_node *parent, uint64_t function_addr,
				    bool *left_out)
{
	struct model *model = thread->process->model;
	struct function *function = function_find(&model->tables->functions, thread->process, function_addr);
	struct tree_node *path;

	if (function_addr & LOG_FUNCTION_OTHERS)
		parent = model->root;
	*left_out = !selection_keeps(model, parent, function);
	if (*left_out)
		return parent;
	path = tree_child(model, parent, function);
	tree_add_thread(path, thread);
	return path;
}

/* A forked child without a log: the calls that were open at the fork are open in it. */
static void read_entry(struct process *process)
{
	struct open_stack stack = { .thread = process->threads[0] };
	struct frames frames = { .thread = stack.thread };
	struct tree_node *path = process->model->root;
	uint64_t *functions = NULL;
	struct log_entry entry;
	int64_t nr;

	if (stack.thread->left_out || !logfile_entry(process->entry_log, process->entry_offset, &entry) ||
	    !entry.node)
		return;
	nr = logfile_path(process->entry_log, entry.node, &functions);
	if (nr < 0)
		logfile_damaged(process->log, process->entry_offset, "the calls that were open at a fork");
	frames.frames = xcalloc(nr > 0 ? (size_t)nr : 0, sizeof(*frames.frames));
	for (int64_t i = nr; i-- > 0;) {
		bool left_out;

		path = path_below(stack.thread, path, functions[i], &left_out);
		frames.frames[frames.nr++].start_ticks = entry.record.ticks;
		add_call(&stack, (struct open_call){ .node = path,
						     .left_out = left_out,
						     .memory = { LOG_NONE, LOG_NONE } });
	}
	end_stack(&stack, &frames);
	free(frames.frames);
	free(functions);
}

static void read_stacks(struct process *process)
{
	struct runner *runners = find_runners(process);
	struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		struct frames frames;

		if (log->extents[i].kind != LOG_AREA_FRAMES)
			continue;
		if (read_stack(process, runners, &log->extents[i], &frames) && !frames.thread->left_out)
			add_stack(process, &frames, log->extents[i].offset);
		free(frames.frames);
		free(frames.readings);
	}
	free(runners);
}

void open_calls_read(struct process *process)
{
	if (process->entry_log)
		read_entry(process);
	else
		read_stacks(process);
}
