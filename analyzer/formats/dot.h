/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts that all graphs for graphviz share: text, colours, and the file. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct function;
struct report;

/* "#rrggbb" in quotes; all from 0 to 1. */
void dot_color(FILE *out, double hue, double saturation, double lightness);

/* Within quotes. Names of more than 4,096 bytes are cut: graphviz refuses longer ones. */
void dot_text(FILE *out, const char *text);

/* tooltip="name\nfile:line", whose source must be known: export_sources() */
void dot_tooltip(FILE *out, const struct function *function);

/*
 * Write the graph by @write to --output. If that file's name ends as a picture's, graphviz draws it.
 * Return: exit status
 */
int dot_file(const struct report *report, void (*write)(void *of, FILE *out), void *of);

/* --diff: nodes of both runs, red where the later one takes longer, green where it takes less. */
int dot_diff(struct report *report);

/* Is graphviz there, so that --output may be a .pdf, .svg or .png? */
bool dot_can_draw(void);
