/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sampler: which set of columns is due when, and how often it may be. */
#include "sampler.h"

#include <errno.h>

#include "account.h"
#include "ahead.h"
#include "ceiling.h"
#include "clock.h"
#include "sources.h"

#define MS			1000000u
#define CLOCK_INTERVAL_NS	(1000u * MS)
#define SLOW_INTERVAL_NS	(100u * MS)
#define MAPS_INTERVAL_NS	(1000u * MS)
/* Inside a program: what costs one that lives for some ms more than it tells. A build makes hundreds of them. */
#define LATE_NS			(50u * MS)	/* rows of the machine and of threads */
#define MAPS_LATER_NS		(200u * MS)
#define MAPS_REST		2000u		/* times what it costs: 0.05 % of a core */
#define THREAD_LEAST_NS		(10u * MS)
#define THREAD_NS		(2500u * 1000u)	/* between readings of threads, for each of them */
#define LEAST_REST		10u		/* an interval that is set is at least so often what a row costs */
#define LAST_MAPS_NS		MS		/* whoever ends does not wait for longer */
#define ACTIVE_INTERVAL_NS	(1u * MS)	/* of memory rows while slices are written */
#define ACTIVE_NS		(20u * MS)	/* how long a slice counts as "being written" */
#define GUEST_SHARE_SHIFT	3		/* of a set's room, where many processes share one log */

struct sampler {
	struct sampler_config config;
	struct ahead ahead;
	struct sources sources;
	struct row_set rows[NR_COLUMN_SETS];
	uint64_t last[NR_COLUMN_SETS][COLUMNS_MAX];
	uint64_t maps_cpu_ns, seldom_cpu_ns;	/* spent in this step on SET_PROCESS_MAPS, and on sets of is_seldom() */
	uint64_t maps_cost_ns;			/* of CPU time, by the last row of SET_PROCESS_MAPS */
	uint64_t process_ticks;			/* of the row of SET_PROCESS that was the last reading; 0: it was not */
	uint64_t last_ns[NR_COLUMN_SETS];	/* CLOCK_MONOTONIC of the newest row, 0: none yet */
	uint64_t late_ns;			/* see begin_ns(); 0: all begins at once */
	uint64_t active_ns;			/* when slices were last seen to be written */
	bool is_active;
	bool is_gone;				/* the process has ended */
	struct account account;
	bool took_row;				/* in this step */
	uint64_t now_ns;			/* CLOCK_MONOTONIC at the begin of the step, or after its newest reading */
};

/* Used by the one thread that runs samplers. */
static uint64_t counted_cpu_ns;		/* its CPU time, as far as it was looked at */
static uint64_t unclaimed_cpu_ns;	/* spent on sleeping, waking and looking since one of them took a row */

_Static_assert(sizeof(struct sampler) <= SAMPLER_BYTES, "what callers provide is enough");

/* A task of the library is new each time, and all that it uses is sampling. */
static void begin_counting(const struct sampler *sampler)
{
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (sampler->config.own_thread)
		__atomic_fetch_add(&sampler->config.log->sampler_cpu_ns, cpu_ns, __ATOMIC_RELAXED);
	if (sampler->config.own_thread || !counted_cpu_ns) {
		counted_cpu_ns = cpu_ns;
		unclaimed_cpu_ns = 0;
	}
}

int sampler_start(struct sampler *sampler, const struct sampler_config *config)
{
	uint32_t id = config->ancestor ? (uint32_t)config->pid : 0;
	int error;

	sampler->config = *config;
	error = sources_open(&sampler->sources, config);
	if (error < 0)
		return error;
	ahead_init(&sampler->ahead, config->log, config->log_fd);
	if (config->own_thread)
		ahead_touch_singly(config->log);
	for (int set = 0; set < NR_COLUMN_SETS; set++) {
		row_set_init(&sampler->rows[set], config->log, config->log_fd, &column_sets[set], id, sampler->last[set]);
		if (config->ancestor)
			row_set_share(&sampler->rows[set], GUEST_SHARE_SHIFT);
		sampler->last_ns[set] = 0;
	}
	sampler->active_ns = 0;
	sampler->is_active = false;
	sampler->maps_cpu_ns = sampler->maps_cost_ns = sampler->seldom_cpu_ns = 0;
	sampler->process_ticks = 0;
	sampler->is_gone = false;
	sampler->now_ns = clock_ns(CLOCK_MONOTONIC);
	account_init(&sampler->account, sampler->now_ns);
	sampler->late_ns = config->own_thread && config->pid ? sampler->now_ns + LATE_NS : 0;
	begin_counting(sampler);
	return 0;
}

void sampler_pause(struct sampler *sampler)
{
	sources_close(&sampler->sources);
	sys_close(sampler->config.log_fd);
}

int sampler_resume(struct sampler *sampler, int log_fd)
{
	sampler->config.log_fd = log_fd;
	sampler->ahead.log_fd = log_fd;
	for (int set = 0; set < NR_COLUMN_SETS; set++)
		sampler->rows[set].log_fd = log_fd;
	begin_counting(sampler);
	return sources_open_again(&sampler->sources, log_fd);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* As set, but never so short that the program's processors do little else. */
static uint64_t process_interval(const struct sampler *sampler)
{
	const struct row_set *rows = &sampler->rows[SET_PROCESS];
	uint64_t cost_ns = rows->cost_ns ? rows->cost_ns : rows->first_cost_ns;
	uint64_t share_ns = sampler->config.ancestor ? *sampler->config.least_interval_ns : 0;

	return greater(greater(sampler->config.interval_ns, share_ns), lesser(cost_ns, MS) * LEAST_REST);
}

/* Between readings of a set, where they may cost that much. */
static uint64_t interval_of(const struct sampler *sampler, enum column_set_id set)
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
		return greater(greater(process, THREAD_LEAST_NS), sampler->sources.tasks.nr_tasks * THREAD_NS);
	case SET_PROCESS_MAPS:
		/* by CPU time: one that had to wait for a processor would be the last for minutes */
		return greater(process, greater(MAPS_INTERVAL_NS, sampler->maps_cost_ns * MAPS_REST));
	default:
		return greater(process, SLOW_INTERVAL_NS);
	}
}

/* What takes long to read, and tells of the whole machine or changes slowly. */
static bool is_seldom(enum column_set_id set)
{
	return set != SET_CLOCK && set != SET_PROCESS && set != SET_MEMORY && set != SET_PROCESS_MAPS;
}

/* An interval that the user set is kept whatever it costs. */
static bool costs_credit(const struct sampler *sampler, enum column_set_id set)
{
	if (set == SET_CLOCK || set == SET_PROCESS_MAPS)
		return false;
	return set == SET_MEMORY || !sampler->config.interval_is_set;
}

static uint64_t period_of(const struct sampler *sampler, enum column_set_id set)
{
	return interval_of(sampler, set) * sampler->rows[set].step;
}

/* When its first row is due. */
static uint64_t begin_ns(const struct sampler *sampler, enum column_set_id set)
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

static uint64_t due_ns(const struct sampler *sampler, enum column_set_id set)
{
	uint64_t last = sampler->last_ns[set], due = last ? last + period_of(sampler, set) : begin_ns(sampler, set);
	const struct account *account = &sampler->account;

	if (!costs_credit(sampler, set))
		return due;
	if (is_seldom(set))
		return greater(due, account->seldom_until_ns);
	return greater(due, set == SET_MEMORY && sampler->is_active ? account->extra_until_ns : account->rest_until_ns);
}

/* What is due soon is taken along, so that sets share their wake-ups. */
static bool is_due(const struct sampler *sampler, enum column_set_id set, uint64_t now)
{
	return due_ns(sampler, set) <= now + period_of(sampler, set) / 16;
}

/* Rows keep their pace: being some us late does not move the next one. */
static void set_last(struct sampler *sampler, enum column_set_id set, uint64_t now)
{
	uint64_t due = due_ns(sampler, set), tolerance = period_of(sampler, set) / 4;

	sampler->last_ns[set] = due && due + tolerance > now && due < now + tolerance ? due : now;
}

/* The process's row has its memory too: a step that takes both reads it once. */
static int read_set(struct sampler *sampler, enum column_set_id set, uint64_t *ticks)
{
	uint64_t begin_ns, spent_ns;
	int error;

	if (set == SET_MEMORY && sampler->process_ticks) {
		*ticks = sampler->process_ticks;
		return 0;
	}
	if (!is_seldom(set) && set != SET_PROCESS_MAPS) {
		error = sources_read(&sampler->sources, set, sampler->ahead.in_memory_bytes, ticks);
		sampler->process_ticks = set == SET_PROCESS ? *ticks : 0;
		return error;
	}
	begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	error = sources_read(&sampler->sources, set, sampler->ahead.in_memory_bytes, ticks);
	spent_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	if (set == SET_PROCESS_MAPS)
		sampler->maps_cpu_ns = sampler->maps_cost_ns = spent_ns;
	else
		sampler->seldom_cpu_ns += spent_ns;
	return error;
}

static void look_at_ceiling(const struct sampler *sampler)
{
	struct log_header *log = sampler->config.log;
	uint64_t bytes = sampler->sources.figures.rss_bytes;

	if (bytes != LOG_NONE && ceiling_is_reached(log, (int64_t)bytes) && ceiling_note(log, LOG_MEMORY_RSS, bytes, NULL))
		ceiling_act(log, LOG_MEMORY_RSS, bytes, sampler->config.pid, 0,
			    sampler->config.own_thread ? CEILING_SAYS_IN_TASK : CEILING_SAYS_HERE);
}

static int take_row(struct sampler *sampler, enum column_set_id set)
{
	struct log_header *log = sampler->config.log;
	uint64_t begin_ns = sampler->now_ns, ticks;
	int error = read_set(sampler, set, &ticks);

	if (error < 0) {
		sampler->is_gone = true;
		if (set == SET_PROCESS && sampler->sources.figures.user_ns != LOG_NONE)
			row_set_add(&sampler->rows[set], ticks, &sampler->sources.figures);	/* of a zombie: its last word */
		return error;
	}
	set_last(sampler, set, begin_ns);
	if (set == SET_MEMORY && sampler->sources.figures.rss_bytes == LOG_NONE)
		return 0;
	if (set == SET_PROCESS_GPU && sampler->sources.figures.gpu_engine_ns == LOG_NONE)
		return 0;
	if (set != SET_THREAD)		/* each thread has its own */
		row_set_add(&sampler->rows[set], ticks, &sampler->sources.figures);
	if (!(set == SET_MEMORY && sampler->process_ticks)) {
		sampler->now_ns = clock_ns(CLOCK_MONOTONIC);
		row_set_cost(&sampler->rows[set], sampler->now_ns - begin_ns, interval_of(sampler, set));
	}
	if (set == SET_PROCESS || set == SET_MEMORY)
		look_at_ceiling(sampler);
	sampler->took_row = true;
	__atomic_fetch_add(&log->sampler_rows, 1, __ATOMIC_RELAXED);
	return 0;
}

/* CPU time since this was asked last. */
static uint64_t newly_spent(void)
{
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), spent_ns = cpu_ns - counted_cpu_ns;

	counted_cpu_ns = cpu_ns;
	return spent_ns;
}

/* All CPU time that passes is the sampler's that takes rows next. @grown_ns more were for this log, not for rows. */
static void count_cpu(struct sampler *sampler, uint64_t grown_ns)
{
	uint64_t spent_ns = 0;

	unclaimed_cpu_ns += newly_spent();
	if (sampler->took_row || sampler->config.own_thread) {
		spent_ns += unclaimed_cpu_ns;
		unclaimed_cpu_ns = 0;
	}
	sampler->took_row = false;
	account_spend(&sampler->account, sampler->now_ns,
		      spent_ns - lesser(sampler->maps_cpu_ns + sampler->seldom_cpu_ns, spent_ns), sampler->seldom_cpu_ns);
	sampler->maps_cpu_ns = sampler->seldom_cpu_ns = 0;
	__atomic_fetch_add(&sampler->config.log->sampler_cpu_ns, spent_ns + grown_ns, __ATOMIC_RELAXED);
}

/* CPU time that a writer would have to spend: it paces no rows. The time until now is taken along, if it was worth a look. */
static uint64_t grow(struct sampler *sampler, uint64_t *look_ns)
{
	const struct log_header *log = sampler->config.log;
	uint64_t before_bytes = log->file_bytes + sampler->ahead.in_memory_bytes;

	*look_ns = ahead_grow(&sampler->ahead, sampler->now_ns);
	if (log->file_bytes + sampler->ahead.in_memory_bytes == before_bytes)
		return 0;
	sampler->now_ns = clock_ns(CLOCK_MONOTONIC);
	return newly_spent();
}

static int64_t next_ns(const struct sampler *sampler, uint64_t look_ns)
{
	uint64_t next = sampler->now_ns + lesser(CLOCK_INTERVAL_NS, look_ns);

	for (enum column_set_id set = 0; set < NR_COLUMN_SETS; set++) {
		if (sources_have(&sampler->sources, set))
			next = lesser(next, due_ns(sampler, set));
	}
	return (int64_t)next;
}

/* The recorder turned itself off. */
static bool is_closed(const struct sampler *sampler)
{
	return sampler->config.pid &&
	       __atomic_load_n(&sampler->config.log->end, __ATOMIC_ACQUIRE) == LOG_TURNED_OFF;
}

int64_t sampler_step(struct sampler *sampler)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), look_ns, grown_ns;

	if (is_closed(sampler))
		return -ECANCELED;
	sampler->now_ns = now;
	sampler->process_ticks = 0;
	__atomic_store_n(&sampler->config.log->newest_ticks, clock_ticks(sampler->config.log->clock), __ATOMIC_RELAXED);
	grown_ns = grow(sampler, &look_ns);
	if (!sampler->config.ancestor && activity_look(&sampler->sources.activity))
		sampler->active_ns = now;
	sampler->is_active = now - sampler->active_ns < ACTIVE_NS &&
			     sampler->config.log->snapshot & LOG_SNAPSHOT_RSS;
	for (enum column_set_id set = 0; set < NR_COLUMN_SETS; set++) {
		int error;

		if (!sources_have(&sampler->sources, set) || !is_due(sampler, set, now))
			continue;
		error = take_row(sampler, set);
		if (error < 0)
			return error;
	}
	count_cpu(sampler, grown_ns);
	return next_ns(sampler, look_ns);
}

static bool is_left_out(const struct sampler *sampler, enum column_set_id set)
{
	if (!sampler->last_ns[set] && begin_ns(sampler, set))
		return true;
	return set == SET_PROCESS_MAPS && sampler->rows[set].first_cost_ns > LAST_MAPS_NS;
}

void sampler_stop(struct sampler *sampler)
{
	sampler->now_ns = clock_ns(CLOCK_MONOTONIC);
	sources_read_all(&sampler->sources);
	for (enum column_set_id set = 0; set < NR_COLUMN_SETS; set++) {
		if (!sources_have(&sampler->sources, set) || is_left_out(sampler, set))
			continue;
		if (set == SET_CLOCK || (!is_closed(sampler) && !sampler->is_gone))
			take_row(sampler, set);
	}
	sampler_pause(sampler);
}

void sampler_take_only(struct sampler *sampler, const struct sampler_config *config)
{
	static const enum column_set_id sets[] = { SET_PROCESS, SET_PROCESS_SLOW };
	const struct figures *figures = &sampler->sources.figures;

	sources_read_own(&sampler->sources, config);
	for (unsigned i = 0; i < ARRAY_SIZE(sets); i++) {
		row_set_init(&sampler->rows[sets[i]], config->log, config->log_fd, &column_sets[sets[i]], 0,
			     sampler->last[sets[i]]);
		row_set_add(&sampler->rows[sets[i]], clock_ticks(config->log->clock), figures);
	}
	__atomic_fetch_add(&config->log->sampler_rows, 2, __ATOMIC_RELAXED);
}
