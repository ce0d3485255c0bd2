/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/load/run_cpu.h"

#include "analyzer/base/error.h"
#include "analyzer/calls/function_resources.h"
#include "analyzer/load/load.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/run_parts.h"
#include "analyzer/model/tree.h"
#include "analyzer/profile/profile.h"

/* The same function in the model of all runs. NULL: not known. */
static struct function *function_in(struct model *model, const struct function *function)
{
	struct function_tables *tables = &model->tables->functions;
	struct function *same = NULL;

	if (function->kind != FUNCTION_PLAIN)
		return NULL;
	if (function->region)
		same = function_of_region(tables, model->processes[0], function->region, function->wait);
	else if (function->object)
		same = function_known(tables, object_find(model, function->object), function->addr);
	return same ? function_merged(tables, same) : NULL;
}

static void take(struct model *model, uint32_t run, struct model *of_run)
{
	function_use_read(of_run);
	for (size_t i = 0; i < of_run->nr_functions; i++) {
		const struct function *function = of_run->functions[i];
		double cpu_ns = function->use && call_stats_know_self(&function->stats)
					? function->use->self[USE_CPU_NS]
					: NAN;
		struct function *same = isnan(cpu_ns) ? NULL : function_in(model, function);

		if (same)
			parts_add_cpu(model, same, run, fmax(cpu_ns, 0));
	}
}

void run_cpu_read(struct model *model, const struct run *runs, size_t nr_runs, const struct filter *filter)
{
	uint32_t run = 0;

	for (size_t i = 0; i < nr_runs; i++) {
		struct model *of_run = model;

		if (model->profiles[i]) {
			run += (uint32_t)profile_nr_runs(model->profiles[i]);
			continue;
		}
		if (model->nr_runs > 1) {
			bool were_hidden = messages_hide(true); /* they were printed before */

			of_run = model_load_runs(&runs[i], 1, filter);
			messages_show(were_hidden);
		}
		if (of_run)
			take(model, run, of_run);
		if (of_run != model)
			model_free(of_run);
		run++;
	}
}
