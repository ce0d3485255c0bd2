/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of a resource there is: in the machine, or in the control group if that has less. */
#pragma once

#include "analyzer/model/model.h"

struct resource_limits {
	double cpus;		/* NAN: not known */
	double memory_bytes;
	bool of_cgroup_cpus;	/* cpus is the limit of the control group */
	bool of_cgroup_memory;
};

void resource_limits_read(struct resource_limits *limits, const struct model *model);

/* The limit of a column, in the unit of its readings or rates; NAN: none, or not known. */
double resource_limit(const struct resource_limits *limits, const char *column);
/* The same, for a column whose set may hold the limit itself. */
double resource_limit_of(const struct resource_limits *limits, const struct rowset *rows, uint32_t column);
