/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line at the end, the summary, and the names that are saved with the run. */
#include "preload/monitor/finish_run.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/monitor/tools/installed.h"

/* The shortest path that can be typed here. */
static const char *short_path(const char *path)
{
	char here[PATH_MAX];
	size_t length;

	if (!getcwd(here, sizeof(here)))
		return path;
	length = strlen(here);
	return length > 1 && !strncmp(path, here, length) && path[length] == '/' ? path + length + 1 : path;
}

/* Without hooks there are only samples, and stacks of allocations. */
static const char *what_is_said(char *text, size_t bytes, const struct count *count)
{
	char number[COUNT_TEXT_BYTES], allocated[COUNT_TEXT_BYTES];

	if (count->calls || !count->is_sampled) {
		uint64_t nr = count->calls ? count->calls : count->samples;

		format_count(number, nr);
		snprintf(text, bytes, "%s %s%s", number, nr == count->calls ? "call" : "CPU sample",
			 nr == 1 ? "" : "s");
		return "";
	}
	format_count(number, count->stacks);
	format_bytes(allocated, count->sampled_bytes);
	snprintf(text, bytes, "%s stack%s of %s allocated", number, count->stacks == 1 ? "" : "s", allocated);
	return "-v heap ";
}

void finish_say(const char *run_path, const struct count *count)
{
	const char *path = short_path(run_path), *quote = strpbrk(path, " \t\"$&|;<>()*?[\\`") ? "'" : "",
		   *view;
	char what[3 * COUNT_TEXT_BYTES], bytes[COUNT_TEXT_BYTES];

	signal(SIGPIPE, SIG_IGN); /* the exit status is the program's, even if nobody reads the output */
	if (!count->log_bytes) {
		fprintf(stderr, "insideme: no process was recorded\n");
		return;
	}
	view = what_is_said(what, sizeof(what), count);
	format_bytes(bytes, count->log_bytes);
	fprintf(stderr, "insideme: %s, %s; read with: insideme-report %s%s%s%s\n", what, bytes, view, quote,
		path, quote);
}

void finish_say_sampled(const char *run_path, int nr_processes, uint64_t nr_bytes, bool has_stacks)
{
	char bytes[COUNT_TEXT_BYTES];

	format_bytes(bytes, nr_bytes);
	if (nr_processes)
		fprintf(stderr,
			"insideme: %d process%s sampled, %s; read with: insideme-report %s%s\n",
			nr_processes, nr_processes == 1 ? "" : "es", bytes, has_stacks ? "" : "-v resources ",
			short_path(run_path));
	else
		fprintf(stderr,
			"insideme: the machine was sampled, %s; read with: insideme-report -v resources %s\n",
			bytes, short_path(run_path));
}

void finish_print_summary(const char *run_path, const char *sort, const sigset_t *mask)
{
	const char *const page[] = { run_path, NULL };
	const char *const functions[] = { "-v", "functions", "--sort", sort, run_path, NULL };

	report_wait(report_start(sort ? functions : page, mask, REPORT_SHOWN));
}

void finish_save_names(const char *run_path, const sigset_t *mask)
{
	const char *const arguments[] = { "--save-names", run_path, NULL };

	report_wait(report_start(arguments, mask, REPORT_QUIET));
}
