/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a saved profile. Any part may be missing or wrong, as in any file that was mailed around: everything is
 * checked when it is opened, and a file that fails is refused as a whole.
 */
#include "profile_data.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "profile_fields.h"

#define NS_MAX	1e18		/* 30 years: no time is longer */

static bool take_index(const json_t *value, int64_t min, size_t nr, int64_t *index)
{
	*index = json_integer_value(value);
	return json_is_integer(value) && *index >= min && *index < (int64_t)nr;
}

static bool fields_from_array(const struct field *fields, void *thing, const json_t *array, size_t from)
{
	for (; fields->name; fields++)
		if (!field_from_json(fields, thing, json_array_get(array, from++)))
			return false;
	return true;
}

static bool is_duration(double ns)
{
	return isnan(ns) || (ns >= -NS_MAX && ns <= NS_MAX);
}

/* Counts and times that can be. */
static bool is_sound(const struct call_stats *stats)
{
	return stats->calls < 1ull << 62 && stats->open_calls <= stats->calls && stats->timed_calls <= stats->calls &&
	       stats->known_calls < 1ull << 62 && stats->total_variance_ns2 >= 0 &&
	       stats->total_ns >= 0 && stats->total_ns <= NS_MAX && fabs(stats->self_ns) <= NS_MAX &&
	       stats->duration_ns >= 0 && stats->duration_ns <= NS_MAX && stats->open_ns >= 0 &&
	       stats->open_ns <= NS_MAX && stats->square_ns2 >= 0 && stats->square_ns2 <= NS_MAX * NS_MAX &&
	       stats->inside_ns >= 0 && stats->inside_ns <= NS_MAX && stats->hooks_ns >= 0 &&
	       stats->hooks_ns <= NS_MAX && stats->noise_ns >= 0 && stats->noise_ns <= NS_MAX &&
	       is_duration(stats->min_ns) && is_duration(stats->max_ns) && is_duration(stats->finished_max_ns) &&
	       !(stats->min_ns > stats->finished_max_ns);
}

/* Counts of a list that is as long as @nr, or not there. */
static bool read_counts(uint64_t *counts, size_t nr, const json_t *array)
{
	if (array && json_array_size(array) != nr)
		return false;
	for (size_t i = 0; array && i < nr; i++) {
		json_int_t count = json_integer_value(json_array_get(array, i));

		if (count < 0 || count > INT64_MAX / 64)
			return false;
		counts[i] = (uint64_t)count;
	}
	return true;
}

static bool read_processes(struct profile *profile, const json_t *array)
{
	profile->nr_processes = json_array_size(array);
	profile->processes = xcalloc(profile->nr_processes, sizeof(*profile->processes));
	profile->added = xcalloc(profile->nr_processes, sizeof(*profile->added));
	for (size_t i = 0; i < profile->nr_processes; i++) {
		struct process *process = &profile->processes[i];
		const json_t *object = json_array_get(array, i);

		for (const struct field *field = profile_process_fields; field->name; field++)
			if (!field_from_json(field, process, json_object_get(object, field->name)))
				return false;
		if (!read_counts(process->heap_sizes, LOG_HEAP_SIZES, json_object_get(object, "heap_sizes")))
			return false;
		process->command = json_string_value(json_object_get(object, "command"));
		process->exe = json_string_value(json_object_get(object, "exe"));
		process->cwd = json_string_value(json_object_get(object, "cwd"));
		if (!process->command || !process->exe || !process->cwd || process->run >= profile->nr_runs ||
		    process->end_kind > END_UNKNOWN || !(fabs(process->functions_ns) <= NS_MAX) ||
		    process->header.start.realtime_ns >= 1ull << 62 || process->header.start.monotonic_ns >= 1ull << 62 ||
		    process->header.finish.realtime_ns >= 1ull << 62 || process->calls >= 1ull << 62 ||
		    process->header.finish.realtime_ns < process->header.start.realtime_ns)
			return false;
	}
	return profile->nr_processes > 0;
}

static bool read_build_id(struct object *object, const char *text)
{
	size_t length = text ? strlen(text) : 1;

	if (length % 2 || length > 2 * sizeof(object->build_id))
		return false;
	object->build_id_bytes = (uint32_t)(length / 2);
	for (size_t i = 0; i < length / 2; i++) {
		char digits[3] = { text[2 * i], text[2 * i + 1], '\0' }, *end;

		object->build_id[i] = (uint8_t)strtoul(digits, &end, 16);
		if (*end)
			return false;
	}
	return true;
}

static bool read_modules(struct profile *profile, const json_t *array)
{
	profile->nr_modules = json_array_size(array);
	profile->modules = xcalloc(profile->nr_modules, sizeof(*profile->modules));
	profile->objects = xcalloc(profile->nr_modules, sizeof(*profile->objects));
	for (size_t i = 0; i < profile->nr_modules; i++) {
		struct object *module = &profile->modules[i];
		const json_t *object = json_array_get(array, i);

		module->path = (char *)json_string_value(json_object_get(object, "path"));
		module->file_bytes = (uint64_t)json_integer_value(json_object_get(object, "file_bytes"));
		module->file_mtime_ns = (uint64_t)json_integer_value(json_object_get(object, "file_mtime_ns"));
		if (!module->path || !read_build_id(module, json_string_value(json_object_get(object, "build_id"))))
			return false;
	}
	return true;
}

static bool read_histogram(struct histogram *histogram, const json_t *object)
{
	const json_t *counts = json_object_get(object, "counts");

	histogram->unit_ns = json_number_value(json_object_get(object, "unit_ns"));
	if (!(histogram->unit_ns >= 0 && histogram->unit_ns < 1e6))
		return false;
	for (size_t i = 0; i < json_array_size(counts); i++) {
		const json_t *pair = json_array_get(counts, i);
		json_int_t count = json_integer_value(json_array_get(pair, 1));
		int64_t bucket;

		if (!take_index(json_array_get(pair, 0), 0, LOG_BUCKETS, &bucket) || count < 0 || count > INT64_MAX / LOG_BUCKETS ||
		    !(histogram->unit_ns > 0))
			return false;
		histogram->counts[bucket] = (uint64_t)count;
	}
	return true;
}

static bool read_parts(struct profile *profile, struct saved_function *function, const json_t *array)
{
	if (!array)
		return true;
	if (json_array_size(array) != profile->nr_runs)
		return false;
	function->parts = xcalloc(profile->nr_runs, sizeof(*function->parts));
	for (size_t i = 0; i < profile->nr_runs; i++)
		if (!fields_from_array(profile_part_fields, &function->parts[i], json_array_get(array, i), 0) ||
		    !(fabs(function->parts[i].self_ns) <= NS_MAX && fabs(function->parts[i].total_ns) <= NS_MAX))
			return false;
	return true;
}

static bool read_functions(struct profile *profile, const json_t *array)
{
	profile->nr_functions = json_array_size(array);
	profile->functions = xcalloc(profile->nr_functions, sizeof(*profile->functions));
	profile->list = xcalloc(profile->nr_functions, sizeof(*profile->list));
	for (size_t i = 0; i < profile->nr_functions; i++) {
		struct saved_function *function = &profile->functions[i];

		function->json = json_array_get(array, i);
		if (!take_index(json_object_get(function->json, "module"), -1, profile->nr_modules, &function->module) ||
		    !json_is_integer(json_object_get(function->json, "addr")) ||
		    !read_histogram(&function->histogram, json_object_get(function->json, "histogram")) ||
		    !read_parts(profile, function, json_object_get(function->json, "runs")))
			return false;
	}
	return true;
}

static bool is_sound_part(const struct run_part *part)
{
	return part->calls < 1ull << 62 && fabs(part->self_ns) <= NS_MAX && fabs(part->total_ns) <= NS_MAX;
}

/* Behind the counters, where there are several runs. */
static bool read_range(const struct profile *profile, struct path_range *range, const json_t *row)
{
	size_t from = 2;

	for (const struct field *field = profile_node_fields; field->name; field++)
		from++;
	return profile->nr_runs < 2 || (fields_from_array(profile_range_fields, range, row, from) &&
					range->nr_runs <= profile->nr_runs && is_sound_part(&range->min) &&
					is_sound_part(&range->max));
}

/* A path ends with how old its live blocks are, if it has any. */
static bool read_age(struct saved_path *path, const json_t *row)
{
	const json_t *last = json_array_get(row, json_array_size(row) - 1);

	path->has_age = json_is_array(last);
	return !path->has_age || read_counts(path->age.born, HEAP_AGES, last);
}

static bool read_paths(struct profile *profile, const json_t *array)
{
	profile->nr_paths = json_array_size(array);
	profile->paths = xcalloc(profile->nr_paths, sizeof(*profile->paths));
	for (size_t i = 0; i < profile->nr_paths; i++) {
		struct saved_path *path = &profile->paths[i];
		const json_t *row = json_array_get(array, i);

		if (!take_index(json_array_get(row, 0), -1, i, &path->parent) ||
		    !take_index(json_array_get(row, 1), 0, profile->nr_functions, &path->function) ||
		    !fields_from_array(profile_node_fields, &path->counters, row, 2) || !is_sound(&path->counters.stats) ||
		    !read_range(profile, &path->range, row) || !read_age(path, row))
			return false;
	}
	return true;
}

static bool read_all(struct profile *profile)
{
	const json_t *root = profile->root;

	profile->nr_runs = json_array_size(json_object_get(root, "runs"));
	return profile->nr_runs > 0 && profile->nr_runs < 1 << 20 && read_processes(profile, json_object_get(root, "processes")) &&
	       read_modules(profile, json_object_get(root, "modules")) &&
	       read_functions(profile, json_object_get(root, "functions")) &&
	       read_paths(profile, json_object_get(root, "paths")) &&
	       fields_from_array(profile_node_fields, &profile->outside, json_object_get(root, "outside"), 0);
}

struct profile *profile_open(const char *path)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));
	json_error_t error_of;
	json_int_t version;

	profile->path = xstrdup(path);
	profile->root = json_load_file(path, JSON_REJECT_DUPLICATES, &error_of);
	version = json_integer_value(json_object_get(profile->root, PROFILE_KEY));
	if (!profile->root)
		error("%s: no saved profile: line %d: %s", path, error_of.line, error_of.text);
	else if (version != PROFILE_VERSION)
		error("%s: a saved profile of version %lld; this insideme-report reads %d", path, (long long)version,
		      PROFILE_VERSION);
	else if (!read_all(profile))
		error("%s: a damaged profile: what it says cannot be", path);
	else
		return json_object_del((json_t *)profile->root, "paths"), profile;
	profile_close(profile);
	return NULL;
}

void profile_close(struct profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; profile->functions && i < profile->nr_functions; i++)
		free(profile->functions[i].parts);
	json_decref(profile->root);
	free(profile->path);
	free(profile->processes);
	free(profile->added);
	free(profile->modules);
	free(profile->objects);
	free(profile->functions);
	free(profile->list);
	free(profile->paths);
	free(profile);
}
