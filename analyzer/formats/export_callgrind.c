/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callgrind's profile, for kcachegrind, qcachegrind and callgrind_annotate: what each function has itself,
 * and its calls of others with all that these have. A call within a recursion of the function that is
 * called has no cost: that is in the outermost call. callgrind_annotate takes a called function's total from
 * its calls, so "(no caller)" calls a thread's first function that is called elsewhere too.
 */
#include "analyzer/formats/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/base/text_numbers.h"
#include "analyzer/formats/weights.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

static const struct {
	const char *column, *event;
} events[] = {
	{ "self_ns", "ns" },
	{ "sampled_self_ns", "cpu_ns" },
	{ "calls", "calls" },
	{ "alloc_bytes", "alloc_bytes" },
};
#define NR_EVENTS (sizeof(events) / sizeof(*events))

struct costs {
	double of[NR_EVENTS];
};

struct calls_of {
	const struct function *caller, *function;	/* caller NULL: none */
	uint64_t calls;
	struct costs costs;
};

struct callgrind {
	FILE *out;
	const struct weight *weights[NR_EVENTS];
	size_t nr_weights;
	struct costs *below;		/* [id of a node]: it and what it calls */
	struct costs *self;		/* [number of a function] */
	struct hashtable by_pair;
	struct calls_of **calls;	/* by caller, once all are known */
	size_t nr_calls;
	bool *is_named;			/* [number of a function] */
	struct text_numbers files;
};

static void add(struct costs *sum, const struct costs *costs)
{
	for (size_t i = 0; i < NR_EVENTS; i++)
		sum->of[i] += costs->of[i];
}

/* ---- sums ---- */

static bool is_pair(const void *item, const void *key)
{
	const struct calls_of *calls = item, *wanted = key;

	return calls->caller == wanted->caller && calls->function == wanted->function;
}

static struct calls_of *find_calls(struct callgrind *to, const struct function *caller,
				   const struct function *function)
{
	const struct calls_of wanted = { .caller = caller, .function = function };
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)wanted.caller, (uint64_t)(uintptr_t)wanted.function);
	struct calls_of *calls = hashtable_find(&to->by_pair, hash, is_pair, &wanted);

	if (calls)
		return calls;
	calls = xcalloc(1, sizeof(*calls));
	*calls = wanted;
	hashtable_add(&to->by_pair, hash, calls);
	return APPEND(to->calls, to->nr_calls) = calls;
}

/*
 * Callers come before what they call, so from the last to the first all below a path is known. What other
 * threads of a parallel region did is in no cost of the region's caller.
 */
static void sum_up_below(struct callgrind *to, const struct model *model)
{
	to->below = xcalloc(model->nr_tree_nodes, sizeof(*to->below));
	for (size_t id = model->nr_tree_nodes; id-- > 1;) {
		const struct tree_node *node = tree_node(model, id);
		struct costs costs = { { 0 } };

		for (size_t i = 0; i < to->nr_weights; i++)
			costs.of[i] = to->weights[i]->of(node);
		add(&to->self[node->function->number], &costs);
		add(&to->below[id], &costs);
		add(&to->below[node->starter ? model->root->id : node->parent->id], &to->below[id]);
	}
}

/* Calls without a caller come last. */
static uint32_t caller_number(const struct calls_of *calls)
{
	return calls->caller ? calls->caller->number : UINT32_MAX;
}

static int by_caller(const void *a, const void *b)
{
	const struct calls_of *x = *(struct calls_of *const *)a, *y = *(struct calls_of *const *)b;

	if (caller_number(x) != caller_number(y))
		return caller_number(x) < caller_number(y) ? -1 : 1;
	return (x->function->number > y->function->number) - (x->function->number < y->function->number);
}

static void sum_up(struct callgrind *to, const struct model *model)
{
	struct tree_walk walk;
	size_t nr_keys;
	uint32_t *keys = tree_function_keys(model, &nr_keys);

	sum_up_below(to, model);
	tree_walk_begin(&walk, model, keys, nr_keys);
	while (tree_walk_next(&walk)) {
		struct calls_of *calls = find_calls(to, walk.node->parent->function, walk.node->function);

		calls->calls += walk.node->sum.calls;
		if (walk.node->starter)
			calls = find_calls(to, NULL, walk.node->function);
		if (walk.is_outermost)
			add(&calls->costs, &to->below[walk.node->id]);
	}
	if (to->nr_calls)
		qsort(to->calls, to->nr_calls, sizeof(*to->calls), by_caller);
	free(keys);
}

/* ---- the file ---- */

static void write_name(FILE *out, const char *name)
{
	putc_unlocked(' ', out);
	for (; *name; name++)
		putc_unlocked((unsigned char)*name < ' ' ? ' ' : *name, out);
}

static const char *file_of(const struct function *function)
{
	return function && function->file ? function->file : "???";
}

/* fl=(1) path; afterwards fl=(1) */
static void write_file(struct callgrind *to, const char *key, const struct function *function)
{
	const char *path = file_of(function);
	bool is_new;

	fprintf(to->out, "%s=(%" PRIu64 ")", key, text_number(&to->files, path, &is_new) + 1);
	if (is_new)
		write_name(to->out, path);
	putc('\n', to->out);
}

static void write_function(struct callgrind *to, const char *key, const struct function *function)
{
	fprintf(to->out, "%s=(%u)", key, function->number + 1);
	if (!to->is_named[function->number])
		write_name(to->out, function->name);
	to->is_named[function->number] = true;
	putc('\n', to->out);
}

static void write_costs(struct callgrind *to, uint32_t line, const struct costs *costs)
{
	fprintf(to->out, "%u", line);
	for (size_t i = 0; i < to->nr_weights; i++)
		fprintf(to->out, " %lld", llround(costs->of[i]));
	putc('\n', to->out);
}

static void write_doubt(void *out, const char *text)
{
	fputs("\ndesc: Doubt:", out);
	write_name(out, text);
}

static void write_head(struct callgrind *to, const struct report *report)
{
	struct costs sum = { { 0 } };

	fprintf(to->out, "# callgrind format\nversion: 1\ncreator: InsideMe %s\ncmd:", INSIDEME_VERSION);
	write_name(to->out, report->model->nr_processes ? report->model->processes[0]->command
							: report_program(report));
	export_doubts(report->model, write_doubt, to->out);
	fputs("\npositions: line\nevents:", to->out);
	for (size_t i = 0; i < NR_EVENTS; i++)
		if (weight_by_name(events[i].column)->is_known(report))
			fprintf(to->out, " %s", events[i].event);
	fputs("\nsummary:", to->out);
	add(&sum, &to->below[0]);
	for (size_t i = 0; i < to->nr_weights; i++)
		fprintf(to->out, " %lld", llround(sum.of[i]));
	fputs("\n\n", to->out);
}

/* In calls that are sorted by caller. */
static size_t first_call(const struct callgrind *to, const struct function *caller)
{
	return PARTITION_POINT(i, to->nr_calls, caller_number(to->calls[i]) < caller->number);
}

/* Samples do not count calls. callgrind_annotate takes the costs of calls=0 for the caller's own. */
static void write_calls(struct callgrind *to, const struct calls_of *calls)
{
	/* else it is the file of the caller, which alone callgrind_annotate makes relative to its folder */
	if (strcmp(file_of(calls->caller), file_of(calls->function)) != 0)
		write_file(to, "cfi", calls->function);
	write_function(to, "cfn", calls->function);
	fprintf(to->out, "calls=%" PRIu64 " %u\n", calls->calls ?: 1, calls->function->line);
	write_costs(to, calls->caller ? calls->caller->line : 0, &calls->costs);
}

static void write_functions(struct callgrind *to, const struct model *model)
{
	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct function *function = model->functions[i];

		write_file(to, "fl", function);
		write_function(to, "fn", function);
		write_costs(to, function->line, &to->self[function->number]);
		for (size_t j = first_call(to, function);
		     j < to->nr_calls && to->calls[j]->caller == function; j++)
			write_calls(to, to->calls[j]);
		putc('\n', to->out);
	}
}

/* Calls without a caller, of functions that have callers too. */
static void write_outermost(struct callgrind *to, size_t nr_functions)
{
	bool *is_called = xcalloc(nr_functions, sizeof(*is_called)), has_any = false;

	for (size_t i = 0; i < to->nr_calls; i++) {
		const struct calls_of *calls = to->calls[i];

		if (calls->caller) {
			is_called[calls->function->number] = true;
			continue;
		}
		if (!is_called[calls->function->number])
			continue;
		if (!has_any) {
			write_file(to, "fl", NULL);
			fprintf(to->out, "fn=(%zu) (no caller)\n", nr_functions + 1);
		}
		has_any = true;
		write_calls(to, calls);
	}
	free(is_called);
}

int export_callgrind(struct report *report)
{
	size_t nr_functions = functions_count(&report->model->tables->functions);
	struct callgrind to = { .nr_weights = 0 };
	struct whole_file file;

	for (size_t i = 0; i < NR_EVENTS; i++) {
		const struct weight *weight = weight_by_name(events[i].column);

		if (weight->is_known(report))
			to.weights[to.nr_weights++] = weight;
	}
	if (!to.nr_weights)
		return error("there are no calls, samples or allocations for -f callgrind"), EXIT_FAILURE;
	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	to.out = file.out;
	to.self = xcalloc(nr_functions, sizeof(*to.self));
	to.is_named = xcalloc(nr_functions, sizeof(*to.is_named));
	export_sources(report->model);
	sum_up(&to, report->model);
	write_head(&to, report);
	write_functions(&to, report->model);
	write_outermost(&to, nr_functions);
	hashtable_release(&to.by_pair);
	text_numbers_release(&to.files);
	free(to.calls);
	free(to.below);
	free(to.self);
	free(to.is_named);
	return export_close(&file);
}
