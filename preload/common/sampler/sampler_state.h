/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sampler's state, for the files that decide when rows are due and that read them. */
#pragma once

#include "preload/common/log/log_growth.h"
#include "preload/common/sampler/pace.h"
#include "preload/common/sampler/sampler.h"
#include "preload/common/sampler/sources.h"

struct sampler {
	struct sampler_config config;
	struct log_growth ahead;
	struct sources sources;
	struct row_set rows[NR_COLUMN_SETS];
	uint64_t last[NR_COLUMN_SETS][COLUMNS_MAX];
	/* Spent in this step on SET_PROCESS_MAPS, and on the sets that are paid for later */
	uint64_t maps_cpu_ns, later_cpu_ns[NR_DEBTS];
	uint64_t maps_cost_ns;			/* CPU time of the newest row of SET_PROCESS_MAPS */
	uint64_t process_ticks;	/* of the row, if the last reading was of SET_PROCESS; otherwise 0 */
	uint64_t last_ns[NR_COLUMN_SETS];	/* CLOCK_MONOTONIC of the newest row; 0: none yet */
	uint64_t late_ns;			/* when the rows of some sets begin; 0: all begin at once */
	uint64_t active_ns;			/* when slices were last seen being written */
	bool is_active;
	bool is_gone;				/* the process has ended */
	struct account account;
	struct idle idle;
	struct figures process;			/* as in the newest row of SET_PROCESS */
	bool took_row;				/* in this step */
	uint64_t ceiling_due_ns;		/* 0: memory has not reached its limit, or that was done */
	uint64_t line_counts_ns;		/* when counts of lines were last copied */
	uint64_t now_ns;	/* CLOCK_MONOTONIC at the step's start, or after its newest reading */
};

static inline uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}
