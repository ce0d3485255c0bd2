/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names functions before anything else is read, and judges each once. */
#include "analyzer/load/select.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/selector.h"
#include "analyzer/model/tree.h"
#include "analyzer/profile/profile.h"
#include "analyzer/read/nodes_read.h"
#include "insideme_pattern.h"

static void add_function(struct selection *selection, struct function *function)
{
	if (function->kind != FUNCTION_PLAIN || function->verdict != VERDICT_UNKNOWN)
		return;
	function->verdict = VERDICT_PLAIN;
	APPEND(selection->functions, selection->nr_functions) = function;
}

static void add_called(struct process *process, uint64_t function_addr, void *context)
{
	add_function(context, function_find(&process->model->tables->functions, process, function_addr));
}

static void add_saved(struct model *model, const struct profile *profile)
{
	size_t nr;
	struct function **functions = profile_functions(profile, &nr);

	for (size_t i = 0; i < nr; i++)
		add_function(&model->selection, function_merged(&model->tables->functions, functions[i]));
}

/* "; did you mean ...?", to be freed. */
static char *near_names(const struct selection *selection, const struct pattern *pattern)
{
	struct glob word = near_word(&pattern->name);
	char *wanted = xasprintf("%.*s", (int)word.bytes, word.start), *text;
	struct nearest nearest = { .wanted = wanted };

	for (size_t i = 0; i < selection->nr_functions; i++)
		nearest_add(&nearest, selection->functions[i]->short_name);
	text = nearest_text(&nearest);
	free(wanted);
	return text;
}

static void judge(struct selection *selection, const char *option, const struct glob *item,
		  enum verdict verdict)
{
	struct pattern pattern = pattern_of(item->start, item->bytes);
	bool is_known = false;
	char *near;

	for (size_t i = 0; i < selection->nr_functions; i++) {
		struct function *function = selection->functions[i];

		if (!selector_fits(&pattern, function))
			continue;
		is_known = true;
		if (function->verdict < verdict)
			function->verdict = verdict;
	}
	if (is_known)
		return;
	near = near_names(selection, &pattern);
	warning("%s: no function, file or module here is called '%.*s'%s", option, (int)item->bytes,
		item->start, near);
	free(near);
}

static void judge_all(struct selection *selection, const char *option, const char *list, enum verdict verdict)
{
	struct glob item;

	while (list && pattern_next(&list, &item))
		if (item.bytes)
			judge(selection, option, &item, verdict);
}

void selection_read(struct model *model, const struct filter *filter)
{
	struct selection *selection = &model->selection;

	if (!filter || !filter_has_selection(filter))
		return;
	selection->is_on = true;
	selection->has_focus = filter->focus;
	selection->most_depth = filter->most_depth;
	if (!filter->focus && !filter->exclude)
		return;
	for (size_t i = 0; i < model->nr_processes; i++)
		nodes_each_function(model->processes[i], add_called, selection);
	for (size_t i = 0; i < model->nr_profiles; i++)
		if (model->profiles[i])
			add_saved(model, model->profiles[i]);
	resolve_ahead(selection->functions, selection->nr_functions);
	judge_all(selection, "--focus", filter->focus, VERDICT_FOCUS);
	judge_all(selection, "--exclude", filter->exclude, VERDICT_EXCLUDED);
}

void selection_release(struct model *model)
{
	free(model->selection.functions);
}
