/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder with the page, a csv of each view, and the logs. */
#include "analyzer/app/report_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/units.h"
#include "analyzer/formats/export.h"
#include "analyzer/formats/formats.h"
#include "analyzer/formats/picture.h"
#include "analyzer/views/views.h"

static int cannot_write(const char *path, int number)
{
	error("cannot write %s: %s", path, strerror(number));
	return EXIT_FAILURE;
}

/* The largest csv: if all calls were recorded, that of the events may have gigabytes. */
struct largest {
	char *name;
	off_t bytes;
};

static void note_size(struct largest *largest, const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0 || status.st_size <= largest->bytes)
		return;
	free(largest->name);
	*largest = (struct largest){ xstrdup(path_base(path)), status.st_size };
}

static int write_view(struct report *report, const struct view *view, const char *what,
		      int (*build)(struct document *document, struct report *report), struct largest *largest)
{
	struct options options = { .view = view->name, .format = "csv", .filter = report->options->filter };
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

static int take_log(const struct report *report, const char *log)
{
	char *to = xasprintf("%s/%s", report->options->output, path_base(log));
	int result = 0;

	if (access(to, F_OK) == 0)
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

static int take_logs(const struct report *report)
{
	int status = EXIT_SUCCESS;

	if (report->options->logs == LOGS_MOVE && model_is_running(report->model)) {
		error("--move: the run still goes on; --copy copies what there is now");
		return EXIT_FAILURE;
	}
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

static int write_pictures(const struct report *report)
{
	static const struct {
		const char *name;
		int (*write)(struct report *report);
	} pictures[] = { { "resources.svg", export_svg }, { "resources.png", export_png } };
	int status = EXIT_SUCCESS;

	for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures) && status == 0; i++) {
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
	bool pictures;

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		status = cannot_write(folder, errno);
	if (status == 0)
		status = page_save(report, path);
	for (const struct view *view = views; view->name && status == 0; view++) {
		if (report_is_of_threads(report) && view->build == view_resources)
			continue;	/* its readings are of whole processes */
		status = write_view(report, view, "", view->build, &largest);
		if (status == 0 && report->diff && view->compare)
			status = write_view(report, view, "-diff", view->compare, &largest);
	}
	pictures = status == 0 && has_pictures(report);
	if (pictures)
		status = write_pictures(report);
	if (status == 0 && report->options->logs)
		status = take_logs(report);
	if (status == 0)
		fprintf(stderr,
			"insideme-report: wrote %s: the page, csv of each view (the largest, %s: %s)%s%s\n",
			folder, largest.name, unit_format(size, UNIT_BYTES, (double)largest.bytes),
			pictures ? ", pictures of the resources" : "",
			report->options->logs ? ", the logs" : "");
	free(largest.name);
	free(path);
	return status;
}
