/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Room for the recorder's areas in this process's log. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

/*
 * The log's file, which grows by its path because no descriptor is kept in the program, and its path in the
 * run if it lives elsewhere.
 */
void log_space_init(const char *log_path, const char *log_home);
const char *log_space_path(void);

/*
 * Make a new area as log_claim() does, extending the file if necessary. Each kind may fill its share of the
 * budget. NULL: no room (the caller counts the loss). Callable from hooks and signal handlers.
 */
struct log_area *log_space_new_area(enum log_area_kind kind, uint32_t owner, uint64_t bytes,
				    uint32_t head_bytes, uint32_t record_bytes);

/* Would an area of @bytes use the part that is reserved for functions under "(other paths)"? */
bool log_space_is_kept(uint64_t bytes);

/* Make room for some records in @log, this process's or one that it shares with its parent. */
void log_space_for_records(struct log_header *log);

/* Grow for the time when nothing can grow any more. */
void log_space_reserve(void);

/*
 * The process is about to act for @user instead of root, and will not be allowed to open its log: the file
 * gets longer now, and its blocks as they are needed. If it acts for another user already, nothing happens.
 */
void log_space_before_user(uint32_t user);

/*
 * Unmap what lies past the first @bytes of the log and past the end of the file: the budget is smaller from
 * now on. Callable from any thread while others record.
 */
void room_cut(uint64_t bytes);

/* The process ends: move a log that lives elsewhere into its run. */
void log_space_bring_home(void);

/* The process ends: return memory that was allocated ahead and not used to the file system. */
void log_space_give_back(void);
