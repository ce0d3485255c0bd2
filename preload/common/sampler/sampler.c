/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sampler: takes the rows that are due. */
#include "preload/common/sampler/sampler.h"

#include <errno.h>

#include "preload/common/base/clock.h"
#include "preload/common/log/line_counts.h"
#include "preload/common/sampler/memory_limit.h"
#include "preload/common/sampler/sampler_state.h"

#define MS			1000000u
/*
 * Inside a program these rows are left out at first: for a program that lives for some ms they cost
 * more than they say, and a build makes hundreds of such programs.
 */
#define LATE_NS			(50u * MS)	/* rows of the machine and of threads */
#define LAST_MAPS_NS		MS		/* a process that is ending does not wait longer than this */
#define ACTIVE_NS		(20u * MS)	/* how long after a slice threads count as writing slices */
#define STACKS_NS		(200u * MS)	/* to take stacks before a process is ended */
#define GUEST_SHARE_SHIFT	3		/* of a set's room, if many processes share one log */

/* Used by the one thread that runs samplers. */
static uint64_t counted_cpu_ns;		/* its CPU time at the last look */
/* Spent on sleeping, waking and looking since a sampler last took a row */
static uint64_t unclaimed_cpu_ns;

_Static_assert(sizeof(struct sampler) <= SAMPLER_BYTES, "what callers provide is enough");

/* A task of the library is new each time, and all that it uses is for sampling. */
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
	log_growth_init(&sampler->ahead, config->log, config->log_fd);
	if (config->own_thread)
		log_growth_touch_singly(config->log);
	for (int set = 0; set < NR_COLUMN_SETS; set++) {
		row_set_init(&sampler->rows[set], config->log, config->log_fd, &column_sets[set], id,
			     sampler->last[set]);
		if (config->ancestor)
			row_set_share(&sampler->rows[set], GUEST_SHARE_SHIFT);
		sampler->last_ns[set] = 0;
	}
	sampler->active_ns = 0;
	sampler->is_active = false;
	sampler->maps_cpu_ns = sampler->maps_cost_ns = 0;
	__builtin_memset(sampler->later_cpu_ns, 0, sizeof(sampler->later_cpu_ns));
	sampler->process_ticks = 0;
	sampler->is_gone = false;
	sampler->line_counts_ns = sampler->ceiling_due_ns = 0;
	sampler->idle = (struct idle){ .cpu_ns = LOG_NONE };
	sampler->now_ns = clock_ns(CLOCK_MONOTONIC);
	pace_account_init(&sampler->account, sampler->now_ns);
	sampler->late_ns = config->own_thread && config->pid ? sampler->now_ns + LATE_NS : 0;
	begin_counting(sampler);
	return 0;
}

/* Another process owns the machine's rows: this one asks again when its next row would be due. */
static bool is_others(struct sampler *sampler, enum column_set_id set)
{
	if (set != SET_SYSTEM ||
	    machine_owner_claim(&sampler->sources.machine_owner, pace_rests(sampler, set)))
		return false;
	pace_took_row(sampler, set, sampler->now_ns);
	return true;
}

void sampler_pause(struct sampler *sampler)
{
	machine_owner_leave(&sampler->sources.machine_owner);
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

/* The process's row includes its memory, so a step that takes both sets reads once. */
static int read_set(struct sampler *sampler, enum column_set_id set, uint64_t *ticks)
{
	const enum debt_id debt = pace_debt(set);
	uint64_t begin_ns, spent_ns;
	int error;

	if (set == SET_MEMORY && sampler->process_ticks) {
		*ticks = sampler->process_ticks;
		return 0;
	}
	if (debt == NR_DEBTS && set != SET_PROCESS_MAPS) {
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
		sampler->later_cpu_ns[debt] += spent_ns;
	return error;
}

/* insideme-run takes the stacks of programs without hooks before it ends them. */
static void look_at_ceiling(struct sampler *sampler)
{
	struct log_header *log = sampler->config.log;
	const bool wants_stacks = !sampler->config.own_thread && !log->has_hooks;
	uint64_t bytes = sampler->sources.figures.rss_bytes;

	if (bytes == LOG_NONE)
		return;
	if (ceiling_is_reached(log, (int64_t)bytes) && ceiling_note(log, LOG_MEMORY_RSS, bytes, NULL)) {
		sampler->ceiling_due_ns = sampler->now_ns;
		if (wants_stacks) {
			log_want_stacks(log, 0);
			sampler->ceiling_due_ns += STACKS_NS;
		}
	}
	if (!sampler->ceiling_due_ns ||
	    (sampler->now_ns < sampler->ceiling_due_ns &&
	     __atomic_load_n(&log->stacks_wanted, __ATOMIC_ACQUIRE) != LOG_STACKS_TAKEN))
		return;
	sampler->ceiling_due_ns = 0;
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
			/* The last figures of a zombie */
			row_set_add(&sampler->rows[set], ticks, &sampler->sources.figures);
		return error;
	}
	pace_took_row(sampler, set, begin_ns);
	if (set == SET_PROCESS)
		sampler->process = sampler->sources.figures;
	if (set == SET_MEMORY && sampler->sources.figures.rss_bytes == LOG_NONE)
		return 0;
	if (set == SET_PROCESS_GPU && sampler->sources.figures.gpu_engine_ns == LOG_NONE)
		return 0;
	/* This reading may have found that there is none */
	if (set == SET_CGROUP && !sources_have(&sampler->sources, set))
		return 0;
	if (set != SET_THREAD)		/* each thread has its own set of rows */
		row_set_add(&sampler->rows[set], ticks, &sampler->sources.figures);
	if (!(set == SET_MEMORY && sampler->process_ticks)) {
		sampler->now_ns = clock_ns(CLOCK_MONOTONIC);
		row_set_cost(&sampler->rows[set], sampler->now_ns - begin_ns, pace_interval_ns(sampler, set));
	}
	if (set == SET_PROCESS || set == SET_MEMORY)
		look_at_ceiling(sampler);
	sampler->took_row = true;
	__atomic_fetch_add(&log->sampler_rows, 1, __ATOMIC_RELAXED);
	return 0;
}

/* CPU time since the last call. */
static uint64_t newly_spent(void)
{
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), spent_ns = cpu_ns - counted_cpu_ns;

	counted_cpu_ns = cpu_ns;
	return spent_ns;
}

/*
 * All CPU time that passes is charged to the sampler that takes the next rows. @grown_ns was spent
 * for this log in addition, not for rows.
 */
static void count_cpu(struct sampler *sampler, uint64_t grown_ns)
{
	uint64_t spent_ns = 0, apart_ns = sampler->maps_cpu_ns;

	for (int i = 0; i < NR_DEBTS; i++)
		apart_ns += sampler->later_cpu_ns[i];
	unclaimed_cpu_ns += newly_spent();
	if (sampler->took_row || sampler->config.own_thread) {
		spent_ns += unclaimed_cpu_ns;
		unclaimed_cpu_ns = 0;
	}
	sampler->took_row = false;
	pace_account_spend(&sampler->account, sampler->now_ns, spent_ns - lesser(apart_ns, spent_ns),
			   sampler->later_cpu_ns);
	sampler->maps_cpu_ns = 0;
	__builtin_memset(sampler->later_cpu_ns, 0, sizeof(sampler->later_cpu_ns));
	__atomic_fetch_add(&sampler->config.log->sampler_cpu_ns, spent_ns + grown_ns, __ATOMIC_RELAXED);
}

/*
 * Grow the log. The CPU time for that would otherwise be a writer's: it does not slow down rows.
 * Return: that time.
 */
static uint64_t grow(struct sampler *sampler, uint64_t *look_ns)
{
	const struct log_header *log = sampler->config.log;
	uint64_t before_bytes = log->file_bytes + sampler->ahead.in_memory_bytes;

	*look_ns = log_growth_grow(&sampler->ahead, sampler->now_ns);
	if (log->file_bytes + sampler->ahead.in_memory_bytes == before_bytes)
		return 0;
	sampler->now_ns = clock_ns(CLOCK_MONOTONIC);
	return newly_spent();
}

/* Has the recorder turned itself off? */
static bool is_closed(const struct sampler *sampler)
{
	return sampler->config.pid &&
	       __atomic_load_n(&sampler->config.log->end, __ATOMIC_ACQUIRE) == LOG_TURNED_OFF;
}

/*
 * Look whether the process is idle. Its activity after an idle time must not look as if it had lasted for all
 * that time.
 */
static void look_at_process(struct sampler *sampler)
{
	struct row_set *rows = &sampler->rows[SET_PROCESS];
	uint64_t ticks = clock_ticks(sampler->config.log->clock);
	bool rows_rest = pace_rests(sampler, SET_PROCESS), tasks_rest = pace_rests(sampler, SET_THREAD);

	if (!pace_may_rest(sampler) ||
	    !pace_idle_look(&sampler->idle, usage_cpu_ns(&sampler->sources.usage), sampler->now_ns, ticks))
		return;
	if (rows_rest && sampler->idle.seen_ticks > rows->ticks)
		row_set_add(rows, sampler->idle.seen_ticks, &sampler->process);
	if (tasks_rest)
		tasks_repeat(&sampler->sources.tasks, sampler->idle.seen_ticks, sampler->config.log_fd);
}

/* They change all the time, so what a killed process leaves is at most so old. Return: when to look again. */
static uint64_t copy_line_counts(struct sampler *sampler, uint64_t look_ns)
{
	struct log_header *log = sampler->config.log;

	if (sampler->config.ancestor || !__atomic_load_n(&log->line_counts, __ATOMIC_ACQUIRE))
		return look_ns;
	if (sampler->now_ns - sampler->line_counts_ns >= LINE_COUNTS_INTERVAL_NS) {
		sampler->line_counts_ns = sampler->now_ns;
		line_counts_fetch(log, sampler->config.pid);
	}
	return lesser(look_ns, LINE_COUNTS_INTERVAL_NS);
}

int64_t sampler_step(struct sampler *sampler)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), look_ns, grown_ns;

	if (is_closed(sampler))
		return -ECANCELED;
	sampler->now_ns = now;
	sampler->process_ticks = 0;
	__atomic_store_n(&sampler->config.log->newest_ticks, clock_ticks(sampler->config.log->clock),
			 __ATOMIC_RELAXED);
	grown_ns = grow(sampler, &look_ns);
	look_ns = copy_line_counts(sampler, look_ns);
	if (!sampler->config.ancestor && activity_look(&sampler->sources.activity))
		sampler->active_ns = now;
	sampler->is_active = now - sampler->active_ns < ACTIVE_NS &&
			     sampler->config.log->snapshot & LOG_SNAPSHOT_RSS;
	look_at_process(sampler);
	for (enum column_set_id set = 0; set < NR_COLUMN_SETS; set++) {
		int error;

		if (!sources_have(&sampler->sources, set) || !pace_is_due(sampler, set, now) ||
		    is_others(sampler, set))
			continue;
		error = take_row(sampler, set);
		if (error < 0)
			return error;
	}
	count_cpu(sampler, grown_ns);
	return pace_next_ns(sampler, look_ns);
}

static bool is_left_out(const struct sampler *sampler, enum column_set_id set)
{
	if (!sampler->last_ns[set] && pace_begin_ns(sampler, set))
		return true;
	if (set == SET_SYSTEM && !machine_owner_is_self(&sampler->sources.machine_owner))
		return true;
	return set == SET_PROCESS_MAPS && sampler->rows[set].first_cost_ns > LAST_MAPS_NS;
}

void sampler_stop(struct sampler *sampler)
{
	sampler->now_ns = clock_ns(CLOCK_MONOTONIC);
	look_at_process(sampler);
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
