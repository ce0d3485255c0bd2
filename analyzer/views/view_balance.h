/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of view balance, for the first page and for a saved profile. */
#pragma once

#include "analyzer/model/rank_sums.h"

/*
 * The self time of each function and field over the ranks; none where there are not several. @of_part: others
 * have the rest of the run's. The caller frees @ranges. After fields_apply(). Return: how many
 */
size_t balance_ranges(struct model *model, bool of_part, struct rank_range **ranges);

/* Are there several ranks or, in a single process, several threads that began with one function? */
bool balance_compares(const struct model *model);
