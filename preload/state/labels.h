/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that the program gives to regions, marks and counters. Each has one number in the process and its
 * forked children, and one record in each log.
 */
#pragma once

#include <stdint.h>

#include "insideme_log.h"

struct label {
	struct label *next;
	struct log_counter *counter;	/* its newest record in a log, see api_marks.c; NULL: none */
	struct log_timer *timer;	/* of spans; likewise */
	struct log_timer *added;	/* of times that were added */
	uint64_t reset_calls;		/* these two are for api_sums.c: the part that sums leave out */
	uint64_t reset_ticks;
	uint64_t reset_all_ticks;
	uint64_t reset_added_ns;
	uint32_t is_timed;		/* 1: it names a region or a timer */
	uint32_t hash;
	uint32_t number;		/* from 1 */
	uint32_t bytes;			/* of the text, with its final 0 */
	char text[];
};

/*
 * The label @name, cut after LOG_LABEL_MAX bytes. Made if it is new. NULL: there is no room for more names
 * (counted as LOG_LOST_RECORDS). Takes no lock: callable from threads and signal handlers.
 */
struct label *label_find(const char *name);

/* The same, but does not make one. NULL: none. */
struct label *label_look_up(const char *name);

/* The label of a region or timer that follows @name in the order of bytes (NULL: the first). NULL: none. */
struct label *label_timed_after(const char *name);

/* The label with that number, or NULL. Looks at all labels. */
const struct label *label_numbered(uint32_t number);

/* In a forked child that opens its log: abandon what threads of the parent were doing with labels. */
void labels_forked(void);

/* Record all labels known so far, in a log that begins. */
void labels_log_all(void);
