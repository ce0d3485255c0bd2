/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One log as a process: its clocks, rows and threads, and how it ended. */
#pragma once

#include "analyzer/model/model.h"

/* Open a log, and read its clocks and rows. Model times are not known yet. Return: NULL after an error() */
struct process *process_open(struct model *model, const char *path);
/* A process without a log, of which only @header is known. @path: for messages. */
struct process *process_of_header(struct model *model, const char *path, const struct log_header *header);
void process_close(struct process *process);

/*
 * Add the memory columns of the set "process" to the set "memory", if that exists. Either may be the rarer
 * one, because the sampler limits its own cost. After the process has all its rows.
 */
void process_join_memory_rows(struct process *process);

/* Read threads and records. process->origin_ns must be set. */
void process_read_threads(struct process *process);

/* Set last_ticks, the last instant that anything in the log has. */
void process_find_last(struct process *process);
