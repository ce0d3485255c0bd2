/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coverage counters of a run: those of all processes, added up by source file. */
#pragma once

#include "analyzer/lines/gcov_lines.h"
#include "analyzer/model/model.h"

struct counted_units {
	struct gcov_unit *list;
	struct object **objects; /* [unit]: that the code is in; NULL: not known */
	size_t nr;
	uint32_t unknown_format; /* of a compiler whose counters are not known; 0: none */
	size_t nr_not_copied; /* units of processes that ended before their counters were copied */
	uint64_t hash;		 /* of all units and counters */
};

/* @run: its number in the model. */
void counted_units_read(struct counted_units *units, struct model *model, uint32_t run);
void counted_units_release(struct counted_units *units);

/* Does a process still run, or was it killed? Then its counters are those of up to a second before. */
bool counted_units_may_be_old(const struct model *model);

/* Did threads share counters without a lock? Then some counts were lost. */
bool counted_units_lost_some(struct model *model);
