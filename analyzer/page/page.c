/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The html page: all data, put into the page that web/ was built to. */
#include "analyzer/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/units.h"
#include "analyzer/base/whole_file.h"
#include "analyzer/calls/function_resources.h"
#include "analyzer/formats/export.h"
#include "analyzer/views/views.h"

#define DEFAULT_PATH	"insideme.html"

/* The built page, with a mark where the data goes. Empty if it was not built. */
extern const char page_begin[], page_end[];
__asm__(".section .rodata\n"
	".global page_begin, page_end\n"
	"page_begin:\n"
	".incbin \"" PAGE_FILE "\"\n"
	"page_end:\n"
	".byte 0\n"
	".previous\n");
static const char data_mark[] = "<!--data-->", text_mark[] = "<!--text-->";

/* Views whose data has its own sheets instead of tables, or whose rows are too many for a page. */
static bool is_apart(const struct view *view)
{
	static const char *const apart[] = { "tree", "callers", "callees", "calls", "events", "steps" };

	for (size_t i = 0; i < sizeof(apart) / sizeof(*apart); i++)
		if (strcmp(view->name, apart[i]) == 0)
			return true;
	return false;
}

static size_t pack_sheets(struct page *page)
{
	size_t bytes = 0;

	for (size_t i = 0; i < page->nr_sheets; i++)
		bytes += sheet_pack(page->sheets[i]);
	return bytes;
}

static void add_about(struct page *page)
{
	struct report *report = page->report;
	const struct model *model = report->model;
	json_t *about = page_sheet(page, "about")->about;

	json_object_set_new(about, "program", page_text(report_program(report)));
	json_object_set_new(about, "title", page_text(report->title));
	json_object_set_new(about, "version", json_string(INSIDEME_VERSION));
	json_object_set_new(about, "start_realtime_ns", json_real((double)model->start_realtime_ns));
	json_object_set_new(about, "end_ns", json_integer(model->end));
	json_object_set_new(about, "functions_ns", json_real(model->functions_ns));
	json_object_set_new(about, "runs", json_integer((json_int_t)report->nr_runs));
	json_object_set_new(about, "is_running", json_boolean(model_is_running(model)));
	json_object_set_new(about, "has_heap", json_boolean(report_has_heap(report)));
	json_object_set_new(about, "has_times", json_boolean(report_has_times(report)));
	json_object_set_new(about, "is_sampled", json_boolean(model->is_sampled));
	json_object_set_new(about, "functions_sort", json_string(report_functions_sort(report)));
	json_object_set_new(about, "is_by_cpu", json_boolean(functions_are_by_cpu(report)));
	if (functions_are_by_cpu(report)) {	/* of all functions, as functions_ns */
		json_object_set_new(about, "cpu_ns", json_real(model->used_ns[USE_CPU_NS]));
		json_object_set_new(about, "blocked_ns", json_real(model->used_ns[USE_BLOCKED_NS]));
	}
	if (report->options->time_unit)
		json_object_set_new(about, "time_unit", json_string(report->options->time_unit));
	if (report->options->mem_unit)
		json_object_set_new(about, "mem_unit", json_string(report->options->mem_unit));
	json_object_set_new(about, "outside_alloc_bytes",
			    json_integer((json_int_t)model->root->heap->alloc_bytes));
}

/* Only calls over time can be merged to save room. Functions, call paths and samples are always complete. */
static void say_size(size_t bytes, size_t bytes_max)
{
	char has[UNIT_TEXT_MAX], most[UNIT_TEXT_MAX];

	if (bytes > bytes_max)
		warning("the page has %s, more than --max-size %s: only calls over time are merged to save "
			"room, not functions, call paths and samples",
			unit_format(has, UNIT_BYTES, bytes),
			unit_format(most, UNIT_BYTES, bytes_max));
}

static int fill(struct page *page)
{
	size_t bytes, bytes_max = options_most_bytes(page->report->options, PAGE_BYTES);
	int status = 0;

	add_about(page);
	for (const struct view *view = views; view->name && status == 0; view++)
		if (!is_apart(view) && !(report_is_of_threads(page->report) && view->build == view_resources))
			status = page_add_view(page, view->name, view->build);
	if (status == 0 && page->report->diff)
		status = page_add_view(page, "diff", view_functions_diff);
	page_add_processes(page);
	page_add_thrown(page);
	page_add_functions(page);
	page_add_tree(page);
	if (!page->report->options->no_source)
		page_add_source(page);
	page_add_ranks(page);
	page_add_series(page);
	page_add_states(page);
	bytes = pack_sheets(page) + (size_t)(page_end - page_begin);
	page_add_timeline(page, bytes < bytes_max ? bytes_max - bytes : 0);
	say_size(bytes + page->sheets[page->nr_sheets - 1]->packed_bytes, bytes_max);
	return status;
}

/* Print the page from @at to @mark. Return: behind the mark */
static const char *print_up_to(const char *mark, const char *at, FILE *out)
{
	const char *split = memmem(at, (size_t)(page_end - at), mark, strlen(mark));

	fwrite(at, 1, (size_t)(split - at), out);
	return split + strlen(mark);
}

/* Print text so that none of it is markup. */
static void print_text(const char *text, FILE *out)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			fputc(*text, out);
		}
}

static void print(const struct page *page, FILE *out)
{
	const char *at = print_up_to(text_mark, page_begin, out);

	print_text(page->text ?: "", out);
	at = print_up_to(data_mark, at, out);
	for (size_t i = 0; i < page->nr_sheets; i++)
		sheet_write(page->sheets[i], out);
	fwrite(at, 1, (size_t)(page_end - at), out);
}

/* Return: 0 or -errno */
static int save(const struct page *page, const char *path)
{
	struct whole_file file;
	int result = whole_file_open(&file, path);

	if (result < 0)
		return result;
	if (export_is_compressed(page->report->options))
		result = whole_file_compress(&file);
	if (result == 0)
		print(page, file.out);
	return whole_file_close(&file, result == 0);
}

static void release(struct page *page)
{
	for (size_t i = 0; i < page->nr_sheets; i++) {
		sheet_release(page->sheets[i]);
		free(page->sheets[i]);
	}
	free(page->sheets);
	free(page->text);
	free(page->function_of);
	free(page->path_of);
}

int page_save(struct report *report, const char *path)
{
	struct page page = { .report = report };
	int status, result = 0;

	if (&page_begin[0] == &page_end[0]) {
		error("-f html: this insideme-report was built without its page; "
		      "install npm, and build it again");
		return EXIT_FAILURE;
	}
	status = fill(&page);
	if (status == 0)
		result = save(&page, path);
	release(&page);
	if (result < 0) {
		error("cannot write %s: %s", path, strerror(-result));
		return EXIT_FAILURE;
	}
	return status;
}

int page_write(struct report *report)
{
	const char *path = report->options->output ?: DEFAULT_PATH;
	int status = page_save(report, path);

	if (status == 0 && !report->options->output)
		fprintf(stderr, "insideme-report: wrote %s\n", path);
	return status;
}
