/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files in the formats of other tools. Each exporter writes the whole report. */
#ifndef INSIDEME_EXPORT_H
#define INSIDEME_EXPORT_H

#include <stdio.h>

#include "analyzer/cells/view_context.h"

struct slice;

/* Open the file of --output, or standard output. Return: NULL after an error() */
FILE *export_open(const struct report *report);
/* Return: exit status, after an error() if not everything could be written */
int export_close(const struct report *report, FILE *out);

/* A model time in seconds since 1970. */
double export_seconds(const struct model *model, int64_t time);

/*
 * Whether to export a call. With --match: those of matching functions. Otherwise: those that take at least
 * --min-percent of the time, by default 1 %.
 */
bool export_wants_call(const struct report *report, const struct slice *slice);

/*
 * memory_profiler's file, for mprof plot and mprof peak: RSS of the first process (MEM) and of others
 * (CHLD), and calls (FUNC).
 */
int export_mprof(struct report *report);

/* resource monitor's log: its event log with -v calls, otherwise its resource log. */
int export_resource_monitor(struct report *report);

/* multiprocess_profiler's csv: a row for each recorded call, and what broke it. */
int export_multiprocess(struct report *report);

/* pikos's records, as csv and as text. */
int export_pikos(struct report *report);
int export_pikos_text(struct report *report);

/* Pictures of the resources over time. */
int export_svg(struct report *report);
int export_png(struct report *report);
int export_pdf(struct report *report);

#endif
