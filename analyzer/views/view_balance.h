/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What view balance says of functions and fields, for a saved profile. */
#pragma once

#include "analyzer/model/rank_sums.h"

/*
 * The self time of each function and field over the ranks; none where there are not several. The caller frees
 * @ranges. After fields_apply(). Return: how many
 */
size_t balance_ranges(struct model *model, struct rank_range **ranges);
