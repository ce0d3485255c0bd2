/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What include/insideme.h calls: a region is a call of a function whose address is none, but stands for a name. */
#include <errno.h>

#include "hooks.h"
#include "labels.h"
#include "live.h"

#define INSIDEME_RECORDER
#include "insideme.h"

static void *region(const char *name)
{
	uint64_t number = name && live_has_begun ? label_number(name) : 0;

	return number ? (void *)(LOG_FUNCTION_REGION | number << LOG_REGION_SHIFT) : NULL;
}

EXPORT extern const struct insideme_recorder insideme_recorder;
const struct insideme_recorder insideme_recorder = {
	.version = INSIDEME_VERSION_OF_TABLE,
	.bytes = sizeof(insideme_recorder),
	.enter = __cyg_profile_func_enter,
	.exit = __cyg_profile_func_exit,
	.region = region,
};
