/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of other tools, written for what reads them. Each takes the whole report. */
#ifndef INSIDEME_EXPORT_H
#define INSIDEME_EXPORT_H

#include <stdio.h>

#include "report.h"

/* The file of --output, or standard output. Return: NULL after an error(). */
FILE *export_open(const struct report *report);
/* Return: exit status, after an error() when not all could be written. */
int export_close(const struct report *report, FILE *out);

/* Seconds after 1970 of a model time. */
double export_seconds(const struct model *model, int64_t time);

/*
 * memory_profiler's file, which mprof plot and mprof peak read: RSS of the first process (MEM) and the others (CHLD), and
 * calls (FUNC) that last at least 1 % of the run or --min-percent; of --match all.
 */
int export_mprof(struct report *report);

/* resource monitor's log: of -v calls its event log, else its resource log. */
int export_resource_monitor(struct report *report);

#endif
