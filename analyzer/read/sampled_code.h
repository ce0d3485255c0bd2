/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which counted functions a CPU sample was in, if the compiler inlined them.
 *
 * A sample's node has the functions that were called. Timing auto counts a function at its inlined copies
 * too, but these have no frame that the recorder could see. Debug information says which copies the sampled
 * address is in. Without it, samples stay where the recorder put them. Functions called by inlined code stand
 * below the function that was called, not below the inlined one: only the address of the innermost code is
 * recorded.
 *
 * On a stack without hooks all inlined functions are known, of each caller too: see code_paths.h.
 */
#pragma once

#include "analyzer/model/model.h"

/* The path of a sample outside of hooks, whose node has the path @path. Made if it is new. */
struct tree_node *sampled_code_path(struct thread *thread, const struct log_sample *sample,
				    struct tree_node *path);
