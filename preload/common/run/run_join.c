/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds or starts the run that this process belongs to. */
#include "preload/common/run/run_join.h"

#include <errno.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/directory.h"
#include "preload/common/base/proc_text.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/launch_run.h"
#include "preload/common/run/mapped_runs.h"
#include "preload/common/run/run_logs.h"
#include "preload/common/run/shared_log.h"

struct wanted {
	struct run *run;
	enum run_wish wish;
	struct process_id *id;
	uint32_t parent;	/* the pid that is taken for the parent's */
};

/*
 * A program that may only need an entry maps the shared log alone: a short program notices each
 * mapping.
 */
static bool use_run(const char *path, size_t run_bytes, void *context)
{
	const struct wanted *wanted = context;

	if (!wanted->id->start && !run_knows_newborn(path, wanted->id))
		process_id_look(wanted->id);
	if (wanted->id->ppid != wanted->parent)
		return false;
	text_copy(wanted->run->path, run_bytes + 1, path);
	return (wanted->wish == RUN_OF_BRIEF && shared_log_map(wanted->run, wanted->id) == 0) ||
	       run_map_page(wanted->run, NULL) == 0;
}

/*
 * /proc is read for the parent only if the parent has no run, or if our own number for it may not
 * be /proc's.
 */
static bool run_of_ancestor(struct run *run, enum run_wish wish, struct process_id *id)
{
	struct wanted wanted = { run, wish, id, 0 };
	uint32_t pid;

	if (!id->ppid)		/* there is no parent in our pid namespace, but there may be one in /proc's */
		process_id_look(id);
	wanted.parent = pid = id->ppid;
	for (int i = 0; i < PROCESS_ANCESTORS_MAX && pid > 0; i++) {
		uint64_t start;

		if (mapped_runs_search(pid, use_run, &wanted))
			return true;
		if (!id->start)
			process_id_look(id);
		if (id->ppid != wanted.parent) {
			wanted.parent = pid = id->ppid;
			continue;
		}
		if (process_parent(pid, &pid, &start) < 0)
			return false;
	}
	return false;
}

/*
 * The start of this process, in the form of a run's name. The process owns no older run. One second
 * is subtracted for rounding.
 */
static void date_of_start(char *date, const struct process_id *id)
{
	uint64_t since_boot_ns = clock_ns(CLOCK_BOOTTIME), start_ns = id->start * PROC_TICK_NS;
	uint64_t age_ns = since_boot_ns > start_ns ? since_boot_ns - start_ns : 0;

	format_date(date, clock_ns(CLOCK_REALTIME) - age_ns - 1000000000u);
}

static bool not_before(const char *name, const char *date)
{
	while (*date && *name == *date) {
		name++;
		date++;
	}
	return *name >= *date;
}

/*
 * Was the process in this run before an exec? A process that is not recorded has no log, but it may
 * have made the run. Where a script starts one program after the other, many runs are looked at;
 * only its own is mapped.
 */
static bool is_own(struct run *run, const struct process_id *id)
{
	uint32_t pid;
	uint64_t start;

	if (run_read_creator(run->path, &pid, &start) == 0 && pid == id->pid && start == id->start)
		return run_map_page(run, NULL) == 0;
	return run_has_own_log(run->path, id) && run_map_page(run, NULL) == 0;
}

static bool run_of_own_log(struct run *run, const char *path, const struct process_id *id)
{
	_Alignas(8) char buffer[DIRECTORY_BUFFER_BYTES];
	struct directory directory;
	char date[DATE_BYTES];
	bool found = false;
	const char *name;

	if (directory_open(&directory, path, buffer, sizeof(buffer)) < 0)
		return false;
	date_of_start(date, id);
	while (!found && (name = directory_next(&directory))) {
		if (!not_before(name, date))
			continue;
		path_join(run->path, sizeof(run->path), path, name);
		found = is_own(run, id);
	}
	directory_close(&directory);
	return found;
}

static int run_of_setting(struct run *run, const char *setting, const struct process_id *id)
{
	char name[RUN_PATH_BYTES];
	struct text text;
	int error;

	process_id_expand(id, setting, name, sizeof(name));
	error = path_make_absolute(&text, run->path, sizeof(run->path), name);

	if (!error)
		error = run_map_page(run, NULL);
	if (error != -ENOENT)
		return error;
	error = run_prepare_directory(run->path);
	if (!error)
		error = run_map_page(run, id);
	return error == -EEXIST ? run_map_page(run, NULL) : error;	/* another process was first */
}

/* @has_run: @run is an ancestor's. */
static int run_in_directory(struct run *run, const char *dir, const struct process_id *id, bool has_run)
{
	char directory[RUN_PATH_BYTES], name[RUN_PATH_BYTES];
	int error;

	process_id_expand(id, dir, name, sizeof(name));
	dir = name;
	error = run_choose_directory(dir, directory, sizeof(directory));

	if (error) {
		if (has_run)
			return 0;
		text_copy(run->path, sizeof(run->path), directory[0] == '/' ? directory : dir);
		return error;
	}
	if (id->rank.rank >= 0)
		return run_of_launch(run, directory, id, has_run);
	return run_of_own_log(run, directory, id) ? 0 : run_create(run, directory, id);
}

/* Reading the file would take longer than asking the ancestor's run. */
static void know_boot(struct process_id *id, const struct run *of_ancestor)
{
	if (of_ancestor && of_ancestor->shared)
		text_copy(id->boot_id, sizeof(id->boot_id), of_ancestor->shared->boot_id);
	else if (!id->boot_id[0] &&
		 !(of_ancestor && run_boot_of_all(of_ancestor, id->boot_id, sizeof(id->boot_id))))
		process_id_boot(id);
}

static int find(struct run *run, enum run_wish wish, const char *run_setting, const char *dir,
		struct process_id *id)
{
	bool has_run, is_child;

	has_run = !run_setting[0] && wish != RUN_OF_MONITOR && run_of_ancestor(run, wish, id);
	if (!id->start)
		process_id_look(id);
	know_boot(id, has_run ? run : NULL);
	if (run_setting[0])
		return run_of_setting(run, run_setting, id);
	if (wish == RUN_OF_LAUNCHER)
		return has_run ? 0 : -ENOENT;
	/*
	 * A rank's children stay in its run, whatever their directory is. The rank itself goes to
	 * the run of its launch.
	 */
	if (has_run && (id->rank.rank < 0 || run_knows_rank(run->path, id, &is_child)))
		return 0;
	return run_in_directory(run, dir, id, has_run);
}

int run_find(struct run *run, enum run_wish wish, const char *run_setting, const char *dir,
	     struct process_id *id)
{
	int error;

	run->page = NULL;
	run->shared = NULL;
	error = find(run, wish, run_setting, dir, id);
	if (!error && run->page && run_tell_boot(run, id->boot_id))
		shared_log_tell_boots(run, id);
	if (!error && id->rank.rank >= 0)
		run_knows_rank(run->path, id, &id->rank.is_child);
	return error;
}
