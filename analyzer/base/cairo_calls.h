/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cairo, loaded when a picture is drawn: linked, it and what it needs would make every start of the report slower.
 */
#ifndef INSIDEME_CAIRO_CALLS_H
#define INSIDEME_CAIRO_CALLS_H

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

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

/* Return: NULL after an error() when there is no cairo. */
const struct cairo_calls *cairo_load(void);

#endif
