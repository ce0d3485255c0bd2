/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line at the end, the summary, and the names that stay with the run. */
#include "monitor/finish.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "monitor/count.h"
#include "monitor/report.h"

/* As short as it can be typed from here. */
static const char *short_path(const char *path)
{
	char here[PATH_MAX];
	size_t length;

	if (!getcwd(here, sizeof(here)))
		return path;
	length = strlen(here);
	return length > 1 && !strncmp(path, here, length) && path[length] == '/' ? path + length + 1 : path;
}

void finish_say(const char *run_path, uint64_t nr_calls, uint64_t nr_bytes)
{
	const char *path = short_path(run_path), *quote = strpbrk(path, " \t\"$&|;<>()*?[\\`") ? "'" : "";
	char calls[COUNT_TEXT_BYTES], bytes[COUNT_TEXT_BYTES];

	signal(SIGPIPE, SIG_IGN);	/* the exit status is the program's, whoever still reads */
	if (!nr_bytes) {
		fprintf(stderr, "insideme: no process was recorded\n");
		return;
	}
	format_count(calls, nr_calls);
	format_bytes(bytes, nr_bytes);
	fprintf(stderr, "insideme: %s call%s, %s; read with: insideme-report %s%s%s\n", calls, nr_calls == 1 ? "" : "s", bytes,
		quote, path, quote);
}

void finish_say_sampled(const char *run_path, int nr_processes, uint64_t nr_bytes)
{
	char bytes[COUNT_TEXT_BYTES];

	format_bytes(bytes, nr_bytes);
	if (nr_processes)
		fprintf(stderr, "insideme: %d process%s sampled, %s; read with: insideme-report -v resources %s\n", nr_processes,
			nr_processes == 1 ? "" : "es", bytes, short_path(run_path));
	else
		fprintf(stderr, "insideme: the machine was sampled, %s; read with: insideme-report -v resources %s\n", bytes,
			short_path(run_path));
}

void finish_print_summary(const char *run_path, const sigset_t *mask)
{
	const char *const arguments[] = { run_path, NULL };

	report_wait(report_start(arguments, mask, REPORT_SHOWN));
}

void finish_save_names(const char *run_path, const sigset_t *mask)
{
	const char *const arguments[] = { "--save-names", run_path, NULL };

	report_wait(report_start(arguments, mask, REPORT_QUIET));
}
