/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What include/insideme.h calls: a region is a call of a function whose address is none, but stands for a name. */
#include "hooks.h"
#include "labels.h"
#include "live.h"
#include "marks.h"

#define INSIDEME_RECORDER
#include "insideme.h"

static void *region(const char *name)
{
	const struct label *label = name && live_has_begun ? label_find(name) : NULL;

	return label ? (void *)(LOG_FUNCTION_REGION | (uint64_t)label->number << LOG_REGION_SHIFT) : NULL;
}

EXPORT extern const struct insideme_recorder insideme_recorder;
const struct insideme_recorder insideme_recorder = {
	.version = INSIDEME_VERSION_OF_TABLE,
	.bytes = sizeof(insideme_recorder),
	.enter = __cyg_profile_func_enter,
	.exit = __cyg_profile_func_exit,
	.region = region,
	.mark = mark_instant,
	.fail = mark_failure,
	.counter = mark_counter,
	.start = timer_start,
	.pause = timer_pause,
	.resume = timer_resume,
	.stop = timer_stop,
};
