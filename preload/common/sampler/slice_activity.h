/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The activity of threads, as their areas of the log show it. Writers do nothing for this. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

#define ACTIVITY_THREADS 64	/* looked at; of further threads only new areas are noticed */

struct activity {
	const struct log_header *log;
	uint64_t seen_bytes;			/* areas up to here have been looked at */
	uint64_t newest;	/* sum of the ends of the threads' newest slices at the last look */
	uint32_t nr_threads;
	uint32_t threads[ACTIVITY_THREADS];	/* their refs */
};

void activity_init(struct activity *activity, const struct log_header *log);

/* Was a slice written since the last look? */
bool activity_look(struct activity *activity);
