/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the view errors. */
#pragma once

#include "analyzer/cells/view_context.h"
#include "analyzer/views/views.h"

/*
 * Add what was thrown, how often, where, and where it was caught; csv and json also have each error that
 * was kept. Text has no table if nothing was thrown.
 */
void errors_tables(struct document *document, struct report *report);

void memory_limits_add(struct document *document, struct report *report);
