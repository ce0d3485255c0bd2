/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the view of processes, in the order of the tree. Processes that are alike may share a row. */
#pragma once

#include "analyzer/cells/process_tree.h"

/* A process, or several that are alike: same programs, same end, one parent or parents that are alike. */
struct process_row {
	const struct member *member;	/* the first of them */
	size_t nr_alike;
	unsigned int depth;
	size_t parent;			/* index of its row; own index: none */
	double longest_ns;		/* NAN: not known; the others are sums */
	uint64_t nr_threads;
	uint64_t calls;
	double functions_ns;
	uint64_t alloc_bytes;
	uint64_t log_bytes;
	struct usage usage;		/* its peak is the largest of them */
};

/* Return: the rows, to be freed; their number in @nr. */
struct process_row *process_rows(const struct process_tree *tree, bool folded, size_t *nr);

/*
 * Keep @top rows and those above them: of processes that were killed first, then of failed ones, then of
 * those that used most CPU time. Return: how many rows are left out
 */
size_t process_rows_limit(struct process_row *rows, size_t *nr, size_t top);
