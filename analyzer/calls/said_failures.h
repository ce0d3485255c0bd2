/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures that the program reported (insideme_fail), found by the call that reported them. */
#pragma once

#include "analyzer/read/marks_read.h"

struct failure {
	const struct mark *mark;
	const struct process *process;
	const struct tree_node *node;
	bool is_taken;
};

struct failures {
	struct failure *list;		/* by call path, thread and time */
	size_t nr;
};

/* The failures of all processes, without threads that are left out. */
void failures_find(struct failures *failures, const struct model *model);
void failures_release(struct failures *failures);

/*
 * Take those that a call of @node reported on @thread between two model times. Return: the first one, or NULL
 */
const struct mark *failures_take(struct failures *failures, const struct tree_node *node,
				 const struct thread *thread, int64_t start, int64_t end);
