/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a saved profile. The tree is written path by path: as one JSON value it would need more memory than the model. */
#include "profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "profile_fields.h"
#include "resolve.h"
#include "walk.h"

#define DUMP	(JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY)

/* What was handed out numbers as they are written. */
struct writer {
	FILE *file;
	struct model *model;
	struct function **functions;	/* all of the tree, by their number */
	uint32_t nr_functions;
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

static void write_processes(struct writer *writer)
{
	const struct model *model = writer->model;

	begin(writer, "processes");
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process process = *model->processes[i];
		json_t *object = json_object();

		process.header.start.realtime_ns = model->run_starts_ns[process.run] + (uint64_t)process.start;
		process.header.start.monotonic_ns = process.timebase.points[0].monotonic_ns;
		process.header.finish.realtime_ns = model->run_starts_ns[process.run] + (uint64_t)process.last;
		if (!process.has_usage)
			process.user_ns = process.system_ns = LOG_NONE;
		for (const struct field *field = profile_process_fields; field->name; field++)
			json_object_set_new(object, field->name, field_to_json(field, &process));
		json_object_set_new(object, "heap_sizes", counts_to_json(process.heap_sizes, LOG_HEAP_SIZES));
		json_object_set_new(object, "command", text_to_json(process.command));
		json_object_set_new(object, "exe", text_to_json(process.exe));
		json_object_set_new(object, "cwd", text_to_json(process.cwd));
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
		object->number = nr++;
		between(writer, object->number);
		write_json(writer, json_pack("{s:o, s:s, s:I, s:I}", "path", text_to_json(object->path), "build_id", build_id,
					     "file_bytes", (json_int_t)object->file_bytes,
					     "file_mtime_ns", (json_int_t)object->file_mtime_ns));
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

static json_t *parts_to_json(const struct function *function, size_t nr_runs)
{
	json_t *array = json_array();

	for (size_t i = 0; i < nr_runs; i++)
		json_array_append_new(array, add_fields(json_array(), profile_part_fields, &function->parts[i]));
	return array;
}

static void write_function(struct writer *writer, struct function *function)
{
	const struct object *object = function->object;
	json_t *json;

	resolve_source(function);
	json = json_pack("{s:I, s:I, s:b, s:b, s:o, s:o, s:I}", "module", object ? (json_int_t)object->number : (json_int_t)-1,
			 "addr", (json_int_t)function->addr, "others", function->kind == FUNCTION_OTHERS,
			 "region", function->region != NULL,
			 "name", text_to_json(function->resolved ? function->name : NULL),
			 "file", text_to_json(function->file), "line", (json_int_t)function->line);
	json_object_set_new(json, "histogram", histogram_to_json(&function->histogram));
	if (function->parts)
		json_object_set_new(json, "runs", parts_to_json(function, writer->model->nr_runs));
	write_json(writer, json);
}

/* All functions that are on a path; their numbers go where tree.c counted, which is 0 between its walks. */
static void number_functions(struct writer *writer)
{
	for (struct tree_node *node = tree_next(writer->model->root); node; node = tree_next(node)) {
		if (node->function->on_path)
			continue;
		writer->functions = xgrow(writer->functions, writer->nr_functions, sizeof(*writer->functions));
		writer->functions[writer->nr_functions++] = node->function;
		node->function->on_path = writer->nr_functions;
	}
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

/* With what the hooks cost: that is taken out when it is read. */
static struct tree_node as_recorded(const struct tree_node *node)
{
	struct tree_node recorded = *node;

	recorded.stats.self_ns += recorded.stats.removed_self_ns;
	recorded.stats.total_ns += recorded.stats.removed_ns;
	recorded.stats.duration_ns += recorded.stats.removed_ns;
	return recorded;
}

/* Callers first: a path names its caller's by its place in the list, -1 for none. */
static void write_tree(struct writer *writer)
{
	int32_t *places = xcalloc(writer->model->nr_tree_nodes, sizeof(*places));
	const struct path_range *ranges = writer->model->ranges;
	json_t *columns = add_names(json_array(), profile_node_fields);
	int32_t nr = 0;

	fputs(",\n\"path_columns\":", writer->file);
	write_json(writer, ranges ? add_names(columns, profile_range_fields) : columns);
	begin(writer, "paths");
	places[0] = -1;
	for (struct tree_node *node = tree_next(writer->model->root); node; node = tree_next(node)) {
		struct tree_node recorded = as_recorded(node);
		json_t *array = json_array();

		places[node->id] = nr;
		json_array_append_new(array, json_integer(places[node->parent->id]));
		json_array_append_new(array, json_integer(node->function->on_path - 1));
		between(writer, (size_t)nr++);
		add_fields(array, profile_node_fields, &recorded);
		if (ranges)
			add_fields(array, profile_range_fields, &ranges[node->id]);
		if (node->age)
			json_array_append_new(array, counts_to_json(writer->model->heap_ages[node->age].born, HEAP_AGES));
		write_json(writer, array);
	}
	fputs("]", writer->file);
	free(places);
}

static void write_all(struct writer *writer)
{
	struct model *model = writer->model;
	json_t *runs = json_array();

	for (size_t i = 0; i < model->nr_runs; i++)
		json_array_append_new(runs, text_to_json(model->run_names[i]));
	fprintf(writer->file, "{\"" PROFILE_KEY "\":%d,\n\"runs\":", PROFILE_VERSION);
	write_json(writer, runs);
	write_processes(writer);
	write_modules(writer);
	number_functions(writer);
	write_functions(writer);
	write_tree(writer);
	fputs(",\n\"outside\":", writer->file);
	write_json(writer, add_fields(json_array(), profile_node_fields, model->root));
	fputs("}\n", writer->file);
	for (uint32_t i = 0; i < writer->nr_functions; i++)
		writer->functions[i]->on_path = 0;
	free(writer->functions);
}

int profile_write(struct model *model, const char *path)
{
	char *copy = xasprintf("%s.%d", path, (int)getpid());
	struct writer writer = { .file = fopen(copy, "wxe"), .model = model };
	bool done = false;

	if (writer.file) {
		write_all(&writer);
		done = !ferror(writer.file) && !writer.failed;
		done = fclose(writer.file) == 0 && done && rename(copy, path) == 0;
		if (!done)
			unlink(copy);
	}
	free(copy);
	return done ? 0 : error("cannot write %s: %s", path, strerror(errno));
}
