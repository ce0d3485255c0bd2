/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of a resource there is. */
#pragma once

#include "analyzer/model/model.h"

struct resource_limit {
	double machine;		/* NAN: not known, as below */
	double group;		/* in the control group */
	double process;		/* for the program: the least of both and of its affinity */
};

/* May the program use less than all of the machine? */
static inline bool resource_is_limited(const struct resource_limit *limit)
{
	return limit->process == limit->group || limit->process < limit->machine - 0.5;
}

struct resource_limits {
	struct resource_limit cpus, memory_bytes;
};

void resource_limits_read(struct resource_limits *limits, const struct model *model);

/* The limit of a column, in the unit of its readings or rates; NAN: none, or not known. */
double resource_limit(const struct resource_limits *limits, const char *column);
/* The same, for a column whose set may hold the limit itself. */
double resource_limit_of(const struct resource_limits *limits, const struct rowset *rows, uint32_t column);
