/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-run: starts a program under the recorder, samples it from outside, and ends as it does. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/common/base/text.h"
#include "preload/common/run/message.h"
#include "preload/common/run/run_join.h"
#include "preload/monitor/attach.h"
#include "preload/monitor/change_focus.h"
#include "preload/monitor/check/check.h"
#include "preload/monitor/collect.h"
#include "preload/monitor/finish_run.h"
#include "preload/monitor/launch.h"
#include "preload/monitor/options.h"
#include "preload/monitor/own_limits.h"
#include "preload/monitor/signals.h"
#include "preload/monitor/tools/installed.h"
#include "preload/monitor/tools/now.h"
#include "preload/monitor/tools/process_info.h"
#include "preload/monitor/tools/program_kind.h"
#include "preload/monitor/repeated_runs.h"
#include "preload/monitor/watch/own_log.h"
#include "preload/monitor/watch/process_ends.h"
#include "preload/monitor/watch/watch_run.h"

#define CANNOT_RUN	126
#define NOT_FOUND	127

struct monitor {
	struct options options;
	struct settings settings;
	struct library library;
	bool uses_mpi;			/* libinsideme-mpi.so is preloaded too */
	bool takes_stacks;		/* libgcc_s.so.1 is preloaded too */
	const struct refusal *refusal;	/* why nothing is preloaded; it was reported. NULL: the library is
					 * preloaded */
	struct process_id id;
	struct run run;
	struct tree tree;
	struct watch watch;
	struct own_log own_log;
	sigset_t mask;			/* as we found it */
	int signal_fd;
	pid_t pid;			/* the program */
	pid_t rows_pid;			/* the process that writes rows meanwhile; 0: none */
	int status;			/* as from wait(), after it ended */
};

static int cannot(const char *what, int error)
{
	fprintf(stderr, "insideme-run: %s: %s\n", what, strerror(-error));
	return error == -ENOENT ? NOT_FOUND : CANNOT_RUN;
}

/* A shell would not find it either, but the user probably means the program in the current directory. */
static int cannot_find(const char *name, int error)
{
	char here[PATH_MAX], path[PATH_MAX];

	snprintf(here, sizeof(here), "./%s", name);
	if (error == -ENOENT && rows_find_preset(name)) {
		fprintf(stderr, "insideme-run: %s: not in PATH; did you mean insideme-run %s -- PROGRAM?\n",
			name, name);
		return NOT_FOUND;
	}
	if (strchr(name, '/') || program_find(here, path, sizeof(path)) < 0)
		return cannot(name, error);
	fprintf(stderr, "insideme-run: %s: not in PATH; did you mean %s?\n", name, here);
	return error == -ENOENT ? NOT_FOUND : CANNOT_RUN;
}

/* Anything that prevents the recording is reported before the program runs, and then nothing is preloaded. */
static void prepare_library(struct monitor *monitor, const char *path)
{
	const struct refusal *refusal = program_refusal(path);
	static const struct refusal
		no_library = { "libinsideme.so is not beside insideme-run nor in ../lib/insideme",
			       "install it there" },
		no_link = { "the library's path has a blank or colon, and no link to it can be made in /tmp",
			    "move it" };

	if (!monitor->library.path[0])
		refusal = &no_library;
	else if (!refusal && !library_make_preloadable(&monitor->library))
		refusal = &no_link;
	if (refusal)
		fprintf(stderr, "insideme: %s is not recorded: %s; %s\n", monitor->options.command[0],
			refusal->reason, refusal->advice);
	monitor->refusal = refusal;
}

/* The recorded program reports wrong settings itself. */
static void ignore_complaint(void *context, const char *line)
{
}

static int open_run(struct monitor *monitor, const char *path)
{
	struct process_id *id = &monitor->id, named;

	settings_read(&monitor->settings, launch_environment(&monitor->options, NULL, NULL), ignore_complaint,
		      NULL);
	process_id_read(id, NULL);
	process_id_boot(id);
	rank_read(&id->rank, environ);
	named = *id;
	text_copy(named.program, sizeof(named.program), text_base_name(path));
	return run_find(&monitor->run, RUN_OF_MONITOR, settings_text(&monitor->settings, SETTING_RUN),
			settings_text(&monitor->settings, SETTING_DIR), &named);
}

/*
 * An insideme-run above this one already samples the run. The ranks of a launch each sample themselves: they
 * share a run, perhaps over several hosts, and none of their insideme-runs can act for it.
 */
static bool is_sampled_by_others(const struct monitor *monitor)
{
	pid_t other = (pid_t)monitor->run.page->monitor_pid;

	return monitor->id.rank.rank >= 0 || (other && other != getpid() && kill(other, 0) == 0);
}

static const char *preload(const struct monitor *monitor)
{
	return library_preload(&monitor->library, monitor->uses_mpi, monitor->takes_stacks);
}

/* A run with that name may have been left by an earlier insideme-run, or by a process without one. */
static void say_added(const struct monitor *monitor)
{
	const struct log_run *page = monitor->run.page;
	const char *name = settings_text(&monitor->settings, SETTING_RUN);

	if (name[0] && !process_runs(page->creator_pid, (uint32_t)page->creator_start))
		fprintf(stderr, "insideme: the run %s has an earlier launch already: this one is added, and "
			"reports show their sums; another --run=NAME keeps it apart\n", name);
}

/* Become the program: nothing else is left to do. */
static int replace_by_program(struct monitor *monitor, const char *run_path)
{
	char **command = monitor->options.command;

	execvpe(command[0], command, launch_environment(&monitor->options, run_path, preload(monitor)));
	return cannot(command[0], -errno);
}

/* insideme-run does not wait longer than the program runs, so there are no turns. */
static void wait_for_rank(struct monitor *monitor)
{
	struct pollfd fd = { monitor->signal_fd, POLLIN, 0 };

	while (waitpid(monitor->pid, &monitor->status, WNOHANG) == 0) {
		poll(&fd, 1, -1);
		signals_pass_on(monitor->signal_fd, monitor->pid);
	}
}

/* Stay beside a rank, to collect the logs of the host when all of its ranks have ended. */
static int stay_with_rank(struct monitor *monitor)
{
	char **command = monitor->options.command;
	char **environment = launch_environment(&monitor->options, monitor->run.path, preload(monitor));
	int collecting = collect_begin(&monitor->run, &monitor->id), fd;

	if (collecting < 0)
		return replace_by_program(monitor, monitor->run.path);
	fd = signals_open(&monitor->mask);
	if (fd < 0)
		return cannot(command[0], fd);
	monitor->signal_fd = fd;
	monitor->pid = launch(command, environment, &monitor->mask);
	signals_hear_all();
	if (monitor->pid < 0)
		return cannot(command[0], (int)monitor->pid);
	wait_for_rank(monitor);
	library_release(&monitor->library);
	collect_end(collecting, &monitor->run, &monitor->id);
	signals_end_like(monitor->status);
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

/*
 * wait4() includes children that the process has waited for. If there are any, its times are taken from the
 * zombie.
 */
static bool wait_for(pid_t pid, const struct last_words *words, struct process_end *end, int *status)
{
	struct rusage usage;

	if (wait4(pid, status, 0, &usage) != pid)
		return false;
	*end = (struct process_end){
		.pid = pid,
		.start_ticks = words->start_ticks,
		.status = (uint64_t)*status,
		.user_ns = words->had_children ? words->user_ns : timeval_ns(&usage.ru_utime),
		.system_ns = words->had_children ? words->system_ns : timeval_ns(&usage.ru_stime),
		.peak_rss_bytes = words->had_children ? LOG_NONE : (uint64_t)usage.ru_maxrss * 1024,
	};
	return true;
}

static void record_end(struct monitor *monitor, pid_t pid)
{
	struct process_end end;
	struct last_words words;
	int status;

	if (gpu_is(&monitor->own_log.gpu, pid) || pid == monitor->rows_pid ||
	    watch_is_copying(&monitor->watch, pid)) {
		waitpid(pid, NULL, 0);
		if (pid == monitor->rows_pid)
			monitor->rows_pid = 0;
		return;
	}
	watch_end(&monitor->watch, pid);
	last_words_read(&words, pid);
	if (!wait_for(pid, &words, &end, &status))
		return;
	tree_forget(&monitor->tree, pid);
	if (!watch_saw(&monitor->watch, pid))
		own_log_process_unseen(&monitor->own_log, pid, words.name);
	own_log_process_end(&monitor->own_log, &end);
	if (pid != monitor->pid)
		return;
	monitor->status = status;
	monitor->pid = 0;
}

/* The processes that others wait for. */
static void see_ends(struct monitor *monitor)
{
	struct process_end end;

	while (tree_next_end(&monitor->tree, &end)) {
		watch_end(&monitor->watch, end.pid);
		own_log_process_end(&monitor->own_log, &end);
	}
}

/* Look at children and adopted orphans that have ended as zombies first: they still have data. */
static void reap(struct monitor *monitor)
{
	siginfo_t info, stopped;

	for (;;) {
		info.si_pid = stopped.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
			return;
		if (info.si_code != CLD_STOPPED) {
			record_end(monitor, info.si_pid);
			continue;
		}
		waitid(P_PID, (id_t)info.si_pid, &stopped, WSTOPPED | WNOHANG);	/* it may have ended since */
		if (stopped.si_pid == monitor->pid)
			signals_stop_too(stopped.si_status);
	}
}

static void wait_until(struct pollfd *fds, nfds_t nr, int64_t when_ns)
{
	int64_t now = monitor_now_ns(), wait_ns = when_ns > now ? when_ns - now : 0;
	const struct timespec timeout = { wait_ns / 1000000000, wait_ns % 1000000000 };

	ppoll(fds, nr, &timeout, NULL);
}

/*
 * A turn without news costs only the rows and ppoll(): at 1 kHz each further system call is 0.03 % of a core.
 */
static void watch_until_end(struct monitor *monitor)
{
	struct pollfd fds[] = {
		{ monitor->watch.notify_fd, POLLIN, 0 },
		{ monitor->signal_fd, POLLIN, 0 },
		{ monitor->tree.epoll_fd, POLLIN, 0 },
	};

	/* signals_hear_all() drops pending signals, so look for processes that have ended */
	fds[0].revents = fds[1].revents = POLLIN;
	for (;;) {
		int64_t now, own_ns, next_ns;

		if (fds[1].revents || fds[2].revents) {
			signals_pass_on(monitor->signal_fd, monitor->pid);
			see_ends(monitor);
			reap(monitor);
		}
		if (!monitor->pid)
			return;
		now = monitor_now_ns();
		own_ns = own_log_step(&monitor->own_log, now);
		next_ns = watch_step(&monitor->watch, now, fds[0].revents);
		wait_until(fds, 3, own_ns < next_ns ? own_ns : next_ns);
	}
}

static int start_program(struct monitor *monitor)
{
	char **environment = launch_environment(&monitor->options, monitor->run.path, preload(monitor));
	int fd = signals_open(&monitor->mask);
	struct sampler_settings settings;

	if (fd < 0)
		return fd;
	monitor->signal_fd = fd;
	run_set_monitor(&monitor->run, (uint32_t)getpid());
	tree_init(&monitor->tree);
	settings = sampler_settings(&monitor->settings);
	watch_init(&monitor->watch, &monitor->run, &monitor->tree, &monitor->own_log, &settings);
	if (!monitor->options.no_tree)
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	monitor->pid = launch(monitor->options.command, environment, &monitor->mask);
	signals_hear_all();
	return monitor->pid < 0 ? (int)monitor->pid : 0;
}

/* Processes that have just ended are recorded as ended; the others run on without us. */
static void leave_the_rest(struct monitor *monitor)
{
	uint64_t start_ticks;
	pid_t pid;

	watch_step(&monitor->watch, monitor_now_ns(), true);
	see_ends(monitor);
	while (tree_next_left(&monitor->tree, &pid, &start_ticks))
		own_log_process_left(&monitor->own_log, pid, start_ticks);
	watch_release(&monitor->watch);
}

static void finish(struct monitor *monitor)
{
	const struct count *count = &monitor->watch.count;

	run_set_monitor(&monitor->run, 0);
	leave_the_rest(monitor);
	own_log_close(&monitor->own_log, 0);
	library_release(&monitor->library);
	if (monitor->options.rows.preset)
		rows_finish(&monitor->options.rows, monitor->rows_pid, monitor->run.path, &monitor->mask);
	if (monitor->settings.value[SETTING_SUMMARY])
		finish_print_summary(monitor->run.path, NULL, &monitor->mask);
	if (monitor->options.sort)
		finish_print_summary(monitor->run.path, monitor->options.sort, &monitor->mask);
	if (!monitor->settings.value[SETTING_SUMMARY] && !monitor->options.sort &&
	    count->calls + count->stacks + count->samples && monitor->id.rank.rank <= 0)
		finish_save_names(monitor->run.path, &monitor->mask);
	if (monitor->settings.value[SETTING_COLLECT])
		collect_logs(&monitor->run, &monitor->id);
	if (!monitor->options.quiet && !(monitor->refusal && !count->log_bytes))
		finish_say(monitor->run.path, count);
}

/* Recorded MPI calls are calls as hooks record them: where there are some, samples have no stacks. */
static bool records_mpi(const struct monitor *monitor, const char *path)
{
	const uint64_t setting = monitor->settings.value[SETTING_MPI];

	if (setting != MPI_AUTO)
		return setting == MPI_ON;
	if (monitor->settings.value[SETTING_SAMPLE] && !rank_is_launcher(text_base_name(path)) &&
	    !program_has_hooks(path))
		return false;
	return monitor->id.rank.rank >= 0 || program_uses_mpi(path);
}

static int run_program(struct monitor *monitor, char **argv)
{
	char path[PATH_MAX];
	const char *name = monitor->options.command[0];
	int error = program_find(name, path, sizeof(path));

	if (error)
		return cannot_find(name, error);
	sigprocmask(SIG_SETMASK, NULL, &monitor->mask);
	error = monitor->options.rows.preset ? rows_check(&monitor->options.rows, &monitor->mask) : 0;
	if (error)
		return error;
	prepare_library(monitor, path);
	error = open_run(monitor, path);
	monitor->uses_mpi = records_mpi(monitor, path);
	monitor->takes_stacks =
		monitor->settings.value[SETTING_HEAP_SAMPLE] || monitor->settings.value[SETTING_SAMPLE] ||
		(monitor->settings.value[SETTING_TIMING] == TIMING_AUTO && program_has_hooks(path));
	say_init(error ? NULL : &monitor->run);
	if (error) {
		fprintf(stderr, "insideme: cannot use directory %s: %s; not recording\n", monitor->run.path,
			strerror(-error));
		monitor->library.preload_path[0] = '\0';
		return replace_by_program(monitor, NULL);
	}
	if (is_sampled_by_others(monitor)) {
		rows_say_none(&monitor->options.rows, monitor->id.rank.rank);
		return monitor->settings.value[SETTING_COLLECT] && monitor->id.rank.rank >= 0
			       ? stay_with_rank(monitor)
			       : replace_by_program(monitor, monitor->run.path);
	}
	say_added(monitor);
	error = start_program(monitor);
	if (error) {
		library_release(&monitor->library);
		return cannot(name, error);
	}
	needs_many_files();
	needs_short_turns();
	own_log_open(&monitor->own_log, &monitor->run, &monitor->id, &monitor->settings, argv);
	if (monitor->refusal)
		own_log_refused(&monitor->own_log, monitor->options.command[0], monitor->refusal);
	if (monitor->options.rows.preset)
		monitor->rows_pid = rows_start(&monitor->options.rows, monitor->run.path, &monitor->mask);
	watch_until_end(monitor);
	finish(monitor);
	signals_end_like(monitor->status);
}

static int check_program(struct monitor *monitor)
{
	struct check check = { .name = monitor->options.command[0], .settings = &monitor->settings };
	int error = program_find(check.name, check.path, sizeof(check.path));

	if (error) {
		cannot_find(check.name, error);
		return 1;
	}
	check.environment = launch_environment(&monitor->options, NULL, NULL);
	settings_read(&monitor->settings, check.environment, ignore_complaint, NULL);
	if (library_make_preloadable(&monitor->library) && monitor->library.path[0])
		check.library = monitor->library.preload_path;
	error = check_print(&check) ? 0 : 1;
	library_release(&monitor->library);
	return error;
}

static int print_library(const struct library *library, bool with_mpi)
{
	char mpi_path[PATH_MAX] = "";

	if (library->path[0] && with_mpi)
		library_find_mpi(library->path, mpi_path);
	if (!library->path[0] || (with_mpi && !mpi_path[0])) {
		fprintf(stderr, "insideme-run: %s is not beside insideme-run nor in ../lib/insideme\n",
			library->path[0] ? "libinsideme-mpi.so" : "libinsideme.so");
		return 1;
	}
	printf("%s%s%s\n", library->path, with_mpi ? ":" : "", mpi_path);
	return 0;
}

int main(int argc, char **argv)
{
	static struct monitor monitor;
	int error = options_parse(&monitor.options, argc, argv);

	if (error)
		return error;
	library_find(&monitor.library);
	switch (monitor.options.action) {
	case ACTION_HELP:
		options_print_help();
		return 0;
	case ACTION_VERSION:
		puts("insideme-run " INSIDEME_VERSION);
		return 0;
	case ACTION_LIBRARY:
		return print_library(&monitor.library, monitor.options.with_mpi);
	case ACTION_CHECK:
		return check_program(&monitor);
	case ACTION_FOCUS:
		return focus_change(&monitor.options);
	case ACTION_ATTACH:
		return attach_run(&monitor.options, argv);
	case ACTION_RUN:
		error = monitor.options.nr_runs ? repeated_runs_begin(&monitor.options) : 0;
		if (error)
			return error;
	}
	return run_program(&monitor, argv);
}
