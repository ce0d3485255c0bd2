/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One log file: opening, areas, records. Every number is checked before it is used. */
#include "analyzer/log/logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/sigbus_guard.h"
#include "analyzer/log/collected.h"

#define DAMAGE_TOLD	3		/* how many damaged places of a log are reported on stderr */
#define UNUSED_MAX	(16ull << 20)	/* how far a log's file may reach beyond its last area */
#define CHUNK_MAX	(64ull << 10)	/* a larger area may hide others if its size is damaged */
#define SHIFT_MAX	40
#define USED_MOST	64

void logfile_damaged(struct logfile *log, uint64_t offset, const char *what)
{
	if (log->nr_damaged++ < DAMAGE_TOLD)
		warning("%s: damaged at offset %llu: %s", log->path, (unsigned long long)offset, what);
}

/* If the file is too short, the missing fields of the header read as 0: not set. */
static void copy_header(struct logfile *log)
{
	uint64_t bytes = log->bytes < sizeof(log->header) ? log->bytes : sizeof(log->header);

	memcpy(&log->header, log->base, bytes);
	log->header.boot_id[sizeof(log->header.boot_id) - 1] = '\0';
	log->header.host[sizeof(log->header.host) - 1] = '\0';
	log->header.program[sizeof(log->header.program) - 1] = '\0';
}

static int check_header(struct logfile *log)
{
	const struct log_header *header = &log->header;

	if (log->bytes < sizeof(*header) || header->magic == 0)
		return error("%s: no log yet: %s", log->path,
			     log->bytes ? "its header is not complete" : "the file is empty");
	if (header->magic != LOG_MAGIC)
		return error("%s: not a log of InsideMe", log->path);
	if (header->byte_order != LOG_BYTE_ORDER)
		return error("%s: recorded on a machine with another byte order", log->path);
	if (header->version != LOG_VERSION)
		return error("%s: log version %u, this insideme-report reads version %d", log->path,
			     header->version, LOG_VERSION);
	if (header->header_bytes < sizeof(*header) || header->header_bytes % LOG_AREA_ALIGN)
		return error("%s: damaged header: %u bytes", log->path, header->header_bytes);
	return 0;
}

static int map_file(struct logfile *log)
{
	struct stat stat;
	void *base;
	struct log_place place;
	int fd = log_place_open(log->path, &place);

	if (fd < 0 && errno == ENOENT && access(log->path, F_OK) == 0)
		return error("%s: the log is in the memory of the host where it was recorded: read it "
			"there, before the host reboots",
			     log->path);
	if (fd < 0 || fstat(fd, &stat) < 0) {
		error("cannot open %s: %s", log->path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (!S_ISREG(stat.st_mode) || place.bytes == 0) {
		close(fd);
		return error("%s: %s", log->path,
			     place.bytes ? "not a regular file" : "no log yet: the file is empty");
	}
	base = mmap(NULL, (size_t)place.bytes, PROT_READ, MAP_PRIVATE, fd, (off_t)place.offset);
	close(fd);
	if (base == MAP_FAILED)
		return error("cannot map %s: %s", log->path, strerror(errno));
	log->base = base;
	log->bytes = place.bytes;
	sigbus_guard_add(base, log->bytes);
	return 0;
}

static void unmap(struct logfile *log)
{
	if (!log->base)
		return;
	sigbus_guard_remove(log->base);
	munmap((void *)log->base, log->bytes);
	log->base = NULL;
}

/* A log that is being written grew between the reading of its size and that of its header. */
static int map_anew(struct logfile *log)
{
	unmap(log);
	return map_file(log);
}

static bool is_area(const struct logfile *log, uint64_t offset, struct log_area *area)
{
	if (offset + sizeof(*area) > log->bytes)
		return false;
	memcpy(area, log->base + offset, sizeof(*area));
	return area->magic == LOG_AREA_MAGIC && area->self == offset >> LOG_REF_SHIFT;
}

/* Unused, or an area whose process was killed while claiming it: the magic is written last. */
static bool is_unwritten_head(const struct logfile *log, uint64_t offset)
{
	uint64_t left = log->bytes - offset;
	struct log_area area = { .magic = 0 };

	memcpy(&area, log->base + offset, left < sizeof(area) ? left : sizeof(area));
	return area.magic == 0 && (area.self == 0 || area.self == offset >> LOG_REF_SHIFT) &&
	       area.next == 0 && !(area.beside | area.line_events | area.reserved[0] | area.reserved[1]);
}

/* The real end of the area. If its size is damaged, the head of the next area lies within it. */
static uint64_t real_bytes(struct logfile *log, uint64_t offset, uint64_t bytes)
{
	struct log_area other;

	for (uint64_t at = LOG_AREA_ALIGN; bytes > CHUNK_MAX && at < bytes; at += LOG_AREA_ALIGN) {
		if (!is_area(log, offset + at, &other))
			continue;
		logfile_damaged(log, offset, "an area that reaches into another one");
		return at;
	}
	return bytes;
}

static uint32_t head_bytes(uint32_t kind)
{
	switch (kind) {
	case LOG_AREA_THREAD:
		return sizeof(struct log_thread);
	case LOG_AREA_FRAMES:
		return sizeof(struct log_frames);
	case LOG_AREA_SLICES:
		return sizeof(struct log_slices);
	case LOG_AREA_ROWS:
		return sizeof(struct log_rows);
	case LOG_AREA_TRANSFERS:
		return sizeof(struct log_transfers);
	case LOG_AREA_PAGE_FAULTS:
		return sizeof(struct log_page_faults);
	case LOG_AREA_LINE_COUNTS:
		return sizeof(struct log_line_counts);
	case LOG_AREA_STACK_COPY:
		return sizeof(struct log_stack_copy);
	}
	return sizeof(struct log_area);
}

static void add_extent(struct logfile *log, const struct log_extent *extent)
{
	APPEND(log->extents, log->nr_extents) = *extent;
}

/*
 * Split the area of a thread into the thread's record and the nodes behind it. The nodes become an area of
 * their own: its head would lie just in front of them.
 */
static void add_first_nodes(struct logfile *log, struct log_extent thread, uint64_t used_bytes)
{
	const uint64_t head_at = LOG_FIRST_NODES_AT - sizeof(struct log_area);
	struct log_extent nodes = { .offset = thread.offset + head_at,
				    .bytes = thread.bytes - head_at,
				    .kind = LOG_AREA_NODES,
				    .owner = (uint32_t)(thread.offset >> LOG_REF_SHIFT) };

	nodes.used_bytes = (used_bytes < thread.bytes ? used_bytes : thread.bytes) - head_at;
	thread.bytes = thread.used_bytes = head_at;
	add_extent(log, &thread);
	add_extent(log, &nodes);
}

/* Add the area at @offset to the list. Return: how far to go on */
static uint64_t add_area(struct logfile *log, uint64_t offset, const struct log_area *area)
{
	struct log_extent extent = { .offset = offset, .kind = area->kind, .owner = area->owner };
	uint64_t left = log->bytes - offset;

	if (area->bytes < LOG_AREA_ALIGN || area->bytes % LOG_AREA_ALIGN) {
		logfile_damaged(log, offset, "an area of an impossible size");
		return LOG_AREA_ALIGN;
	}
	extent.bytes = area->bytes > left ? left : area->bytes;
	extent.bytes = real_bytes(log, offset, extent.bytes);
	if (area->bytes > left && offset < log->header.tail_bytes)	/* others are newer than the header */
		logfile_damaged(log, offset, "an area that reaches past the end of the file");
	extent.used_bytes = area->used_bytes < extent.bytes ? area->used_bytes : extent.bytes;
	if (area->kind == LOG_AREA_THREAD || area->kind == LOG_AREA_FRAMES)
		extent.used_bytes = extent.bytes;	/* the thread's own fields say what is in use */
	if (extent.used_bytes < head_bytes(area->kind)) {
		logfile_damaged(log, offset, "an area without room for its head");
		return extent.bytes;
	}
	if (area->kind == LOG_AREA_THREAD && area->used_bytes > LOG_FIRST_NODES_AT &&
	    extent.bytes > LOG_FIRST_NODES_AT)
		add_first_nodes(log, extent, area->used_bytes);
	else
		add_extent(log, &extent);
	return extent.bytes;
}

static void find_areas(struct logfile *log)
{
	uint64_t offset = log->header.header_bytes, tail = log->header.tail_bytes;
	uint64_t limit = tail + UNUSED_MAX;
	bool bad = false;

	if (tail > log->bytes || tail < offset || tail % LOG_AREA_ALIGN) {
		logfile_damaged(log, offsetof(struct log_header, tail_bytes),
				"the file ends before its areas do");
		limit = log->bytes;
	}
	while (offset < log->bytes && offset < limit) {
		uint64_t step = LOG_AREA_ALIGN;
		struct log_area area;

		if (is_area(log, offset, &area)) {
			step = add_area(log, offset, &area);
			bad = false;
			if (limit < offset + step + UNUSED_MAX)
				limit = offset + step + UNUSED_MAX;
		} else if (!bad && !is_unwritten_head(log, offset)) {
			logfile_damaged(log, offset, "no area where one should begin");
			bad = true;
		}
		offset += (step + LOG_AREA_ALIGN - 1) / LOG_AREA_ALIGN * LOG_AREA_ALIGN;
	}
}

/* Number the nodes of all areas, so that they can index arrays. */
static void number_nodes(struct logfile *log)
{
	for (size_t i = 0; i < log->nr_extents; i++) {
		struct log_extent *extent = &log->extents[i];

		extent->first_node = log->nr_nodes;
		if (extent->kind == LOG_AREA_THREAD)
			extent->nr_nodes = 1;
		else if (extent->kind == LOG_AREA_NODES)
			extent->nr_nodes = (uint32_t)((extent->used_bytes - sizeof(struct log_area)) /
						      sizeof(struct log_node));
		log->nr_nodes += extent->nr_nodes;
	}
}

struct logfile *logfile_open(const char *path)
{
	struct logfile *log = xcalloc(1, sizeof(*log));

	log->path = xstrdup(path);
	if (map_file(log) < 0)
		goto failed;
	copy_header(log);
	if (log->header.tail_bytes > log->bytes && map_anew(log) < 0)
		goto failed;
	if (check_header(log) < 0)
		goto failed;
	find_areas(log);
	number_nodes(log);
	if (log->header.slice_shift > SHIFT_MAX) {
		logfile_damaged(log, offsetof(struct log_header, slice_shift),
			"an impossible unit of slices");
		log->header.slice_shift = SHIFT_MAX;
	}
	return log;
failed:
	logfile_close(log);
	return NULL;
}

bool logfile_is_older(const struct logfile *log)
{
	struct log_header now = { .magic = 0 };

	memcpy(&now, log->base, log->bytes < sizeof(now) ? log->bytes : sizeof(now));
	return now.end != log->header.end || now.tail_bytes != log->header.tail_bytes;
}

struct logfile *logfile_of_header(const char *path, const struct log_header *header)
{
	struct logfile *log = xcalloc(1, sizeof(*log));

	log->path = xstrdup(path);
	log->header = *header;
	return log;
}

void logfile_forget(const struct logfile *log, const struct log_extent *extent)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t begin = (extent->offset + page - 1) & -page, end = (extent->offset + extent->bytes) & -page;

	if (begin < end)
		madvise((void *)(log->base + begin), end - begin, MADV_DONTNEED);
}

void logfile_forget_all(const struct logfile *log)
{
	if (log->base)
		madvise((void *)log->base, log->bytes, MADV_DONTNEED);
}

static struct {
	struct logfile *logs[USED_MOST];
	size_t next;			/* place of the one used longest ago */
} used;

void logfile_use(struct logfile *log)
{
	struct logfile **oldest = &used.logs[used.next];

	if (!log || log->is_used || !log->base)
		return;
	if (*oldest) {
		logfile_forget_all(*oldest);
		(*oldest)->is_used = false;
	}
	*oldest = log;
	log->is_used = true;
	used.next = (used.next + 1) % USED_MOST;
}

static void end_use(struct logfile *log)
{
	for (size_t i = 0; i < USED_MOST && log->is_used; i++)
		if (used.logs[i] == log)
			used.logs[i] = NULL;
}

void logfile_close(struct logfile *log)
{
	if (!log)
		return;
	end_use(log);
	unmap(log);
	free(log->extents);
	free(log->places);
	free(log->path);
	free(log);
}

const struct log_extent *logfile_find(struct logfile *log, uint64_t offset, uint64_t bytes)
{
	const struct log_extent *extent;
	size_t after;

	if (!log->nr_extents)
		return NULL;
	extent = &log->extents[log->last_extent];
	if (offset < extent->offset || offset >= extent->offset + extent->bytes) {
		after = PARTITION_POINT(i, log->nr_extents, log->extents[i].offset <= offset);
		log->last_extent = after ? after - 1 : 0;
		extent = &log->extents[log->last_extent];
	}
	if (offset < extent->offset || offset - extent->offset > extent->bytes ||
	    extent->bytes - (offset - extent->offset) < bytes)
		return NULL;
	return extent;
}

bool logfile_offset(const struct logfile *log, uint64_t addr, uint64_t *offset)
{
	*offset = addr - log->header.base_addr;
	return addr >= log->header.base_addr && *offset < log->bytes;
}

int64_t logfile_node_index(struct logfile *log, uint32_t ref)
{
	uint64_t offset = (uint64_t)ref << LOG_REF_SHIFT, place;
	const struct log_extent *extent = logfile_find(log, offset, sizeof(struct log_node));

	if (!extent || extent->nr_nodes == 0)
		return -1;
	place = offset - extent->offset - sizeof(struct log_area);
	if (offset < extent->offset + sizeof(struct log_area) || place % sizeof(struct log_node) ||
	    place / sizeof(struct log_node) >= extent->nr_nodes)
		return -1;
	return extent->first_node + (int64_t)(place / sizeof(struct log_node));
}

void logfile_node(const struct logfile *log, uint64_t offset, struct log_node *node)
{
	memcpy(node, log->base + offset, sizeof(*node));
}

void record_cursor_init(struct record_cursor *cursor, const struct log_extent *extent)
{
	cursor->at = extent->offset + sizeof(struct log_area);
	cursor->end = extent->offset + extent->used_bytes;
}

bool record_cursor_next(struct logfile *log, struct record_cursor *cursor, uint64_t *offset,
			struct log_record *record)
{
	while (cursor->at + sizeof(*record) <= cursor->end) {
		*offset = cursor->at;
		memcpy(record, log->base + cursor->at, sizeof(*record));
		if (record->bytes == 0) {	/* claimed, but not begun */
			cursor->at += 8;
			continue;
		}
		if (record->bytes < sizeof(*record) || record->bytes % 8 ||
		    record->bytes > cursor->end - cursor->at) {
			logfile_damaged(log, cursor->at, "a record of an impossible size");
			cursor->at = cursor->end;
			return false;
		}
		cursor->at += record->bytes;
		if (record->kind)
			return true;
	}
	return false;
}

char *logfile_text(const struct logfile *log, uint64_t offset, uint64_t bytes)
{
	const char *text = (const char *)log->base + offset;
	size_t length = strnlen(text, bytes);
	char *copy = xcalloc(length + 1, 1);

	memcpy(copy, text, length);
	return copy;
}

static uint64_t entry_heap_bytes(const struct log_entry *entry)
{
	return entry->has_heap ? sizeof(struct log_heap) : 0;
}

bool logfile_entry(struct logfile *log, uint64_t offset, struct log_entry *entry)
{
	if (offset + sizeof(*entry) <= log->bytes) {
		memcpy(entry, log->base + offset, sizeof(*entry));
		if (entry->record.bytes >= sizeof(*entry) + entry_heap_bytes(entry) &&
		    entry->record.bytes <= log->bytes - offset)
			return true;
	}
	logfile_damaged(log, offset, "a record that is too short");
	return false;
}

bool logfile_entry_heap(const struct logfile *log, uint64_t offset, const struct log_entry *entry,
			struct log_heap *heap)
{
	memcpy(heap, log->base + offset + sizeof(*entry), entry_heap_bytes(entry));
	return entry->has_heap;
}

char *logfile_entry_text(const struct logfile *log, uint64_t offset, const struct log_entry *entry,
			 enum log_entry_text which)
{
	uint64_t at = offset + sizeof(*entry) + entry_heap_bytes(entry), end = offset + entry->record.bytes;

	for (int i = 0; i < (int)which && at < end; i++)
		at += strnlen((const char *)log->base + at, end - at) + 1;
	return logfile_text(log, at, at < end ? end - at : 0);
}

int64_t logfile_path(struct logfile *log, uint32_t ref, uint64_t **functions)
{
	struct log_node node = { .function_addr = 0 };
	size_t nr = 0;

	*functions = NULL;
	while (logfile_node_index(log, ref) >= 0) {
		logfile_node(log, (uint64_t)ref << LOG_REF_SHIFT, &node);
		if (!node.function_addr)	/* the root */
			return (int64_t)nr;
		*functions = xgrow(*functions, nr, sizeof(**functions));
		(*functions)[nr++] = node.function_addr;
		if (node.parent >= ref)		/* parents are older: a loop in a damaged log ends here */
			break;
		ref = node.parent;
	}
	free(*functions);
	*functions = NULL;
	return -1;
}
