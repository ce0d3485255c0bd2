/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Room for the recorder's areas in this process's log. */
#ifndef INSIDEME_LOG_SPACE_H
#define INSIDEME_LOG_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

/* The log's file, by which it grows: no descriptor is kept in the program; and where it belongs if it lives away. */
void log_space_init(const char *log_path, const char *log_home);
const char *log_space_path(void);

/*
 * A new area as log_claim() gives it, growing the file if it must; each kind may fill its share of the budget.
 * NULL: no room (the caller counts its loss). Callable from hooks and signal handlers.
 */
struct log_area *log_space_new_area(enum log_area_kind kind, uint32_t owner, uint64_t bytes,
				    uint32_t head_bytes, uint32_t record_bytes);

/* Would an area of @bytes take of the part that is kept for functions under "(other paths)"? */
bool log_space_is_kept(uint64_t bytes);

/* Room for some records in @log, this process's or one that it shares with its parent. */
void log_space_for_records(struct log_header *log);

/* Grow for the time when nothing can grow any more. */
void log_space_reserve(void);

/*
 * Unmap what lies past the first @bytes of the log, but for what the file reaches: the budget is less from now on.
 * Callable from any thread while others record.
 */
void room_cut(uint64_t bytes);

/* The process ends: a log that lives away goes into its run. */
void log_space_bring_home(void);

/* The process ends: what was grown ahead and is not used goes back to the file system. */
void log_space_give_back(void);

#endif
