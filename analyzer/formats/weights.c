/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/formats/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/tree_walk.h"

static int64_t self_of(const struct call_stats *stats, const struct heap_stats *heap)
{
	return llround(fmax(stats->self_ns, 0));
}

static int64_t calls_of(const struct call_stats *stats, const struct heap_stats *heap)
{
	return (int64_t)stats->calls;
}

static double get_self(const struct tree_node *node)
{
	return fmax(path_stats(node).self_ns, 0);
}

static double get_calls(const struct tree_node *node)
{
	return (double)node->sum.calls;
}

static double get_samples(const struct tree_node *node)
{
	return (double)node->samples->nr;
}

static double get_cpu(const struct tree_node *node)
{
	return node->samples->ns;
}

#define HEAP_WEIGHT(field) \
	static int64_t field ## _of(const struct call_stats *stats, const struct heap_stats *heap) \
	{ \
		(void)stats; \
		return (int64_t)heap->field; \
	} \
	static double get_ ## field(const struct tree_node *node) \
	{ \
		return (double)node->heap->field; \
	}

HEAP_WEIGHT(alloc_calls)
HEAP_WEIGHT(alloc_bytes)
HEAP_WEIGHT(peak_calls)
HEAP_WEIGHT(peak_bytes)
HEAP_WEIGHT(not_freed_calls)
HEAP_WEIGHT(not_freed_bytes)

static bool has_calls(const struct report *report)
{
	return report->model->calls;
}

static bool has_times(const struct report *report)
{
	return report->model->calls && report_has_times(report);
}

static bool has_samples(const struct report *report)
{
	return report->model->samples.nr;
}

const struct weight weights[NR_WEIGHTS] = {
	{ "self_ns", "time", UNIT_NS, get_self, self_of, has_times },
	{ "sampled_self_ns", "CPU time", UNIT_NS, get_cpu, NULL, has_samples },
	{ "calls", "calls", UNIT_COUNT, get_calls, calls_of, has_calls },
	{ "samples", "samples", UNIT_COUNT, get_samples, NULL, has_samples },
	{ "alloc_bytes", "allocated", UNIT_BYTES, get_alloc_bytes, alloc_bytes_of, report_has_heap },
	{ "alloc_calls", "allocations", UNIT_COUNT, get_alloc_calls, alloc_calls_of, report_has_heap },
	{ "peak_heap_bytes", "at the heap's peak", UNIT_BYTES, get_peak_bytes, peak_bytes_of,
	  report_has_live_heap },
	{ "peak_heap_blocks", "blocks at the heap's peak", UNIT_COUNT, get_peak_calls, peak_calls_of,
	  report_has_live_heap },
	{ "not_freed_bytes", "not freed", UNIT_BYTES, get_not_freed_bytes, not_freed_bytes_of,
	  report_has_live_heap },
	{ "not_freed_blocks", "blocks not freed", UNIT_COUNT, get_not_freed_calls, not_freed_calls_of,
	  report_has_live_heap },
};

int64_t weight_of_kernel(const struct weight *weight, const struct tree_node *node)
{
	return weight->of == get_cpu ? llround(node->samples->kernel_ns) : 0;
}

const struct weight *weight_by_name(const char *column)
{
	const struct weight *weight = weights;

	while (strcmp(weight->column, column) != 0)
		weight++;
	return weight;
}

int64_t weight_shown(const struct weight *weight, struct tree_node **node)
{
	uint32_t depth = (*node)->depth;
	double sum = weight->of(*node);

	for (struct tree_node *below = tree_next(*node);
	     depth > PATHS_DEPTH && below && below->depth > depth; below = tree_next(below)) {
		*node = below;
		sum += weight->of(below);
	}
	return llround(sum);
}

static bool can_have(const struct report *report, const struct weight *weight)
{
	if (report->before && (!weight->of_diff || !weight->is_known(report->before)))
		return false;
	return weight->is_known(report);
}

static const struct weight *unknown(const struct report *report)
{
	char *list = xstrdup(""), *longer;

	for (size_t i = 0; i < NR_WEIGHTS; i++) {
		if (!can_have(report, &weights[i]))
			continue;
		longer = xasprintf("%s%s%s", list, list[0] ? ", " : "", weights[i].column);
		free(list);
		list = longer;
	}
	if (list[0])
		error("--columns: '%s' is not one of %s", report->options->columns, list);
	else
		error("there is nothing that call paths could have: no calls, samples or allocations");
	free(list);
	return NULL;
}

const struct weight *weight_asked(const struct report *report)
{
	const char *column = report->options->columns;

	for (size_t i = 0; i < NR_WEIGHTS; i++)
		if (can_have(report, &weights[i]) && (!column || strcmp(weights[i].column, column) == 0))
			return &weights[i];
	return unknown(report);
}
