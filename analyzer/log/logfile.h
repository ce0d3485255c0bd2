/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One log file: mapped, checked, and walked. Knows the format and nothing of what it means. Nothing in the file
 * is believed before it is checked: it may be cut off at any byte, damaged anywhere, or be written to while it
 * is read, so that callers copy a record before they check it and use the copy.
 */
#ifndef INSIDEME_LOGFILE_H
#define INSIDEME_LOGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"

/* An area whose head is sound. Areas lie in the order of their offsets and do not overlap. */
struct log_extent {
	uint64_t offset;
	uint64_t bytes;			/* with its head, within the file */
	uint64_t used_bytes;		/* at most bytes */
	uint32_t kind;			/* enum log_area_kind, or one that we do not know */
	uint32_t owner;
	uint32_t first_node;		/* nodes and threads: index in the log of its first node */
	uint32_t nr_nodes;
};

struct logfile {
	char *path;
	const uint8_t *base;		/* the mapping */
	bool is_image;			/* no mapping but allocated memory */
	uint64_t bytes;			/* of it; the file as it was when it was opened */
	struct log_header header;	/* a copy; its strings end with a 0 */
	struct log_extent *extents;
	size_t nr_extents;
	uint32_t nr_nodes;		/* in all areas: roots of threads and nodes */
	size_t last_extent;		/* hint of logfile_find() */
	uint64_t nr_damaged;		/* records and areas that were not sound */
};

/*
 * Open a log. Return: NULL after an error() when it is no log, of another version, or cannot be read.
 * The file may be cut while it is open: what is gone then reads as 0.
 */
struct logfile *logfile_open(const char *path);
/* The same of a log in memory, which must be sound, for messages about @path. @image is freed with it. */
struct logfile *logfile_of_image(const char *path, uint8_t *image, uint64_t bytes);
void logfile_close(struct logfile *log);

/* Count damage at @offset; the first few of a log are told on stderr. */
void logfile_damaged(struct logfile *log, uint64_t offset, const char *what);

/* The area that holds all of [@offset, @offset + @bytes), or NULL. */
const struct log_extent *logfile_find(struct logfile *log, uint64_t offset, uint64_t bytes);

/* File offset of an address of the recorded process; false if it is not in the log. */
bool logfile_offset(const struct logfile *log, uint64_t addr, uint64_t *offset);

/* An area was read and will hardly be again: its pages need not stay in our memory. */
void logfile_forget(const struct logfile *log, const struct log_extent *extent);

/* Index of a node in its log, less than log->nr_nodes, or -1 if @ref is no place of a node. */
int64_t logfile_node_index(struct logfile *log, uint32_t ref);

/* Copy of a node. */
void logfile_node(const struct logfile *log, uint64_t offset, struct log_node *node);

/* Walk the records of a LOG_AREA_RECORDS area. */
struct record_cursor {
	uint64_t at;
	uint64_t end;
};
void record_cursor_init(struct record_cursor *cursor, const struct log_extent *extent);
/*
 * The next complete record: its offset and head; its bytes are within the area.
 * Return: false at the end.
 */
bool record_cursor_next(struct logfile *log, struct record_cursor *cursor, uint64_t *offset, struct log_record *record);

/* New string of the text of at most @bytes at @offset, which must be within the log; ends at the first 0. */
char *logfile_text(const struct logfile *log, uint64_t offset, uint64_t bytes);

#endif
