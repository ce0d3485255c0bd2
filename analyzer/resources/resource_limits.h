/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of a resource there is: the machine's, or the control group's where that is less. */
#ifndef INSIDEME_RESOURCE_LIMITS_H
#define INSIDEME_RESOURCE_LIMITS_H

#include "analyzer/model/model.h"

struct resource_limits {
	double cpus;		/* NAN: not known */
	double memory_bytes;
	bool of_cgroup_cpus;	/* the control group's */
	bool of_cgroup_memory;
};

void resource_limits_read(struct resource_limits *limits, const struct model *model);

/* Of a column of rows, in the unit of its readings or rates; NAN: none, or not known. */
double resource_limit(const struct resource_limits *limits, const char *column);
/* The same of a column of a set, which may hold its limit itself. */
double resource_limit_of(const struct resource_limits *limits, const struct rowset *rows, uint32_t column);

#endif
