/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files in the formats of other tools. Each exporter writes the whole report. */
#pragma once

#include <stdio.h>

#include "analyzer/base/whole_file.h"
#include "analyzer/cells/view_context.h"

struct function;
struct slice;
struct timer_span;

/*
 * Open the file of --output, or standard output. A file appears when it is closed (with --follow at once),
 * compressed where its name ends with ".gz". Return: false after an error()
 */
bool export_open(struct whole_file *file, const struct options *options);
/* Does its name say so? */
bool export_is_compressed(const struct options *options);
/* Return: exit status, after an error() if not everything could be written */
int export_close(struct whole_file *file);

/* A function's name without parameters and template arguments, for files that repeat names. */
const char *export_name(const struct function *function);

/* Find files and lines of all functions. */
void export_sources(const struct model *model);

/* The doubts about the run, in the sentences of the first page. */
void export_doubts(const struct model *model, void (*visit)(void *to, const char *text), void *to);

/* The same on stderr, for a file that has no place for it. */
void export_warn(const struct model *model);

/* A model time in seconds since 1970. */
double export_seconds(const struct model *model, int64_t time);

/*
 * RSS in MiB around a call: as its hooks read it, or else as the sampler last read it. Before the sampler's
 * first reading, that one counts. NAN: none
 */
double export_rss_before(const struct slice *slice);
double export_rss_after(const struct slice *slice);

/* Does a call, or a timer, lie in the reported time, and match --match? */
bool export_wants(const struct report *report, struct function *function, int64_t start, int64_t end);
bool export_wants_timer(const struct report *report, const struct timer_span *timer);

/*
 * Whether to export a call. With --match: those of matching functions. Otherwise: those that take at least
 * --min-percent of the time, by default 1 %.
 */
bool export_wants_call(const struct report *report, const struct slice *slice);

/* Single calls over time, as JSON of Chrome's trace events. */
int export_chrome(struct report *report);

/* The same as Perfetto's own trace. */
int export_perfetto(struct report *report);
/* The same for speedscope, and sums by call path. */
int export_speedscope(struct report *report);
/* Sums by call path: pprof's profile.proto. */
int export_pprof(struct report *report);
/* Sums by function, and of their calls of each other: callgrind's profile, python's, a graph. */
int export_callgrind(struct report *report);
int export_pstats(struct report *report);
int export_dot(struct report *report);
/* Sums by call path, a path a line. */
int export_folded(struct report *report);

/*
 * memory_profiler's file, for mprof plot and mprof peak: RSS of the first process (MEM) and of others
 * (CHLD), and calls (FUNC).
 */
int export_mprof(struct report *report);

/* resource monitor's log: its event log with -v calls, otherwise its resource log. */
int export_resource_monitor(struct report *report);

/* multiprocess_profiler's csv: a row for each recorded call, and what broke it. */
int export_multiprocess(struct report *report);

/* InsideMe's log line for python: a line for each recorded call. */
int export_insideme(struct report *report);

/* Figures of runs, and what is in doubt. */
int export_openmetrics(struct report *report);
