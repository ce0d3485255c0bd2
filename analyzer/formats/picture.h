/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture of curves over time, panel below panel, and cairo, which is loaded when a picture is drawn:
 * linking cairo would slow down every start of the report.
 */
#pragma once

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include "analyzer/model/model.h"
#include "analyzer/resources/series.h"

struct report;

#define PICTURE_WIDTH	1000
#define PICTURE_LEFT	90
#define PICTURE_TOP	64
#define PICTURE_STEPS	(PICTURE_WIDTH - PICTURE_LEFT - 20)	/* a pixel each */
#define PANEL_HEIGHT	170

struct picture {
	const struct cairo_calls *call;
	cairo_t *cairo;
	struct model *model;
};

enum align { ALIGN_LEFT, ALIGN_RIGHT };

/* @which: number of a colour; 0: that of text. */
void picture_colour(const struct picture *picture, size_t which);
void picture_text(const struct picture *picture, double x, double y, double size, enum align align,
		  const char *text);

/* Position of a time, and of a value. @top: of the panel. */
double picture_x(const struct picture *picture, int64_t time);
double picture_y(double top, double value, double highest);

void picture_axes(const struct picture *picture, double top, const char *title, double highest,
		  enum unit unit);
void picture_curve(const struct picture *picture, double top, double highest, const struct series *series,
		   size_t which);
/* Mark the highest reading with dashed lines, as mprof does. */
void picture_peak(const struct picture *picture, double top, double highest, const struct series *series);

#define CAIRO_CALLS(X)                                                                                    \
	X(svg_surface_create_for_stream) X(pdf_surface_create_for_stream) X(image_surface_create)         \
	X(surface_write_to_png_stream) X(surface_destroy) X(surface_finish) X(surface_status)             \
	X(create) X(destroy) X(status) X(select_font_face) X(set_font_size) X(show_text) X(text_extents)  \
	X(set_source_rgb) X(set_line_width) X(set_dash) X(move_to) X(line_to) X(stroke) X(rectangle)      \
	X(fill) X(paint)

struct cairo_calls {
#define FIELD(name) __typeof__(cairo_##name) *name;
	CAIRO_CALLS(FIELD)
#undef FIELD
};

/* Return: NULL, after an error(), if cairo is not installed */
const struct cairo_calls *cairo_load(void);

/* Pictures of the resources over time. Return: exit status, after an error() */
int export_svg(struct report *report);
int export_png(struct report *report);
int export_pdf(struct report *report);
