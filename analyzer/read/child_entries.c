/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forked children without a log. An entry tells the same as the log would that such a child could have written:
 * so that log is made here, in memory, and read as any other: a header, a thread, and, only while they are
 * read, the paths to where it was forked, and their frames.
 */
#include "analyzer/read/child_entries.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/read/made_log.h"
#include "analyzer/read/process.h"

#define THREAD_AT	IMAGE_THREAD_AT
#define NODES_AT	IMAGE_AFTER_THREAD

/* The functions that were open, the innermost first. */
struct open_path {
	uint64_t *functions;
	size_t nr;
};

static bool read_path(struct logfile *log, uint32_t ref, struct open_path *path)
{
	struct log_node node;

	while (ref) {
		uint32_t above = ref;

		if (logfile_node_index(log, ref) < 0)
			return false;
		logfile_node(log, (uint64_t)ref << LOG_REF_SHIFT, &node);
		if (!node.function_addr)	/* the root */
			return true;
		path->functions = xgrow(path->functions, path->nr, sizeof(*path->functions));
		path->functions[path->nr++] = node.function_addr;
		ref = node.parent;
		if (ref >= above)	/* parents are older; a loop in a damaged log ends here */
			return false;
	}
	return path->nr == 0;		/* else a path without a beginning */
}

static uint32_t node_ref(size_t place)
{
	return (uint32_t)((NODES_AT + sizeof(struct log_area) + place * sizeof(struct log_node)) >> LOG_REF_SHIFT);
}

static uint32_t root_ref(void)
{
	return (uint32_t)((THREAD_AT + offsetof(struct log_thread, root)) >> LOG_REF_SHIFT);
}

/* Place 0 is the outermost function. */
static void set_calls(uint8_t *image, uint64_t frames_at, const struct open_path *path, uint64_t ticks)
{
	struct log_frames frames;

	for (size_t i = 0; i < path->nr; i++) {
		struct log_node node = { .function_addr = path->functions[path->nr - 1 - i], .min_ticks = UINT64_MAX };
		struct log_frame frame = { .function_addr = node.function_addr, .start_ticks = ticks };

		node.parent = frame.parent = i ? node_ref(i - 1) : root_ref();
		node.child = i + 1 < path->nr ? node_ref(i + 1) : 0;
		frame.node = node_ref(i);
		memcpy(image + ((uint64_t)node_ref(i) << LOG_REF_SHIFT), &node, sizeof(node));
		memcpy(image + frames_at + sizeof(frames) + (i + 1) * sizeof(frame), &frame, sizeof(frame));
	}
	memcpy(&frames, image + frames_at, sizeof(frames));
	frames.stack = frames.head.self;
	frames.is_own = 1;
	memcpy(image + frames_at, &frames, sizeof(frames));
}

/* The child has the name of the thread that forked. */
static void name_of(const struct process *parent, uint32_t ref, char name[LOG_NAME_MAX])
{
	const struct log_extent *extent = ref ? logfile_find(parent->log, (uint64_t)ref << LOG_REF_SHIFT,
							     sizeof(struct log_thread)) : NULL;

	if (extent && extent->kind == LOG_AREA_THREAD && extent->offset == (uint64_t)ref << LOG_REF_SHIFT)
		memcpy(name, parent->log->base + extent->offset + offsetof(struct log_thread, name), LOG_NAME_MAX);
}

static void set_thread(uint8_t *image, uint64_t frames_at, const struct open_path *path, const struct log_child *child,
		       const struct process *parent)
{
	struct log_thread thread = { .tid = child->pid, .nr_threads = 1, .begin_ticks = child->record.ticks };

	memcpy(&thread.head, image + THREAD_AT, sizeof(thread.head));
	name_of(parent, child->thread, thread.name);
	thread.root.min_ticks = UINT64_MAX;
	thread.current = path->nr ? node_ref(path->nr - 1) : root_ref();
	thread.frames = path->nr ? (uint32_t)(frames_at >> LOG_REF_SHIFT) : 0;
	thread.top_addr = IMAGE_BASE_ADDR + frames_at + sizeof(struct log_frames) + path->nr * sizeof(struct log_frame);
	memcpy(image + THREAD_AT, &thread, sizeof(thread));
}

/* The log that the child would have, of @bytes. @heap: NULL if it counted nothing. */
static uint8_t *make_image(const struct process *parent, const struct log_child *child, const struct open_path *path,
			   const struct log_heap *heap, uint64_t *image_bytes)
{
	uint64_t frames_at = NODES_AT + image_pages(sizeof(struct log_area) + path->nr * sizeof(struct log_node));
	uint64_t heaps_at = path->nr ? frames_at + image_pages(sizeof(struct log_frames) +
							       (path->nr + 1) * sizeof(struct log_frame)) : NODES_AT;
	uint64_t bytes = heaps_at + (heap ? IMAGE_HEAPS_BYTES : 0);
	uint8_t *image = xcalloc(1, bytes);

	*image_bytes = bytes;
	image_set_header(image, bytes, &parent->header, child, parent->tick_ns);
	image_set_area(image, THREAD_AT, LOG_AREA_THREAD, NODES_AT - THREAD_AT, sizeof(struct log_thread));
	if (path->nr) {
		image_set_area(image, NODES_AT, LOG_AREA_NODES, frames_at - NODES_AT,
			 sizeof(struct log_area) + path->nr * sizeof(struct log_node));
		image_set_area(image, frames_at, LOG_AREA_FRAMES, heaps_at - frames_at, sizeof(struct log_frames));
		set_calls(image, frames_at, path, child->record.ticks);
	}
	set_thread(image, frames_at, path, child, parent);
	if (heap)
		image_set_heap(image, heaps_at, heap);
	return image;
}

/* Without what is open in it: of thousands of children the paths would take more memory than all else. */
static struct process *open_child(struct process *parent, const struct log_child *child, const struct log_heap *heap)
{
	uint64_t bytes;
	uint8_t *image = make_image(parent, child, &(struct open_path){ NULL, 0 }, heap, &bytes);

	return process_open_child(parent, image, bytes);
}

void children_open_path(struct process *process)
{
	const struct logfile *log = process->entry_offset ? process->parent->log : NULL;
	struct open_path path = { NULL, 0 };
	struct log_child child;
	struct log_heap heap;
	bool has_heap;
	uint8_t *image;
	uint64_t bytes;

	if (!log)
		return;
	memcpy(&child, log->base + process->entry_offset, sizeof(child));
	has_heap = image_heap(log, process->entry_offset, &child, &heap);
	if (child.end == LOG_RUNNING)
		memset(&child.finish, 0, sizeof(child.finish));
	if (read_path(process->parent->log, child.node, &path)) {
		image = make_image(process->parent, &child, &path, has_heap ? &heap : NULL, &bytes);
		process->log_without_path = process->log;
		process->log = logfile_of_image(process->parent->log->path, image, bytes);
	}
	free(path.functions);
}

void children_close_path(struct process *process)
{
	if (!process->log_without_path)
		return;
	logfile_close(process->log);
	process->log = process->log_without_path;
	process->log_without_path = NULL;
	free(process->tree_of);
	free(process->is_left_out);
	process->tree_of = NULL;
	process->is_left_out = NULL;
}

struct process *child_open(const struct process *holder, struct process *parent, struct log_child *child, uint64_t offset)
{
	struct open_path path = { NULL, 0 };
	struct process *process = NULL;
	struct log_heap heap;

	if (child->end == LOG_RUNNING)	/* killed in between */
		memset(&child->finish, 0, sizeof(child->finish));
	if (!image_is_sound(holder, child) || (holder == parent && !read_path(parent->log, child->node, &path)))
		logfile_damaged(holder->log, offset, "a child of no possible time or place");
	else
		process = open_child(parent, child, image_heap(holder->log, offset, child, &heap) ? &heap : NULL);
	if (process && holder == parent)
		process->entry_offset = offset;
	free(path.functions);
	return process;
}

static struct process *read_child(struct process *parent, uint64_t offset, const struct log_record *head)
{
	struct log_child child;

	if (head->bytes < sizeof(child)) {
		logfile_damaged(parent->log, offset, "a record that is too short");
		return NULL;
	}
	memcpy(&child, parent->log->base + offset, sizeof(child));
	return child.has_log ? NULL : child_open(parent, parent, &child, offset);
}

void children_read(struct process *parent, struct process ***children, size_t *nr)
{
	struct logfile *log = parent->log;
	struct log_record head;
	uint64_t offset;

	for (size_t i = 0; i < log->nr_extents; i++) {
		struct record_cursor cursor;

		if (log->extents[i].kind != LOG_AREA_RECORDS)
			continue;
		record_cursor_init(&cursor, &log->extents[i]);
		while (record_cursor_next(log, &cursor, &offset, &head)) {
			struct process *child = head.kind == LOG_RECORD_CHILD ? read_child(parent, offset, &head) : NULL;

			if (!child)
				continue;
			*children = xgrow(*children, *nr, sizeof(child));
			(*children)[(*nr)++] = child;
		}
	}
}
