/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/lines/lines.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/model/tree.h"

struct lines *lines_of(struct model *model)
{
	if (!model->lines)
		model->lines = xcalloc(1, sizeof(*model->lines));
	return model->lines;
}

void lines_release(struct model *model)
{
	struct line *line;

	if (!model->lines)
		return;
	for (size_t at = 0; (line = hashtable_next(&model->lines->table, &at));)
		free(line->calls.times);
	hashtable_release(&model->lines->table);
	hashtable_release(&model->lines->functions);
	code_places_release(&model->lines->places);
	source_files_release(&model->lines->sources);
	free(model->lines);
}

static bool is_function(const void *item, const void *key)
{
	return ((const struct line_function *)item)->function == key;
}

static struct line_function *find_function(struct lines *lines, struct function *function)
{
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)function, 0);
	struct line_function *of = hashtable_find(&lines->functions, hash, is_function, function);

	if (of)
		return of;
	of = xcalloc(1, sizeof(*of));
	of->function = function;
	of->rest_ns = NAN;
	hashtable_add(&lines->functions, hash, of);
	return of;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_line(const void *item, const void *key)
{
	const struct line *line = item, *wanted = key;

	return line->of == wanted->of && line->number == wanted->number &&
	       same_text(line->file, wanted->file);
}

static struct line *find_line(struct lines *lines, const struct code_level *level,
			      struct function *function)
{
	struct line wanted = { .of = find_function(lines, function), .file = level->file,
			       .number = level->file ? level->line : 0 };
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)function,
				  hash_string(level->file ? level->file : "") + level->line);
	struct line *line = hashtable_find(&lines->table, hash, is_line, &wanted);

	if (line)
		return line;
	line = xcalloc(1, sizeof(*line));
	*line = wanted;
	line->calls.min_ns = line->calls.max_ns = NAN;
	hashtable_add(&lines->table, hash, line);
	return line;
}

struct line_stack line_stack_begin(struct lines *lines, uint64_t nr, double ns)
{
	lines->nr_stacks++;
	lines->nr_samples += nr;
	return (struct line_stack){ .lines = lines, .nr = nr, .ns = ns };
}

struct line_stack line_stack_begin_waiting(struct lines *lines, double waiting_ns)
{
	lines->nr_stacks++;
	return (struct line_stack){ .lines = lines, .waiting_ns = waiting_ns };
}

static void add(const struct line_stack *stack, struct line_samples *samples, bool is_self)
{
	if (is_self) {
		samples->self_nr += stack->nr;
		samples->self_ns += stack->ns;
	}
	if (samples->newest_stack == stack->lines->nr_stacks)
		return;
	samples->newest_stack = stack->lines->nr_stacks;
	samples->nr += stack->nr;
	samples->ns += stack->ns;
	samples->waiting_ns += stack->waiting_ns;
}

struct line *line_at(struct lines *lines, struct code_level *level, struct function *function)
{
	if (level->function)
		function = level->function;
	if (!level->at && function)
		level->at = find_line(lines, level, function);
	return level->at;
}

void line_stack_add(struct line_stack *stack, struct code_place *place, struct function *function)
{
	for (size_t i = place ? place->nr : 0; i-- > 0;) {
		struct code_level *level = &place->levels[i];
		struct line *line = line_at(stack->lines, level, function);

		if (line) {
			add(stack, &line->samples, !stack->has_begun);
			add(stack, &line->of->samples, !stack->has_begun);
		}
		stack->has_begun = true;
	}
	stack->has_begun = true;
}

static void add_heap(struct lines *lines, struct line_samples *stamp, struct heap_stats *sum,
		     const struct heap_stats *stats)
{
	if (stamp->newest_stack != lines->nr_stacks)
		heap_stats_add(sum, stats);
	stamp->newest_stack = lines->nr_stacks;
}

void lines_add_heap(struct lines *lines, struct code_level *levels, size_t nr, struct function *function,
		    const struct heap_stats *stats)
{
	lines->nr_stacks++;
	for (size_t i = nr; i-- > 0;) {
		struct line *line = line_at(lines, &levels[i], function);

		if (!line)
			continue;
		add_heap(lines, &line->samples, &line->heap, stats);
		add_heap(lines, &line->of->samples, &line->of->heap, stats);
	}
}

void lines_add_new(struct lines *lines, struct code_place *place, struct function *function, uint64_t bytes)
{
	struct line *line = line_at(lines, &place->levels[place->nr - 1], function);

	if (!line)
		return;
	line->new_bytes += bytes;
	line->of->new_bytes += bytes;
}

static void add_times(struct line_calls *sum, const struct line_calls *calls)
{
	const struct line_times none = { .stats = NO_CALLS };

	sum->lacks_times |= calls->lacks_times;
	if (!calls->times)
		return;
	if (!sum->times) {
		sum->times = xcalloc(1, sizeof(*sum->times));
		*sum->times = none;
	}
	call_stats_add(&sum->times->stats, &calls->times->stats);
	call_stats_add_total(&sum->times->stats, &calls->times->stats);
	histogram_add(&sum->times->histogram, calls->times->histogram.counts,
		      calls->times->histogram.unit_ns);
}

void lines_add_calls(struct lines *lines, struct code_level *levels, size_t nr, struct function *function,
		     const struct line_calls *calls, bool has_time)
{
	const struct line *inner = NULL;

	for (size_t i = nr; i-- > 0;) {
		struct line *line = levels[i].line ? line_at(lines, &levels[i], function) : NULL;

		if (!line || line == inner)
			continue;
		if (i + 1 == nr) {
			line->calls.nr += calls->nr;
			line->calls.min_ns = fmin(line->calls.min_ns, calls->min_ns);
			line->calls.max_ns = fmax(line->calls.max_ns, calls->max_ns);
			add_times(&line->calls, calls);
		}
		line->calls.ns += calls->ns;
		line->calls.doubt_ns += calls->doubt_ns;
		line->of->called_ns += calls->ns;
		line->of->has_calls |= has_time;
		inner = line;
	}
}

void lines_add_rest(struct lines *lines, struct line_function *of, double ns)
{
	const struct code_level level = { .file = of->function->file };

	find_line(lines, &level, of->function);
	of->rest_ns = fmax(ns - of->called_ns, 0);
}

void lines_add_hits(struct lines *lines, struct function *function, const char *file, uint32_t number,
		    uint64_t hits)
{
	const bool is_own = function->file && strcmp(path_base(function->file), path_base(file)) == 0;
	const struct code_level level = { .file = is_own ? function->file : file, .line = number };
	struct line *line = find_line(lines, &level, function);

	line->hits += hits;
	line->has_hits = true;
}

static int most_first(double a, double b)
{
	return (a < b) - (a > b);
}

static int compare_files(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !a - !b;
}

/* By hooks, if they know it. */
static double time_of(const struct line_function *of)
{
	return of->has_calls ? of->called_ns + (isnan(of->rest_ns) ? 0 : of->rest_ns) : of->samples.ns;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = *(const struct line *const *)a, *y = *(const struct line *const *)b;
	int order = most_first(x->of->samples.self_ns, y->of->samples.self_ns);	/* not callers of all */

	if (!order)
		order = most_first(time_of(x->of), time_of(y->of));
	if (!order)
		order = most_first(x->of->samples.waiting_ns, y->of->samples.waiting_ns);
	if (!order)
		order = most_first((double)x->of->heap.alloc_bytes, (double)y->of->heap.alloc_bytes);
	if (!order)
		order = most_first((double)x->of->new_bytes, (double)y->of->new_bytes);
	if (!order && x->of != y->of)
		order = x->of->function->number < y->of->function->number ? -1 : 1;
	if (!order)
		order = compare_files(x->file, y->file);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

const struct line **lines_list(const struct lines *lines, size_t *nr)
{
	const struct line **list = xcalloc(lines ? lines->table.nr_items + 1 : 1, sizeof(*list)), *line;

	*nr = 0;
	for (size_t at = 0; lines && (line = hashtable_next(&lines->table, &at));)
		list[(*nr)++] = line;
	qsort(list, *nr, sizeof(*list), compare_lines);
	return list;
}
