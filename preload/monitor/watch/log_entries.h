/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The children that are entered in a log, while its processes write it. */
#ifndef INSIDEME_LOG_ENTRIES_H
#define INSIDEME_LOG_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"

struct entries {
	const struct log_header *log;
	uint64_t mapped_bytes;
	uint64_t seen_bytes;		/* areas begin before this are known */
	struct entries_area *areas;	/* of records, that may get more */
	size_t nr_areas;
};

/* @log: mapped @mapped_bytes long. Nothing in it is believed: its processes may write over it. */
void entries_init(struct entries *entries, const struct log_header *log, uint64_t mapped_bytes);

/* Call @each for the children that were entered since the last look. @now_ns: CLOCK_MONOTONIC. */
void entries_look(struct entries *entries, int64_t now_ns, void (*each)(void *context, const struct log_entry *entry),
		  void *context);

void entries_release(struct entries *entries);

#endif
