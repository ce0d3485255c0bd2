/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of functions that the compiler inlined at sampled code. */
#pragma once

#include "analyzer/lines/code_places.h"

/* The place that a node of a sampled stack calls from; NULL: a node of another kind, or in no module. */
struct code_place *code_place_of(struct process *process, const struct log_node *node);

/* The place of the code at @addr, at that time; NULL: in no module. */
struct code_place *code_place_at(struct process *process, uint64_t addr, uint64_t ticks);

/* @path, and on it the functions that are inlined at @place (NULL: none), as far as they are reported. */
struct tree_node *code_path_inlined(struct thread *thread, struct code_place *place, struct tree_node *path);

/* The same for a node of the function that @path ends in. */
struct tree_node *code_path(struct thread *thread, const struct log_node *node, struct tree_node *path);
