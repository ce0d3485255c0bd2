/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sampler's state, for what decides when rows are due, and what reads them. */
#ifndef INSIDEME_SAMPLER_STATE_H
#define INSIDEME_SAMPLER_STATE_H

#include "preload/common/log/log_growth.h"
#include "preload/common/sampler/account.h"
#include "preload/common/sampler/idle.h"
#include "preload/common/sampler/sampler.h"
#include "preload/common/sampler/sources.h"

struct sampler {
	struct sampler_config config;
	struct log_growth ahead;
	struct sources sources;
	struct row_set rows[NR_COLUMN_SETS];
	uint64_t last[NR_COLUMN_SETS][COLUMNS_MAX];
	uint64_t maps_cpu_ns, seldom_cpu_ns;	/* spent in this step on SET_PROCESS_MAPS, and on sets of pace_is_seldom() */
	uint64_t maps_cost_ns;			/* of CPU time, by the last row of SET_PROCESS_MAPS */
	uint64_t process_ticks;			/* of the row of SET_PROCESS that was the last reading; 0: it was not */
	uint64_t last_ns[NR_COLUMN_SETS];	/* CLOCK_MONOTONIC of the newest row, 0: none yet */
	uint64_t late_ns;			/* rows of some sets begin then; 0: all at once */
	uint64_t active_ns;			/* when slices were last seen to be written */
	bool is_active;
	bool is_gone;				/* the process has ended */
	struct account account;
	struct idle idle;
	struct figures process;			/* of the newest row of SET_PROCESS */
	bool took_row;				/* in this step */
	uint64_t now_ns;			/* CLOCK_MONOTONIC at the begin of the step, or after its newest reading */
};

static inline uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
