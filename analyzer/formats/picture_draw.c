/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines, text and curves of pictures. */
#include "analyzer/formats/picture.h"

#include <math.h>

static const double colours[][3] = {
	{ .12, .12, .12 }, { .12, .47, .71 }, { .84, .15, .16 }, { .17, .63, .17 },
	{ .58, .40, .74 }, { .55, .34, .29 }, { .89, .47, .76 }, { .74, .74, .13 },
};
#define NR_COLOURS (sizeof(colours) / sizeof(*colours))

void picture_colour(const struct picture *picture, size_t which)
{
	const double *rgb = colours[which % NR_COLOURS];

	picture->call->set_source_rgb(picture->cairo, rgb[0], rgb[1], rgb[2]);
}

void picture_text(const struct picture *picture, double x, double y, double size, enum align align,
		  const char *text)
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

double picture_x(const struct picture *picture, int64_t time)
{
	const struct model *model = picture->model;

	return PICTURE_LEFT +
	       PICTURE_STEPS * (double)(time - model->from) / (double)(model->to - model->from);
}

double picture_y(double top, double value, double highest)
{
	return top + PANEL_HEIGHT * (1 - (highest > 0 ? value / highest : 0));
}

void picture_axes(const struct picture *picture, double top, const char *title, double highest,
		  enum unit unit)
{
	char text[UNIT_TEXT_MAX];

	picture->call->set_source_rgb(picture->cairo, .8, .8, .8);
	picture->call->set_line_width(picture->cairo, 1);
	for (int part = 0; part <= 4; part++) {
		double y = top + PANEL_HEIGHT * (1 - part / 4.);

		draw_line(picture, PICTURE_LEFT, y, PICTURE_LEFT + PICTURE_STEPS, y);
	}
	picture_colour(picture, 0);
	for (int part = 0; part <= 4; part += 2)
		picture_text(picture, PICTURE_LEFT - 6, top + PANEL_HEIGHT * (1 - part / 4.) + 4, 11,
			     ALIGN_RIGHT, unit_format(text, unit, highest * part / 4));
	picture_text(picture, PICTURE_LEFT, top - 5, 12, ALIGN_LEFT, title);
	for (int part = 0; part <= 4; part++) {
		int64_t time = picture->model->from + (picture->model->to - picture->model->from) / 4 * part;

		picture_text(picture,
			     picture_x(picture, time) + (part == 4   ? 0
							 : part == 0 ? 0
								     : 12),
			     top + PANEL_HEIGHT + 14, 10, part ? ALIGN_RIGHT : ALIGN_LEFT,
			     unit_format(text, UNIT_NS, time));
	}
}

void picture_curve(const struct picture *picture, double top, double highest, const struct series *series,
		   size_t which)
{
	bool begun = false;

	picture_colour(picture, which);
	picture->call->set_line_width(picture->cairo, 1.5);
	for (size_t i = 0; i < series->line.nr_steps; i++) {
		double y = picture_y(top, series->line.steps[i], highest);

		if (isnan(series->line.steps[i]))
			continue;
		(begun ? picture->call->line_to : picture->call->move_to)(picture->cairo,
									  PICTURE_LEFT + (double)i, y);
		begun = true;
	}
	picture->call->stroke(picture->cairo);
}

void picture_peak(const struct picture *picture, double top, double highest, const struct series *series)
{
	static const double dashes[] = { 5, 4 };
	double x = picture_x(picture, series->peak_time), y = picture_y(top, series->peak, highest);

	picture->call->set_source_rgb(picture->cairo, .84, .15, .16);
	picture->call->set_line_width(picture->cairo, 1);
	picture->call->set_dash(picture->cairo, dashes, 2, 0);
	draw_line(picture, PICTURE_LEFT, y, PICTURE_LEFT + PICTURE_STEPS, y);
	draw_line(picture, x, top, x, top + PANEL_HEIGHT);
	picture->call->set_dash(picture->cairo, NULL, 0, 0);
}
