/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watching the logs of a run. */
#include "preload/monitor/watch/watch_run.h"

#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "preload/monitor/tools/now.h"
#include "preload/monitor/watch/watched_log.h"

#define SCAN_NS		100000000	/* without inotify */
#define LOOK_NS		10000000	/* between looks for new entries of children */
#define LATE_NS		100000000 /* a child forked at its parent's end may write its entry as late as this */

/* "HOST-PID-N", without ".log". A process is first known by this name. */
static pid_t pid_in_name(const char *name, size_t length)
{
	int dashes = 0;

	while (length && dashes < 2)
		dashes += name[--length] == '-';
	return dashes == 2 ? (pid_t)strtol(name + length + 1, NULL, 10) : 0;
}

static void add_log(struct watch *watch, const char *name)
{
	size_t length = strlen(name);
	struct watched *watched;
	void *place;

	if (length < 4 || strcmp(name + length - 4, ".log"))
		return;
	watched = watched_new(name);
	place = watched ? tsearch(watched, &watch->by_name, watched_compare) : NULL;
	if (!place || *(struct watched **)place != watched) {
		free(watched);
		return;
	}
	tree_add(watch->tree, pid_in_name(name, length - 4));
	watched->next = watch->live;
	watch->live = watched;
	watched->next_of_all = watch->all;
	watch->all = watched;
}

static void scan(struct watch *watch)
{
	DIR *directory = opendir(watch->run->path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		add_log(watch, entry->d_name);
	if (directory)
		closedir(directory);
}

void watch_init(struct watch *watch, const struct run *run, struct tree *tree, struct own_log *own_log,
		const struct sampler_settings *settings)
{
	memset(watch, 0, sizeof(*watch));
	watch->run = run;
	watch->tree = tree;
	watch->settings = *settings;
	entered_init(&watch->entered, own_log, tree, settings);
	watch->notify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch->notify_fd >= 0 && inotify_add_watch(watch->notify_fd, run->path, IN_CREATE) < 0) {
		close(watch->notify_fd);
		watch->notify_fd = -1;
	}
	scan(watch);
}

static void take_event(struct watch *watch, const struct inotify_event *event)
{
	if (event->mask & IN_Q_OVERFLOW)
		scan(watch);
	else if (event->len)
		add_log(watch, event->name);
}

static void find_new_logs(struct watch *watch)
{
	_Alignas(struct inotify_event) char events[8192];
	ssize_t length;

	while (watch->notify_fd >= 0 && (length = read(watch->notify_fd, events, sizeof(events))) > 0) {
		for (ssize_t at = 0; at < length;) {
			const struct inotify_event *event = (const struct inotify_event *)(events + at);

			at += (ssize_t)(sizeof(*event) + event->len);
			take_event(watch, event);
		}
	}
	if (watch->notify_fd < 0 && monitor_now_ns() >= watch->next_scan_ns) {
		scan(watch);
		watch->next_scan_ns = monitor_now_ns() + SCAN_NS;
	}
}

/* Children may still write into the log, and their children may still write entries there. */
static void close_if_unused(struct watch *watch, struct watched *watched, int64_t now)
{
	if (watched->log)
		entered_look(&watch->entered, watched, now);
	if (!watched->log || (!watched->nr_entered && now - watched->ended_ns >= LATE_NS))
		watched_close(watched, watch->run, true, &watch->count);
}

static void finish(struct watch *watch, struct watched *watched)
{
	watched_stop(watched);
	watched->has_ended = true;
	watched->ended_ns = monitor_now_ns();
	close_if_unused(watch, watched, watched->ended_ns);
}

/* The event of the exec comes after the last row of the program. */
static void finish_image(struct watch *watch, struct watched *watched)
{
	uint64_t start_ns = watched->log->start.monotonic_ns;

	finish(watch, watched);
	own_log_process_execed(watch->entered.own_log, watched->pid, start_ns);
}

/*
 * If a pid has two logs, the older one is over: the process has exec'ed, or the pid was given to another one.
 */
static void finish_older_images(struct watch *watch, struct watched *opened)
{
	for (struct watched *watched = watch->live; watched && !opened->has_ended; watched = watched->next) {
		if (watched == opened || watched->pid != opened->pid || !watched->log || watched->has_ended)
			continue;
		if (watched->log->start.monotonic_ns < opened->log->start.monotonic_ns)
			finish(watch, watched);
		else
			finish(watch, opened);
	}
}

static void step_log(struct watch *watch, struct watched *watched, int64_t now)
{
	bool was_open = watched->log;
	int error = watched_step(watched, watch->run, &watch->settings, now);

	if (!was_open && watched->log)
		entered_has_log(&watch->entered, watched->log);
	if (error == -ESTALE)
		finish_image(watch, watched);
	else if (error < 0)
		finish(watch, watched);
	else if (!was_open && watched->log)
		finish_older_images(watch, watched);
}

static void look_for_children(struct watch *watch, int64_t now)
{
	for (struct watched *watched = watch->live; watched; watched = watched->next) {
		if (watched->has_ended && !watched->is_done)
			close_if_unused(watch, watched, now);
		else if (watched->log)
			entered_look(&watch->entered, watched, now);
	}
	watch->next_look_ns = now + LOOK_NS;
}

int64_t watch_step(struct watch *watch, int64_t now_ns, bool is_notified)
{
	int64_t next = now_ns + SCAN_NS, next_of_entered;

	if (is_notified || watch->notify_fd < 0)
		find_new_logs(watch);
	for (struct watched *watched = watch->live; watched; watched = watched->next) {
		if (!watched->has_ended)
			watched_take_stacks(watched, watch->run);
		if (watched->has_ended || watched->due_ns > now_ns)
			continue;
		step_log(watch, watched, now_ns);
		if (watched->next)
			find_new_logs(watch);		/* soon: their processes may end any moment */
	}
	if (watch->next_look_ns <= now_ns)
		look_for_children(watch, now_ns);
	next_of_entered = entered_step(&watch->entered, watch->live, now_ns);
	if (next_of_entered < next)
		next = next_of_entered;
	for (struct watched **place = &watch->live; *place;) {
		struct watched *watched = *place;

		if (watched->is_done) {
			*place = watched->next;
			continue;
		}
		if (!watched->has_ended && watched->due_ns < next)
			next = watched->due_ns;
		place = &watched->next;
	}
	return next;
}

/* A log that began a moment ago may not be open here yet. */
void watch_end(struct watch *watch, pid_t pid)
{
	find_new_logs(watch);
	for (struct watched *watched = watch->live; watched; watched = watched->next) {
		if (!watched->has_ended && !watched->log)
			step_log(watch, watched, monitor_now_ns());
		if (!watched->has_ended && watched->pid == pid)
			finish(watch, watched);
	}
	entered_end(&watch->entered, pid);
}

bool watch_is_copying(const struct watch *watch, pid_t pid)
{
	const struct watched *watched = watch->all;

	while (watched && watched->stacks_pid != pid)
		watched = watched->next_of_all;
	return watched;
}

bool watch_saw(const struct watch *watch, pid_t pid)
{
	for (const struct watched *watched = watch->all; watched; watched = watched->next_of_all) {
		if (watched->pid == pid)
			return true;
	}
	return entered_saw(&watch->entered, pid);
}

void watch_release(struct watch *watch)
{
	find_new_logs(watch);
	for (struct watched *watched = watch->live; watched; watched = watched->next) {
		if (!watched->has_ended && !watched->log)
			step_log(watch, watched, monitor_now_ns());
	}
	entered_release(&watch->entered);
	for (struct watched *watched = watch->live; watched; watched = watched->next) {
		watched_stop(watched);
		if (!watched->is_done)
			watched_close(watched, watch->run, watched->has_ended, &watch->count);
	}
	watch->live = NULL;
	if (watch->notify_fd >= 0)
		close(watch->notify_fd);
}
