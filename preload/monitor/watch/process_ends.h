/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes of the tree. A pidfd for each also shows the ends of those that other processes wait for: a
 * subreaper gets only orphans.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How a process ended. LOG_NONE: not seen. */
struct process_end {
	pid_t pid;
	uint64_t start_ticks;		/* field 22 of /proc/PID/stat */
	uint64_t status;		/* as from wait() */
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t peak_rss_bytes;
};

#define TREE_TOLD 256

struct tree {
	int epoll_fd; /* becomes readable when a process has ended; < 0: no ends can be seen */
	struct member *members;		/* that still run */
	struct told {
		pid_t pid;
		uint64_t start_ticks;
	} told[TREE_TOLD];		/* by pid: processes whose end was reported, and that may not have
					 * been reaped yet */
};

void tree_init(struct tree *tree);

/* @pid was seen. Does nothing if it is known, gone, or insideme-run itself. */
void tree_add(struct tree *tree, pid_t pid);

/* Our own child @pid was reaped. */
void tree_forget(struct tree *tree, pid_t pid);

/* Return: has another process ended that we do not have to wait for? Each is returned once. */
bool tree_next_end(struct tree *tree, struct process_end *end);

/* Return: is there one more process that still runs? It is no longer watched. */
bool tree_next_left(struct tree *tree, pid_t *pid, uint64_t *start_ticks);
