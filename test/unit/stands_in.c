/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that slices.c calls only with INSIDEME_VERBOSE, and that would need the rest of the recorder. */
#include <stdlib.h>

#include "preload/calls/verbose_calls.h"

void verbose_call(const struct log_frame *frame, uint64_t end_ticks, bool broken)
{
	(void)frame, (void)end_ticks, (void)broken;
	abort();
}
