/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each run is loaded once more, alone, and its times are put beside the sums of all runs. */
#include "analyzer/load/run_times.h"

#include <stdlib.h>

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
	if (function->made_up)
		same = function_made_up(tables, model->processes[0], function->made_up);
	else if (function->region)
		same = function_of_region(tables, model->processes[0], function->region, function->wait);
	else if (function->object)
		same = function_known(tables, object_find(model, function->object), function->addr);
	return same ? function_merged(tables, same) : NULL;
}

static void take_cpu(struct model *model, uint32_t run, const struct model *of_run)
{
	for (size_t i = 0; i < of_run->nr_functions; i++) {
		const struct function *function = of_run->functions[i];
		double cpu_ns = of_run->is_sampled ? function->samples.ns :
				function->use && call_stats_know_self(&function->stats)
					? function->use->self[USE_CPU_NS]
					: NAN;
		struct function *same = isnan(cpu_ns) ? NULL : function_in(model, function);

		if (same)
			parts_add_cpu(model, same, run, fmax(cpu_ns, 0));
	}
}

/*
 * A run's times are known if the run alone knows them. One is left out: the samples of all runs together
 * changed this time, but the run had too few samples to change its own. The two cannot be compared.
 */
static struct run_part times_of(const struct call_stats *stats, const struct call_stats *of_all)
{
	bool knows_self = call_stats_know_self(stats) &&
			  (call_stats_moved_self(stats) || !call_stats_moved_self(of_all));
	bool knows_total = call_stats_know_total(stats) &&
			   (call_stats_moved_total(stats) || !call_stats_moved_total(of_all));

	return (struct run_part){ .self_ns = knows_self ? stats->self_ns : NAN,
				  .total_ns = knows_total ? stats->total_ns : NAN };
}

/* Several builds of a function in @of_run may be one in @model. */
static void take_times(struct model *model, uint32_t run, const struct model *of_run)
{
	bool *has_times = xcalloc(functions_count(&model->tables->functions), sizeof(*has_times));

	for (size_t i = 0; i < of_run->nr_functions; i++) {
		const struct function *function = of_run->functions[i];
		struct function *same = function_in(model, function);
		struct run_part times;

		if (!same || !same->parts || !function->stats.calls)
			continue;
		times = times_of(&function->stats, &same->stats);
		if (has_times[same->number]) {
			times.self_ns += same->parts[run].self_ns;
			times.total_ns += same->parts[run].total_ns;
		}
		same->parts[run].self_ns = times.self_ns;
		same->parts[run].total_ns = times.total_ns;
		has_times[same->number] = true;
	}
	free(has_times);
}

/* If each run knows its times, the sums are of these: samples of all runs together divide them otherwise. */
static void sum_up(const struct model *model)
{
	for (size_t i = 0; i < model->nr_functions; i++) {
		struct function *function = model->functions[i];
		double self_ns = 0, total_ns = 0;

		if (!function->parts)
			continue;
		for (size_t run = 0; run < model->nr_runs; run++) {
			self_ns += function->parts[run].self_ns;
			total_ns += function->parts[run].total_ns;
		}
		if (!isnan(self_ns) && call_stats_moved_self(&function->stats))
			function->stats.self_ns = self_ns;
		if (!isnan(total_ns) && call_stats_moved_total(&function->stats))
			function->stats.total_ns = total_ns;
	}
}

void run_times_read(struct model *model, const struct run *runs, size_t nr_runs, const struct filter *filter)
{
	uint32_t run = 0;

	for (size_t i = 0; i < nr_runs; i++) {
		const size_t nr = model->profiles[i] ? profile_nr_runs(model->profiles[i]) : 1;
		struct model *of_run = model;

		if (nr > 1 || (model->profiles[i] && model->nr_runs == 1)) {
			run += (uint32_t)nr;
			continue;
		}
		if (model->nr_runs > 1) {
			bool were_hidden = messages_hide(true); /* they were printed before */

			of_run = model_load_runs(&runs[i], 1, filter);
			messages_show(were_hidden);
		}
		if (of_run && !model->profiles[i]) {
			function_use_read(of_run);
			take_cpu(model, run, of_run);
		}
		if (of_run && of_run != model)
			take_times(model, run, of_run);
		if (of_run != model)
			model_free(of_run);
		run++;
	}
	sum_up(model);
}
