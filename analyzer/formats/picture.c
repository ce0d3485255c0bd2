/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture of resources over time: CPU; memory, with the longest calls in brackets and the peak marked;
 * I/O. With --columns a panel for each of them, whatever was read.
 */
#include "analyzer/formats/picture.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/slices.h"
#include "analyzer/cells/readings.h"
#include "analyzer/formats/export.h"
#include "analyzer/resources/series.h"

#define PANEL_GAP	40
#define LEGEND_LINE	14
#define BRACKETS_MAX	24
#define CURVES_MAX	8	/* processes that get a curve of their own */

struct panel {
	const char *title;
	const char *column;
	/*
	 * a curve for each process, with the peak marked; otherwise one of the sum, if the run is a single
	 * one
	 */
	bool each;
};

static const struct panel panels[] = {
	{ "CPU", "cpu_ns", false },
	{ "RSS", "rss_bytes", true },
	{ "heap", "heap_bytes", false },
	{ "read", "read_bytes", false },
	{ "written", "write_bytes", false },
};
#define NR_PANELS (sizeof(panels) / sizeof(*panels))

struct bracket {
	const struct function *function;
	int64_t start, end;
	double before_mib, after_mib;		/* RSS; NAN: not known */
};

struct brackets {
	struct bracket list[BRACKETS_MAX];	/* the longest first */
	size_t nr;
};

/*
 * Draw [ where a call began, or ] where it ended; @to: the direction in which it opens. Nothing is drawn
 * outside of the picture.
 */
static void draw_bracket(const struct picture *picture, int64_t time, double y, double to)
{
	double x = picture_x(picture, time);

	if (time < picture->model->from || time > picture->model->to)
		return;
	picture->call->move_to(picture->cairo, x + to, y - 8);
	picture->call->line_to(picture->cairo, x, y - 8);
	picture->call->line_to(picture->cairo, x, y + 8);
	picture->call->line_to(picture->cairo, x + to, y + 8);
	picture->call->stroke(picture->cairo);
}

/* Write a legend below a panel, two in a line. Return: height of the legends so far */
static double write_legend(const struct picture *picture, double top, size_t which, const char *text)
{
	picture_text(picture, PICTURE_LEFT + (double)(which % 2) * PICTURE_STEPS / 2,
		     top + PANEL_HEIGHT + 30 + (double)(which / 2) * LEGEND_LINE, 11, ALIGN_LEFT, text);
	return (double)(which / 2 + 1) * LEGEND_LINE;
}

/* @below: height of the legends below the panel. Return: that height, with a line for each bracket */
static double draw_brackets(const struct picture *picture, const struct brackets *brackets, double top,
			    double highest, double below)
{
	size_t above = 2 * (size_t)(below / LEGEND_LINE);

	for (size_t i = 0; i < brackets->nr; i++) {
		const struct bracket *bracket = &brackets->list[i];
		const struct function *function = bracket->function;
		char took[UNIT_TEXT_MAX], *text;

		picture_colour(picture, i + 1);
		picture->call->set_line_width(picture->cairo, 2);
		draw_bracket(picture, bracket->start,
			     picture_y(top, fmax(bracket->before_mib, 0) * (1 << 20), highest), 4);
		draw_bracket(picture, bracket->end,
			     picture_y(top, fmax(bracket->after_mib, 0) * (1 << 20), highest), -4);
		text = xasprintf("[ ]  %s  %s", function->short_name ? function->short_name : function->name,
				 unit_format(took, UNIT_NS, bracket->end - bracket->start));
		below = write_legend(picture, top, above + i, text);
		free(text);
	}
	return below;
}

/*
 * Draw the curve of a process and, if there are several, name it in the legend. Return: height of the
 * legends
 */
static double name_curve(const struct picture *picture, double top, const struct process *process,
			 const struct series *series, size_t which)
{
	char peak[UNIT_TEXT_MAX], when[UNIT_TEXT_MAX];
	char *text = xasprintf("%s (%" PRIu32 ")  peak %s after %s", process->header.program,
			       process->header.pid, unit_format(peak, series->unit, series->peak),
			       unit_format(when, UNIT_NS, series->peak_time));
	double x = PICTURE_LEFT + (double)(which % 2) * PICTURE_STEPS / 2,
	       y = top + PANEL_HEIGHT + 26 + (double)(which / 2) * LEGEND_LINE;
	double below;

	picture_colour(picture, which);
	picture->call->set_line_width(picture->cairo, 3);
	picture->call->move_to(picture->cairo, x - 14, y);
	picture->call->line_to(picture->cairo, x - 4, y);
	picture->call->stroke(picture->cairo);
	below = write_legend(picture, top, which, text);
	free(text);
	return below;
}

/* Draw the processes that used most, and mark the highest peak. Return: where the next panel begins */
static double draw_each(const struct picture *picture, const struct brackets *brackets,
			const struct panel *panel, double top)
{
	struct process *processes[CURVES_MAX];
	struct series series[CURVES_MAX];
	size_t nr = busiest_processes(picture->model, panel->column, processes, CURVES_MAX), nr_known = 0;
	double below = 0, highest = 0;

	for (size_t i = 0; i < nr; i++) {
		struct rowset *rows = process_rowset(processes[i], "process");
		int column = rows ? rowset_column(rows, panel->column) : -1;

		if (column < 0)
			continue;
		series_of_column(&series[nr_known], picture->model, processes[i], rows, (uint32_t)column,
				 PICTURE_STEPS);
		processes[nr_known] = processes[i];
		if (series[nr_known].known && series[nr_known].peak > 0)
			highest = fmax(highest, series[nr_known++].peak);
		else
			series_release(&series[nr_known]);
	}
	if (!nr_known)
		return top;
	picture_axes(picture, top, panel->title, highest, series[0].unit);
	for (size_t i = 0; i < nr_known; i++) {
		picture_curve(picture, top, highest, &series[i], i);
		if (nr_known > 1)
			below = name_curve(picture, top, processes[i], &series[i], i);
	}
	if (panel->each) {
		picture_peak(picture, top, highest, &series[0]);
		below = draw_brackets(picture, brackets, top, highest, below);
	}
	for (size_t i = 0; i < nr_known; i++)
		series_release(&series[i]);
	return top + PANEL_HEIGHT + PANEL_GAP + below;
}

/* Return: where the next panel begins */
static double draw_sum(const struct picture *picture, const char *set, const struct panel *panel, double top)
{
	struct series series;
	bool is_shown;

	series_of_all(&series, picture->model, set, panel->column, PICTURE_STEPS);
	is_shown = series.known && series.peak > 0;
	if (is_shown) {
		picture_axes(picture, top, panel->title, series.peak, series.unit);
		picture_curve(picture, top, series.peak, &series, 0);
	}
	series_release(&series);
	return is_shown ? top + PANEL_HEIGHT + PANEL_GAP : top;
}

static int longest_first(const void *a, const void *b)
{
	const struct bracket *x = a, *y = b;

	return (x->end - x->start < y->end - y->start) - (x->end - x->start > y->end - y->start);
}

static void collect_brackets(struct brackets *brackets, const struct report *report)
{
	struct slice_reader *reader = slices_open_all(report->model);
	struct slice slice;

	while (slices_next(reader, &slice)) {
		if (!export_wants_call(report, &slice))
			continue;
		if (brackets->nr == BRACKETS_MAX)
			brackets->nr--;
		brackets->list[brackets->nr++] = (struct bracket){
			slice.node->function, slice.start, slice.end, export_rss_before(&slice),
			export_rss_after(&slice),
		};
		if (brackets->nr == BRACKETS_MAX)
			qsort(brackets->list, brackets->nr, sizeof(*brackets->list), longest_first);
	}
	slices_close(reader);
	qsort(brackets->list, brackets->nr, sizeof(*brackets->list), longest_first);
}

static void draw_title(const struct picture *picture, const struct report *report)
{
	time_t start = (time_t)(picture->model->start_realtime_ns / 1000000000);
	const char *command =
		picture->model->nr_processes ? picture->model->processes[0]->command : report_program(report);
	char date[64], *several;
	struct tm tm;

	picture_colour(picture, 0);
	picture_text(picture, PICTURE_LEFT, 20, 14, ALIGN_LEFT, command);
	if (report->nr_runs > 1) {
		several = xasprintf("%zu runs, each from its own start", report->nr_runs);
		picture_text(picture, PICTURE_LEFT, 36, 11, ALIGN_LEFT, several);
		free(several);
		return;
	}
	strftime(date, sizeof(date), "start %Y-%m-%d %H:%M:%S", localtime_r(&start, &tm));
	picture_text(picture, PICTURE_LEFT, 36, 11, ALIGN_LEFT, date);
}

/* Return: the set of readings that has the column @name; NULL if no process has one */
static const char *set_of(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_rowsets; j++)
			if (rowset_column(&process->rowsets[j], name) >= 0)
				return process->rowsets[j].set;
	}
	return NULL;
}

/* A panel for each column of --columns. Return: where the last one ends */
static double draw_columns(const struct picture *picture, const char *columns, double top)
{
	char *list = xstrdup(columns), *rest = list;

	for (const char *name; (name = strsep(&rest, ","));)
		top = draw_sum(picture, set_of(picture->model, name), &(struct panel){ name, name, false },
			       top);
	free(list);
	return top;
}

/* Return: whether there is a reading of each column of --columns; an error() if not */
static bool knows_columns(const struct report *report)
{
	char *list = xstrdup(report->options->columns ? report->options->columns : ""), *rest = list;
	const char *unknown = NULL;

	for (const char *name; !unknown && report->options->columns && (name = strsep(&rest, ","));)
		unknown = set_of(report->model, name) ? NULL : name;
	if (unknown)
		error("a picture has columns as -v resources lists them, not '%s'", unknown);
	free(list);
	return !unknown;
}

/* Return: its height */
static double draw(struct picture *picture, const struct brackets *brackets, const struct report *report)
{
	double top = PICTURE_TOP;

	picture->call->set_source_rgb(picture->cairo, 1, 1, 1);
	picture->call->paint(picture->cairo);
	picture->call->select_font_face(picture->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
					CAIRO_FONT_WEIGHT_NORMAL);
	draw_title(picture, report);
	if (report->options->columns)
		return draw_columns(picture, report->options->columns, top);
	for (size_t i = 0; i < NR_PANELS; i++)
		top = panels[i].each || report->nr_runs > 1
			      ? draw_each(picture, brackets, &panels[i], top)
			      : draw_sum(picture, "process", &panels[i], top);
	return top;
}

static cairo_surface_t *begin(struct picture *picture, cairo_surface_t *surface)
{
	picture->cairo = picture->call->create(surface);
	return surface;
}

/* Draw it on an invisible surface to measure it. */
static double find_height(struct picture *picture, const struct brackets *brackets,
			  const struct report *report)
{
	cairo_surface_t *surface =
		begin(picture, picture->call->image_surface_create(CAIRO_FORMAT_RGB24, 1, 1));
	double height = draw(picture, brackets, report);

	picture->call->destroy(picture->cairo);
	picture->call->surface_destroy(surface);
	return height;
}

static cairo_status_t write_bytes(void *file, const unsigned char *data, unsigned length)
{
	return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

enum kind { SVG, PNG, PDF };

static int write_picture(struct report *report, enum kind kind)
{
	struct picture picture = { .model = report->model };
	struct brackets brackets = { .nr = 0 };
	cairo_surface_t *surface;
	double height;
	struct whole_file file;
	FILE *out;

	if (strcmp(report->options->view, "resources") != 0 &&
	    strcmp(report->options->view, "summary") != 0) {
		error("pictures are of -v resources");
		return EXIT_USAGE;
	}
	if (!knows_columns(report))
		return EXIT_USAGE;
	picture.call = cairo_load();
	if (!picture.call || report->model->to <= report->model->from ||
	    !export_open(&file, report->options))
		return EXIT_FAILURE;
	out = file.out;
	readings_clip(report->model);
	collect_brackets(&brackets, report);
	height = find_height(&picture, &brackets, report);
	if (kind == PNG)
		surface = picture.call->image_surface_create(CAIRO_FORMAT_RGB24, PICTURE_WIDTH, (int)height);
	else
		surface = (kind == SVG ? picture.call->svg_surface_create_for_stream
				       : picture.call->pdf_surface_create_for_stream)(write_bytes, out,
										      PICTURE_WIDTH, height);
	begin(&picture, surface);
	draw(&picture, &brackets, report);
	picture.call->destroy(picture.cairo);
	if (kind == PNG)
		picture.call->surface_write_to_png_stream(surface, write_bytes, out);
	picture.call->surface_finish(surface);
	picture.call->surface_destroy(surface);
	return export_close(&file);
}

int export_svg(struct report *report)
{
	return write_picture(report, SVG);
}

int export_png(struct report *report)
{
	return write_picture(report, PNG);
}

int export_pdf(struct report *report)
{
	return write_picture(report, PDF);
}

static struct cairo_calls calls;

static bool find(void *library, const char *name, void *place)
{
	void *symbol = dlsym(library, name);

	memcpy(place, &symbol, sizeof(symbol));
	return symbol;
}

const struct cairo_calls *cairo_load(void)
{
	void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
	bool all = library;

#define FIND(name) all = all && find(library, "cairo_" #name, &calls.name);
	CAIRO_CALLS(FIND)
#undef FIND
	if (all)
		return &calls;
	error("pictures need libcairo.so.2, which is not installed (Debian: libcairo2)");
	return NULL;
}
