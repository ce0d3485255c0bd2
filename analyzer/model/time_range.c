/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a run's time that is reported. */
#include "analyzer/model/time_range.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/units.h"
#include "analyzer/model/model.h"

static const struct time_unit {
	const char *name;
	double ns;		/* 0: percent */
} time_units[] = {
	{ "%", 0 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "min", 60e9 }, { "h", 3600e9 },
};

int time_mark_parse(struct time_mark *mark, const char *option, const char *text)
{
	char *unit;
	double value = strtod(text, &unit);
	size_t i = 0;

	while (*unit == ' ')
		unit++;
	while (i < sizeof(time_units) / sizeof(*time_units) && strcmp(time_units[i].name, unit) != 0)
		i++;
	if (value == 0 && !*unit)
		i = 1;
	if (!isdigit((unsigned char)text[0]) || i == sizeof(time_units) / sizeof(*time_units) ||
	    !(value <= 1e12) || strpbrk(text, "xX")) {
		error("--%s: '%s' is not a time such as 1.5s, 200ms or 40%%", option, text);
		return EXIT_USAGE;
	}
	*mark = (struct time_mark){ text, i ? value * time_units[i].ns : value, i == 0 };
	return 0;
}

/* The time of a mark, at most the end of the run. */
static int64_t mark_time(const struct time_mark *mark, int64_t end)
{
	double ns = mark->is_percent ? mark->value / 100 * (double)end : mark->value;

	return ns < (double)end ? (int64_t)ns : end;
}

int window_apply(const struct window *window, struct model *model)
{
	char took[UNIT_TEXT_MAX];

	if (window->from.text)
		model->from = mark_time(&window->from, model->end);
	if (window->to.text)
		model->to = mark_time(&window->to, model->end);
	if (window->from.text && model->from >= model->end) {
		error("--from %s is beyond the end: the run took %s", window->from.text,
		      unit_format(took, UNIT_NS, model->end));
		return EXIT_FAILURE;
	}
	if (window_is_given(window) && model->from >= model->to) {
		error("--to %s leaves nothing%s%s", window->to.text,
		      window->from.text ? " after --from " : "", window->from.text ? window->from.text : "");
		return EXIT_USAGE;
	}
	return 0;
}

char *window_text(const struct window *window, const struct model *model)
{
	char from[UNIT_TEXT_MAX], to[UNIT_TEXT_MAX], all[UNIT_TEXT_MAX], share[UNIT_TEXT_MAX];

	if (!window_is_given(window))
		return NULL;
	return xasprintf("%s to %s of %s (%s)", unit_format(from, UNIT_NS, model->from),
			 unit_format(to, UNIT_NS, model->to),
			 unit_format(all, UNIT_NS, model->end),
			 unit_format(share, UNIT_PERCENT,
				     100 * (double)(model->to - model->from) / (double)model->end));
}
