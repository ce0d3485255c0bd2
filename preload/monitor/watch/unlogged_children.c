/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampling of children that have no log. */
#include "preload/monitor/watch/unlogged_children.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/common/log/log.h"
#include "preload/common/run/process_id.h"
#include "preload/common/sampler/sampler.h"
#include "preload/monitor/tools/now.h"
#include "preload/monitor/watch/log_in_maps.h"

#define YOUNG_NS	10000000	/* most children exec, end or open a log before that */
#define SHARE_NS	2500000		/* for each child, between its rows: all children together take 1
					 * or 2 % of a processor */
#define RETRY_NS	100000000	/* while too many are sampled */
#define DESCRIPTORS	16		/* that sampling one process needs */
#define FILES_SHARE	2		/* children get 1/FILES_SHARE of our descriptors: processes with
					 * logs need some too */

struct entered {
	struct entered *next;
	struct watched *holder;		/* the log with the entry, which stays open for it */
	const struct log_entry *entry;
	const struct log_heap *heap;	/* behind it; NULL: none */
	pid_t pid;			/* pid and start_ticks as they were when the entry was found */
	uint64_t start_ticks;
	struct sampler *sampler;	/* NULL: the child is young, or over */
	bool has_waited;		/* too many others were being sampled */
	bool is_over;
	int64_t due_ns;			/* CLOCK_MONOTONIC */
};

struct look {
	struct entered_list *list;
	struct watched *holder;
	int64_t now_ns;
};

static bool is_over(const struct log_entry *entry)
{
	return __atomic_load_n(&entry->has_log, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&entry->end, __ATOMIC_ACQUIRE);
}

void entered_init(struct entered_list *list, struct own_log *own_log, struct tree *tree,
		  const struct sampler_settings *settings)
{
	struct rlimit files = { .rlim_max = 1024 };

	getrlimit(RLIMIT_NOFILE, &files);
	*list = (struct entered_list){ .own_log = own_log, .tree = tree, .settings = *settings,
				       .most_sampled = files.rlim_max / FILES_SHARE / DESCRIPTORS };
}

static void take_up(void *context, const struct log_entry *entry)
{
	const struct look *look = context;
	struct entered *entered = is_over(entry) ? NULL : calloc(1, sizeof(*entered));
	int64_t grown_ns = (int64_t)(entry->begin.monotonic_ns + YOUNG_NS);

	if (!entered)
		return;
	entered->holder = look->holder;
	entered->entry = entry;
	if (entry->has_heap)
		entered->heap = (const struct log_heap *)(entry + 1);
	entered->pid = (pid_t)entry->pid;
	entered->start_ticks = entry->process_start;
	entered->due_ns = grown_ns < look->now_ns + YOUNG_NS ? grown_ns : look->now_ns + YOUNG_NS;
	entered->next = look->list->first;
	look->list->first = entered;
	look->holder->nr_entered++;
}

void entered_look(struct entered_list *list, struct watched *holder, int64_t now_ns)
{
	struct look look = { list, holder, now_ns };

	watched_new_entries(holder, take_up, &look);
}

static void count_sampled(struct entered_list *list, int more)
{
	list->nr_sampled += (uint64_t)more;
	list->least_interval_ns = list->settings.interval_is_set ? 0 : list->nr_sampled * SHARE_NS;
}

/* @how: sampler_stop; or sampler_pause, which writes no last row: it may be of another program. */
static void end_sampler(struct entered_list *list, struct entered *entered, void (*how)(struct sampler *))
{
	if (!entered->sampler)
		return;
	how(entered->sampler);
	free(entered->sampler);
	entered->sampler = NULL;
	count_sampled(list, -1);
}

static void stop(struct entered_list *list, struct entered *entered)
{
	entered->is_over = true;
	end_sampler(list, entered, sampler_stop);
}

static bool is_of(const struct entered *entered, const struct log_header *log)
{
	return entered->pid == (pid_t)log->pid &&
	       (!log->process_start || entered->start_ticks == log->process_start);
}

static bool has_log(const struct entered *entered, const struct watched *logs)
{
	while (logs && !(logs->log && is_of(entered, logs->log)))
		logs = logs->next;
	return logs;
}

/* The pid may have been given to another process, or be a number of another pid namespace. */
static bool is_there(const struct entered *entered)
{
	uint64_t start_ticks;
	uint32_t parent;

	return entered->pid > 0 && entered->start_ticks &&
	       process_parent((uint32_t)entered->pid, &parent, &start_ticks) == 0 &&
	       start_ticks == entered->start_ticks;
}

static void start_sampler(struct entered_list *list, struct entered *entered)
{
	struct sampler_config config = {
		.log = list->own_log->log,
		.pid = entered->pid,
		.settings = list->settings,
		.ancestor = entered->holder->log,
		.entry = entered->entry,
		.entry_heap = entered->heap,
		.process_start = entered->start_ticks,
		.least_interval_ns = &list->least_interval_ns,
	};

	entered->sampler = calloc(1, SAMPLER_BYTES);
	config.log_fd = entered->sampler ? fcntl(list->own_log->log_fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (config.log_fd >= 0 && sampler_start(entered->sampler, &config) == 0) {
		count_sampled(list, 1);
		return;
	}
	if (config.log_fd >= 0)
		close(config.log_fd);
	free(entered->sampler);
	entered->sampler = NULL;
}

/* Return: whether there is anything to sample, now or later. */
static bool begin(struct entered_list *list, struct entered *entered, const struct watched *logs,
		  int64_t now_ns)
{
	bool is_sampled = list->own_log->log && list->settings.interval_ns;
	bool has_room = list->nr_sampled < list->most_sampled;

	if (is_over(entered->entry) || has_log(entered, logs) || !is_there(entered))
		return false;
	tree_add(list->tree, entered->pid);
	if (is_sampled && has_room)
		start_sampler(list, entered);
	/*
	 * By now the sampler has opened its files of one program. If the child exec'ed meanwhile, this sees
	 * it.
	 */
	if (image_is_another(entered->pid, entered->start_ticks, entered->holder->log)) {
		end_sampler(list, entered, sampler_pause);
		own_log_process_execed(list->own_log, entered->pid, entered->entry->begin.monotonic_ns);
		return false;
	}
	if (entered->sampler)
		return true;
	if (!is_sampled || has_room)
		return false;
	if (!entered->has_waited)
		log_lose(list->own_log->log, LOG_LOST_ROWS);
	entered->has_waited = true;
	entered->due_ns = now_ns + RETRY_NS;
	return true;
}

static void step(struct entered_list *list, struct entered *entered, const struct watched *logs,
		 int64_t now_ns)
{
	if (!entered->sampler && !begin(list, entered, logs, now_ns))
		stop(list, entered);
	if (!entered->sampler)
		return;
	entered->due_ns = sampler_step(entered->sampler);
	if (entered->due_ns < 0)
		stop(list, entered);
	if (entered->due_ns == -ESTALE)
		own_log_process_execed(list->own_log, entered->pid, entered->entry->begin.monotonic_ns);
}

static void drop(struct entered **place)
{
	struct entered *entered = *place;

	*place = entered->next;
	entered->holder->nr_entered--;
	free(entered);
}

int64_t entered_step(struct entered_list *list, const struct watched *logs, int64_t now_ns)
{
	int64_t next_ns = INT64_MAX;

	for (struct entered **place = &list->first; *place;) {
		struct entered *entered = *place;

		if (!entered->is_over && entered->due_ns <= now_ns)
			step(list, entered, logs, now_ns);
		if (entered->is_over) {
			drop(place);
			continue;
		}
		if (entered->due_ns < next_ns)
			next_ns = entered->due_ns;
		place = &entered->next;
	}
	return next_ns;
}

void entered_has_log(struct entered_list *list, const struct log_header *log)
{
	for (struct entered *entered = list->first; entered; entered = entered->next) {
		if (is_of(entered, log))
			stop(list, entered);
	}
}

void entered_end(struct entered_list *list, pid_t pid)
{
	for (struct entered *entered = list->first; entered; entered = entered->next) {
		if (entered->pid == pid)
			stop(list, entered);
	}
}

bool entered_saw(const struct entered_list *list, pid_t pid)
{
	const struct entered *entered = list->first;

	while (entered && entered->pid != pid)
		entered = entered->next;
	return entered;
}

void entered_release(struct entered_list *list)
{
	while (list->first) {
		stop(list, list->first);
		drop(&list->first);
	}
}
