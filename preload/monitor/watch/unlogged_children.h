/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forked children that have no log, only an entry in an ancestor's. A child is sampled once it has lived for
 * some ms, until it opens a log or ends. Its rows go into insideme-run's own log.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/monitor/watch/own_log.h"
#include "preload/monitor/watch/process_ends.h"
#include "preload/monitor/watch/watched_log.h"

struct entered_list {
	struct own_log *own_log;	/* takes the rows */
	struct tree *tree;		/* gets each child that is sampled */
	struct sampler_settings settings;
	struct entered *first;
	uint64_t nr_sampled, most_sampled;
	uint64_t least_interval_ns;	/* see struct sampler_config */
};

void entered_init(struct entered_list *list, struct own_log *own_log, struct tree *tree,
		  const struct sampler_settings *settings);

/* Take the children whose entries came into the log of @holder since the last look. */
void entered_look(struct entered_list *list, struct watched *holder, int64_t now_ns);

/*
 * Sample what is due at @now_ns. @logs: all that are open. Return: when to call again. Times are of
 * CLOCK_MONOTONIC.
 */
int64_t entered_step(struct entered_list *list, const struct watched *logs, int64_t now_ns);

/* @log was opened: if its process is one of these children, it is sampled into that log from now on. */
void entered_has_log(struct entered_list *list, const struct log_header *log);

/* @pid has ended and is a zombie: write its last row. */
void entered_end(struct entered_list *list, pid_t pid);

/* Is @pid one of these children, or was it until a moment ago? */
bool entered_saw(const struct entered_list *list, pid_t pid);

/* Write last rows for all children. They may run on. */
void entered_release(struct entered_list *list);
