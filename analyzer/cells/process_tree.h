/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes of a run as a tree. Images that followed each other by exec are one process; programs that
 * did not load the library, but were seen by insideme-run, are among them.
 */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/model/process_usage.h"

struct member {
	struct process *first;		/* image; NULL: not recorded */
	struct process *last;
	const struct unseen_process *unseen;	/* NULL: recorded */
	const struct model *model;
	uint32_t run;			/* which of model->nr_runs */
	uint32_t pid;
	uint32_t ppid;			/* 0: not known */
	int64_t begin;			/* model time; of what was not recorded: when it was seen */
	enum process_end end_kind;	/* of the last image */
	int end_status;
	bool core_dumped;
	int64_t end;			/* of what is known of it; NO_TIME: not known */
	uint64_t nr_threads;		/* one that went on through an exec is one */
	uint64_t calls;
	double functions_ns;
	uint64_t alloc_bytes;
	uint64_t log_bytes;

	struct member *parent;		/* NULL: none of them */
	struct member *child;		/* the first; in the order of begin, as next */
	struct member *last_child;
	struct member *next;
	unsigned int depth;		/* 0: without parent */
};

struct process_tree {
	struct member *members;		/* in the order of run and begin */
	size_t nr;
};

void process_tree_init(struct process_tree *tree, const struct model *model);
void process_tree_release(struct process_tree *tree);

/* Reads its rows. The kernel's counters of its last image have all of it; the peak is the highest one. */
struct usage member_usage(const struct member *member);
/* "cc", "env > app": the programs it ran, without the one that a child of fork has from its parent. */
char *member_programs(const struct member *member);
const char *member_program(const struct member *member);
/* "exit 0", "SIGSEGV, core dumped", "no word"; "ran on" when insideme-run ended. */
const char *member_end_text(const struct member *member, char *out, size_t bytes);
/* Ended by a signal, or in an unknown way. */
bool member_is_killed(const struct member *member);
/* An exit status that is not 0. */
bool member_has_failed(const struct member *member);
/* How it was recorded: "functions", "no hooks", "did not load the recorder". */
const char *member_recorded(const struct member *member);
