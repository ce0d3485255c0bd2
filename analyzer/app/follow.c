/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each reading loads the whole run again, by the same code as any report, and resolves names. Names are
 * kept with the run, so the symbols of a program are read once. call_events.c keeps what one reading hands
 * to the next.
 */
#include "analyzer/app/follow.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/events_table.h"
#include "analyzer/formats/export_pikos.h"
#include "analyzer/load/load.h"
#include "analyzer/model/model.h"
#include "analyzer/model/names_file.h"
#include "analyzer/model/resolve.h"
#include "analyzer/runs/choose_runs.h"

#define LEAST_WAIT_NS	100000000.0
#define UNREADABLE_MOST	100		/* give up after so many readings without any readable log */
#define READING_SHARE	0.05		/* of the time may be spent reading */

struct follower {
	const struct options *options;
	struct run *runs;
	size_t nr_runs;
	char **names;			/* their paths, because "the newest" may mean another run next time */
	unsigned int nr_unreadable;
};

int follow_check(const struct options *options)
{
	const struct report report = { .options = options };

	if (pikos_kind(options->format) == PIKOS_NONE)
		return error("--follow: only as pikos, pikos-text or pikos-count"), EXIT_USAGE;
	if (options->sort || options->top_given || options->min_percent > 0)
		return error("--follow prints rows as they are made: no --sort, --top, --min-percent"),
		       EXIT_USAGE;
	if (window_is_given(&options->window))
		return error("--follow prints the whole run: no --from, --to"), EXIT_USAGE;
	return pikos_check(&report);
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void wait_ns(double ns)
{
	struct timespec time = { .tv_sec = (time_t)(ns / 1e9) };

	time.tv_nsec = (long)(ns - (double)time.tv_sec * 1e9);
	nanosleep(&time, NULL);
}

/* Return: false, after an error(), if there are no runs */
static bool find_runs(struct follower *follower)
{
	long nr = choose_runs(&follower->runs, follower->names ? follower->names : follower->options->runs,
			      NULL);

	if (nr <= 0)
		return false;
	follower->nr_runs = (size_t)nr;
	if (follower->names)
		return true;
	follower->names = xcalloc(follower->nr_runs + 1, sizeof(char *));
	for (size_t i = 0; i < follower->nr_runs; i++)
		follower->names[i] = xstrdup(follower->runs[i].path);
	return true;
}

static void forget_runs(struct follower *follower)
{
	choose_free(follower->runs, follower->nr_runs);
	follower->nr_runs = 0;
}

/*
 * A run ends with insideme-run; programs that still run then are not waited for. Without insideme-run it
 * ends with its last process.
 */
static bool has_ended(const struct model *model)
{
	for (size_t i = 0; i < model->nr_monitors; i++)
		if (model->monitors[i]->end_kind == END_RUNNING)
			return false;
	for (size_t i = 0; i < model->nr_processes && !model->nr_monitors; i++)
		if (model->processes[i]->end_kind == END_RUNNING)
			return false;
	return true;
}

static void keep_names(const struct follower *follower, struct model *model)
{
	char *path = follower->nr_runs == 1 ? run_own_file(&follower->runs[0], NAMES_FILE) : NULL;

	if (path)
		resolve_save(model, path);	/* if that fails, names are resolved again */
	free(path);
}

/* Load the run as it is now; NULL: nothing of it can be read yet. */
static struct model *load(const struct follower *follower)
{
	struct model *model = model_load_runs(follower->runs, follower->nr_runs, &follower->options->filter);

	if (model)
		resolve_names(model);
	return model;
}

/* Read the run once. Return: whether it has ended */
static bool read_run(struct follower *follower, struct pikos *pikos, bool is_last)
{
	struct model *model = load(follower);
	bool ended = false;

	if (!model)
		return ++follower->nr_unreadable == UNREADABLE_MOST;
	if (model_keeps_last_calls(model)) {
		model_free(model);
		messages_show(false);
		error("--follow: the run keeps its last calls alone (INSIDEME_LAST); "
		      "insideme-report -v events shows these");
		return true;
	}
	ended = has_ended(model);
	pikos_write(pikos, model, is_last);
	keep_names(follower, model);
	if (is_last)
		events_tell_share(model, true);
	model_free(model);
	return ended;
}

/*
 * Print rows until the run has ended. The reading after the one that sees the end is the last, so that logs
 * that were read before their end are complete. Only the last reading reports damage, because a record that
 * is being written may look damaged.
 */
static void write_rows(struct follower *follower, struct pikos *pikos)
{
	bool is_last, ended = false;

	do {
		double begin_ns = now_ns(), pause_ns;

		is_last = ended;
		messages_hide(!is_last);
		ended = !find_runs(follower) || read_run(follower, pikos, is_last);
		messages_show(false);
		forget_runs(follower);
		fflush(pikos->out);
		pause_ns = (now_ns() - begin_ns) / READING_SHARE;
		if (!ended)
			wait_ns(pause_ns > LEAST_WAIT_NS ? pause_ns : LEAST_WAIT_NS);
	} while (!is_last && !ferror(pikos->out));
}

int follow(const struct options *options)
{
	const struct report report = { .options = options };
	struct follower follower = { .options = options };
	struct pikos pikos;
	int status = follow_check(options);

	if (status)
		return status;
	if (strcmp(options->view, "steps") == 0)
		return error("--follow: calls only, no lines"), EXIT_USAGE;
	if (!find_runs(&follower))
		return EXIT_FAILURE;
	forget_runs(&follower);
	status = pikos_open(&pikos, &report);
	if (status)
		return status;
	fflush(pikos.out);
	write_rows(&follower, &pikos);
	for (char **name = follower.names; *name; name++)
		free(*name);
	free(follower.names);
	return pikos_close(&pikos);
}
