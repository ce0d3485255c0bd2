/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of entries and exits of calls: of the view events, and of what pikos's users know as records. */
#ifndef INSIDEME_EVENTS_TABLE_H
#define INSIDEME_EVENTS_TABLE_H

#include "analyzer/calls/call_events.h"
#include "analyzer/tables/table.h"

/* Rows: struct call_event. Its title, and where the rows come from, are the caller's. Titles of columns are pikos's. */
extern const struct table events_table;

/* On stderr, so that a table in a file stays a table: how many of all calls there are records of; or only if some lack. */
void events_tell_share(const struct model *model, bool if_some_lack);

#endif
