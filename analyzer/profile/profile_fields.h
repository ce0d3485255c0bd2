/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of the model that a saved profile has: one table for the writer and the reader. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "analyzer/model/call_stats.h"
#include "analyzer/model/heap_stats.h"
#include "analyzer/model/model.h"
#include "analyzer/profile/profile.h"

#define PROFILE_KEY	"insideme_profile"
#define PROFILE_VERSION	4	/* older versions are read too */
#define NS_MAX		1e18	/* 30 years: no time is longer */
#define FUNCTION_RUNS_BEGIN "\"function_runs\":[\n"	/* lines of their own */
#define EDGES_BEGIN	"\"edges\":[\n"	/* in versions 1 to 3 the first of these lists */
#define PATHS_BEGIN	"\"paths\":[\n"

enum field_type { FIELD_U64, FIELD_U32, FIELD_I32, FIELD_I64, FIELD_DOUBLE, FIELD_TEXT };

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
	size_t bytes;			/* of the array, for a text */
};

/* The sums of a call path, including the hooks' cost. */
struct path_counters {
	uint32_t nr_threads;		/* 0: not known */
	struct call_stats stats;
	struct heap_stats heap;
	struct sample_stats samples;
};

/* The calls and times of a function in one of several runs. */
struct function_part {
	struct run_part calls;		/* 0 if there is one run: the paths have them */
	double cpu_ns;			/* self CPU time; NAN: not known */
};

/* A process, with all its threads as one. */
struct saved_process {
	struct process process;
	struct thread threads;
};

extern const struct field profile_node_fields[];	/* of struct path_counters, without texts; ends
							 * with a name of NULL */
extern const struct field profile_range_fields[];	/* of struct path_range */
extern const struct field profile_process_fields[];	/* of struct saved_process */
extern const struct field profile_process_fields_2[];	/* of struct saved_process too, since version 2 */
extern const struct field profile_total_fields[];	/* of struct profile_totals, all FIELD_U64, since
							 * version 2 */
extern const struct field profile_part_fields[];	/* of struct run_part */
extern const struct field profile_function_part_fields[]; /* of struct function_part */
extern const struct field profile_timer_fields[];	/* of struct timer_sum */
extern const struct field profile_heap_part_fields[];	/* of struct heap_part */

/* To 10^-9 ns: all 17 digits take more room and time. Not finite: null */
json_t *ns_to_json(double ns);
json_t *field_to_json(const struct field *field, const void *thing);
/* Return: false if the type is wrong, or the number is out of range or impossible */
bool field_from_json(const struct field *field, void *thing, const json_t *value);

/* Any bytes as a text: invalid UTF-8 becomes U+FFFD. NULL: null */
json_t *text_to_json(const char *text);
