/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of other tools, written for what reads them. Each takes the whole report. */
#ifndef INSIDEME_EXPORT_H
#define INSIDEME_EXPORT_H

#include <stdio.h>

#include "analyzer/cells/view_context.h"

struct slice;

/* The file of --output, or standard output. Return: NULL after an error(). */
FILE *export_open(const struct report *report);
/* Return: exit status, after an error() when not all could be written. */
int export_close(const struct report *report, FILE *out);

/* Seconds after 1970 of a model time. */
double export_seconds(const struct model *model, int64_t time);

/* Of --match all calls, else those that last at least --min-percent of the time, or 1 %. */
bool export_wants_call(const struct report *report, const struct slice *slice);

/*
 * memory_profiler's file, which mprof plot and mprof peak read: RSS of the first process (MEM) and the others (CHLD), and
 * calls (FUNC).
 */
int export_mprof(struct report *report);

/* resource monitor's log: of -v calls its event log, else its resource log. */
int export_resource_monitor(struct report *report);

/* multiprocess_profiler's csv: a row for each recorded call, with what broke it. */
int export_multiprocess(struct report *report);

/* pikos's records: csv, and text. */
int export_pikos(struct report *report);
int export_pikos_text(struct report *report);

/* Pictures of the resources over time. */
int export_svg(struct report *report);
int export_png(struct report *report);
int export_pdf(struct report *report);

#endif
