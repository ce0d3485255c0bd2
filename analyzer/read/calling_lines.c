/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/calling_lines.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/lines/line_counts.h"
#include "analyzer/log/logfile.h"
#include "analyzer/log/place_counters.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/code_paths.h"
#include "analyzer/read/counted_read.h"
#include "analyzer/read/nodes_read.h"

/* The log of a forked child has no settings. */
static bool has_calling_lines(const struct process *process)
{
	const char *setting = process_fact(process, "setting.INSIDEME_CALL_LINES");

	if (setting)
		return process->log && strcmp(setting, "on") == 0 && process->header.has_hooks;
	for (size_t i = 0; process->log && i < process->log->nr_extents; i++)
		if (process->log->extents[i].kind == LOG_AREA_CALL_PLACES ||
		    process->log->extents[i].kind == LOG_AREA_OLD_PLACES)
			return true;
	return false;
}

bool calling_lines_are_in(const struct model *model, uint32_t run)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if ((run == NO_RUN || model->processes[i]->run == run) &&
		    has_calling_lines(model->processes[i]))
			return true;
	return false;
}

/* ---- where ---- */

/* The address in @module whose low half is @low. */
static bool address_in(const struct module *module, uint32_t low, uint64_t *addr)
{
	*addr = module->begin_addr + (uint32_t)(low - (uint32_t)module->begin_addr);
	return *addr < module->end_addr;
}

/* The code before a return address whose low half is known, most likely in @object. NULL: not known. */
static struct code_place *place_before(struct process *process, uint32_t low, const struct object *object)
{
	const struct module *found = NULL;
	uint64_t addr, found_addr = 0;

	for (size_t i = 0; i < process->nr_modules; i++) {
		const struct module *module = &process->modules[i];

		if (!address_in(module, low - 1, &addr) || (found && module->object != object))
			continue;
		found = module;
		found_addr = addr;
	}
	return code_place_find(&lines_of(process->model)->places, process, found, found_addr);
}

/* Levels of a place: those from the calling function's code inwards. nr 0: not known. */
struct calling {
	struct code_level *levels;
	size_t nr;
};

static const struct object *object_of(const struct tree_node *path)
{
	return path->function ? path->function->object : NULL;
}

static struct tree_node *caller_of(const struct tree_node *path)
{
	struct tree_node *caller = path->parent;

	while (caller->function && caller->function->region)
		caller = caller->parent;
	return caller;
}

/*
 * If the called function's code lies within another function, it was inlined there. Otherwise the place is
 * the one that the call returns to. Functions around the caller get the same time. If the caller has no
 * part in the place, the calling function has no hooks, and the functions around it are not known. Calls
 * outside of all functions have no line.
 */
static struct calling calling_of(struct process *process, const struct tree_node *path, uint32_t site_low,
				 uint32_t return_low)
{
	const struct tree_node *caller = caller_of(path);
	struct code_place *place = place_before(process, return_low, object_of(path));
	size_t end = place ? place->nr - 1 : 0, begin;

	if (!end) {
		place = site_low ? place_before(process, site_low, object_of(caller)) : NULL;
		end = place ? place->nr : 0;
	}
	if (!end || !caller->function)
		return (struct calling){ NULL, 0 };
	for (begin = end; begin-- > 0;)
		if (place->levels[begin].function == caller->function)
			return (struct calling){ place->levels + begin, end - begin };
	return (struct calling){ place->levels + end - 1, 1 };
}

static bool is_inlined(struct process *process, const struct tree_node *path, uint32_t return_low)
{
	const struct code_place *place = place_before(process, return_low, object_of(path));

	return place && place->nr > 1;
}

/* ---- how many, and how long ---- */

struct reader {
	struct process *process;
	const bool *is_outermost;	/* [id of a path]: of its function */
};

/* For calls of @path, @ns in total by hooks. */
static struct line_calls calls_of(const struct tree_node *path, uint64_t nr, double ns, bool is_outermost)
{
	const struct call_stats stats = path_stats(path);
	const double recorded_ns = path->sum.total_ns;
	const double part = recorded_ns > 0 ? ns / recorded_ns : 0;
	struct line_calls calls = { .nr = nr, .min_ns = NAN, .max_ns = NAN };

	if (is_outermost) {
		calls.ns = fmax(stats.total_ns, 0) * part;
		calls.doubt_ns = stats.total_doubt_ns * part;
	}
	return calls;
}

static void add_calls(const struct reader *reader, const struct tree_node *path, uint32_t site_low,
		      uint32_t return_low, struct line_calls *calls)
{
	struct process *process = reader->process;
	const bool has_time = !path->function->is_counted;
	struct calling from;

	if (!has_time && !is_inlined(process, path, return_low)) {
		lines_of(process->model)->nr_lineless += calls->nr;
		return;
	}
	from = calling_of(process, path, site_low, return_low);
	if (!has_time)
		*calls = (struct line_calls){ .nr = calls->nr, .min_ns = NAN, .max_ns = NAN,
					      .lacks_times = true };
	lines_add_calls(lines_of(process->model), from.levels, from.nr, caller_of(path)->function, calls,
			has_time);
}

/* The durations of the calls from @place, whose hooks cost as much as those of its @path in the mean. */
static void set_times(const struct reader *reader, const struct tree_node *path, const struct log_node *place,
		      struct line_calls *calls)
{
	const double tick_ns = reader->process->tick_ns;
	const struct call_stats stats = path_stats(path);
	const uint64_t nr = log_node_timed_calls(place);
	const double each_ns = hook_costs_per_call(&stats), total_ns = (double)place->total_ticks * tick_ns;
	const double squares = (double)place->squares[1] * 0x1p64 + (double)place->squares[0];
	struct call_stats *own = &calls->times->stats;

	calls->min_ns = fmax((double)place->min_ticks * tick_ns - each_ns, 0);
	calls->max_ns = fmax((double)place->max_ticks * tick_ns - each_ns, 0);
	own->timed_calls = own->known_calls = nr;
	own->removed_ns = each_ns * (double)nr;
	own->duration_ns = total_ns - own->removed_ns;
	own->square_ns2 = squares * tick_ns * tick_ns;
	own->total_doubt_ns = stats.total_doubt_ns * total_ns / fmax(path->sum.total_ns, total_ns);
	own->min_ns = (double)place->min_ticks * tick_ns;
	own->max_ns = own->finished_max_ns = (double)place->max_ticks * tick_ns;
	own->net_min_ns = calls->min_ns;
	own->net_max_ns = calls->max_ns;
}

/* @histogram: NULL: not known. */
static void add_place(const struct reader *reader, struct thread *thread, const struct log_node *place,
		      const uint64_t *histogram)
{
	const double tick_ns = reader->process->tick_ns;
	const struct tree_node *path = nodes_path(thread, place->parent);
	struct line_times times = { .stats = NO_CALLS };
	struct line_calls calls;

	if (!path || !path->function || path->function->kind != FUNCTION_PLAIN ||
	    nodes_is_left_out(reader->process, place->parent))
		return;
	calls = calls_of(path, place->calls, (double)place->total_ticks * tick_ns,
			 reader->is_outermost[caller_of(path)->id]);
	calls.times = &times;
	if (log_node_timed_calls(place) && place->min_ticks <= place->max_ticks)
		set_times(reader, path, place, &calls);
	if (histogram)
		histogram_add(&times.histogram, histogram, tick_ns);
	calls.lacks_times = !histogram || place->untimed_calls;
	add_calls(reader, path, (uint32_t)place->function_addr, (uint32_t)(place->function_addr >> 32),
		  &calls);
}

static void read_places(const struct reader *reader)
{
	const struct logfile *log = reader->process->log;

	for (size_t i = 0; i < log->nr_places; i++) {
		struct thread *thread = nodes_thread(reader->process, log->places[i].owner);
		uint64_t histogram[LOG_BUCKETS];
		struct log_node place;

		place_counters_read(log, &log->places[i], &place, histogram);
		add_place(reader, thread, &place, histogram);
	}
}

/* ---- logs before LOG_AREA_CALL_PLACES ---- */

static bool is_sound(const struct process *process, const struct log_call_place *place)
{
	const uint64_t span_ticks = process->limit_ticks - process->timebase.points[0].ticks;

	return place->calls <= process_most_calls(process) && place->untimed_calls <= place->calls &&
	       (place->untimed_calls == place->calls ||
		(place->min_ticks <= place->max_ticks && place->max_ticks <= span_ticks &&
		 place->total_ticks >= place->max_ticks));
}

static void read_old_places(const struct reader *reader, const struct log_extent *extent)
{
	struct thread *thread = nodes_thread(reader->process, extent->owner);
	struct logfile *log = reader->process->log;
	struct log_call_place place;

	if (!thread || thread->left_out)
		return;
	for (uint64_t at = extent->offset + sizeof(struct log_area);
	     at + sizeof(place) <= extent->offset + extent->used_bytes; at += sizeof(place)) {
		memcpy(&place, log->base + at, sizeof(place));
		if (place.node && !is_sound(reader->process, &place))
			logfile_damaged(log, at, "calls from a place that cannot be true");
		else if (place.node && place.calls)
			add_place(reader, thread,
				  &(struct log_node){ .function_addr = place.code, .parent = place.node,
						      .calls = place.calls,
						      .untimed_calls = place.untimed_calls,
						      .total_ticks = place.total_ticks,
						      .min_ticks = place.min_ticks,
						      .max_ticks = place.max_ticks }, NULL);
	}
}

/* They are counted where they end. */
static void read_open(const struct reader *reader)
{
	const struct process *process = reader->process;

	for (size_t i = 0; i < process->nr_stacks; i++)
		for (size_t j = 0; j < process->stacks[i].nr_calls; j++) {
			const struct open_call *call = &process->stacks[i].calls[j];
			const struct tree_node *path = call->node;
			struct line_calls calls;

			if (!path->function || path->function->region ||
			    path->function->kind != FUNCTION_PLAIN)
				continue;
			calls = calls_of(path, 1, isnan(call->so_far_ns) ? 0 : call->so_far_ns,
					 reader->is_outermost[caller_of(path)->id]);
			calls.max_ns = call->so_far_ns;
			add_calls(reader, path, call->site_low, call->return_low, &calls);
		}
}

/* Inlined copies of functions that timing auto counts. */
static void read_sites(const struct reader *reader)
{
	const struct process *process = reader->process;

	for (size_t i = 0; i < process->nr_counted_sums; i++) {
		const struct counted_sum *sum = &process->counted_sums[i];
		struct line_calls calls = { .nr = sum->calls, .min_ns = NAN, .max_ns = NAN };

		add_calls(reader, sum->path, 0, (uint32_t)sum->site->place_addr, &calls);
	}
}

static void read_process(struct process *process, const bool *is_outermost)
{
	const struct reader reader = { process, is_outermost };

	read_places(&reader);
	for (size_t i = 0; i < process->log->nr_extents; i++)
		if (process->log->extents[i].kind == LOG_AREA_OLD_PLACES)
			read_old_places(&reader, &process->log->extents[i]);
	read_open(&reader);
	read_sites(&reader);
}

static double total_ns(const struct model *model, const struct function *function, const bool *is_read)
{
	double ns = 0;

	if (!function->parts)
		return function->stats.total_ns;
	for (size_t run = 0; run < model->nr_runs; run++)
		ns += is_read[run] ? function->parts[run].total_ns : 0;
	return ns;
}

static void add_rests(struct model *model, const bool *is_read)
{
	struct lines *lines = lines_of(model);
	struct line_function *of;

	for (size_t at = 0; (of = hashtable_next(&lines->functions, &at));) {
		if (!of->has_calls || of->function->is_counted ||
		    !call_stats_know_total(&of->function->stats))
			continue;
		resolve_source(of->function);
		lines_add_rest(lines, of, total_ns(model, of->function, is_read));
	}
}

void calling_lines_read(struct model *model, const bool *is_read)
{
	bool *is_outermost = tree_find_outermost(model);

	for (size_t i = 0; i < model->nr_processes; i++)
		if (is_read[model->processes[i]->run] && has_calling_lines(model->processes[i]))
			read_process(model->processes[i], is_outermost);
	add_rests(model, is_read);
	free(is_outermost);
}
