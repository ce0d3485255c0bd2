/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which counted functions a CPU sample was in, where the compiler inlined them.
 *
 * A sample's node has the functions that were called. Timing auto counts a function at its inlined copies
 * too, but these have no frame that the recorder could see. Debug information says which copies the sampled
 * address is in. Without it, samples stay where the recorder put them. Functions that inlined code calls
 * stand beneath the function that was called, not beneath the inlined one: only the innermost code's address
 * is recorded.
 */
#ifndef INSIDEME_SAMPLED_CODE_H
#define INSIDEME_SAMPLED_CODE_H

#include "analyzer/base/hashtable.h"
#include "analyzer/model/model.h"

/* Begins with its process; the rest 0. */
struct sampled_code {
	struct process *process;
	struct hashtable places;	/* struct code_place, by object and address */
};

/* The path of a sample outside of hooks, whose node has the path @path. Makes it where it is new. */
struct tree_node *sampled_code_path(struct sampled_code *code, struct thread *thread,
				    const struct log_sample *sample, struct tree_node *path);
void sampled_code_release(struct sampled_code *code);

#endif
