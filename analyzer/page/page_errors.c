/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exceptions, jumps out of calls and the ends of processes, for the time axis: one by one, as far as they
 * were kept.
 */
#include "analyzer/page/page.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/symbols/symbols.h"

enum { THROWN_TIME, THROWN_CAUGHT, THROWN_THREAD, THROWN_NUMBERS };
static const char *const numbers[] = { "time_ns", "caught_ns", "thread" };
enum { THROWN_KIND, THROWN_TYPE, THROWN_MESSAGE, THROWN_TEXTS };
static const char *const texts[] = { "kind", "type", "message" };

struct thrown_columns {
	double *numbers[THROWN_NUMBERS];
	char **texts[THROWN_TEXTS];
	size_t nr;
};

static void add_thrown(struct thrown_columns *columns, const struct process *process,
		       const struct thrown *thrown)
{
	const struct error *error = errors_find(process, thrown->place, &thrown);
	const struct thread *thread = error ? nodes_thread(process, error->counts.thread) : NULL;
	size_t nr = columns->nr;

	if (!thread || thread->left_out || thrown->time == NO_TIME)
		return;
	for (size_t i = 0; i < THROWN_NUMBERS; i++)
		columns->numbers[i] = xgrow(columns->numbers[i], nr, sizeof(double));
	for (size_t i = 0; i < THROWN_TEXTS; i++)
		columns->texts[i] = xgrow(columns->texts[i], nr, sizeof(char *));
	columns->numbers[THROWN_TIME][nr] = (double)thrown->time;
	columns->numbers[THROWN_CAUGHT][nr] = thrown->caught == NO_TIME ? NAN : (double)thrown->caught;
	columns->numbers[THROWN_THREAD][nr] = page_thread(thread);
	columns->texts[THROWN_KIND][nr] = xstrdup(errors_kind(error->counts.error));
	columns->texts[THROWN_TYPE][nr] = error->type[0] ? name_of_type(error->type) : NULL;
	columns->texts[THROWN_MESSAGE][nr] = thrown->message ? xstrdup(thrown->message) : NULL;
	columns->nr++;
}

void page_add_thrown(struct page *page)
{
	const struct model *model = page->report->model;
	struct thrown_columns columns = { .nr = 0 };
	struct sheet *sheet = page_sheet(page, "thrown");

	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_thrown; j++)
			add_thrown(&columns, model->processes[i], &model->processes[i]->thrown[j]);
	for (size_t i = 0; i < THROWN_NUMBERS; i++) {
		sheet_add_numbers(sheet, numbers[i], columns.numbers[i], columns.nr, 0);
		free(columns.numbers[i]);
	}
	for (size_t i = 0; i < THROWN_TEXTS; i++) {
		sheet_add_texts(sheet, texts[i], columns.texts[i], columns.nr);
		for (size_t j = 0; j < columns.nr; j++)
			free(columns.texts[i][j]);
		free(columns.texts[i]);
	}
}
