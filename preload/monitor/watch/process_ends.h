/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes of the tree, each held by a pidfd, so that the end of those is seen too that others wait for: a
 * subreaper gets orphans only.
 */
#ifndef INSIDEME_PROCESS_ENDS_H
#define INSIDEME_PROCESS_ENDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How a process ended. LOG_NONE: not seen. */
struct process_end {
	pid_t pid;
	uint64_t start_ticks;		/* field 22 of /proc/PID/stat */
	uint64_t status;		/* as wait() tells */
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t peak_rss_bytes;
};

#define TREE_TOLD 256

struct tree {
	int epoll_fd;			/* becomes readable when a process has ended; < 0: none can be seen */
	struct member *members;		/* that run */
	struct told {
		pid_t pid;
		uint64_t start_ticks;
	} told[TREE_TOLD];		/* by pid: whose end was told, and who may not have been waited for yet */
};

void tree_init(struct tree *tree);

/* @pid has shown itself. Nothing happens if it is known, gone, or ourselves. */
void tree_add(struct tree *tree, pid_t pid);

/* Our own child @pid has been waited for. */
void tree_forget(struct tree *tree, pid_t pid);

/* Return: whether a process has ended that is not for us to wait for; once each. */
bool tree_next_end(struct tree *tree, struct process_end *end);

/* Return: whether there is one more process that still runs; it is let go of. */
bool tree_next_left(struct tree *tree, pid_t *pid, uint64_t *start_ticks);

#endif
