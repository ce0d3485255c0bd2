/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many calls a log has recorded, for the line at the end. */
#ifndef INSIDEME_MONITOR_COUNT_H
#define INSIDEME_MONITOR_COUNT_H

#include <stdint.h>

#include "insideme_log.h"

/* Calls that have ended, summed over all call paths. @reach: bytes of @log that may be touched. */
uint64_t count_calls(const struct log_header *log, uint64_t reach);

/* "27.4 M", "421 k", "9999" and "38 MiB", "256 KiB" into @text. */
#define COUNT_TEXT_BYTES 32
void format_count(char *text, uint64_t count);
void format_bytes(char *text, uint64_t bytes);

#endif
