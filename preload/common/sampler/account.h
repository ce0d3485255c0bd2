/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What sampling may cost: below one per cent of a core. CPU time is spent first and earned afterwards, so no estimate of
 * what a row will cost is needed. The sets that are read seldom have a part of it: what they cost is paid off from that,
 * lest a dear one take the rows of the process. Rows that are extra take what the others leave.
 */
#ifndef INSIDEME_ACCOUNT_H
#define INSIDEME_ACCOUNT_H

#include <stdint.h>

struct account {
	int64_t credit_ns;		/* CPU time that may be spent now; below 0: rest */
	uint64_t debt_ns;		/* of what the seldom sets cost, what is not paid off */
	uint64_t credited_ns;		/* up to when it was earned; all times are of CLOCK_MONOTONIC */
	uint64_t rest_until_ns;		/* no rows before; 0: any time */
	uint64_t extra_until_ns;	/* none before that the others can do without: as late or later */
	uint64_t seldom_until_ns;	/* none of the seldom sets before */
};

void account_init(struct account *account, uint64_t now_ns);

/* @spent_ns and, by the sets that are read seldom, @seldom_ns of CPU time are spent. */
void account_spend(struct account *account, uint64_t now_ns, uint64_t spent_ns, uint64_t seldom_ns);

#endif
