/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run of a parallel launch. Its name is in a symbolic link, .launch-ID, beside the runs. Making
 * a link is one step, on shared file systems too. So of many ranks that start together, one makes
 * it, when its run is ready. Links are never changed: if a link's run is gone, or belongs to an
 * older launch with the same id, it is followed by .launch-ID-2, on which all ranks agree in the
 * same way.
 */
#include "preload/common/run/launch_run.h"

#include <errno.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/run_logs.h"

#define LINKS_MAX 1000

/*
 * Without an id, the launch is named by the process that started the ranks of this host, and by its
 * start.
 */
static void add_starter(struct text *text, const struct process_id *id)
{
	uint32_t starter = id->ppid, pid = id->ppid, parent;
	char program[PROCESS_PROGRAM_BYTES];
	uint64_t start, starter_start = 0;

	for (int i = 0; i < PROCESS_ANCESTORS_MAX && pid > 1 && process_parent(pid, &parent, &start) == 0;
	     i++) {
		process_program(pid, program);
		if (i == 0)
			starter_start = start;
		if (rank_is_launcher(program)) {
			starter = pid;
			starter_start = start;
			break;
		}
		pid = parent;
	}
	text_add(text, id->host);
	text_add_char(text, '-');
	text_add_number(text, starter);
	text_add_char(text, '-');
	text_add_number(text, starter_start);
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       text_find("-_.@:", c);
}

static void make_key(char *key, size_t bytes, const struct process_id *id)
{
	struct text text;

	text_init(&text, key, bytes);
	if (id->rank.launch_id[0])
		text_add(&text, id->rank.launch_id);
	else
		add_starter(&text, id);
	for (char *p = key; *p; p++)
		if (!is_plain(*p))
			*p = '_';
}

static void link_path(char *path, size_t bytes, const char *directory, const char *key, int number)
{
	struct text text;

	text_init(&text, path, bytes);
	text_add(&text, directory);
	text_add(&text, "/.launch-");
	text_add(&text, key);
	if (number > 1) {
		text_add_char(&text, '-');
		text_add_number(&text, (uint64_t)number);
	}
}

/*
 * Follow @link. @own_path: an ancestor's run, or "". Return: 0, with the run's page mapped; -ENOENT
 * without a link; -ESTALE when the run is not ours to join.
 */
static int join_run(struct run *run, const char *directory, const char *link, const struct process_id *id,
		    const char *own_path)
{
	char target[RUN_PATH_BYTES];
	long length = sys_readlink(link, target, sizeof(target) - 1);
	bool is_child;

	if (length < 0)
		return (int)length;
	target[length] = '\0';
	if (target[0] == '/')
		text_copy(run->path, sizeof(run->path), target);
	else
		path_join(run->path, sizeof(run->path), directory, target);
	if (run_map_page(run, NULL) < 0)
		return -ESTALE;
	if (text_equal(run->path, own_path) || run_knows_rank(run->path, id, &is_child) ||
	    !run_rank_is_taken(run->path, id))
		return 0;
	run_leave(run);
	return -ESTALE;
}

/* The content of a link to the run: its name, or its path if it lies elsewhere. */
static const char *link_text(const struct run *run, const char *directory)
{
	size_t length = text_length(directory);

	return text_begins(run->path, directory) && run->path[length] == '/' &&
			       !text_find(run->path + length + 1, '/')
		       ? run->path + length + 1
		       : run->path;
}

int run_of_launch(struct run *run, const char *directory, const struct process_id *id, bool has_run)
{
	char link[RUN_PATH_BYTES], key[192];
	int number = 1, error;
	bool is_new = false;
	struct run found;

	found.page = NULL;
	make_key(key, sizeof(key), id);
	while (number < LINKS_MAX) {
		link_path(link, sizeof(link), directory, key, number);
		error = join_run(&found, directory, link, id, has_run ? run->path : "");
		if (error == -ESTALE) {
			number++;
			continue;
		}
		if (!error)
			break;
		if (!has_run) {
			error = run_create(run, directory, id);
			if (error)
				return error;
			has_run = is_new = true;
		}
		/* If links cannot be made, the report joins the runs. */
		if (raw_syscall(SYS_symlinkat, (long)link_text(run, directory), AT_FDCWD, (long)link, 0, 0,
				0) != -EEXIST)
			return 0;
	}
	if (!found.page)
		return has_run ? 0 : run_create(run, directory, id);
	if (is_new)
		run_take_back(run);
	else if (has_run)
		run_leave(run);
	text_copy(run->path, sizeof(run->path), found.path);
	run->page = found.page;
	return 0;
}
