/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Paths of functions that the compiler inlined. Debug information says which are at an address: on a stack
 * without hooks at that of each caller.
 *
 * Timing auto counts a function at its inlined copies too, but these have no frame that the recorder could
 * see: a sample's node has the functions that were called, and its address says which copies it is in.
 * Without debug information, samples stay where the recorder put them. Functions called by inlined code stand
 * below the function that was called, not below the inlined one: only the address of the innermost code is
 * recorded.
 */
#pragma once

#include "analyzer/lines/code_places.h"

/* The place that a node of a sampled stack calls from; NULL: a node of another kind, or in no module. */
struct code_place *code_place_of(struct process *process, const struct log_node *node);

/* The place of the code at @addr, at that time; NULL: in no module. */
struct code_place *code_place_at(struct process *process, uint64_t addr, uint64_t ticks);

/* The same for a node of the function that @path ends in. */
struct tree_node *code_path(struct thread *thread, const struct log_node *node, struct tree_node *path);

/* The path of a sample outside of hooks, whose node has the path @path. Made if it is new. */
struct tree_node *sampled_code_path(struct thread *thread, const struct log_sample *sample,
				    struct tree_node *path);
