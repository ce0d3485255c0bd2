/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds logs in memory for tests of the reading side: from the format's description, not with the recorder's
 * code, so that a mistake of one side shows. Everything a builder returns stays in place and may be edited.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"

#ifndef BUILD_BYTES
#define BUILD_BYTES		(16u << 20)
#endif
#define BUILD_BASE_ADDR		0x7f0000000000ull
#define BUILD_START_TICKS	1000000000ull
#define BUILD_REALTIME_NS	1700000000000000000ull	/* in 2023: long ago, whenever the test runs */

struct build {
	uint8_t *bytes;
	uint64_t tail;
	double tick_ns;
	uint32_t nr_sites;
	struct log_header *header;
};

/*
 * An unfinished log that begins at BUILD_START_TICKS. @clock: with LOG_CLOCK_TSC a tick lasts @tick_ns, else
 * 1 ns.
 */
void build_init(struct build *build, uint32_t clock, double tick_ns);
void build_release(struct build *build);

/* The readings of all clocks at @ticks. */
struct log_clocks build_clocks(const struct build *build, uint64_t ticks);
/* The process exited with @status at @ticks. */
void build_finish(struct build *build, uint64_t ticks, int status);

void *build_area(struct build *build, uint32_t kind, uint32_t owner, uint64_t bytes, uint64_t used_bytes);
uint32_t build_ref(const struct build *build, const void *place);
uint64_t build_addr(const struct build *build, const void *place);

struct log_thread *build_thread(struct build *build, const char *name);
/* The thread of @thread is gone, and a new one uses its record from now on. */
void build_take_over(struct build *build, struct log_thread *thread, const char *name);
/* A path of @thread: @parent is another one or &thread->root. Nodes areas hold 15 nodes. */
struct log_node *build_node(struct build *build, struct log_thread *thread, struct log_node *parent,
			    uint64_t addr);
/* One finished call: updates all counters of its node. */
void build_call(struct log_node *node, uint64_t ticks, uint64_t child_ticks);
struct log_heap *build_heap(struct build *build, struct log_thread *thread, struct log_node *node);

/* A stack that @thread runs on from now on. Its areas hold @nr_frames frames each. */
struct log_frames *build_stack(struct build *build, struct log_thread *thread, uint32_t nr_frames);
/* A call of @node begins on the thread's stack and does not end. */
struct log_frame *build_open_call(struct build *build, struct log_thread *thread, struct log_node *node,
				  uint64_t start_ticks);

/* One slice on stream @stream of @thread; heap as in struct build_slice. Chunks hold 4096 bytes. */
struct build_slice {
	const struct log_node *node;
	uint64_t end_ticks;
	uint64_t ticks;
	int64_t thread_delta;
	int64_t process_delta;
	int64_t heap_after;
	int broken;
	uint32_t reason;		/* for a broken one */
	int64_t pages[4];		/* RSS and its change, VMS and its change; all 0: not read */
};
void build_slice(struct build *build, struct log_thread *thread, uint32_t stream,
		 const struct build_slice *slice);

struct log_rows *build_rows(struct build *build, const char *set, const char *const *columns,
			    uint32_t nr_columns, uint32_t nr_rows);
void build_row(struct log_rows *rows, uint64_t ticks, const uint64_t *values);

/* Records go to one area of 64 KiB. This one makes a record of any kind, zeroed behind its head. */
void *build_record(struct build *build, size_t bytes, uint32_t kind, uint64_t ticks);
struct log_module *build_module(struct build *build, const char *path, uint64_t begin, uint64_t end,
				uint64_t bias, uint8_t build_id);
void build_text(struct build *build, const char *text);
struct log_event *build_event(struct build *build, uint32_t event, uint64_t ticks,
			      const uint64_t *values, int nr_values, const char *text);

/* Write the first @bytes (0: all) of the log to @path. */
void build_write(const struct build *build, const char *path, uint64_t bytes);

/* A function that timing auto counts, and a call site that counted @calls of it. */
void build_counter(struct build *build, const struct log_thread *thread, uint64_t function_addr,
		   uint64_t calls);
/* @nr CPU samples of a path, all at one time, in its function. @flags: of struct log_sample */
void build_path_samples(struct build *build, const struct log_thread *thread, const struct log_node *node,
		   uint32_t nr, uint16_t flags);
