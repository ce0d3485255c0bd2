/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pprof's profile.proto, compressed: a sample is a call path, with what it has of each weight. Field
 * numbers are those of https://github.com/google/pprof/blob/main/proto/profile.proto.
 */
#include "analyzer/formats/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/text_numbers.h"
#include "analyzer/formats/protobuf.h"
#include "analyzer/formats/weights.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

enum {	/* fields of Profile */
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5, PROFILE_STRING = 6, PROFILE_TIME_NS = 9, PROFILE_DURATION_NS = 10,
	PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE = 14,
};
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum {
	MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
};
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4, LINE_FUNCTION = 1, LINE_LINE = 2 };
enum {
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4,
	FUNCTION_START_LINE = 5,
};

/* pprof's own words for weights. */
static const struct {
	const char *column, *type, *unit;
} types[] = {
	{ "self_ns", "time", "nanoseconds" },
	{ "sampled_self_ns", "cpu", "nanoseconds" },
	{ "calls", "calls", "count" },
	{ "samples", "samples", "count" },
	{ "alloc_calls", "alloc_objects", "count" },
	{ "alloc_bytes", "alloc_space", "bytes" },
	{ "peak_heap_bytes", "peak_space", "bytes" },
	{ "not_freed_blocks", "inuse_objects", "count" },
	{ "not_freed_bytes", "inuse_space", "bytes" },
};
#define NR_TYPES (sizeof(types) / sizeof(*types))

struct pprof {
	const struct report *report;
	const struct weight *weights[NR_TYPES];
	size_t nr_weights;
	struct row_text out;
	struct row_text strings;
	struct text_numbers numbers;
	uint64_t *location_of;		/* [number of a function]: id; 0: none yet */
	uint64_t nr_locations;
	uint64_t deeper;		/* likewise */
};

/* Its number in the table of strings; "" is 0. */
static uint64_t string(struct pprof *pprof, const char *text)
{
	bool is_new;
	uint64_t number = text_number(&pprof->numbers, text, &is_new);

	if (is_new)
		protobuf_text(&pprof->strings, PROFILE_STRING, text);
	return number;
}

/* ---- functions ---- */

/*
 * The linker's name. pprof takes a name apart that is also the system's, and adds up functions that have the
 * same of both: so a region's says that it is one, and that of several functions of one name is their place.
 */
static uint64_t system_name(struct pprof *pprof, const struct function *function)
{
	char *text = NULL;
	uint64_t number;

	if (!function->object)
		text = xasprintf("%s: %s", function->apart ? function->apart : "InsideMe", function->name);
	else if (function->apart || !function->link_name)
		text = xasprintf("%s+0x%" PRIx64, path_base(function->object->path), function->addr);
	number = string(pprof, text ? text : function->link_name);
	free(text);
	return number;
}

static uint64_t new_location(struct pprof *pprof, const char *name, const struct function *function)
{
	uint64_t id = ++pprof->nr_locations;
	struct row_text message = { 0 }, line = { 0 };

	protobuf_number(&message, FUNCTION_ID, id);
	protobuf_number(&message, FUNCTION_NAME, string(pprof, name));
	protobuf_number(&message, FUNCTION_SYSTEM_NAME,
			function ? system_name(pprof, function) : string(pprof, name));
	if (function && function->file) {
		protobuf_number(&message, FUNCTION_FILE, string(pprof, function->file));
		protobuf_number(&message, FUNCTION_START_LINE, function->line);
	}
	protobuf_message(&pprof->out, PROFILE_FUNCTION, &message);
	protobuf_number(&line, LINE_FUNCTION, id);
	if (function && function->file)
		protobuf_number(&line, LINE_LINE, function->line);
	protobuf_number(&message, LOCATION_ID, id);
	protobuf_number(&message, LOCATION_MAPPING, 1);
	protobuf_message(&message, LOCATION_LINE, &line);
	protobuf_message(&pprof->out, PROFILE_LOCATION, &message);
	row_text_release(&message);
	row_text_release(&line);
	return id;
}

static uint64_t location_of(struct pprof *pprof, const struct function *function)
{
	uint64_t *id = &pprof->location_of[function->number];

	if (!*id)
		*id = new_location(pprof, function->name, function);
	return *id;
}

/* ---- samples ---- */

static void add_locations(struct pprof *pprof, struct row_text *sample, const struct tree_node *node)
{
	struct row_text ids = { 0 };

	if (node->depth > PATHS_DEPTH) {
		if (!pprof->deeper)
			pprof->deeper = new_location(pprof, DEEPER, NULL);
		protobuf_varint(&ids, pprof->deeper);
	}
	for (; node->function; node = node->parent)
		if (node->depth <= PATHS_DEPTH)
			protobuf_varint(&ids, location_of(pprof, node->function));
	protobuf_message(sample, SAMPLE_LOCATIONS, &ids);
	row_text_release(&ids);
}

/* Its self time says no more than 0 does. */
static bool is_doubtful(const struct tree_node *node)
{
	const struct call_stats stats = path_stats(node);

	return hook_costs_hide_self(&stats);
}

/* One sample for all paths that are deeper. Goes to the last of them. */
static void add_sample(struct pprof *pprof, struct tree_node **node)
{
	struct row_text sample = { 0 }, values = { 0 }, label = { 0 };
	struct tree_node *path = *node;
	bool has_any = false;

	for (size_t i = 0; i < pprof->nr_weights; i++) {
		struct tree_node *at = path;
		int64_t value = weight_shown(pprof->weights[i], &at);

		*node = at;
		has_any |= value != 0;
		protobuf_varint(&values, (uint64_t)value);
	}
	if (has_any) {
		add_locations(pprof, &sample, path);
		protobuf_message(&sample, SAMPLE_VALUES, &values);
		if (is_doubtful(path)) {
			protobuf_number(&label, LABEL_KEY, string(pprof, "self time"));
			protobuf_number(&label, LABEL_TEXT, string(pprof, "too short to tell"));
			protobuf_message(&sample, SAMPLE_LABEL, &label);
		}
		protobuf_message(&pprof->out, PROFILE_SAMPLE, &sample);
	}
	row_text_release(&sample);
	row_text_release(&values);
	row_text_release(&label);
}

/* ---- the profile ---- */

static void add_types(struct pprof *pprof)
{
	struct row_text message = { 0 };

	for (size_t i = 0; i < NR_TYPES; i++) {
		const struct weight *weight = weight_by_name(types[i].column);

		if (!weight->is_known(pprof->report))
			continue;
		pprof->weights[pprof->nr_weights++] = weight;
		protobuf_number(&message, VALUE_TYPE_TYPE, string(pprof, types[i].type));
		protobuf_number(&message, VALUE_TYPE_UNIT, string(pprof, types[i].unit));
		protobuf_message(&pprof->out, PROFILE_SAMPLE_TYPE, &message);
	}
	/* the first type is the first string after "" */
	protobuf_number(&pprof->out, PROFILE_DEFAULT_TYPE, 1);
	row_text_release(&message);
}

static void add_mapping(struct pprof *pprof)
{
	struct row_text message = { 0 };

	protobuf_number(&message, MAPPING_ID, 1);
	protobuf_number(&message, MAPPING_FILE, string(pprof, report_program(pprof->report)));
	protobuf_number(&message, MAPPING_HAS_FUNCTIONS, 1);
	protobuf_number(&message, MAPPING_HAS_FILES, 1);
	protobuf_number(&message, MAPPING_HAS_LINES, 1);
	protobuf_message(&pprof->out, PROFILE_MAPPING, &message);
	row_text_release(&message);
}

static void add_comment(void *to, const char *text)
{
	struct pprof *pprof = to;

	protobuf_number(&pprof->out, PROFILE_COMMENT, string(pprof, text));
}

static void add_profile(struct pprof *pprof)
{
	const struct model *model = pprof->report->model;

	add_mapping(pprof);
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		add_sample(pprof, &node);
	protobuf_number(&pprof->out, PROFILE_TIME_NS, model->start_realtime_ns);
	protobuf_number(&pprof->out, PROFILE_DURATION_NS, (uint64_t)model->end);
	add_comment(pprof, "recorded by InsideMe " INSIDEME_VERSION);
	export_doubts(model, add_comment, pprof);
	row_add_bytes(&pprof->out, pprof->strings.bytes, pprof->strings.used);
}

static int write_profile(const struct pprof *pprof)
{
	struct whole_file file;

	if (!export_open(&file, pprof->report->options))
		return EXIT_FAILURE;
	if (!export_is_compressed(pprof->report->options) && whole_file_compress(&file) < 0) {
		whole_file_close(&file, false);
		return error("zlib has no memory"), EXIT_FAILURE;
	}
	fwrite(pprof->out.bytes, 1, pprof->out.used, file.out);
	return export_close(&file);
}

int export_pprof(struct report *report)
{
	size_t nr_functions = functions_count(&report->model->tables->functions);
	struct pprof pprof = { .report = report, .location_of = xcalloc(nr_functions, sizeof(uint64_t)) };
	int status = EXIT_FAILURE;

	export_sources(report->model);
	resolve_link_names(report->model);
	string(&pprof, "");
	add_types(&pprof);
	if (!pprof.nr_weights)
		error("there are no calls, samples or allocations for -f pprof");
	else {
		add_profile(&pprof);
		status = write_profile(&pprof);
	}
	text_numbers_release(&pprof.numbers);
	row_text_release(&pprof.out);
	row_text_release(&pprof.strings);
	free(pprof.location_of);
	return status;
}
