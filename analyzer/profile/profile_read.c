/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a saved profile. Parts may be missing or wrong, as in any file that was mailed around. Everything is
 * checked, and a file with an error is refused as a whole. The rows, which may be many, are read one by one.
 */
#include "analyzer/profile/profile_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/gzip_file.h"
#include "analyzer/profile/profile_losses.h"
#include "analyzer/profile/profile_rows.h"
#include "analyzer/read/marks_read.h"

#define TOTAL_MAX	(1ull << 56)	/* bytes or records */

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

/* The counts of a list with @nr items, or of a missing list. */
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

static bool read_timers(struct process *process, const json_t *array)
{
	struct said *said = process->said = xcalloc(1, sizeof(*said));

	said->timers = xcalloc(json_array_size(array) + 1, sizeof(*said->timers));
	for (; said->nr_timers < json_array_size(array); said->nr_timers++) {
		struct timer_sum *timer = &said->timers[said->nr_timers];
		const json_t *row = json_array_get(array, said->nr_timers);

		timer->name = json_string_value(json_array_get(row, 0));
		/* one that was never stopped has no span */
		if (!timer->name || !fields_from_array(profile_timer_fields, timer, row, 1))
			return false;
	}
	return true;
}

static bool read_fields(const struct field *fields, void *thing, const json_t *object)
{
	for (; fields->name; fields++)
		if (!field_from_json(fields, thing, json_object_get(object, fields->name)))
			return false;
	return true;
}

/* Read what the first version did not have. */
static bool read_later(const struct profile *profile, struct saved_process *saved, const json_t *object)
{
	struct process *process = &saved->process;
	bool has_usage = process->user_ns != LOG_NONE && process->system_ns != LOG_NONE;

	process->cpu_ns = has_usage ? process->user_ns + process->system_ns : LOG_NONE;
	return profile->version < 2 ||
	       (read_fields(profile_process_fields_2, saved, object) &&
		losses_from_json(process->header.losses, json_object_get(object, "losses")) &&
		facts_from_json(process, json_object_get(object, "facts")));
}

/* Files of before have none of these. */
static void read_start(struct process *process, const json_t *object)
{
	const char *launch_id = json_string_value(json_object_get(object, "launch_id"));
	const json_int_t cpu_ns = json_integer_value(json_object_get(object, "start_cpu_ns"));

	process->header.start_cpu_ns = cpu_ns > 0 ? (uint64_t)cpu_ns : 0;
	if (launch_id)
		memcpy(process->header.launch_id, launch_id,
		       strnlen(launch_id, sizeof(process->header.launch_id) - 1));
}

static bool read_processes(struct profile *profile, const json_t *array)
{
	profile->nr_processes = json_array_size(array);
	profile->processes = xcalloc(profile->nr_processes, sizeof(*profile->processes));
	profile->added = xcalloc(profile->nr_processes, sizeof(*profile->added));
	for (size_t i = 0; i < profile->nr_processes; i++) {
		struct saved_process *saved = &profile->processes[i];
		struct process *process = &saved->process;
		const json_t *object = json_array_get(array, i);

		if (!read_fields(profile_process_fields, saved, object) ||
		    !read_later(profile, saved, object) ||
		    !read_counts(process->heap_sizes, LOG_HEAP_SIZES,
				 json_object_get(object, "heap_sizes")) ||
		    !read_timers(process, json_object_get(object, "timers")))
			return false;
		read_start(process, object);
		process->command = json_string_value(json_object_get(object, "command"));
		process->exe = json_string_value(json_object_get(object, "exe"));
		process->cwd = json_string_value(json_object_get(object, "cwd"));
		if (!process->command || !process->exe || !process->cwd || process->run >= profile->nr_runs ||
		    process->end_kind > END_UNKNOWN || !(fabs(process->functions_ns) <= NS_MAX) ||
		    process->header.start.realtime_ns >= 1ull << 62 ||
		    process->header.start.monotonic_ns >= 1ull << 62 ||
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
		module->file_mtime_ns =
			(uint64_t)json_integer_value(json_object_get(object, "file_mtime_ns"));
		if (!module->path ||
		    !read_build_id(module, json_string_value(json_object_get(object, "build_id"))))
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

		if (!take_index(json_array_get(pair, 0), 0, LOG_BUCKETS, &bucket) || count < 0 ||
		    count > INT64_MAX / LOG_BUCKETS || !(histogram->unit_ns > 0))
			return false;
		histogram->counts[bucket] = (uint64_t)count;
	}
	return true;
}

/* Read the shares of runs. @array: NULL: not recorded. Return: new parts; NULL: none */
static void *read_parts(const struct profile *profile, const struct field *fields, size_t bytes,
			size_t nr_counts, const json_t *array, bool *are_sound)
{
	char *parts = array ? xcalloc(profile->nr_runs, bytes) : NULL;

	*are_sound &= !array || json_array_size(array) == profile->nr_runs;
	for (size_t i = 0; parts && i < profile->nr_runs; i++)
		*are_sound &= fields_from_array(fields, parts + i * bytes, json_array_get(array, i), 0) &&
			      part_is_sound(parts + i * bytes, bytes, nr_counts);
	return parts;
}

static bool read_heap_parts(const struct profile *profile, struct heap_part **parts, const json_t *array)
{
	bool are_sound = true;

	*parts = read_parts(profile, profile_heap_part_fields, sizeof(**parts), 4, array, &are_sound);
	return are_sound;
}

static bool read_call_parts(const struct profile *profile, struct run_part **parts, const json_t *array)
{
	bool are_sound = true;

	*parts = read_parts(profile, profile_part_fields, sizeof(**parts), 1, array, &are_sound);
	return are_sound;
}

static bool read_functions(struct profile *profile, const json_t *array)
{
	profile->nr_functions = json_array_size(array);
	profile->functions = xcalloc(profile->nr_functions, sizeof(*profile->functions));
	profile->list = xcalloc(profile->nr_functions, sizeof(*profile->list));
	for (size_t i = 0; i < profile->nr_functions; i++) {
		struct saved_function *function = &profile->functions[i];

		function->json = json_array_get(array, i);
		function->cpu_runs = json_object_get(function->json, "cpu_runs");
		if (!take_index(json_object_get(function->json, "module"), -1, profile->nr_modules,
				&function->module) ||
		    !json_is_integer(json_object_get(function->json, "addr")) ||
		    (function->cpu_runs && json_array_size(function->cpu_runs) != profile->nr_runs) ||
		    !read_histogram(&function->histogram, json_object_get(function->json, "histogram")) ||
		    !read_call_parts(profile, &function->parts, json_object_get(function->json, "runs")) ||
		    !read_heap_parts(profile, &function->heap_parts,
				     json_object_get(function->json, "heap_runs")))
			return false;
	}
	return true;
}

/* Version 1 does not have them. */
static bool read_totals(struct profile *profile)
{
	struct profile_totals *totals = &profile->totals;

	totals->untold_losses = 1;
	if (profile->version < 2)
		return true;
	for (const struct field *field = profile_total_fields; field->name; field++)
		if (!field_from_json(field, totals, json_object_get(profile->root, field->name)) ||
		    *(const uint64_t *)((const char *)totals + field->offset) >= TOTAL_MAX)
			return false;
	return losses_from_json(totals->losses, json_object_get(profile->root, "losses"));
}

static bool read_all(struct profile *profile)
{
	const json_t *root = profile->root;

	profile->nr_runs = json_array_size(json_object_get(root, "runs"));
	return profile->nr_runs > 0 && profile->nr_runs < 1 << 20 && read_totals(profile) &&
	       read_processes(profile, json_object_get(root, "processes")) &&
	       read_modules(profile, json_object_get(root, "modules")) &&
	       read_functions(profile, json_object_get(root, "functions")) &&
	       read_heap_parts(profile, &profile->outside_parts, json_object_get(root, "outside_runs"));
}

static bool are_names(const json_t *array, const struct field *fields)
{
	size_t nr = 0;

	for (; fields->name; fields++) {
		const char *name = json_string_value(json_array_get(array, nr++));

		if (!name || strcmp(name, fields->name) != 0)
			return false;
	}
	return json_array_size(array) == nr;
}

static bool next_line(struct profile *profile)
{
	if (getline(&profile->line, &profile->line_bytes, profile->file) < 0)
		return false;
	profile->nr_lines++;
	return true;
}

/*
 * The part of the file that jansson reads: up to the rows, which are read one by one, as if there were none.
 */
struct head {
	struct profile *profile;
	const char *left;		/* of the line */
	bool at_rows;
};

static size_t give_head(void *buffer, size_t bytes, void *context)
{
	struct head *head = context;
	size_t length;

	if (!*head->left && !head->at_rows && next_line(head->profile)) {
		head->at_rows = strcmp(head->profile->line, FUNCTION_RUNS_BEGIN) == 0 ||
				strcmp(head->profile->line, EDGES_BEGIN) == 0;
		head->left = head->at_rows ? "\"rows\":[]}" : head->profile->line;
	}
	length = strnlen(head->left, bytes);
	memcpy(buffer, head->left, length);
	head->left += length;
	return length;
}

/*
 * jansson allocates each number, and frees each. In a profile of 100,000 functions that takes a third of the
 * time, so all that it allocates is freed at once.
 */
static struct obstack *json_memory;	/* while a profile is loaded */

static void *new_chunk(size_t bytes)
{
	return xcalloc(1, bytes);
}

#define obstack_chunk_alloc new_chunk
#define obstack_chunk_free free

static void *allocate(size_t bytes)
{
	return obstack_alloc(json_memory, bytes);
}

static void keep(void *memory)
{
}

static json_t *load_json(struct profile *profile, struct head *head, json_error_t *error_of)
{
	json_t *root;

	obstack_init(&profile->memory);
	obstack_chunk_size(&profile->memory) = 1 << 20;
	profile->has_memory = true;
	json_memory = &profile->memory;
	json_set_alloc_funcs(allocate, keep);
	root = json_load_callback(give_head, head, JSON_REJECT_DUPLICATES, error_of);
	json_set_alloc_funcs(malloc, free);
	return root;
}

static int read_head(struct profile *profile)
{
	struct head head = { .profile = profile, .left = "" };
	json_error_t error_of;

	profile->root = load_json(profile, &head, &error_of);
	profile->version = json_integer_value(json_object_get(profile->root, PROFILE_KEY));
	if (!profile->root)
		return error("%s: no saved profile: line %d: %s", profile->path, error_of.line,
			     error_of.text);
	if (profile->version < 1 || profile->version > PROFILE_VERSION)
		return error("%s: a saved profile of version %lld; this insideme-report reads 1 to %d",
			     profile->path, (long long)profile->version, PROFILE_VERSION);
	if (!are_names(json_object_get(profile->root, "path_columns"), profile_node_fields) ||
	    !are_names(json_object_get(profile->root, "range_columns"), profile_range_fields))
		return error(
			"%s: its paths have other columns than this insideme-report writes: save it anew",
			profile->path);
	if (!head.at_rows)
		return error(
			"%s: a damaged profile: its paths are not in lines of their own, "
			"as --save writes them",
			profile->path);
	return read_all(profile) ? 0 : error("%s: a damaged profile: what it says cannot be", profile->path);
}

int profile_bad_row(const struct profile *profile)
{
	return error("%s: a damaged profile: what its line %zu says cannot be", profile->path,
		     profile->nr_lines);
}

static int ends_early(const struct profile *profile)
{
	return error("%s: no saved profile: line %zu: it ends here", profile->path, profile->nr_lines + 1);
}

int profile_next_list(struct profile *profile, const char *begin)
{
	if (!next_line(profile))
		return ends_early(profile);
	return strcmp(profile->line, begin) == 0 ? 0 : profile_bad_row(profile);
}

int profile_next_row(struct profile *profile, const char **row)
{
	size_t length;

	if (!next_line(profile))
		return ends_early(profile);
	length = strlen(profile->line);
	if (length && profile->line[length - 1] == '\n')
		profile->line[--length] = '\0';
	if (profile->line[0] == ']') {	/* "]," or "]}", unless the file was cut there */
		if (!profile->line[1] ||
		    (profile->line[1] == '}' && !next_line(profile) && ferror(profile->file)))
			return ends_early(profile);	/* or its checksum is wrong */
		return 0;
	}
	if (length && profile->line[length - 1] == ',')
		profile->line[length - 1] = '\0';
	*row = profile->line;
	return 1;
}

struct profile *profile_open(const char *path)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	profile->path = xstrdup(path);
	profile->file = gzip_file_read(path);
	if (!profile->file)
		error("cannot open %s: %s", path, strerror(errno));
	else if (read_head(profile) == 0)
		return profile;
	profile_close(profile);
	return NULL;
}

void profile_close(struct profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; profile->functions && i < profile->nr_functions; i++) {
		free(profile->functions[i].parts);
		free(profile->functions[i].heap_parts);
	}
	for (size_t i = 0; i < profile->nr_processes; i++) {
		marks_release(&profile->processes[i].process);
		facts_release(&profile->processes[i].process);
	}
	free(profile->outside_parts);
	if (profile->has_memory)
		obstack_free(&profile->memory, NULL);
	if (profile->file)
		fclose(profile->file);
	free(profile->line);
	free(profile->path);
	free(profile->processes);
	free(profile->added);
	free(profile->modules);
	free(profile->objects);
	free(profile->functions);
	free(profile->list);
	free(profile->nodes);
	free(profile->ranges);
	free(profile);
}
