/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call_events.c's own: entries and exits of some calls. */
#ifndef INSIDEME_CALL_MOMENTS_H
#define INSIDEME_CALL_MOMENTS_H

#include "analyzer/calls/slices.h"

struct call_moment {
	int64_t time;			/* model time */
	uint32_t call;			/* index of the call: of two of one thread that have ended the lower one ended first */
	bool is_exit;
};

struct call_moments {
	struct call_moment *list;
	size_t nr;
};

void call_moments_add(struct call_moments *moments, int64_t time, size_t call, bool is_exit);
void call_moments_sort(struct call_moments *moments, struct slice *calls);

#endif
