/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the runs, resolves names and prints a view in a format, or saves a profile. */
#include "analyzer/app/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/app/formats.h"
#include "analyzer/app/report_folder.h"
#include "analyzer/app/unknown_names.h"
#include "analyzer/ask/table_select.h"
#include "analyzer/base/error.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/terminal.h"
#include "analyzer/calls/mpi_waits.h"
#include "analyzer/cells/gate_rules.h"
#include "analyzer/cells/suppressions.h"
#include "analyzer/formats/export.h"
#include "analyzer/lines/line_counts.h"
#include "analyzer/load/load.h"
#include "analyzer/load/match_builds.h"
#include "analyzer/load/run_times.h"
#include "analyzer/model/model.h"
#include "analyzer/model/names_file.h"
#include "analyzer/model/resolve.h"
#include "analyzer/profile/profile.h"
#include "analyzer/read/fields.h"
#include "analyzer/read/transfers_read.h"
#include "analyzer/runs/choose_runs.h"
#include "analyzer/runs/run.h"
#include "analyzer/summary/doubts.h"
#include "analyzer/summary/summary.h"
#include "analyzer/views/view_balance.h"

/* On a terminal, long text goes through a pager. Return: false if it could not be written */
static bool print_on_screen(struct document *document, const struct format *format,
			    const struct options *options)
{
	struct options on_screen = *options;
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	bool written;

	if (!memory)
		return false;
	on_screen.screen = stdout;
	format->print(memory, document, &on_screen);
	fclose(memory);
	written = pager_show(text, bytes);
	free(text);
	return written;
}

int report_print(struct document *document, const struct format *format, const struct options *options)
{
	bool paged = !options->output && !options->no_pager && format->bit == IN_TEXT && pager_is_wanted();
	struct whole_file file;

	if (paged) {
		if (print_on_screen(document, format, options))
			return EXIT_SUCCESS;
		return error("cannot write the report: %s", strerror(errno)), EXIT_FAILURE;
	}
	if (!export_open(&file, options))
		return EXIT_FAILURE;
	format->print(file.out, document, options);
	return export_close(&file);
}

/*
 * Whether the tables of the view had rows. A view without tables counts as having some: its text says what
 * there is.
 */
static bool has_rows(const struct document *document, const struct format *format)
{
	bool has_table = false;

	for (size_t i = 0; i < document->nr_sections; i++) {
		const struct table *table = document->sections[i].table;

		if (!table || table->aside || !(table->formats & format->bit))
			continue;
		if (table->nr_given)
			return true;
		has_table = true;
	}
	return !has_table;
}

static bool is_saved(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (!model->processes[i]->is_saved)
			return false;
	return model->nr_processes;
}

static int needs_logs(char option, const char *name)
{
	error("a saved profile has sums only: -%c %s needs logs", option, name);
	return EXIT_FAILURE;
}

static int report_view(struct report *report, const struct view *view, const struct format *format)
{
	struct document document = { .view = view->name };
	int status;

	if (view->has_times && is_saved(report->model))
		return needs_logs('v', view->name);
	status = report_build(report, &document, report->diff ? view->compare : view->build);
	for (size_t i = 0; i < document.nr_sections && status == 0; i++) {
		struct table *table = document.sections[i].table;

		if (table && (table->formats & format->bit))
			status = rows_check(table, report->options, format->bit == IN_TEXT);
	}
	if (status == 0 && format->print != format_text && format->print != format_csv)
		doubts_tell(&document, report->model);
	if (status == 0)
		status = report_print(&document, format, report->options);
	if (status == 0 && report->options->match && !has_rows(&document, format))
		unknown_function(report->model, report->options->match);
	if (status == 0 && !report->options->match && !has_rows(&document, format) &&
	    report_has_damage(report)) {
		error("%s: damage left nothing for this view", report->runs[0].path);
		status = EXIT_FAILURE;
	}
	document_release(&document);
	return status == 0 && report->failed ? EXIT_GATE : status;
}

/* Save names for later reports: on another machine, or after a rebuild. Return: exit status */
static int save_names(const struct report *report)
{
	char *path = report->nr_runs == 1 ? run_own_file(&report->runs[0], NAMES_FILE) : NULL;
	bool failed =
		path && resolve_save(report->model, path) < 0 && report->options->task == TASK_SAVE_NAMES;

	if (failed)
		error("cannot write %s: %s", path, strerror(errno));
	free(path);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Waiting is computed from the calls of all ranks, so a part has its calls instead. */
static void sums_of_part(struct model *model, struct rank_sums *sums)
{
	*sums = (struct rank_sums){ .is_part = true, .is_cut = transfers_until(model) != INT64_MAX };
	for (size_t i = 0; i < model->nr_profiles; i++)
		sums->is_cut |= model->profiles[i] && model->saved_ranks->is_cut;
}

static struct rank_sums sums_of_run(const struct mpi_waits *waits)
{
	return (struct rank_sums){ .waits = waits->waits,
				   .nr_waits = waits->nr,
				   .recorded = waits->recorded,
				   .nr_recorded = waits->nr_recorded,
				   .nr_matched = waits->nr_matched,
				   .nr_unmatched = waits->nr_unmatched,
				   .is_cut = waits->is_cut };
}

/* Return: exit status */
static int save(struct model *model, const char *path, bool is_part)
{
	struct mpi_waits waits = { 0 };
	struct rank_sums ranks;
	int result;

	if (is_part) {
		sums_of_part(model, &ranks);
	} else {
		mpi_waits_read(model, &waits);
		ranks = sums_of_run(&waits);
	}
	ranks.nr_ranges = balance_ranges(model, is_part, &ranks.ranges);
	result = profile_write(model, &ranks, path);
	free(ranks.ranges);
	mpi_waits_release(&waits);
	return result < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Write the report in the form that was asked for. Return: exit status */
static int write_report(struct report *report, const struct view *view, const struct format *format)
{
	const struct options *options = report->options;

	if (options->save)
		return save(report->model, options->save, false);
	if (options->task == TASK_SAVE_NAMES) {
		line_counts_keep(report->model);
		return EXIT_SUCCESS;
	}
	if (options_want_folder(options))
		return folder_write(report);
	if (format->needs_logs && is_saved(report->model))
		return needs_logs('f', format->name);
	return format->write ? format->write(report) : report_view(report, view, format);
}

/* Resolve names, and write the report. Return: exit status */
static int show(struct report *report, const struct view *view, const struct format *format)
{
	const struct options *options = report->options;
	char *limits = filter_text(&options->filter), *title, *times;
	struct diff diff = { .nr_paths = 0 };
	int status = window_apply(&options->window, report->model);

	times = window_text(&options->window, report->model);
	title = xasprintf("%s%s%s%s%s", report_program(report), limits ? " " : "", limits ? limits : "",
			  times ? ", " : "", times ? times : "");
	report->title = title;
	report->limits = limits;
	resolve_names(report->model);
	if (report->before) {
		resolve_names(report->before->model);
		diff_init(&diff, report->before->model, report->model);
		report->diff = &diff;
	}
	progress_end();
	if (status == 0 && options->suppressions)
		status = suppressions_apply(report->model, options->suppressions) < 0 ? EXIT_FAILURE
										      : EXIT_SUCCESS;
	/* views that need fields of the run alone apply these themselves */
	if (status == 0 && (options->fields || options->save))
		status = fields_apply(report->model, options->fields) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	if (status == 0)
		status = write_report(report, view, format);
	if (status == 0)
		status = save_names(report);
	diff_release(&diff);
	free(limits);
	free(times);
	free(title);
	return status;
}

/* A report, and the memory that belongs to it. */
struct loaded {
	struct report report;
	struct run *runs;
};

/* Return: false, after an error() */
static bool load(struct loaded *loaded, const struct options *options, char *const *names)
{
	/* the first part's reader says the same */
	const bool were_hidden = messages_hide(options->filter.part);
	const long nr_runs = choose_runs(&loaded->runs, names, options->save);

	messages_show(were_hidden);

	loaded->report = (struct report){ .options = options };
	if (nr_runs <= 0)
		return false;
	loaded->report.runs = loaded->runs;
	loaded->report.nr_runs = (size_t)nr_runs;
	loaded->report.model = model_load_runs(loaded->runs, loaded->report.nr_runs, &options->filter);
	if (loaded->report.model && !options->filter.part)
		versions_tell(loaded->report.model);
	if (loaded->report.model && (options->save || options->gate ||
				     (options->diff && (loaded->report.model->nr_runs > 1 ||
							 loaded->report.model->is_sampled))))
		run_times_read(loaded->report.model, loaded->runs, loaded->report.nr_runs, &options->filter);
	return loaded->report.model;
}

static void unload(struct loaded *loaded)
{
	if (loaded->report.model)
		model_free(loaded->report.model);
	if (loaded->report.nr_runs)
		choose_free(loaded->runs, loaded->report.nr_runs);
}

/* "%e" is the program's name, "%p" its pid, "%h" the host, "%r" the rank: of the first process. To be freed.
 */
static char *expand_name(const char *name, const struct model *model)
{
	const struct log_header *header = model->nr_processes ? &model->processes[0]->header : NULL;
	char *expanded = NULL;
	size_t bytes;
	FILE *out = open_memstream(&expanded, &bytes);

	for (; out && *name; name++) {
		const char kind = *name == '%' && header ? name[1] : '\0';

		name += kind && strchr("ehpr", kind);
		if (kind == 'e')
			fputs(header->program, out);
		else if (kind == 'h')
			fputs(header->host, out);
		else if (kind == 'p')
			fprintf(out, "%" PRIu32, header->pid);
		else if (kind == 'r')
			fprintf(out, "%" PRId32, header->rank > 0 ? header->rank : 0);
		else
			fputc(*name, out);
	}
	if (!out || fclose(out))
		error("%s", strerror(errno));
	return expanded;
}

static const struct view gate_view = { "gate", "the rules of --gate", view_gate, false, view_gate };

static int make_report(const struct options *options, const struct view *view, const struct format *format,
		       const struct gate_rules *rules)
{
	struct loaded loaded = { 0 }, before = { 0 };
	struct options named = *options;
	char *output = NULL;
	int status = EXIT_FAILURE;

	progress_begin();
	if (load(&loaded, options, options->runs) &&
	    (!options->diff || load(&before, options, options->diff))) {
		output = options->output ? expand_name(options->output, loaded.report.model) : NULL;
		named.output = output;
		loaded.report.options = &named;
		loaded.report.before = options->diff ? &before.report : NULL;
		loaded.report.gate = rules;
		status = show(&loaded.report, view, format);
	}
	unload(&loaded);
	unload(&before);
	free(output);
	progress_end();
	return status;
}

static bool can_compare(const struct options *options, const struct view *view, const struct format *format)
{
	return options_want_folder(options) ||
	       (format->print ? view->compare != NULL : format->has_diff);
}

static int judge(const struct options *options, const struct format *format)
{
	struct gate_rules rules;
	int status;

	if (!format->print || options_want_folder(options))
		return error("--gate: only as text, csv, json, markdown or junit"), EXIT_USAGE;
	status = gate_rules_parse(&rules, options->gate);
	if (status == 0)
		status = make_report(options, &gate_view, format, &rules);
	gate_rules_release(&rules);
	return status;
}

int report_make(struct options *options)
{
	const struct view *view = view_find(options->view);
	const struct format *format = format_find(options->format);
	int status;

	if (!view)
		return unknown_view(options->view);
	if (!format)
		return unknown_format(options->format);
	if (window_is_given(&options->window) && !view->has_times && !format->has_times)
		return view_has_totals_only(view);
	if (options->row_filter && ((!format->print && !format->has_calls) || options_want_folder(options)))
		return error("--filter selects rows of one view, or calls: text, csv, json, pikos, a trace"),
		       EXIT_USAGE;
	if (format->is_binary && !options->output && isatty(STDOUT_FILENO))
		return error("-f %s is not for a terminal: -o FILE", format->name), EXIT_USAGE;
	if (format->bit == IN_JUNIT && !options->gate)
		return error("-f junit: only with --gate"), EXIT_USAGE;
	if (options->diff && !options->gate && !can_compare(options, view, format))
		return view_has_no_diff();
	status = options->gate ? judge(options, format) : make_report(options, view, format, NULL);
	filter_release(&options->filter);
	free(options->diff);
	return status;
}

int report_make_page(const struct options *options)
{
	return make_report(options, view_find("summary"), format_find("html"), NULL);
}

/* ---- parts of a run ---- */

/* Return: exit status; without processes nothing is written */
static int save_part(const struct options *options)
{
	struct loaded loaded = { 0 };
	int status = EXIT_FAILURE;

	progress_begin();
	if (load(&loaded, options, options->runs)) {
		struct model *model = loaded.report.model;

		if (model->nr_runs > 1) {
			error("parts are of one run, and here are %zu", model->nr_runs);
		} else if (!model->nr_processes) {
			status = EXIT_SUCCESS;
		} else {
			resolve_names(model);
			if (fields_apply(model, options->fields) == 0)
				status = save(model, options->save, true);
		}
	}
	unload(&loaded);
	progress_end();
	return status;
}

int report_save_part(const struct options *options, size_t part, size_t nr_parts, const char *path)
{
	struct options own = { .fields = options->fields, .runs = options->runs, .save = path };

	memcpy(own.filter.lists, options->filter.lists, sizeof(own.filter.lists));
	own.filter.part = part;
	own.filter.nr_parts = nr_parts;
	return save_part(&own);
}

int report_join_parts(char **parts, const char *path)
{
	return save_part(&(struct options){ .runs = parts, .save = path });
}

void report_use_parts(struct options *options, char **parts)
{
	memset(options->filter.lists, 0, sizeof(options->filter.lists));
	options->runs = parts;
}
