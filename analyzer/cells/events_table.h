/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of entries and exits of calls: of the view events, and of what pikos's users know as records. */
#pragma once

#include "analyzer/calls/call_events.h"
#include "analyzer/tables/table.h"

/* Rows: struct call_event. The caller sets the title and the source of rows. Column titles are pikos's. */
extern const struct table events_table;

/* Print on stderr how many of all calls have records. @if_some_lack: only if not all have. */
void events_tell_share(const struct model *model, bool if_some_lack);
