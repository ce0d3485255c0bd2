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
	struct log_counter *counter;	/* its newest record of a log, see marks.c and spans.c; NULL: none */
	struct log_timer *timer;
	uint32_t hash;
	uint32_t number;		/* from 1 */
	uint32_t bytes;			/* of the text, with its final 0 */
	char text[];
};

/*
 * The label @name, cut after LOG_LABEL_MAX bytes; made when it is new. NULL: there is no room for more names (counted
 * as LOG_LOST_RECORDS). Takes no lock: callable from threads and signal handlers.
 */
struct label *label_find(const char *name);

/* The label with that number, or NULL. Looks at all. */
const struct label *label_numbered(uint32_t number);

/* Record in a log that begins what is known so far. */
void labels_log_all(void);

#endif
