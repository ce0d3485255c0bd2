/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A curve in one line of text. */
#include "analyzer/base/sparkline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"

void sparkline_init(struct sparkline *line, size_t nr_steps)
{
	line->nr_steps = nr_steps;
	line->steps = xcalloc(nr_steps, sizeof(*line->steps));
	for (size_t i = 0; i < nr_steps; i++)
		line->steps[i] = NAN;
}

void sparkline_release(struct sparkline *line)
{
	free(line->steps);
}

void sparkline_add(struct sparkline *line, double at, double number)
{
	double place = at * (double)line->nr_steps;
	size_t step;

	if (!(place >= 0) || !isfinite(number))
		return;
	step = place < (double)line->nr_steps ? (size_t)place : line->nr_steps - 1;
	if (!(line->steps[step] >= number))
		line->steps[step] = number;
}

static const char *bar(double number, double top)
{
	int height = top > 0 ? (int)(number / top * TERMINAL_BARS) : 0;

	if (isnan(number))
		return " ";
	return terminal_bars[height < 0 ? 0 : height < TERMINAL_BARS ? height : TERMINAL_BARS - 1];
}

char *sparkline_text(const struct sparkline *line, double top)
{
	char *text = xcalloc(line->nr_steps + 1, strlen(terminal_bars[0])), *end = text;
	double number = NAN;

	for (size_t i = 0; i < line->nr_steps; i++) {
		if (!isnan(line->steps[i]))
			number = line->steps[i];
		end = stpcpy(end, bar(number, top));
	}
	return text;
}
