/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides when each set of columns is due. All times are of CLOCK_MONOTONIC. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/columns.h"

struct sampler;

/*
 * The CPU time that sampling may spend: less than one per cent of a core. CPU time is spent first and earned
 * afterwards, so no estimate of a row's cost is needed. The sets that are slow to read, and those of threads,
 * each get a part of the credit, and pay off their debt from that: so none takes the rows of another. Extra
 * rows use what the others leave.
 */
enum debt_id {
	DEBT_SELDOM,			/* sets about the whole machine, or slow to read or to change */
	DEBT_THREADS,
	NR_DEBTS,
};

struct debt {
	uint64_t ns;			/* CPU time that is not yet paid off */
	uint64_t until_ns;		/* no rows of these sets before this */
};

struct account {
	int64_t credit_ns;		/* CPU time that may be spent now; below 0: rest */
	struct debt debts[NR_DEBTS];
	uint64_t credited_ns;	/* credit was earned up to this time; all times are of CLOCK_MONOTONIC */
	uint64_t rest_until_ns;		/* no rows before this; 0: any time */
	uint64_t extra_until_ns;	/* no extra rows before this; at least rest_until_ns */
};

void pace_account_init(struct account *account, uint64_t now_ns);

/* Subtract CPU time: @spent_ns at once, and @later_ns for sets that are paid for later. */
void pace_account_spend(struct account *account, uint64_t now_ns, uint64_t spent_ns,
			const uint64_t later_ns[NR_DEBTS]);

/*
 * A process that uses no CPU time changes nothing that rows would show, so no rows need be read
 * until it does. Only its CPU time is looked at, which takes some us. Rows that are written
 * meanwhile repeat the last reading. When the process goes on, an additional row says that nothing
 * had changed until the previous look: so what it does now is placed between two looks.
 */
struct idle {
	uint64_t cpu_ns;		/* CPU time that the process had used when its newest row was due */
	/* CLOCK_MONOTONIC of the first look that found no more than that; 0: the process is at work */
	uint64_t since_ns;
	uint64_t seen_ns, seen_ticks;	/* of the newest such look */
};

/*
 * Take a look at @now_ns, at @ticks of the log's clock: the process has used @cpu_ns (LOG_NONE: not
 * known). Return: whether the process goes on after an idle time. seen_ns and seen_ticks are then
 * those of the last idle look.
 */
bool pace_idle_look(struct idle *idle, uint64_t cpu_ns, uint64_t now_ns, uint64_t ticks);

/* The time between rows that repeat the last reading; 0 while the process is at work. */
uint64_t pace_idle_rest_ns(const struct idle *idle);

/*
 * When the next look is due, if rows come each @interval_ns. The looks at all processes come
 * together.
 */
uint64_t pace_idle_next_ns(const struct idle *idle, uint64_t interval_ns);

/* The time between readings of a set, as its cost allows. */
uint64_t pace_interval_ns(const struct sampler *sampler, enum column_set_id set);

/* How the set is paid for; NR_DEBTS: at once. */
enum debt_id pace_debt(enum column_set_id set);

/* When the first row of a set is due; 0: at once. */
uint64_t pace_begin_ns(const struct sampler *sampler, enum column_set_id set);

/* May rows become fewer while the process is idle? */
bool pace_may_rest(const struct sampler *sampler);

/* Is the process idle, and does the newest row of the set hold since then? */
bool pace_rests(const struct sampler *sampler, enum column_set_id set);

bool pace_is_due(const struct sampler *sampler, enum column_set_id set, uint64_t now);

/* A row of the set was taken in a step that began at @now. */
void pace_took_row(struct sampler *sampler, enum column_set_id set, uint64_t now);

/* When the next step is due. The log must be looked at within @look_ns from now. */
int64_t pace_next_ns(const struct sampler *sampler, uint64_t look_ns);
