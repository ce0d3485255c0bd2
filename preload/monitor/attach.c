/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples processes that run already. */
#include "preload/monitor/attach.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "preload/common/run/run_join.h"
#include "preload/monitor/finish_run.h"
#include "preload/monitor/launch.h"
#include "preload/monitor/stacks/sampling.h"
#include "preload/monitor/tools/installed.h"
#include "preload/monitor/tools/now.h"
#include "preload/monitor/tools/process_info.h"
#include "preload/monitor/watch/attached_log.h"
#include "preload/monitor/watch/own_log.h"

#define LOOK_NS 200000000 /* between looks for children */
#define NOBODY_THERE 1

struct attach {
	const struct options *options;
	struct settings settings;
	struct process_id id;
	struct run run;
	struct own_log own_log;
	struct tree tree; /* reports how they end */
	struct sampled *list;
	int nr_processes;
	uint64_t nr_bytes;
	char scratch[32]; /* --stacks: the directory of a run that is removed; empty: none */
	sigset_t mask;	  /* as we found it */
	int signal_fd;
	int64_t until_ns; /* CLOCK_MONOTONIC */
	int64_t next_look_ns;
};

static void ignore_complaint(void *context, const char *line)
{
}

static const struct sampled *find(const struct attach *attach, pid_t pid)
{
	const struct sampled *sampled = attach->list;

	while (sampled && (sampled->pid != pid || !sampled->sampler))
		sampled = sampled->next;
	return sampled;
}

/* Once, or as often as is asked for. */
static void take_stacks(const struct attach *attach, struct sampled *sampled)
{
	const struct stack_sampling sampling = {
		.pid = sampled->pid,
		.log = sampled->log,
		.log_fd = sampled->log_fd,
		.directory = attach->run.path,
		.rate = attach->options->stacks ? 0 : attach->settings.value[SETTING_SAMPLE],
	};

	if (attach->options->stacks || sampling.rate)
		sampled->stacks_pid = stack_sampling_start(&sampling);
}

static int add(struct attach *attach, pid_t pid)
{
	struct sampled *sampled;
	int error;

	if (find(attach, pid))
		return 0;
	sampled = sampled_new(pid, &attach->run, &attach->id, &attach->settings, &error);
	if (!sampled)
		return error;
	sampled->next = attach->list;
	attach->list = sampled;
	attach->nr_processes++;
	take_stacks(attach, sampled);
	tree_add(&attach->tree, pid);
	return 0;
}

static bool is_ours(const struct attach *attach, pid_t pid)
{
	uint32_t parent;
	uint64_t start;

	return pid != getpid() && process_parent((uint32_t)pid, &parent, &start) == 0 &&
	       find(attach, (pid_t)parent);
}

/* Repeat while there are new ones: their children may stand earlier in the directory. */
static void add_children(struct attach *attach)
{
	int before;

	do {
		DIR *directory = opendir("/proc");
		struct dirent *entry;

		before = attach->nr_processes;
		while (directory && (entry = readdir(directory))) {
			pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

			if (pid > 0 && !find(attach, pid) && is_ours(attach, pid))
				add(attach, pid);
		}
		if (directory)
			closedir(directory);
	} while (attach->nr_processes > before);
}

static void add_numbered(pid_t pid, void *context)
{
	int error = add(context, pid);

	if (error == -ENOENT || error == -ESRCH)
		fprintf(stderr, "insideme-run: --pid: no process %d, or /proc hides it\n", (int)pid);
	else if (error)
		fprintf(stderr, "insideme-run: --pid: process %d: %s\n", (int)pid, strerror(-error));
}

static int add_listed(struct attach *attach)
{
	pids_each(attach->options->pids, add_numbered, attach);
	return attach->nr_processes ? 0 : NOBODY_THERE;
}

static void close_one(struct attach *attach, struct sampled *sampled, bool has_ended)
{
	stack_sampling_stop(sampled->stacks_pid);
	sampled_close(sampled, has_ended);
	attach->nr_bytes += sampled->log->tail_bytes;
}

/* Return: ns until the next step */
static int64_t step(struct attach *attach)
{
	int64_t now = monitor_now_ns(), next = own_log_step(&attach->own_log, now);
	struct process_end end;

	if (attach->options->children && attach->next_look_ns <= now) {
		add_children(attach);
		attach->next_look_ns = now + LOOK_NS;
	}
	for (struct sampled *sampled = attach->list; sampled; sampled = sampled->next) {
		if (!sampled->sampler)
			continue;
		if (!sampled_step(sampled, now))
			close_one(attach, sampled, true);
		else if (sampled->due_ns < next)
			next = sampled->due_ns;
	}
	while (tree_next_end(&attach->tree, &end))
		own_log_process_end(&attach->own_log, &end);
	if (attach->options->children && attach->next_look_ns < next)
		next = attach->next_look_ns;
	if (attach->until_ns < next)
		next = attach->until_ns;
	now = monitor_now_ns();
	return next > now ? next - now : 0;
}

static bool some_run(const struct attach *attach)
{
	for (const struct sampled *sampled = attach->list; sampled; sampled = sampled->next) {
		if (sampled->sampler)
			return true;
	}
	return attach->options->machine;
}

static void sample(struct attach *attach)
{
	while (some_run(attach) && monitor_now_ns() < attach->until_ns) {
		int64_t wait_ns = step(attach);
		struct timespec timeout = { wait_ns / 1000000000, wait_ns % 1000000000 };
		struct pollfd fds[] = { { attach->signal_fd, POLLIN, 0 },
					{ attach->tree.epoll_fd, POLLIN, 0 } };

		if (ppoll(fds, 2, &timeout, NULL) > 0 && fds[0].revents)
			return;
	}
}

/* Processes that have just ended are recorded as ended; the others run on. */
static void finish(struct attach *attach)
{
	uint64_t start_ticks;
	struct process_end end;
	pid_t pid;

	for (struct sampled *sampled = attach->list; sampled; sampled = sampled->next) {
		if (sampled->sampler)
			close_one(attach, sampled, false);
	}
	while (tree_next_end(&attach->tree, &end))
		own_log_process_end(&attach->own_log, &end);
	while (tree_next_left(&attach->tree, &pid, &start_ticks))
		own_log_process_left(&attach->own_log, pid, start_ticks);
	if (attach->own_log.log)
		attach->nr_bytes += attach->own_log.log->tail_bytes;
	own_log_close(&attach->own_log, 0);
	if (attach->settings.value[SETTING_SAMPLE])
		finish_save_names(attach->run.path, &attach->mask);
	if (!attach->options->quiet)
		finish_say_sampled(attach->run.path, attach->nr_processes, attach->nr_bytes,
				   attach->settings.value[SETTING_SAMPLE]);
}

/* Ctrl-C and similar signals end the sampling. */
static int hear_signals(sigset_t *mask)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, mask);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* By the program that is named first. */
static void name_run(const char *pids, char *program)
{
	size_t length = pids ? strcspn(pids, ",") : 0;

	if (!pids)
		strcpy(program, "machine");
	else if (strspn(pids, "0123456789") == length)
		process_program((uint32_t)strtoul(pids, NULL, 10), program);
	else
		snprintf(program, PROCESS_PROGRAM_BYTES, "%.*s", (int)length, pids);
}

static int open_run(struct attach *attach)
{
	struct process_id named;
	int error;

	settings_read(&attach->settings, launch_environment(attach->options, NULL, NULL), ignore_complaint,
		      NULL);
	process_id_read(&attach->id, NULL);
	process_id_boot(&attach->id);
	attach->id.rank = (struct rank){ .rank = -1, .nr_ranks = -1, .local_rank = -1 };
	named = attach->id;
	name_run(attach->options->pids, named.program);
	error = run_find(&attach->run, RUN_OF_MONITOR,
			 attach->scratch[0] ? "" : settings_text(&attach->settings, SETTING_RUN),
			 attach->scratch[0] ? attach->scratch : settings_text(&attach->settings, SETTING_DIR),
			 &named);
	if (error)
		fprintf(stderr, "insideme-run: cannot use directory %s: %s\n", attach->run.path,
			strerror(-error));
	return error;
}

/* ---- --stacks ---- */

/* A directory that has files alone. */
static void remove_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	rmdir(path);
}

/* The report names the functions. Return: its exit status; 1: no process has stacks */
static int print_stacks(struct attach *attach)
{
	const char *format = attach->options->format ?: "text";
	const char *const arguments[] = { "-v", "stacks", "-f", format, attach->run.path, NULL };
	bool has_stacks = false;

	if (attach->options->children)
		add_children(attach);
	for (struct sampled *sampled = attach->list; sampled; sampled = sampled->next) {
		has_stacks |= stack_sampling_wait(sampled->stacks_pid);
		sampled->stacks_pid = 0;
		close_one(attach, sampled, false);
	}
	if (!has_stacks)
		return NOBODY_THERE;
	return report_wait(report_start(arguments, &attach->mask, REPORT_PRINTED));
}

static int dump_stacks(struct attach *attach)
{
	int error;

	strcpy(attach->scratch, "/tmp/insideme-XXXXXX");
	if (!mkdtemp(attach->scratch)) {
		fprintf(stderr, "insideme-run: --stacks: %s: %s\n", attach->scratch, strerror(errno));
		return NOBODY_THERE;
	}
	attach->signal_fd = hear_signals(&attach->mask);
	error = open_run(attach) ? NOBODY_THERE : add_listed(attach);
	if (!error)
		error = print_stacks(attach);
	remove_directory(attach->run.path);
	remove_directory(attach->scratch);
	return error;
}

int attach_run(const struct options *options, char **argv)
{
	static struct attach attach;
	int64_t begin_ns = monitor_now_ns();

	attach.options = options;
	tree_init(&attach.tree);
	if (options->stacks)
		return dump_stacks(&attach);
	if (open_run(&attach))
		return NOBODY_THERE;
	attach.signal_fd = hear_signals(&attach.mask);
	attach.until_ns = options->timeout_ns && options->timeout_ns < (uint64_t)(INT64_MAX - begin_ns)
				  ? begin_ns + (int64_t)options->timeout_ns
				  : INT64_MAX;
	if (options->pids && add_listed(&attach)) {
		run_take_back(&attach.run);
		return NOBODY_THERE;
	}
	own_log_open(&attach.own_log, &attach.run, &attach.id, &attach.settings, argv);
	sample(&attach);
	finish(&attach);
	return 0;
}
