/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Earning what sampling costs. */
#include "preload/common/sampler/account.h"

#define PPM			1000000u
#define SHARE_PPM		8300u
#define SELDOM_SHARE_PPM	2500u		/* of these */
#define RESERVE_NS		200000		/* of some rows of the process */
#define CREDIT_MOST_NS		500000		/* what was not used is kept for a short while */

/* When the credit will be so large; 0: it is. */
static uint64_t when_earned(const struct account *account, uint64_t now_ns, int64_t credit_ns)
{
	if (account->credit_ns >= credit_ns)
		return 0;
	return now_ns + (uint64_t)(credit_ns - account->credit_ns) * PPM / (SHARE_PPM - SELDOM_SHARE_PPM);
}

void account_init(struct account *account, uint64_t now_ns)
{
	*account = (struct account){ .credit_ns = CREDIT_MOST_NS, .credited_ns = now_ns };
}

void account_spend(struct account *account, uint64_t now_ns, uint64_t spent_ns, uint64_t seldom_ns)
{
	uint64_t passed_ns = now_ns - account->credited_ns;
	uint64_t paid_ns = passed_ns * SELDOM_SHARE_PPM / PPM;

	if (paid_ns > account->debt_ns)
		paid_ns = account->debt_ns;
	account->debt_ns += seldom_ns - paid_ns;
	account->credit_ns += (int64_t)(passed_ns * SHARE_PPM / PPM - paid_ns) - (int64_t)spent_ns;
	if (account->credit_ns > CREDIT_MOST_NS)
		account->credit_ns = CREDIT_MOST_NS;
	account->credited_ns = now_ns;
	account->rest_until_ns = when_earned(account, now_ns, 0);
	account->extra_until_ns = when_earned(account, now_ns, RESERVE_NS);
	account->seldom_until_ns = account->rest_until_ns;
	if (account->debt_ns && account->seldom_until_ns < now_ns + account->debt_ns * PPM / SELDOM_SHARE_PPM)
		account->seldom_until_ns = now_ns + account->debt_ns * PPM / SELDOM_SHARE_PPM;
}
