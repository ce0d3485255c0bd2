/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which set of columns is due when, and how often it may be. All times are of CLOCK_MONOTONIC. */
#ifndef INSIDEME_PACE_H
#define INSIDEME_PACE_H

#include "preload/common/sampler/sampler_state.h"

/* Between readings of a set, where they may cost that much. */
uint64_t pace_interval_ns(const struct sampler *sampler, enum column_set_id set);

/* What takes long to read, and tells of the whole machine or changes slowly. */
bool pace_is_seldom(enum column_set_id set);

/* The same of those that are kept. */
uint64_t pace_period_ns(const struct sampler *sampler, enum column_set_id set);

/* When the first row of a set is due; 0: at once. */
uint64_t pace_begin_ns(const struct sampler *sampler, enum column_set_id set);

/* Do rows become fewer where the process is idle? */
bool pace_may_rest(const struct sampler *sampler);

/* How long between two rows of a set they say nothing new; 0: it is at work. */
uint64_t pace_rest_ns(const struct sampler *sampler, enum column_set_id set);

/* So they are: the newest row of the set says what holds since. */
bool pace_rests(const struct sampler *sampler, enum column_set_id set);

bool pace_is_due(const struct sampler *sampler, enum column_set_id set, uint64_t now);

/* A row of the set was taken in a step that began at @now. */
void pace_took_row(struct sampler *sampler, enum column_set_id set, uint64_t now);

/* When the next step is due; @look_ns from now on the log must be looked at. */
int64_t pace_next_ns(const struct sampler *sampler, uint64_t look_ns);

#endif
