/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills each set from its sources. */
#include "preload/common/sampler/sources.h"

#include "preload/common/base/clock.h"
#include "preload/common/log/heap_peak.h"

/*
 * If rows of a process come faster than this, not all of them are full: two texts are half of a
 * row's cost.
 */
#define FULL_NS		4000000u
#define FULL_MOST	8u

static struct read_count *count_of(struct sources *sources)
{
	return sources->config.pid ? &sources->usage.count : &sources->machine_count;
}

/*
 * The machine's files are opened at their first reading. For a program that lives for some ms they
 * would only cost time, as for one that leaves the machine to others.
 */
static void need_machine(struct sources *sources)
{
	if (sources->machine_is_open)
		return;
	sources->machine_is_open = true;
	machine_open(&sources->machine, count_of(sources),
		     machine_owner_has_network(&sources->machine_owner));
	if (sources->knows_cores)
		return;
	sources->knows_cores = true;
	machine_find_cores(&sources->machine);
	row_set_init(&sources->core_rows, sources->config.log, sources->config.log_fd,
		     &sources->machine.cores.set, 0, sources->last_core);
}

static void need_cgroup(struct sources *sources)
{
	if (sources->cgroup_is_open)
		return;
	sources->cgroup_is_open = true;
	sources->has_no_cgroup = !cgroup_open(&sources->cgroup, count_of(sources));
}

/* Open what is read besides the process's own files. */
static void open_rest(struct sources *sources)
{
	const struct sampler_config *config = &sources->config;

	if (config->pid)
		tasks_open(&sources->tasks, config->pid, config->own_thread, count_of(sources));
	if (config->pid && !config->own_thread)
		drm_open(&sources->drm, "", config->pid, count_of(sources));
	config->log->sampler_kind = config->own_thread ? 1 : 2;
	config->log->sampler_tid = (uint32_t)sys_gettid();
}

/* The log of ours that the process has mapped. */
static struct log_header *mapped_log(const struct sampler_config *config)
{
	return config->ancestor ? config->ancestor : config->log;
}

static uint64_t process_start(const struct sampler_config *config)
{
	return config->ancestor ? config->process_start : config->log->process_start;
}

int sources_open(struct sources *sources, const struct sampler_config *config)
{
	int error = 0;

	sources->config = *config;
	if (config->pid)
		error = usage_open(&sources->usage, config->pid, config->own_thread, mapped_log(config),
				   process_start(config));
	if (error < 0)
		return error;
	if (config->settings.interval_ns)
		sources->usage.full_every = config->settings.interval_ns < FULL_NS / FULL_MOST ? FULL_MOST :
					    (uint32_t)(FULL_NS / config->settings.interval_ns);
	tasks_init(&sources->tasks, config->log,
		   config->settings.page_faults ? mapped_log(config) : NULL,
		   config->settings.waits && !config->ancestor);
	machine_owner_init(&sources->machine_owner, config->run, config->log);
	sources->machine_is_open = sources->cgroup_is_open = false;
	sources->knows_cores = sources->has_no_cgroup = false;
	open_rest(sources);
	sources->nr_threads_met = 0;
	activity_init(&sources->activity, config->log);
	disks_init(&sources->disks, "", config->pid, count_of(sources), config->log);
	return 0;
}

void sources_close(struct sources *sources)
{
	if (sources->config.pid) {
		tasks_close(&sources->tasks, sources->config.log_fd);
		usage_leave(&sources->usage);
	}
	if (sources->machine_is_open)
		machine_close(&sources->machine);
	if (sources->cgroup_is_open)
		cgroup_close(&sources->cgroup);
	sources->machine_is_open = sources->cgroup_is_open = false;
}

int sources_open_again(struct sources *sources, int log_fd)
{
	int error = 0;

	sources->config.log_fd = log_fd;
	sources->core_rows.log_fd = log_fd;
	if (sources->config.pid)
		error = usage_open_again(&sources->usage, mapped_log(&sources->config));
	if (error == 0)
		open_rest(sources);
	return error;
}

bool sources_have(const struct sources *sources, enum column_set_id set)
{
	switch (set) {
	case SET_CLOCK:
		return !sources->config.ancestor;	/* the process that owns the log writes those */
	case SET_SYSTEM:
		return sources->config.system;
	case SET_THREAD_OFF:
		return false;
	case SET_PROCESS_GPU:
		return sources->config.pid && !sources->config.own_thread &&
		       sources->config.settings.interval_ns && sources->drm.is_there;
	case SET_CGROUP:
		return sources->config.system && !sources->has_no_cgroup;
	default:
		return sources->config.pid && sources->config.settings.interval_ns;
	}
}

bool sources_have_new_threads(const struct sources *sources)
{
	if (sources->tasks.has_new)
		return true;
	return !sources->config.ancestor &&
	       __atomic_load_n(&sources->config.log->nr_threads, __ATOMIC_RELAXED) != sources->nr_threads_met;
}

void sources_read_all(struct sources *sources)
{
	sources->usage.full_every = 0;
}

/*
 * Heap of a child without a log. If its entry has no counters, the child gets a log with its first
 * allocation.
 */
static int64_t entered_heap_bytes(const struct sampler_config *config)
{
	const struct log_heap *heap = config->entry_heap;

	return config->entry->heap_before_bytes +
	       (heap ? (int64_t)(heap->alloc_bytes - heap->freed_bytes) : 0);
}

static uint64_t heap_bytes(const struct sources *sources)
{
	const struct sampler_config *config = &sources->config;
	int64_t bytes;

	if ((config->ancestor ? config->entry->heap_bytes : config->log->heap_bytes) == LOG_HEAP_OFF)
		return LOG_NONE;
	bytes = config->ancestor ? entered_heap_bytes(config) : heap_peak_sample(config->log);
	return bytes > 0 ? (uint64_t)bytes : 0;	/* below 0: frees of earlier blocks, or bytes not yet added */
}

static void read_threads(struct sources *sources)
{
	struct usage *usage = &sources->usage;
	const bool has_new = sources_have_new_threads(sources);

	sources->nr_threads_met = __atomic_load_n(&sources->config.log->nr_threads, __ATOMIC_RELAXED);
	tasks_read(&sources->tasks, has_new ? LOG_NONE : usage->nr_threads, sources->config.log_fd,
		   usage->buffer, sizeof(usage->buffer));
}

static void read_machine(struct sources *sources, uint64_t ticks)
{
	need_machine(sources);
	machine_read(&sources->machine, &sources->figures);
	if (sources->machine.cores.set.nr_columns)
		row_set_add(&sources->core_rows, ticks, sources->machine.cores.busy_ns);
}

int sources_read(struct sources *sources, enum column_set_id set, uint64_t log_memory_bytes, uint64_t *ticks)
{
	struct figures *figures = &sources->figures;
	struct log_header *log = sources->config.log;
	struct log_clocks clocks;
	int error;

	figures_clear(figures);
	if (sources->config.own_thread)
		sources->usage.log_pages.reach_bytes = log_memory_bytes;
	*ticks = clock_ticks(log->clock);
	switch (set) {
	case SET_CLOCK:
		clock_read_all(log->clock, &clocks);
		*ticks = clocks.ticks;
		figures->monotonic_ns = clocks.monotonic_ns;
		figures->realtime_ns = clocks.realtime_ns;
		return 0;
	case SET_PROCESS:
		figures->heap_bytes = heap_bytes(sources);
		error = usage_read(&sources->usage, figures);
		/* From within, CPU time is read last; before, this task may have waited for a processor. */
		if (sources->config.own_thread)
			*ticks = clock_ticks(log->clock);
		return error;
	case SET_MEMORY:
		return usage_read_memory(&sources->usage, figures);
	case SET_THREAD:
		read_threads(sources);
		return 0;
	case SET_PROCESS_SLOW:
		figures->run_wait_ns = tasks_wait_ns(&sources->tasks);
		if (!sources->config.ancestor)
			disks_read(&sources->disks);
		return usage_read_slow(&sources->usage, figures);
	case SET_PROCESS_MAPS:
		usage_read_maps(&sources->usage, sources->config.settings.pss_limit_bytes, figures);
		return 0;
	case SET_PROCESS_GPU:
		drm_read(&sources->drm, figures);
		return 0;
	case SET_CGROUP:
		need_cgroup(sources);
		cgroup_read(&sources->cgroup, figures);
		return 0;
	default:
		read_machine(sources, *ticks);
		return 0;
	}
}

void sources_read_own(struct sources *sources, const struct sampler_config *config)
{
	sources->config = *config;
	activity_init(&sources->activity, config->log);
	figures_clear(&sources->figures);
	usage_read_own(&sources->usage, config->log, &sources->figures);
	sources->figures.heap_bytes = heap_bytes(sources);
}
