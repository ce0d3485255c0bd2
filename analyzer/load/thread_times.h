/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times in functions of threads and processes. If subtracting the hooks' cost left less than 0 of a path's
 * time, the tree gave the rest back. Threads give back the same share of their hooks' cost, so together
 * they have the time of all functions. None has less than 0, or more than was recorded in it.
 */
#pragma once

#include "analyzer/model/model.h"

/*
 * Set functions_ns of threads and processes, once, after tree_sum_up(). Before, that of threads is as
 * recorded, with hooks_ns. Processes of saved profiles of which nothing is known have NAN, and keep it.
 */
void thread_times_fit(struct model *model);
