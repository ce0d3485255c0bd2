/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a saved profile. The tree is written path by path: as one JSON value it would need more memory than
 * the model.
 */
#include "analyzer/profile/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/gzip_file.h"
#include "analyzer/base/whole_file.h"
#include "analyzer/model/call_edges.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/run_parts.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/profile/profile_losses.h"
#include "analyzer/profile/profile_ranks.h"
#include "analyzer/profile/profile_rows.h"
#include "analyzer/profile/profile_totals.h"
#include "analyzer/profile/profile_transfers.h"
#include "analyzer/read/marks_read.h"

#define DUMP	(JSON_COMPACT | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY)

/* Numbers that were assigned while writing. */
struct writer {
	FILE *file;
	struct model *model;
	const struct rank_sums *ranks;	/* NULL: not known */
	struct function **functions;	/* of the whole tree, by their place in the file */
	uint32_t nr_functions;
	uint32_t *places;		/* [number of a function]: 0: none; else its place + 1 */
	bool failed;
};

static void write_json(struct writer *writer, json_t *value)
{
	if (json_dumpf(value, writer->file, DUMP) < 0)
		writer->failed = true;
	json_decref(value);
}

static json_t *add_fields(json_t *array, const struct field *fields, const void *thing)
{
	for (; fields->name; fields++)
		json_array_append_new(array, field_to_json(fields, thing));
	return array;
}

static json_t *add_names(json_t *array, const struct field *fields)
{
	for (; fields->name; fields++)
		json_array_append_new(array, json_string(fields->name));
	return array;
}

static void begin(struct writer *writer, const char *key)
{
	fprintf(writer->file, ",\n\"%s\":[", key);
}

static void between(struct writer *writer, size_t i)
{
	fputs(i ? ",\n" : "\n", writer->file);
}

static json_t *counts_to_json(const uint64_t *counts, size_t nr)
{
	json_t *array = json_array();

	for (size_t i = 0; i < nr; i++)
		json_array_append_new(array, json_integer((json_int_t)counts[i]));
	return array;
}

/* The timers of a process: names and numbers. */
static json_t *timers_to_json(const struct said *said)
{
	json_t *array = json_array();

	for (size_t i = 0; said && i < said->nr_timers; i++) {
		json_t *timer = json_array();

		json_array_append_new(timer, text_to_json(said->timers[i].name));
		json_array_append_new(array, add_fields(timer, profile_timer_fields, &said->timers[i]));
	}
	return array;
}

static uint64_t to_count(double number)
{
	return isnan(number) ? LOG_NONE : (uint64_t)number;
}

/* As reports show it: also from rows, which are not saved. */
static void set_usage(struct process *saved, struct process *process)
{
	const struct usage usage = usage_of_process(process);

	saved->cpu_ns = to_count(usage.cpu_ns);
	saved->user_ns = to_count(usage.user_ns);
	saved->system_ns = to_count(usage.system_ns);
	saved->peak_rss_bytes = to_count(usage.peak_rss_bytes);
}

static void add_threads(struct thread *sum, const struct process *process)
{
	for (size_t i = 0; i < process->nr_threads; i++) {
		const struct thread *thread = process->threads[i];

		if (thread->left_out)
			continue;
		sum->open_calls += thread->open_calls;
		sum->overflow_depth += thread->overflow_depth;
		sum->heap_bytes = (int64_t)((uint64_t)sum->heap_bytes + (uint64_t)thread->heap_bytes);
	}
}

static void add_keys(json_t *object, const struct field *fields, const void *thing)
{
	for (; fields->name; fields++)
		json_object_set_new(object, fields->name, field_to_json(fields, thing));
}

static void write_processes(struct writer *writer)
{
	const struct model *model = writer->model;

	begin(writer, "processes");
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct saved_process saved = { .process = *model->processes[i] };
		struct process *process = &saved.process;
		json_t *object = json_object();

		process->header.start.realtime_ns =
			model->run_starts_ns[process->run] + (uint64_t)process->start;
		process->header.start.monotonic_ns = process->timebase.points[0].monotonic_ns;
		process->header.finish.realtime_ns =
			model->run_starts_ns[process->run] + (uint64_t)process->last;
		process->header.off_ticks = (uint64_t)fmax(losses_off_ns(model->processes[i]), 0);
		set_usage(process, model->processes[i]);
		add_threads(&saved.threads, process);
		add_keys(object, profile_process_fields, &saved);
		add_keys(object, profile_process_fields_2, &saved);
		json_object_set_new(object, "heap_sizes",
				    counts_to_json(process->heap_sizes, LOG_HEAP_SIZES));
		json_object_set_new(object, "start_cpu_ns",
				    json_integer((json_int_t)process->header.start_cpu_ns));
		json_object_set_new(object, "launch_id", text_to_json(process->header.launch_id));
		json_object_set_new(object, "losses", losses_to_json(process->header.losses));
		json_object_set_new(object, "facts", facts_to_json(process));
		json_object_set_new(object, "timers", timers_to_json(process->said));
		json_object_set_new(object, "command", text_to_json(process->command));
		json_object_set_new(object, "exe", text_to_json(process->exe));
		json_object_set_new(object, "cwd", text_to_json(process->cwd));
		between(writer, i);
		write_json(writer, object);
	}
	fputs("]", writer->file);
}

static void write_modules(struct writer *writer)
{
	uint32_t nr = 0;

	begin(writer, "modules");
	for (struct object *object = writer->model->objects; object; object = object->next) {
		char build_id[2 * sizeof(object->build_id) + 1] = "";

		for (uint32_t i = 0; i < object->build_id_bytes; i++)
			sprintf(build_id + 2 * i, "%02x", object->build_id[i]);
		between(writer, nr++);
		write_json(writer,
			   json_pack("{s:o, s:s, s:I, s:I}", "path", text_to_json(object->path), "build_id",
				     build_id, "file_bytes", (json_int_t)object->file_bytes, "file_mtime_ns",
				     (json_int_t)object->file_mtime_ns));
	}
	fputs("]", writer->file);
}

static json_t *histogram_to_json(const struct histogram *histogram)
{
	json_t *counts = json_array();

	for (int i = 0; i < LOG_BUCKETS; i++)
		if (histogram->counts[i])
			json_array_append_new(counts, json_pack("[iI]", i, (json_int_t)histogram->counts[i]));
	return json_pack("{s:f, s:o}", "unit_ns", histogram->unit_ns, "counts", counts);
}

static json_t *parts_to_json(const struct writer *writer, const struct field *fields, const void *parts,
			     size_t bytes)
{
	json_t *array = json_array();

	for (size_t i = 0; i < writer->model->nr_runs; i++)
		json_array_append_new(array,
				      add_fields(json_array(), fields, (const char *)parts + i * bytes));
	return array;
}

static json_t *heap_parts_to_json(const struct writer *writer, const struct heap_part *parts)
{
	return parts_to_json(writer, profile_heap_part_fields, parts, sizeof(*parts));
}

static void write_function(struct writer *writer, struct function *function)
{
	const struct object *object = function->object;
	json_t *json;

	resolve_source(function);
	json = json_pack("{s:I, s:I, s:o}", "module", 
			 object ? (json_int_t)object_number(writer->model, object) : (json_int_t)-1,
			 "addr", (json_int_t)function->addr,
			 "name", text_to_json(function->resolved ? function->name : NULL));
	if (function->file) {
		json_object_set_new(json, "file", text_to_json(function->file));
		json_object_set_new(json, "line", json_integer((json_int_t)function->line));
	}
	if (function->kind == FUNCTION_OTHERS)
		json_object_set_new(json, "others", json_true());
	if (function->region)
		json_object_set_new(json, "region", json_true());
	if (function->made_up)
		json_object_set_new(json, "made_up", json_integer(function->made_up));
	if (function->kind == FUNCTION_COUNTED)
		json_object_set_new(json, "counted", json_true());
	if (function->wait)
		json_object_set_new(json, "wait", json_integer(function->wait));
	if (function->said_field)
		json_object_set_new(json, "field", text_to_json(function->said_field));
	json_object_set_new(json, "histogram", histogram_to_json(&function->histogram));
	if (function->heap_parts)
		json_object_set_new(json, "heap_runs", heap_parts_to_json(writer, function->heap_parts));
	write_json(writer, json);
}

/* Give all functions that are on a path a place in the file. */
static void number_functions(struct writer *writer)
{
	writer->places = xcalloc(functions_count(&writer->model->tables->functions), sizeof(*writer->places));
	for (struct tree_node *node = tree_next(writer->model->root); node; node = tree_next(node)) {
		if (writer->places[node->function->number])
			continue;
		writer->functions =
			xgrow(writer->functions, writer->nr_functions, sizeof(*writer->functions));
		writer->functions[writer->nr_functions++] = node->function;
		writer->places[node->function->number] = writer->nr_functions;
	}
}

static int64_t place_of(const struct writer *writer, const struct function *function)
{
	return function ? (int64_t)writer->places[function->number] - 1 : -1;
}

static void write_functions(struct writer *writer)
{
	begin(writer, "functions");
	for (uint32_t i = 0; i < writer->nr_functions; i++) {
		between(writer, i);
		write_function(writer, writer->functions[i]);
	}
	fputs("]", writer->file);
}

/* Including the hooks' cost, which is subtracted when the file is read. */
static struct path_counters as_recorded(const struct tree_node *node)
{
	struct path_counters recorded = {
		.nr_threads = node->threads_unknown ? 0 : node->nr_threads,
		.stats = path_stats(node),
		.heap = *node->heap,
		.samples = *node->samples,
	};

	recorded.stats.self_ns = node->sum.self_ns;
	recorded.stats.total_ns = node->sum.total_ns;
	recorded.stats.total_variance_ns2 = node->rare->total_variance_ns2;
	return recorded;
}

/* End the row before the @nr-th one. */
static void end_row(struct writer *writer, struct row_text *line, size_t nr)
{
	if (!nr)
		return;
	row_add_char(line, ',');
	row_end(line, writer->file);
}

/* End the list and its last row, the @nr-th one. */
static void end_list(struct writer *writer, struct row_text *line, size_t nr)
{
	if (nr)
		row_end(line, writer->file);
	fputs("]", writer->file);
	row_text_release(line);
}

/* The calls of a function in each of several runs, and their CPU time, which may be known of one run too. */
static void write_function_runs(struct writer *writer)
{
	size_t nr_runs = writer->model->nr_runs, nr = 0;
	struct function_part *parts = xcalloc(nr_runs, sizeof(*parts));
	struct row_text line = { 0 };

	fputs(",\n" FUNCTION_RUNS_BEGIN, writer->file);
	for (uint32_t i = 0; i < writer->nr_functions; i++) {
		const struct function *function = writer->functions[i];

		if (!function->parts && !function->cpu_runs_ns)
			continue;
		for (size_t run = 0; run < nr_runs; run++) {
			parts[run].calls = function->parts ? function->parts[run] : (struct run_part){ 0 };
			parts[run].cpu_ns = function->cpu_runs_ns ? function->cpu_runs_ns[run] : NAN;
		}
		end_row(writer, &line, nr++);
		parts_row_print(&line, (int64_t[]){ i }, 1, profile_function_part_fields, parts,
				sizeof(*parts), nr_runs);
	}
	end_list(writer, &line, nr);
	free(parts);
}

/* The shares of each of several runs in pairs of caller and callee. */
static void write_edges(struct writer *writer)
{
	const struct model *model = writer->model;
	struct edges edges = { .nr = 0 };
	struct row_text line = { 0 };
	size_t nr = 0;

	fputs(",\n" EDGES_BEGIN, writer->file);
	if (model->nr_runs > 1)
		edges_init(&edges, model);
	for (size_t i = 0; i < edges.nr; i++) {
		const struct edge *edge = &edges.list[i];
		const struct run_part *parts = parts_of_edge(model, edge->caller, edge->function);
		const int64_t places[] = { place_of(writer, edge->caller), place_of(writer, edge->function) };

		if (!parts)
			continue;
		end_row(writer, &line, nr++);
		parts_row_print(&line, places, 2, profile_part_fields, parts, sizeof(*parts), model->nr_runs);
	}
	end_list(writer, &line, nr);
	edges_release(&edges);
}

/* Callers first: a row refers to its caller's row. */
static void write_paths(struct writer *writer, int32_t *rows)
{
	const struct model *model = writer->model;
	struct row_text line = { 0 };
	int32_t nr = 0;

	fputs(",\n" PATHS_BEGIN, writer->file);
	for (struct tree_node *node = model->root; node; node = tree_next(node)) {
		struct saved_path path = {
			.parent = node->parent ? rows[node->parent->id] : -1,
			.function = place_of(writer, node->function),
			.counters = as_recorded(node),
			.has_age = node->age,
			.range = parts_of_path(model, node),
		};

		if (node->age)
			path.age = model->heap_ages[node->age];
		end_row(writer, &line, (size_t)nr);
		path_row_print(&line, &path, model->nr_runs);
		rows[node->id] = nr++;
	}
	end_list(writer, &line, (size_t)nr);
}

/* Lists that versions 1 and 2 did not have. */
static void write_later(struct writer *writer, const struct profile_texts *texts)
{
	const struct rank_sums *ranks = writer->ranks;

	fprintf(writer->file, ",\n\"calls_open_at_forks\":%" PRIu64 ",\n\"texts\":",
		writer->model->calls_open_at_forks);
	write_json(writer, profile_texts_to_json(texts));
	if (!ranks)
		return;
	fputs(",\n\"waiting\":", writer->file);
	write_json(writer, json_pack("{s:I, s:I, s:b, s:b}", "matched", (json_int_t)ranks->nr_matched,
				     "unmatched",
				     (json_int_t)ranks->nr_unmatched, "is_cut", ranks->is_cut,
				     "is_part", ranks->is_part));
}

static void write_columns(struct writer *writer)
{
	fputs(",\n\"path_columns\":", writer->file);
	write_json(writer, add_names(json_array(), profile_node_fields));
	fputs(",\n\"range_columns\":", writer->file);
	write_json(writer, add_names(json_array(), profile_range_fields));
	if (!writer->model->outside_parts)
		return;
	fputs(",\n\"outside_runs\":", writer->file);
	write_json(writer, heap_parts_to_json(writer, writer->model->outside_parts));
}

static void write_totals(struct writer *writer)
{
	const struct profile_totals totals = losses_totals(writer->model);

	for (const struct field *field = profile_total_fields; field->name; field++) {
		fprintf(writer->file, ",\n\"%s\":", field->name);
		write_json(writer, field_to_json(field, &totals));
	}
	fputs(",\n\"losses\":", writer->file);
	write_json(writer, losses_to_json(totals.losses));
}

static void write_all(struct writer *writer)
{
	struct model *model = writer->model;
	struct profile_texts *texts = profile_texts_new(model, writer->ranks);
	int32_t *rows = xcalloc(model->nr_tree_nodes, sizeof(*rows));
	json_t *runs = json_array();
	struct profile_places places;

	for (size_t i = 0; i < model->nr_runs; i++)
		json_array_append_new(runs, text_to_json(model->run_names[i]));
	fprintf(writer->file, "{\"" PROFILE_KEY "\":%d,\n\"runs\":", PROFILE_VERSION);
	write_json(writer, runs);
	write_totals(writer);
	write_processes(writer);
	write_modules(writer);
	number_functions(writer);
	write_functions(writer);
	write_columns(writer);
	write_later(writer, texts);
	write_function_runs(writer);
	write_edges(writer);
	write_paths(writer, rows);
	places = (struct profile_places){ writer->file, model, writer->places, rows };
	profile_ranks_write(&places, texts, writer->ranks);
	if (writer->ranks && writer->ranks->is_part)
		profile_transfers_write(&places);
	fputs("}\n", writer->file);
	profile_texts_free(texts);
	free(rows);
	free(writer->places);
	free(writer->functions);
}

int profile_write(struct model *model, const struct rank_sums *ranks, const char *path)
{
	struct writer writer = { .model = model, .ranks = ranks };
	struct whole_file file;
	int result = whole_file_open(&file, path);

	if (result == 0) {
		writer.file = gzip_file_write(file.out);
		if (writer.file) {
			write_all(&writer);
			writer.failed |= ferror(writer.file) != 0;
			writer.failed |= fclose(writer.file) != 0;
		}
		result = whole_file_close(&file, writer.file && !writer.failed);
	}
	return result == 0 ? 0 : error("cannot write %s: %s", path, strerror(-result));
}
