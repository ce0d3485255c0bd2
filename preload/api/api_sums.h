/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the program asks by include/insideme.h, whose contracts these have. */
#ifndef INSIDEME_API_SUMS_H
#define INSIDEME_API_SUMS_H

#include <stdint.h>

struct insideme_sum;

int query_sum(const char *name, struct insideme_sum *sum);
int query_sum_after(const char *name, struct insideme_sum *sum);
int query_reset(const char *name);
uint64_t query_memory(int which);

#endif
