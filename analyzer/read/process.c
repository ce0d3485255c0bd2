/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a log as a process. Times in it are compared with each other before they are used. */
#include "analyzer/read/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "analyzer/base/error.h"
#include "analyzer/log/log_elsewhere.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/read/records_read.h"

#define SECOND_NS	1e9
#define DAY_NS		(86400 * SECOND_NS)
#define YEAR_NS		(366 * DAY_NS)
#define LOSSES_MAX	(1ull << 56)	/* two years with one each ns */

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A set that outgrows its area continues in another one. */
static bool join_rows(struct process *process, struct rowset *more)
{
	for (size_t i = 0; i < process->nr_rowsets; i++) {
		if (!rowset_join(&process->rowsets[i], more))
			continue;
		rowset_release(more);
		return true;
	}
	return false;
}

static void read_rows(struct process *process)
{
	struct logfile *log = process->log;
	struct rowset rows;

	for (size_t i = 0; i < log->nr_extents; i++) {
		if (log->extents[i].kind != LOG_AREA_ROWS ||
		    rowset_read(&rows, log, &log->extents[i], process->is_running) < 0)
			continue;
		if (join_rows(process, &rows))
			continue;
		APPEND(process->rowsets, process->nr_rowsets) = rows;
	}
}

/* The place of each column of the set "memory" in the set "process". */
static bool find_columns(const struct rowset *memory, const struct rowset *process, int *columns)
{
	for (uint32_t i = 0; i < memory->nr_columns; i++) {
		columns[i] = rowset_column(process, memory->columns[i].name);
		if (columns[i] < 0)
			return false;
	}
	return true;
}

/*
 * If two rows have the same time, that of the set "memory" counts. A row that could not be read does not
 * hide older ones.
 */
static void merge_rows(struct rowset *merged, const struct rowset *memory, const struct rowset *process,
		       const int *columns)
{
	uint64_t *values = xcalloc(memory->nr_columns, sizeof(*values));

	for (size_t i = 0, j = 0; i < memory->nr_rows || j < process->nr_rows;) {
		if (i < memory->nr_rows &&
		    (j == process->nr_rows || rowset_ticks(memory, i) <= rowset_ticks(process, j))) {
			rowset_add(merged, rowset_ticks(memory, i), rowset_values(memory, i));
			i++;
			continue;
		}
		for (size_t k = 0; k < memory->nr_columns; k++)
			values[k] = rowset_value(process, j, (uint32_t)columns[k]);
		if (values[0] != LOG_NONE)
			rowset_add(merged, rowset_ticks(process, j), values);
		j++;
	}
	free(values);
}

void process_join_memory_rows(struct process *process)
{
	struct rowset *memory = process_rowset(process, "memory"), merged;
	const struct rowset *rows = process_rowset(process, "process");
	int *columns;

	if (!memory || !rows || !memory->nr_columns)
		return;
	columns = xcalloc(memory->nr_columns, sizeof(*columns));
	if (find_columns(memory, rows, columns)) {
		merged = *memory;
		merged.nr_rows = 0;
		merged.own = NULL;
		merge_rows(&merged, memory, rows, columns);
		free(memory->own);
		*memory = merged;
	}
	free(columns);
}

static struct log_clocks *add_point(struct log_clocks *points, size_t *nr, const struct log_clocks *point)
{
	points = xgrow(points, *nr, sizeof(*points));
	points[(*nr)++] = *point;
	return points;
}

/* All readings of the clocks: those in the header, and the rows of set "clock". */
static int read_clocks(struct process *process)
{
	const struct log_header *header = &process->header;
	const struct rowset *rows = process_rowset(process, "clock");
	int monotonic = rows ? rowset_column(rows, "monotonic_ns") : -1;
	int realtime = rows ? rowset_column(rows, "realtime_ns") : -1;
	struct log_clocks *points = NULL;
	size_t nr = 0, nr_own;
	int result;

	points = add_point(points, &nr, &header->start);
	if (header->start_again.ticks)
		points = add_point(points, &nr, &header->start_again);
	if (header->finish.ticks)
		points = add_point(points, &nr, &header->finish);
	nr_own = nr;
	for (size_t i = 0; rows && monotonic >= 0 && realtime >= 0 && i < rows->nr_rows; i++) {
		struct log_clocks point = { rowset_ticks(rows, i), rowset_value(rows, i, (uint32_t)monotonic),
					    rowset_value(rows, i, (uint32_t)realtime) };

		points = add_point(points, &nr, &point);
	}
	if (header->clock != LOG_CLOCK_MONOTONIC)
		timebase_join(points, nr_own, points + nr_own, nr - nr_own);
	result = timebase_init(&process->timebase, header->clock, points, nr);
	free(points);
	for (size_t i = 0; result == 0 && i < process->timebase.nr_dropped; i++)
		logfile_damaged(process->log, offsetof(struct log_header, start), "a reading of the clocks");
	process->tick_ns = process->timebase.tick_ns;
	return result;
}

static bool is_finished(const struct process *process)
{
	const struct timebase *base = &process->timebase;

	return process->header.end != LOG_RUNNING && process->header.finish.ticks &&
	       base->points[base->nr_points - 1].ticks == process->header.finish.ticks;
}

/* Hooks may run a little after the end mark. Without an end mark nothing can be later than now. */
static void find_limit(struct process *process)
{
	const struct log_clocks *start = &process->timebase.points[0];
	const struct log_clocks *last = &process->timebase.points[process->timebase.nr_points - 1];
	double now = (double)now_ns(CLOCK_REALTIME), begun = (double)start->realtime_ns, age_ns;

	age_ns = now > begun && now - begun < 100 * YEAR_NS ? now - begun + 60 * SECOND_NS : YEAR_NS;
	process->now_ticks = start->ticks + (uint64_t)(age_ns * 1.01 / process->tick_ns);
	if (process->now_ticks < last->ticks)
		process->now_ticks = last->ticks;
	process->limit_ticks = is_finished(process) ? last->ticks + (uint64_t)(SECOND_NS / process->tick_ns)
						    : process->now_ticks;
}

static void check_losses(struct process *process)
{
	for (size_t i = 0; i < LOG_LOSSES_MAX; i++) {
		if (process->header.losses[i] <= LOSSES_MAX)
			continue;
		process->header.losses[i] = 0;
		logfile_damaged(process->log, offsetof(struct log_header, losses), "a count of losses");
	}
}

/*
 * Field 22 of /proc/PID/stat. The command in field 2 may contain anything, so fields are counted from its
 * last ')'. 0: no such process.
 */
static uint64_t start_of(uint32_t pid)
{
	char path[32], text[1024];
	uint64_t start = 0;
	size_t length;
	FILE *file;
	char *at;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	at = strrchr(text, ')');
	if (!at ||
	    sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lu",
		   &start) != 1 ||
	    strncmp(at, ") Z", 3) == 0)
		return 0;
	return start;
}

static void read_boot_id(char boot_id[40])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

	boot_id[0] = '\0';
	if (!file)
		return;
	if (fscanf(file, "%39s", boot_id) != 1)
		boot_id[0] = '\0';
	fclose(file);
}

/* Does the process still run on this machine? */
static bool is_running(const struct log_header *header)
{
	char boot_id[40];

	if (header->end != LOG_RUNNING || header->process_start == 0)
		return false;
	read_boot_id(boot_id);
	return strcmp(boot_id, header->boot_id) == 0 && start_of(header->pid) == header->process_start;
}

static struct process *open_process(struct model *model, struct logfile *log, bool runs)
{
	struct process *process = xcalloc(1, sizeof(*process));

	process->model = model;
	process->is_running = runs;
	process->log = log;
	process->header = log->header;
	process->command = process->exe = process->cwd = "";
	read_rows(process);
	if (read_clocks(process) < 0) {
		error("%s: no two readings of the clocks: times are not known", log->path);
		process_close(process);
		return NULL;
	}
	find_limit(process);
	check_losses(process);
	for (size_t i = 0; i < process->nr_rowsets; i++)
		rowset_clip(&process->rowsets[i], process->timebase.points[0].ticks, process->limit_ticks);
	return process;
}

struct process *process_open(struct model *model, const char *path)
{
	int64_t opened_ns = (int64_t)now_ns(CLOCK_MONOTONIC);
	struct logfile *log = logfile_open(path);
	bool runs = log && is_running(&log->header);
	struct process *process;

	if (log && !runs && logfile_is_older(log)) {	/* it was opened before the process ended */
		logfile_close(log);
		log = logfile_open(path);
	}
	process = log ? open_process(model, log, runs) : NULL;
	if (!process)
		return NULL;
	process->opened_ns = opened_ns;
	if (!runs)
		pointer_bring_home(path);
	process->log_bytes = log->header.header_bytes;
	for (size_t i = 0; i < log->nr_extents; i++)
		process->log_bytes = log->extents[i].offset + log->extents[i].bytes;
	return process;
}

struct process *process_of_header(struct model *model, const char *path, const struct log_header *header)
{
	return open_process(model, logfile_of_header(path, header), is_running(header));
}

void process_close(struct process *process)
{
	for (size_t i = 0; i < process->nr_threads; i++)
		free(process->threads[i]);
	free(process->threads);
	for (size_t i = 0; i < process->nr_rowsets; i++)
		rowset_release(&process->rowsets[i]);
	free(process->rowsets);
	for (size_t i = 0; i < process->nr_stacks; i++)
		free(process->stacks[i].calls);
	free(process->stacks);
	free(process->open_waits);
	records_release(process);
	timebase_release(&process->timebase);
	free(process->path_of);
	logfile_close(process->log);
	free(process);
}

static bool is_time(const struct process *process, uint64_t ticks)
{
	return ticks >= process->timebase.points[0].ticks && ticks <= process->limit_ticks;
}

static void read_thread(struct process *process, const struct log_extent *extent)
{
	struct log_thread record;
	struct thread *thread = xcalloc(1, sizeof(*thread));

	memcpy(&record, process->log->base + extent->offset, offsetof(struct log_thread, cache));
	*thread = (struct thread){ .process = process,
				   .ref = (uint32_t)(extent->offset >> LOG_REF_SHIFT),
				   .tid = record.tid,
				   .serial = record.serial,
				   .nr_threads = record.nr_threads ? record.nr_threads : 1,
				   .unused_ns = (double)record.unused_ticks * process->tick_ns };
	memcpy(thread->name, record.name, sizeof(thread->name) - 1);
	thread->begin_function_addr = record.begin_function_addr;
	memcpy(thread->earlier_name, record.earlier_name, sizeof(record.earlier_name));
	thread->begin =
		is_time(process, record.begin_ticks) ? process_time(process, record.begin_ticks) : NO_TIME;
	thread->end = is_time(process, record.end_ticks) ? process_time(process, record.end_ticks) : NO_TIME;
	if (thread->begin == NO_TIME || (record.end_ticks && thread->end == NO_TIME))
		logfile_damaged(process->log, extent->offset, "a thread of no possible time");
	thread->overflow_depth = record.overflow_depth;
	thread->heap_bytes = record.heap_bytes;
	thread->heap_held_bytes = record.heap_held_bytes;
	thread->index = process->nr_threads;
	APPEND(process->threads, process->nr_threads) = thread;
}

/*
 * A child without a log inherits its parent's modules, which give its functions their addresses, its labels
 * and texts.
 */
static void inherit(struct process *process, const struct process *parent)
{
	for (size_t i = 0; i < parent->nr_modules; i++) {
		process->modules = xgrow(process->modules, i, sizeof(*process->modules));
		process->modules[process->nr_modules++] = parent->modules[i];
	}
	records_inherit_labels(process, parent);
	process->command = parent->command;
	process->exe = parent->exe;
	process->cwd = parent->cwd;
}

void process_read_threads(struct process *process)
{
	const struct logfile *log = process->log;

	process->start = process_time(process, process->timebase.points[0].ticks);
	for (size_t i = 0; i < process->nr_threads; i++)	/* of an entry */
		process->threads[i]->begin = process->start;
	for (size_t i = 0; i < log->nr_extents; i++)
		if (log->extents[i].kind == LOG_AREA_THREAD)
			read_thread(process, &log->extents[i]);
	records_read(process);
	if (process->parent)
		inherit(process, process->parent);
}

static void see(struct process *process, uint64_t ticks)
{
	if (is_time(process, ticks) && ticks > process->last_ticks)
		process->last_ticks = ticks;
}

/*
 * Go from a frame to the one below it, across the sentinel that an area begins with. Return: false at the
 * bottom
 */
static bool go_below(struct logfile *log, const struct log_extent *extent, uint64_t *offset)
{
	struct log_frames area;

	*offset -= sizeof(struct log_frame);
	if (*offset > extent->offset + sizeof(area))
		return true;
	memcpy(&area, log->base + extent->offset, sizeof(area));
	extent = logfile_find(log, (uint64_t)area.below << LOG_REF_SHIFT,
			      sizeof(area) + sizeof(struct log_frame));
	if (!extent || !area.below)
		return false;
	*offset = extent->offset + extent->bytes - sizeof(struct log_frame);
	return true;
}

#define FRAMES_MOST (1 << 20) /* a damaged log has circles */

/*
 * The newest open call that has a begin, on a thread's stack. The frame at the top may be one that is being
 * made. Frames of counted functions have no begin.
 */
static void see_open_call(struct process *process, const struct log_thread *thread)
{
	struct logfile *log = process->log;
	struct log_frame frame;
	uint64_t offset;
	bool is_open = false;

	if (process->header.timing == LOG_TIMING_COUNTS || !logfile_offset(log, thread->top_addr, &offset))
		return;
	for (int i = 0; is_open ? i < FRAMES_MOST : i < 2; i++) {
		const struct log_extent *extent = logfile_find(log, offset, sizeof(frame));

		if (!extent || extent->kind != LOG_AREA_FRAMES ||
		    offset < extent->offset + sizeof(struct log_frames))
			return;
		memcpy(&frame, log->base + offset, sizeof(frame));
		is_open |= frame.function_addr && frame.node == thread->current;
		if (is_open && frame.start_ticks) {
			see(process, frame.start_ticks);
			return;
		}
		if (!go_below(log, extent, &offset))
			return;
	}
}

static void see_area(struct process *process, const struct log_extent *extent)
{
	const uint8_t *at = process->log->base + extent->offset;
	struct log_slices slices;
	struct log_frames frames;
	struct log_thread thread;

	if (extent->kind == LOG_AREA_FRAMES) {
		memcpy(&frames, at, sizeof(frames));
		see(process, frames.left_ticks);
	} else if (extent->kind == LOG_AREA_SLICES) {
		memcpy(&slices, at, sizeof(slices));
		see(process, slices.last_ticks);
	} else if (extent->kind == LOG_AREA_THREAD) {
		memcpy(&thread, at, offsetof(struct log_thread, cache));
		see(process, thread.begin_ticks);
		see(process, thread.end_ticks);
		see_open_call(process, &thread);
	}
}

/*
 * insideme-run notices an exec a moment later. Its readings until then are of the next program. Return: when
 * that began; UINT64_MAX: there is none
 */
static uint64_t clip_to_exec(struct process *process)
{
	uint64_t to_ticks;

	if (process->end_kind != END_EXEC || !process->end_next)
		return UINT64_MAX;
	to_ticks = timebase_ticks(&process->timebase, (int64_t)process->end_next->header.start.monotonic_ns);
	for (size_t i = 0; i < process->nr_rowsets; i++)
		rowset_clip(&process->rowsets[i], 0, to_ticks);
	usage_forget_rows(process);
	return to_ticks;
}

void process_find_last(struct process *process)
{
	struct timebase *base = &process->timebase;
	const uint64_t exec_ticks = clip_to_exec(process);

	process->last_ticks = base->points[base->nr_points - 1].ticks;
	for (size_t i = 0; i < process->log->nr_extents; i++)	/* threads go on while a process ends */
		see_area(process, &process->log->extents[i]);
	if (!is_finished(process)) {
		for (size_t i = 0; i < process->nr_rowsets; i++) {
			const struct rowset *rows = &process->rowsets[i];

			if (rows->nr_rows)
				see(process, rowset_ticks(rows, rows->nr_rows - 1));
		}
		for (size_t i = 0; i < process->nr_events; i++)
			see(process, process->events[i].ticks);
	}
	if (process->end_kind == END_RUNNING)
		see(process, timebase_ticks(base, (int64_t)now_ns(CLOCK_MONOTONIC)));
	if (process->last_ticks > exec_ticks)
		process->last_ticks = exec_ticks;
	process->last = process_time(process, process->last_ticks);
}
