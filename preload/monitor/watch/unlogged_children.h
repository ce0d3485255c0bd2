/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forked children that have no log, only an entry in that of an ancestor: sampled once they have lived for some ms, with
 * their rows in our own log, until they have a log or end.
 */
#ifndef INSIDEME_UNLOGGED_CHILDREN_H
#define INSIDEME_UNLOGGED_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/monitor/watch/own_log.h"
#include "preload/monitor/watch/process_ends.h"
#include "preload/monitor/watch/watched_log.h"

struct entered_list {
	struct own_log *own_log;	/* takes the rows */
	struct tree *tree;		/* is told of each that is sampled */
	struct sampler_settings settings;
	struct entered *first;
	uint64_t nr_sampled, most_sampled;
	uint64_t least_interval_ns;	/* see struct sampler_config */
};

void entered_init(struct entered_list *list, struct own_log *own_log, struct tree *tree,
		  const struct sampler_settings *settings);

/* Take up the children that were entered in the log of @holder since the last look. */
void entered_look(struct entered_list *list, struct watched *holder, int64_t now_ns);

/* Sample what is due at @now_ns. @logs: that are open. Return: the next time. All of CLOCK_MONOTONIC. */
int64_t entered_step(struct entered_list *list, const struct watched *logs, int64_t now_ns);

/* @log has begun: its process, if it is one of these, goes on there. */
void entered_has_log(struct entered_list *list, const struct log_header *log);

/* @pid has ended and is a zombie: read its last numbers. */
void entered_end(struct entered_list *list, pid_t pid);

/* Is @pid one of these, or was it until a moment ago? */
bool entered_saw(const struct entered_list *list, pid_t pid);

/* Last rows of all; they may run on. */
void entered_release(struct entered_list *list);

#endif
