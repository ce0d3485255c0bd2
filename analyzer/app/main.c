/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-report: read the logs of a run, and print a view of them in a format. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/app/clean_runs.h"
#include "analyzer/app/follow.h"
#include "analyzer/app/formats.h"
#include "analyzer/app/list_runs.h"
#include "analyzer/app/report.h"
#include "analyzer/app/unknown_names.h"
#include "analyzer/ask/options.h"
#include "analyzer/ask/table_select.h"
#include "analyzer/base/error.h"
#include "analyzer/page/serve.h"
#include "analyzer/runs/run.h"
#include "analyzer/summary/summary.h"

static void list_views(void)
{
	for (const struct view *view = views; view->name; view++)
		printf("%-10s %s\n", view->name, view->help);
}

static void list_formats(void)
{
	for (const struct format *format = formats; format->name; format++)
		printf("%-21s %s\n", format->name, format->help);
}

static int make_list(const struct options *options)
{
	const struct format *format = format_find(options->format);
	struct document document = { .view = "runs" };
	struct run *runs;
	size_t nr;
	int status;

	if (!format)
		return unknown_format(options->format);
	if (!format->print)
		return error("--list: not available as %s", format->name), EXIT_USAGE;
	nr = run_list(&runs);
	if (!nr)
		return run_none(run_directory()), EXIT_FAILURE;
	list_runs(&document, runs, nr);
	status = rows_check(document.sections[0].table, options, format->bit == IN_TEXT);
	if (status == 0)
		status = report_print(&document, format, options);
	document_release(&document);
	for (size_t i = 0; i < nr; i++)
		run_release(&runs[i]);
	free(runs);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;

	signal(SIGPIPE, SIG_DFL);	/* a reader that stops early, such as head, is no error */
	setlocale(LC_CTYPE, "");	/* for what the terminal can show; numbers do not depend on it */
	if (options_parse(&options, argc, argv) != 0)
		return EXIT_USAGE;
	switch (options.task) {
	case TASK_HELP:
		options_print_help();
		return EXIT_SUCCESS;
	case TASK_VERSION:
		puts("insideme-report " INSIDEME_VERSION);
		return EXIT_SUCCESS;
	case TASK_LIST_VIEWS:
		list_views();
		return EXIT_SUCCESS;
	case TASK_LIST_FORMATS:
		list_formats();
		return EXIT_SUCCESS;
	case TASK_LIST_RUNS:
		return make_list(&options);
	case TASK_CLEAN:
		return clean_runs(options.keep, options.dry_run);
	case TASK_REMOVE:
		return remove_runs(options.runs, options.dry_run);
	case TASK_FOLLOW:
		return options.only_check ? follow_check(&options) : follow(&options);
	case TASK_SERVE:
		options.format = "html";
		return serve(&options, report_make_page);
	default:
		return report_make(&options);
	}
}
