/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --from and --to: the reported part of a run's time. */
#pragma once

#include <stdbool.h>

struct model;

/* A time since the run began. */
struct time_mark {
	const char *text;		/* as given; NULL: not given */
	double value;			/* ns, or percent of the run */
	bool is_percent;
};

struct window {
	struct time_mark from;
	struct time_mark to;
};

/*
 * Read "1.5s", "200ms", "2min", "40%" or "0". Return: 0, or EXIT_USAGE after a line on stderr that names
 * --@option
 */
int time_mark_parse(struct time_mark *mark, const char *option, const char *text);

static inline bool window_is_given(const struct window *window)
{
	return window->from.text || window->to.text;
}

/*
 * Set model->from and model->to. Return: 0, or an exit status after a line on stderr if nothing lies between
 * them
 */
int window_apply(const struct window *window, struct model *model);
/* "1.00 s to 2.00 s of 4.35 s (23.0 %)", to be freed. NULL: everything is reported. */
char *window_text(const struct window *window, const struct model *model);
