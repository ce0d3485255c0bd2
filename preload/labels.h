/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that the program gives to regions, marks and counters: each has one number in the process, in its
 * forked children too, and one record in each log.
 */
#ifndef INSIDEME_LABELS_H
#define INSIDEME_LABELS_H

#include <stdint.h>

/*
 * The number of @name, cut after LOG_LABEL_MAX bytes; a new one when it is new. 0: there is no room for more names (counted
 * as LOG_LOST_RECORDS). Takes no lock: callable from threads and signal handlers.
 */
uint32_t label_number(const char *name);

/* Record in a log that begins what is known so far. */
void labels_log_all(void);

#endif
