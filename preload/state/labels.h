/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that the program gives to regions, marks and counters: each has one number in the process, in its
 * forked children too, and one record in each log.
 */
#ifndef INSIDEME_LABELS_H
#define INSIDEME_LABELS_H

#include <stdint.h>

#include "insideme_log.h"

struct label {
	struct label *next;
	struct log_counter *counter;	/* its newest record of a log, see api_marks.c; NULL: none */
	struct log_timer *timer;
	uint64_t reset_calls;		/* these two are api_sums.c's: what is left out of sums */
	uint64_t reset_ticks;
	uint32_t is_timed;		/* 1: it names a region or a timer */
	uint32_t hash;
	uint32_t number;		/* from 1 */
	uint32_t bytes;			/* of the text, with its final 0 */
	char text[];
};

/*
 * The label @name, cut after LOG_LABEL_MAX bytes; made when it is new. NULL: there is no room for more
 * names (counted as LOG_LOST_RECORDS). Takes no lock: callable from threads and signal handlers.
 */
struct label *label_find(const char *name);

/* The same, but none is made. */
struct label *label_look_up(const char *name);

/*
 * The first in the order of their bytes that comes after @name (NULL: of all) and names a region or timer;
 * NULL: none does.
 */
struct label *label_timed_after(const char *name);

/* The label with that number, or NULL. Looks at all. */
const struct label *label_numbered(uint32_t number);

/*
 * In a forked child that opens its log: what was done with labels in its parent by threads that it does not
 * have is over.
 */
void labels_forked(void);

/* Record in a log that begins what is known so far. */
void labels_log_all(void);

#endif
