/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes whose memory has reached INSIDEME_MAX_MEMORY, and what their threads were in then. */
#ifndef INSIDEME_MEMORY_LIMITS_TABLE_H
#define INSIDEME_MEMORY_LIMITS_TABLE_H

#include "analyzer/cells/view_context.h"

void memory_limits_add(struct document *document, struct report *report);

#endif
