/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resources over time as a picture: CPU, memory with the longest calls in brackets and the peak marked, I/O. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cairo_calls.h"
#include "error.h"
#include "export.h"
#include "memory_at.h"
#include "series.h"
#include "slices.h"

#define WIDTH		1000
#define LEFT		90
#define RIGHT		20
#define TOP		64
#define PANEL_HEIGHT	170
#define PANEL_GAP	40
#define LEGEND_LINE	14
#define NR_STEPS	(WIDTH - LEFT - RIGHT)
#define BRACKETS_MAX	24
#define CURVES_MAX	8	/* processes that have one of their own */

struct panel {
	const char *title;
	const char *column;	/* of the set "process" */
	bool each;		/* a curve for each process, its peak marked; else the sum */
};

static const struct panel panels[] = {
	{ "CPU", "cpu_ns", false },
	{ "RSS", "rss_bytes", true },
	{ "heap", "heap_bytes", false },
	{ "read", "read_bytes", false },
	{ "written", "write_bytes", false },
};
#define NR_PANELS (sizeof(panels) / sizeof(*panels))

static const double colours[][3] = {
	{ .12, .12, .12 }, { .12, .47, .71 }, { .84, .15, .16 }, { .17, .63, .17 }, { .58, .40, .74 }, { .55, .34, .29 },
	{ .89, .47, .76 }, { .74, .74, .13 },
};
#define NR_COLOURS (sizeof(colours) / sizeof(*colours))

struct bracket {
	const struct function *function;
	int64_t start, end;
	uint64_t start_ticks, end_ticks;
	struct process *process;
};

struct picture {
	const struct cairo_calls *call;
	cairo_t *cairo;
	struct model *model;
	struct bracket brackets[BRACKETS_MAX];	/* the longest first */
	size_t nr_brackets;
};

static void colour(const struct picture *picture, size_t which)
{
	const double *rgb = colours[which % NR_COLOURS];

	picture->call->set_source_rgb(picture->cairo, rgb[0], rgb[1], rgb[2]);
}

enum align { ALIGN_LEFT, ALIGN_RIGHT };

static void write_text(const struct picture *picture, double x, double y, double size, enum align align, const char *text)
{
	cairo_text_extents_t extents;

	picture->call->set_font_size(picture->cairo, size);
	picture->call->text_extents(picture->cairo, text, &extents);
	picture->call->move_to(picture->cairo, align == ALIGN_RIGHT ? x - extents.x_advance : x, y);
	picture->call->show_text(picture->cairo, text);
}

static void draw_line(const struct picture *picture, double x1, double y1, double x2, double y2)
{
	picture->call->move_to(picture->cairo, x1, y1);
	picture->call->line_to(picture->cairo, x2, y2);
	picture->call->stroke(picture->cairo);
}

static double place_of(const struct picture *picture, int64_t time)
{
	const struct model *model = picture->model;

	return LEFT + NR_STEPS * (double)(time - model->from) / (double)(model->to - model->from);
}

static double height_of(double top, double value, double highest)
{
	return top + PANEL_HEIGHT * (1 - (highest > 0 ? value / highest : 0));
}

static void draw_axes(const struct picture *picture, double top, const char *title, double highest, enum unit unit)
{
	char text[UNIT_TEXT_MAX];

	picture->call->set_source_rgb(picture->cairo, .8, .8, .8);
	picture->call->set_line_width(picture->cairo, 1);
	for (int part = 0; part <= 4; part++) {
		double y = top + PANEL_HEIGHT * (1 - part / 4.);

		draw_line(picture, LEFT, y, LEFT + NR_STEPS, y);
	}
	colour(picture, 0);
	for (int part = 0; part <= 4; part += 2)
		write_text(picture, LEFT - 6, top + PANEL_HEIGHT * (1 - part / 4.) + 4, 11, ALIGN_RIGHT,
			   unit_format(text, unit, highest * part / 4));
	write_text(picture, LEFT, top - 5, 12, ALIGN_LEFT, title);
	for (int part = 0; part <= 4; part++) {
		int64_t time = picture->model->from + (picture->model->to - picture->model->from) / 4 * part;

		write_text(picture, place_of(picture, time) + (part == 4 ? 0 : part == 0 ? 0 : 12), top + PANEL_HEIGHT + 14, 10,
			   part ? ALIGN_RIGHT : ALIGN_LEFT, unit_format(text, UNIT_NS, (double)time));
	}
}

static void draw_curve(const struct picture *picture, double top, double highest, const struct series *series, size_t which)
{
	bool begun = false;

	colour(picture, which);
	picture->call->set_line_width(picture->cairo, 1.5);
	for (size_t i = 0; i < series->line.nr_steps; i++) {
		double y = height_of(top, series->line.steps[i], highest);

		if (isnan(series->line.steps[i]))
			continue;
		(begun ? picture->call->line_to : picture->call->move_to)(picture->cairo, LEFT + (double)i, y);
		begun = true;
	}
	picture->call->stroke(picture->cairo);
}

/* Where the highest reading was, as mprof marks it. */
static void mark_peak(const struct picture *picture, double top, double highest, const struct series *series)
{
	static const double dashes[] = { 5, 4 };
	double x = place_of(picture, series->peak_time), y = height_of(top, series->peak, highest);

	picture->call->set_source_rgb(picture->cairo, .84, .15, .16);
	picture->call->set_line_width(picture->cairo, 1);
	picture->call->set_dash(picture->cairo, dashes, 2, 0);
	draw_line(picture, LEFT, y, LEFT + NR_STEPS, y);
	draw_line(picture, x, top, x, top + PANEL_HEIGHT);
	picture->call->set_dash(picture->cairo, NULL, 0, 0);
}

static double rss_at(const struct bracket *bracket, uint64_t ticks)
{
	struct memory_reading reading;

	return process_memory_at(bracket->process, ticks, &reading) && reading.rss_bytes != LOG_NONE ?
		(double)reading.rss_bytes : 0;
}

/* [ where a call began, ] where it ended; opens to the right or to the left. */
static void draw_bracket(const struct picture *picture, double x, double y, double to)
{
	picture->call->move_to(picture->cairo, x + to, y - 8);
	picture->call->line_to(picture->cairo, x, y - 8);
	picture->call->line_to(picture->cairo, x, y + 8);
	picture->call->line_to(picture->cairo, x + to, y + 8);
	picture->call->stroke(picture->cairo);
}

/* With a line for each below the panel. Return: their height */
static double draw_brackets(const struct picture *picture, double top, double highest)
{
	double below = top + PANEL_HEIGHT + 30;

	picture->call->set_line_width(picture->cairo, 2);
	for (size_t i = 0; i < picture->nr_brackets; i++) {
		const struct bracket *bracket = &picture->brackets[i];
		char took[UNIT_TEXT_MAX], *text;

		colour(picture, i + 1);
		draw_bracket(picture, place_of(picture, bracket->start), height_of(top, rss_at(bracket, bracket->start_ticks), highest), 4);
		draw_bracket(picture, place_of(picture, bracket->end), height_of(top, rss_at(bracket, bracket->end_ticks), highest), -4);
		text = xasprintf("[ ]  %s  %s", bracket->function->short_name ? bracket->function->short_name : bracket->function->name,
				 unit_format(took, UNIT_NS, (double)(bracket->end - bracket->start)));
		write_text(picture, LEFT + (double)(i % 2) * NR_STEPS / 2, below + (double)(i / 2) * LEGEND_LINE, 11, ALIGN_LEFT, text);
		free(text);
	}
	return (double)((picture->nr_brackets + 1) / 2) * LEGEND_LINE;
}

/* Curves of each process that has the column. Return: how many */
static size_t read_each(struct picture *picture, const char *column, struct series *series)
{
	const struct model *model = picture->model;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes && nr < CURVES_MAX; i++) {
		struct rowset *rows = process_rowset(model->processes[i], "process");
		int index = rows ? rowset_column(rows, column) : -1;

		if (index < 0)
			continue;
		series_of_column(&series[nr], model, model->processes[i], rows, (uint32_t)index, NR_STEPS);
		if (series[nr].known)
			nr++;
		else
			series_release(&series[nr]);
	}
	return nr;
}

/* Return: where the next panel begins. */
static double draw_panel(struct picture *picture, const struct panel *panel, double top)
{
	struct series series[CURVES_MAX];
	double highest = 0, used = 0;
	size_t nr = 1;

	if (panel->each) {
		nr = read_each(picture, panel->column, series);
	} else {
		series_of_all(&series[0], picture->model, "process", panel->column, NR_STEPS);
		if (!series[0].known || !(series[0].peak > 0)) {
			series_release(&series[0]);
			return top;
		}
	}
	for (size_t i = 0; i < nr; i++)
		highest = fmax(highest, series[i].peak);
	if (nr)
		draw_axes(picture, top, panel->title, highest, series[0].unit);
	for (size_t i = 0; i < nr; i++) {
		draw_curve(picture, top, highest, &series[i], i);
		if (panel->each)
			mark_peak(picture, top, highest, &series[i]);
		series_release(&series[i]);
	}
	if (panel->each && nr)
		used = draw_brackets(picture, top, highest);
	return nr ? top + PANEL_HEIGHT + PANEL_GAP + used : top;
}

static int longest_first(const void *a, const void *b)
{
	const struct bracket *x = a, *y = b;

	return (x->end - x->start < y->end - y->start) - (x->end - x->start > y->end - y->start);
}

static void collect_brackets(struct picture *picture, const struct report *report)
{
	struct slice_reader *reader = slices_open_all(report->model);
	struct slice slice;

	while (slices_next(reader, &slice)) {
		if (!export_wants_call(report, &slice))
			continue;
		if (picture->nr_brackets == BRACKETS_MAX)
			picture->nr_brackets--;
		picture->brackets[picture->nr_brackets++] = (struct bracket){
			slice.node->function, slice.start, slice.end, slice.start_ticks, slice.end_ticks, slice.thread->process,
		};
		if (picture->nr_brackets == BRACKETS_MAX)
			qsort(picture->brackets, picture->nr_brackets, sizeof(*picture->brackets), longest_first);
	}
	slices_close(reader);
	qsort(picture->brackets, picture->nr_brackets, sizeof(*picture->brackets), longest_first);
}

static void draw_title(const struct picture *picture, const struct report *report)
{
	time_t start = (time_t)(picture->model->start_realtime_ns / 1000000000);
	const char *command = picture->model->nr_processes ? picture->model->processes[0]->command : report_program(report);
	char date[64];
	struct tm tm;

	colour(picture, 0);
	write_text(picture, LEFT, 20, 14, ALIGN_LEFT, command);
	strftime(date, sizeof(date), "start %Y-%m-%d %H:%M:%S", localtime_r(&start, &tm));
	write_text(picture, LEFT, 36, 11, ALIGN_LEFT, date);
}

/* Return: how high it is. */
static double draw(struct picture *picture, const struct report *report)
{
	double top = TOP;

	picture->call->set_source_rgb(picture->cairo, 1, 1, 1);
	picture->call->paint(picture->cairo);
	picture->call->select_font_face(picture->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
	draw_title(picture, report);
	for (size_t i = 0; i < NR_PANELS; i++)
		top = draw_panel(picture, &panels[i], top);
	return top;
}

static cairo_surface_t *begin(struct picture *picture, cairo_surface_t *surface)
{
	picture->cairo = picture->call->create(surface);
	return surface;
}

/* By drawing it where nobody sees it. */
static double find_height(struct picture *picture, const struct report *report)
{
	cairo_surface_t *surface = begin(picture, picture->call->image_surface_create(CAIRO_FORMAT_RGB24, 1, 1));
	double height = draw(picture, report);

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
	cairo_surface_t *surface;
	double height;
	FILE *out;

	if (strcmp(report->options->view, "resources") != 0 && strcmp(report->options->view, "summary") != 0) {
		error("pictures are of -v resources");
		return EXIT_USAGE;
	}
	if (!report->options->output && kind != SVG && isatty(STDOUT_FILENO)) {
		error("a picture is nothing for a terminal: -o FILE");
		return EXIT_USAGE;
	}
	picture.call = cairo_load();
	out = picture.call && report->model->to > report->model->from ? export_open(report) : NULL;
	if (!out)
		return EXIT_FAILURE;
	collect_brackets(&picture, report);
	height = find_height(&picture, report);
	if (kind == PNG)
		surface = picture.call->image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, (int)height);
	else
		surface = (kind == SVG ? picture.call->svg_surface_create_for_stream :
			   picture.call->pdf_surface_create_for_stream)(write_bytes, out, WIDTH, height);
	begin(&picture, surface);
	draw(&picture, report);
	picture.call->destroy(picture.cairo);
	if (kind == PNG)
		picture.call->surface_write_to_png_stream(surface, write_bytes, out);
	picture.call->surface_finish(surface);
	picture.call->surface_destroy(surface);
	return export_close(report, out);
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
