/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One log file: mapped, checked, walked. This module knows the format, and nothing of its meaning. It
 * trusts nothing in the file: a log may be cut off at any byte, damaged anywhere, or written while it is
 * read. Callers therefore copy a record, check the copy, and use the copy.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"

/* An area whose head is sound. Areas are sorted by offset and do not overlap. */
struct log_extent {
	uint64_t offset;
	uint64_t bytes;			/* including its head; within the file */
	uint64_t used_bytes;		/* at most bytes */
	uint32_t kind;			/* enum log_area_kind, or a kind that this version does not know */
	uint32_t owner;
	/* of areas of nodes, and of threads: number of its first node in the log */
	uint32_t first_node;
	uint32_t nr_nodes;
};

struct logfile {
	char *path;
	const uint8_t *base;		/* of the mapping; NULL: only the header is known */
	uint64_t bytes;			/* size of the file when it was opened */
	struct log_header header;	/* a copy; its strings end with a 0 */
	struct log_extent *extents;
	size_t nr_extents;
	uint32_t nr_nodes;		/* in all areas: the roots of threads, and nodes */
	struct place_counters *places;	/* see place_counters.h */
	size_t nr_places;
	size_t last_extent;		/* a hint for logfile_find() */
	uint64_t nr_damaged;		/* records and areas that were not sound */
	bool is_used;			/* see logfile_use() */
};

/*
 * Open a log. If the file is cut while it is open, the missing part reads as 0. Return: NULL after an
 * error() if it is no log, has another version, or cannot be read
 */
struct logfile *logfile_open(const char *path);
/* Make a log without areas, of which only @header is known. @path is for messages. */
struct logfile *logfile_of_header(const char *path, const struct log_header *header);
void logfile_close(struct logfile *log);

/* Was the log opened before its process wrote the last of it? @log has a mapping. */
bool logfile_is_older(const struct logfile *log);

/* Count damage at @offset. The first few places of a log are reported on stderr. */
void logfile_damaged(struct logfile *log, uint64_t offset, const char *what);

/* The area that contains all of [@offset, @offset + @bytes); NULL if there is none. */
const struct log_extent *logfile_find(struct logfile *log, uint64_t offset, uint64_t bytes);

/*
 * Translate an address of the recorded process to an offset in the file. Return: false if it is not in the
 * log
 */
bool logfile_offset(const struct logfile *log, uint64_t addr, uint64_t *offset);

/* An area, or all of a log, was read and is hardly read again: let the kernel drop its pages. */
void logfile_forget(const struct logfile *log, const struct log_extent *extent);
void logfile_forget_all(const struct logfile *log);

/*
 * The log is read again, in passing. If there are many such logs, the one used longest ago loses its pages.
 * NULL: nothing
 */
void logfile_use(struct logfile *log);

/* The number of a node in its log, below log->nr_nodes; -1 if there is no node at @ref. */
int64_t logfile_node_index(struct logfile *log, uint32_t ref);

/* Copy a node. */
void logfile_node(const struct logfile *log, uint64_t offset, struct log_node *node);

/* Walks the records of a LOG_AREA_RECORDS area. */
struct record_cursor {
	uint64_t at;
	uint64_t end;
};
void record_cursor_init(struct record_cursor *cursor, const struct log_extent *extent);
/*
 * Find the next complete record: its offset and its head. All its bytes are within the area.
 * Return: false at the end.
 */
bool record_cursor_next(struct logfile *log, struct record_cursor *cursor, uint64_t *offset,
			struct log_record *record);

/*
 * Copy the entry at @offset, which must be a record's. Return: false, with the damage counted, when the
 * record is too short
 */
bool logfile_entry(struct logfile *log, uint64_t offset, struct log_entry *entry);
/* Copy the entry's counters of the heap. Return: false when it has none */
bool logfile_entry_heap(const struct logfile *log, uint64_t offset, const struct log_entry *entry,
			struct log_heap *heap);
/* Copy one of the texts of a program's entry. Return: newly allocated */
char *logfile_entry_text(const struct logfile *log, uint64_t offset, const struct log_entry *entry,
			 enum log_entry_text which);

/*
 * List the functions on the path to node @ref, newly allocated, the innermost first. Return: how many, -1
 * when it is damaged
 */
int64_t logfile_path(struct logfile *log, uint32_t ref, uint64_t **functions);

/*
 * Copy the text of at most @bytes at @offset, up to its first 0. It must lie within the log. Return: newly
 * allocated
 */
char *logfile_text(const struct logfile *log, uint64_t offset, uint64_t bytes);
