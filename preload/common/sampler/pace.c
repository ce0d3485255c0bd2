/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pace of each set: its interval, what it may cost, and how long it rests while the process is idle. */
#include "preload/common/sampler/pace.h"

#include "preload/common/sampler/sampler_state.h"

#define MS			1000000u
#define CLOCK_INTERVAL_NS	(1000u * MS)
#define SLOW_INTERVAL_NS	(100u * MS)
#define MAPS_INTERVAL_NS	(1000u * MS)
#define MAPS_LATER_NS		(200u * MS)
#define MAPS_REST		2000u		/* times what a reading costs: 0.05 % of a core */
#define THREAD_LEAST_NS		(10u * MS)
#define THREAD_NS		(2500u * 1000u)	/* between readings of threads, times the number of threads */
#define NEW_THREADS_AHEAD_NS	(1000u * MS)	/* new threads are read so long before it is paid */
/* An interval set by the user is at least so many times the cost of a row */
#define LEAST_REST		10u
#define ACTIVE_INTERVAL_NS	(1u * MS)	/* of memory rows while slices are being written */

#define PPM			1000000u
#define SHARE_PPM		8300u
/* Of that, for sets that are paid for later. The rest is for the rows of the process. */
static const uint64_t debt_ppm[NR_DEBTS] = { [DEBT_SELDOM] = 1400, [DEBT_THREADS] = 2400 };
#define OTHERS_SHARE_PPM	3800u		/* their sum */
#define RESERVE_NS		200000		/* pays for some rows of the process */
#define CREDIT_MOST_NS		500000		/* unused credit is kept up to this */

/* The time at which the credit will reach @credit_ns; 0: it has reached it. */
static uint64_t when_earned(const struct account *account, uint64_t now_ns, int64_t credit_ns)
{
	if (account->credit_ns >= credit_ns)
		return 0;
	return now_ns + (uint64_t)(credit_ns - account->credit_ns) * PPM / (SHARE_PPM - OTHERS_SHARE_PPM);
}

void pace_account_init(struct account *account, uint64_t now_ns)
{
	*account = (struct account){ .credit_ns = CREDIT_MOST_NS, .credited_ns = now_ns };
}

void pace_account_spend(struct account *account, uint64_t now_ns, uint64_t spent_ns,
			const uint64_t later_ns[NR_DEBTS])
{
	uint64_t passed_ns = now_ns - account->credited_ns, all_paid_ns = 0;

	for (int i = 0; i < NR_DEBTS; i++) {
		struct debt *debt = &account->debts[i];
		uint64_t paid_ns = passed_ns * debt_ppm[i] / PPM;

		if (paid_ns > debt->ns)
			paid_ns = debt->ns;
		debt->ns += later_ns[i] - paid_ns;
		all_paid_ns += paid_ns;
	}
	account->credit_ns += (int64_t)(passed_ns * SHARE_PPM / PPM - all_paid_ns) - (int64_t)spent_ns;
	if (account->credit_ns > CREDIT_MOST_NS)
		account->credit_ns = CREDIT_MOST_NS;
	account->credited_ns = now_ns;
	account->rest_until_ns = when_earned(account, now_ns, 0);
	account->extra_until_ns = when_earned(account, now_ns, RESERVE_NS);
	for (int i = 0; i < NR_DEBTS; i++) {
		struct debt *debt = &account->debts[i];

		debt->until_ns = account->rest_until_ns;
		if (debt->ns && debt->until_ns < now_ns + debt->ns * PPM / debt_ppm[i])
			debt->until_ns = now_ns + debt->ns * PPM / debt_ppm[i];
	}
}

#define USED_NS		20000u		/* more or less: two clock readings may differ by this */
#define LOOK_PART	64u		/* looks are this part of the idle time apart */
#define LOOK_MOST_NS	(100u * MS)
#define REST_PART	8u
#define REST_MOST_NS	(5000ull * MS)

bool pace_idle_look(struct idle *idle, uint64_t cpu_ns, uint64_t now_ns, uint64_t ticks)
{
	uint64_t used_ns = cpu_ns > idle->cpu_ns ? cpu_ns - idle->cpu_ns : idle->cpu_ns - cpu_ns;
	bool was_idle = idle->since_ns;

	if (cpu_ns == LOG_NONE || used_ns >= USED_NS) {
		idle->cpu_ns = cpu_ns;
		idle->since_ns = 0;
		return was_idle;
	}
	if (!was_idle)
		idle->since_ns = now_ns;
	idle->seen_ns = now_ns;
	idle->seen_ticks = ticks;
	return false;
}

uint64_t pace_idle_rest_ns(const struct idle *idle)
{
	uint64_t rest_ns = idle->since_ns ? (idle->seen_ns - idle->since_ns) / REST_PART : 0;

	return rest_ns < REST_MOST_NS ? rest_ns : REST_MOST_NS;
}

uint64_t pace_idle_next_ns(const struct idle *idle, uint64_t interval_ns)
{
	uint64_t most_ns = (idle->seen_ns - idle->since_ns) / LOOK_PART, period_ns = interval_ns;

	if (most_ns > LOOK_MOST_NS)
		most_ns = LOOK_MOST_NS;
	while (period_ns * 2 <= most_ns)
		period_ns *= 2;
	return (idle->seen_ns / period_ns + 1) * period_ns;
}

/* The interval as set, but never so short that the program's processors do little else. */
static uint64_t process_interval(const struct sampler *sampler)
{
	const struct row_set *rows = &sampler->rows[SET_PROCESS];
	uint64_t cost_ns = rows->cost_ns ? rows->cost_ns : rows->first_cost_ns;
	uint64_t share_ns = sampler->config.ancestor ? *sampler->config.least_interval_ns : 0;

	return greater(greater(sampler->config.settings.interval_ns, share_ns),
		       lesser(cost_ns, MS) * LEAST_REST);
}

uint64_t pace_interval_ns(const struct sampler *sampler, enum column_set_id set)
{
	uint64_t process = process_interval(sampler);

	switch (set) {
	case SET_CLOCK:
		return CLOCK_INTERVAL_NS;
	case SET_PROCESS:
		return process;
	case SET_MEMORY:
		return sampler->is_active ? lesser(process, ACTIVE_INTERVAL_NS) : process;
	case SET_THREAD:
		return greater(greater(process, THREAD_LEAST_NS),
			       sampler->sources.tasks.nr_tasks * THREAD_NS);
	case SET_PROCESS_MAPS:
		/*
		 * Paced by CPU time. By wall time, one reading that had to wait for a processor
		 * would be the last for minutes.
		 */
		return greater(process, greater(MAPS_INTERVAL_NS, sampler->maps_cost_ns * MAPS_REST));
	default:
		return greater(process, SLOW_INTERVAL_NS);
	}
}

enum debt_id pace_debt(enum column_set_id set)
{
	switch (set) {
	case SET_CLOCK:
	case SET_PROCESS:
	case SET_MEMORY:
	case SET_PROCESS_MAPS:
		return NR_DEBTS;
	case SET_THREAD:
		return DEBT_THREADS;
	default:
		return DEBT_SELDOM;
	}
}

/* An interval that the user set is kept, whatever it costs. */
static bool costs_credit(const struct sampler *sampler, enum column_set_id set)
{
	if (set == SET_CLOCK || set == SET_PROCESS_MAPS)
		return false;
	return set == SET_MEMORY || !sampler->config.settings.interval_is_set;
}

/* The time between the rows of a set that are kept. */
static uint64_t period_ns(const struct sampler *sampler, enum column_set_id set)
{
	return pace_interval_ns(sampler, set) * sampler->rows[set].step;
}

uint64_t pace_begin_ns(const struct sampler *sampler, enum column_set_id set)
{
	switch (set) {
	case SET_PROCESS_MAPS:
		return sampler->late_ns ? sampler->late_ns + MAPS_LATER_NS : 0;
	case SET_SYSTEM:
	case SET_CGROUP:
	case SET_THREAD:
		return sampler->late_ns;
	default:
		return 0;
	}
}

bool pace_rests(const struct sampler *sampler, enum column_set_id set)
{
	return sampler->idle.since_ns && sampler->last_ns[set] >= sampler->idle.since_ns &&
	       set != SET_CLOCK && set != SET_PROCESS_GPU;
}

/* The time between two rows of a set that repeat the last reading; 0: the process is at work. */
static uint64_t rest_ns(const struct sampler *sampler, enum column_set_id set)
{
	return pace_rests(sampler, set) ? pace_idle_rest_ns(&sampler->idle) : 0;
}

static uint64_t due_ns(const struct sampler *sampler, enum column_set_id set)
{
	uint64_t rest = rest_ns(sampler, set), last = sampler->last_ns[set];
	uint64_t due =
		last ? last + greater(period_ns(sampler, set), rest) : pace_begin_ns(sampler, set);
	const struct account *account = &sampler->account;
	const enum debt_id debt = pace_debt(set);

	if (!costs_credit(sampler, set))
		return due;
	if (set == SET_THREAD && last && sources_have_new_threads(&sampler->sources))
		return greater(last + THREAD_LEAST_NS + NEW_THREADS_AHEAD_NS,
			       account->debts[debt].until_ns) - NEW_THREADS_AHEAD_NS;
	if (debt != NR_DEBTS)
		return greater(due, account->debts[debt].until_ns);
	return greater(due, set == SET_MEMORY && sampler->is_active ? account->extra_until_ns
								    : account->rest_until_ns);
}

/* A set that is due soon counts as due, so that sets share wake-ups. */
bool pace_is_due(const struct sampler *sampler, enum column_set_id set, uint64_t now)
{
	return due_ns(sampler, set) <= now + period_ns(sampler, set) / 16;
}

/* Rows keep their pace: a row that is some us late does not delay the next one. */
void pace_took_row(struct sampler *sampler, enum column_set_id set, uint64_t now)
{
	uint64_t due = due_ns(sampler, set), tolerance = period_ns(sampler, set) / 4;

	sampler->last_ns[set] = due && due + tolerance > now && due < now + tolerance ? due : now;
}

/* Not if the user set the interval: that is kept. */
bool pace_may_rest(const struct sampler *sampler)
{
	return sampler->config.pid && sampler->config.settings.interval_ns &&
	       !sampler->config.settings.interval_is_set;
}

int64_t pace_next_ns(const struct sampler *sampler, uint64_t look_ns)
{
	uint64_t next = sampler->now_ns + lesser(CLOCK_INTERVAL_NS, look_ns);

	for (enum column_set_id set = 0; set < NR_COLUMN_SETS; set++) {
		if (sources_have(&sampler->sources, set))
			next = lesser(next, due_ns(sampler, set));
	}
	if (pace_may_rest(sampler) && sampler->idle.since_ns)
		next = lesser(next, pace_idle_next_ns(&sampler->idle, period_ns(sampler, SET_PROCESS)));
	return (int64_t)next;
}
