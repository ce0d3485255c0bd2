/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder with the page, a csv of each view, and the logs. */
#include "analyzer/app/report_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/units.h"
#include "analyzer/calls/line_steps.h"
#include "analyzer/formats/dot.h"
#include "analyzer/formats/export.h"
#include "analyzer/formats/formats.h"
#include "analyzer/formats/picture.h"
#include "analyzer/formats/trace.h"
#include "analyzer/page/page.h"
#include "analyzer/runs/choose_runs.h"
#include "analyzer/views/views.h"

static int cannot_write(const char *path, int number)
{
	error("cannot write %s: %s", path, strerror(number));
	return EXIT_FAILURE;
}

/* The largest csv. */
struct largest {
	char *name;
	off_t bytes;
};

/* A row has the name once more, as its field: @name. */
static size_t name_bytes(const struct function *function)
{
	return 2 * strlen(function->name) + strlen(function->file ?: "");
}

/*
 * A csv of single calls is limited like a trace: if all calls would be too much, shorter ones are left out.
 */
static const struct trace_format csv_of_calls = { .name = "csv",
						  .most_bytes = 100u << 20,
						  .call_bytes = 200,
						  .name_bytes = name_bytes };

/* The rule for its rows, which the caller frees; NULL: all of them fit, or there are none. */
static char *long_calls(const struct report *report)
{
	struct options options = *report->options;
	struct report own = *report;
	struct trace trace;
	char *rule = NULL;

	if (model_has_saved(report->model))
		return NULL;
	options.match = NULL;	/* the folder has all rows */
	own.options = &options;
	trace_open(&trace, &own, &csv_of_calls, NULL, 0);
	if (trace.least_ns > 0)
		rule = xasprintf("duration_ns >= %.0f", trace.least_ns);
	trace_close(&trace);
	return rule;
}

static void note_size(struct largest *largest, const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0 || status.st_size <= largest->bytes)
		return;
	free(largest->name);
	*largest = (struct largest){ xstrdup(path_base(path)), status.st_size };
}

/* @rule: of the rows of views of single calls; NULL: all rows */
static int write_view(struct report *report, const struct view *view, const char *what, const char *rule,
		      int (*build)(struct document *document, struct report *report), struct largest *largest)
{
	struct options options = { .view = view->name, .format = "csv", .filter = report->options->filter,
				   .row_filter = view->build == view_calls ? rule : NULL };
	struct document document = { .view = view->name };
	struct report own = *report;
	char *path = xasprintf("%s/%s%s.csv", report->options->output, view->name, what);
	FILE *out = fopen(path, "we");
	int status = EXIT_SUCCESS;

	own.options = &options;
	if (!out) {
		status = cannot_write(path, errno);
		free(path);
		return status;
	}
	status = report_build(&own, &document, build);
	if (status == 0)
		format_csv(out, &document, &options);
	document_release(&document);
	errno = EIO;
	if (ferror(out) | fclose(out))
		status = cannot_write(path, errno);
	note_size(largest, path);
	free(path);
	return status;
}

/* Return: 0 or -errno; no incomplete copy remains */
static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC),
	    out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	ssize_t nr = -1;

	while (out >= 0 && (nr = sendfile(out, in, NULL, 1 << 26)) > 0)
		;
	nr = nr < 0 ? -errno : 0;
	if (out >= 0 && close(out) < 0 && nr == 0)
		nr = -errno;
	if (out >= 0 && nr < 0)
		unlink(to);
	if (in >= 0)
		close(in);
	return (int)nr;
}

/* Is @copy of the same process image as @log? */
static bool is_of_same(const char *log, const char *copy)
{
	struct log_header one, other;

	return run_read_head(log, &one, sizeof(one)) && run_read_head(copy, &other, sizeof(other)) &&
	       one.pid == other.pid && one.process_start == other.process_start &&
	       memcmp(&one.start, &other.start, sizeof(one.start)) == 0 &&
	       memcmp(one.boot_id, other.boot_id, sizeof(one.boot_id)) == 0;
}

/* A copy from earlier is replaced: the log may have grown. */
static int take_log(const struct report *report, const char *log)
{
	char *to = xasprintf("%s/%s", report->options->output, path_base(log));
	int result = 0;

	if (is_same_file(log, to)) {
		free(to);
		return EXIT_SUCCESS;
	}
	if (access(to, F_OK) == 0 && (!is_of_same(log, to) || unlink(to) < 0))
		result = -EEXIST;
	else if (report->options->logs != LOGS_MOVE || rename(log, to) < 0)
		result = copy_file(log, to);
	if (result == 0 && report->options->logs == LOGS_MOVE && access(log, F_OK) == 0 && unlink(log) < 0)
		result = -errno;
	if (result < 0)
		cannot_write(to, -result);
	free(to);
	return result < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define TAKEN_FROM	".insideme-runs"	/* a file there: start and name of each run it has logs of */
#define LINE_MOST	4096

/*
 * Logs of several runs in one folder would be read as one run. Later logs of the same runs may be added.
 * Return: false after an error()
 */
static bool is_folder_of(const struct report *report)
{
	char *path = xasprintf("%s/%s", report->options->output, TAKEN_FROM), *runs = xstrdup(""), *longer;
	char *before;
	const char *name;
	FILE *file = fopen(path, "re");
	bool is_new = !file, is_same = true;

	for (size_t i = 0; i < report->nr_runs; i++) {
		longer = xasprintf("%s%" PRIu64 " %s\n", runs, report->runs[i].start_realtime_ns,
				   report->runs[i].name);
		free(runs);
		runs = longer;
	}
	before = xcalloc(strlen(runs) + LINE_MOST, 1);
	if (file) {
		fread(before, 1, strlen(runs) + LINE_MOST - 1, file);
		fclose(file);
		is_same = strcmp(before, runs) == 0;
	}
	file = is_new ? fopen(path, "we") : NULL;
	if (file) {
		fputs(runs, file);
		fclose(file);
	}
	name = strchr(before, ' ') ? strchr(before, ' ') + 1 : before;
	if (!is_same)
		error("--copy, --move: %s has logs of %.*s; logs of another run need a folder of their own",
		      report->options->output, (int)strcspn(name, "\n"), name);
	free(path);
	free(runs);
	free(before);
	return is_same;
}

/* Asked before anything is written: another run's folder stays as it is. Return: false after an error() */
static bool may_take_logs(const struct report *report)
{
	if (report->options->logs == LOGS_MOVE && model_is_running(report->model)) {
		error("--move: the run still goes on; --copy copies what there is now");
		return false;
	}
	return is_folder_of(report);
}

static int take_logs(const struct report *report)
{
	int status = EXIT_SUCCESS;

	for (size_t i = 0; i < report->nr_runs && status == 0; i++)
		for (size_t j = 0; j < report->runs[i].nr_logs && status == 0; j++)
			status = take_log(report, report->runs[i].logs[j]);
	return status;
}

/* A saved profile has no curves to draw. cairo_load() reports a missing library. */
static bool has_pictures(const struct report *report)
{
	const struct model *model = report->model;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->nr_rowsets;
	return nr && model->to > model->from && !report_is_of_threads(report) && cairo_load();
}

static bool has_graph(const struct report *report)
{
	return report->model->nr_functions && dot_can_draw();
}

/* The formats that can be drawn here. */
static int write_pictures(const struct report *report)
{
	const bool has_curves = has_pictures(report);
	const struct {
		const char *name;
		int (*write)(struct report *report);
		bool can_be;
	} pictures[] = { { "resources.svg", export_svg, has_curves },
			 { "resources.png", export_png, has_curves },
			 { "graph.pdf", export_dot, has_graph(report) } };
	int status = EXIT_SUCCESS;

	for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures) && status == 0; i++) {
		if (!pictures[i].can_be)
			continue;
		char *path = xasprintf("%s/%s", report->options->output, pictures[i].name);
		struct options options = { .view = "resources", .output = path };
		struct report own = *report;

		own.options = &options;
		status = pictures[i].write(&own);
		free(path);
	}
	return status;
}

int folder_write(struct report *report)
{
	const char *folder = report->options->output;
	char *path = xasprintf("%s/insideme.html", folder);
	struct largest largest = { .bytes = -1 };
	char size[UNIT_TEXT_MAX];
	int status = EXIT_SUCCESS;
	char *rule = NULL;

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		status = cannot_write(folder, errno);
	if (status == 0 && report->options->logs && !may_take_logs(report))
		status = EXIT_FAILURE;
	if (status == 0)
		status = page_save(report, path);
	if (status == 0)
		rule = long_calls(report);
	for (const struct view *view = views; view->name && status == 0; view++) {
		if (report_is_of_threads(report) && view->build == view_resources)
			continue;	/* its readings are of whole processes */
		if (rule && view->build == view_events)
			continue;	/* entries and exits of calls are more than the calls */
		if (view->build == view_steps && !line_steps_are_in(report->model))
			continue;
		status = write_view(report, view, "", rule, view->build, &largest);
		if (status == 0 && report->diff && view->compare)
			status = write_view(report, view, "-diff", NULL, view->compare, &largest);
	}
	if (status == 0)
		status = write_pictures(report);
	if (status == 0 && report->options->logs)
		status = take_logs(report);
	if (status == 0)
		fprintf(stderr,
			"insideme-report: wrote %s: the page, csv of each view (the largest, %s: %s)%s%s\n",
			folder, largest.name, unit_format(size, UNIT_BYTES, largest.bytes),
			rule ? "; without events.csv and shorter calls (--max-size 0: with all)" : "",
			report->options->logs ? ", the logs" : "");
	free(largest.name);
	free(rule);
	free(path);
	return status;
}
