/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of the model as JSON and back. Numbers that are not known are null. */
#include "analyzer/profile/profile_fields.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/read/marks_read.h"

#define NODE(name, type)	{ #name, type, offsetof(struct path_counters, stats.name), 0 }
#define NODE_HEAP(name)		{ #name, FIELD_U64, offsetof(struct path_counters, heap.name), 0 }
#define NODE_VARIANCE(name)	{ #name, FIELD_DOUBLE, offsetof(struct path_counters, heap.name), 0 }
#define SAMPLES(name, type)	{ "samples_" #name, type, offsetof(struct path_counters, samples.name), 0 }
#define HEADER(name, type)	{ #name, type, offsetof(struct saved_process, process.header.name), 0 }
#define HEADER_TEXT(name) \
	{ #name, FIELD_TEXT, offsetof(struct saved_process, process.header.name), \
	  sizeof(((struct process *)0)->header.name) }
#define PROCESS(name, type)	{ #name, type, offsetof(struct saved_process, process.name), 0 }
#define PROCESS_HEAP(name)	{ #name, FIELD_U64, offsetof(struct saved_process, process.heap.name), 0 }
#define THREADS(name, type)	{ "threads_" #name, type, offsetof(struct saved_process, threads.name), 0 }
#define RANGE(of, name)		{ #name "_run_" #of, FIELD_DOUBLE, offsetof(struct path_range, of.name), 0 }
#define PART(name)		{ #name, FIELD_DOUBLE, offsetof(struct run_part, name), 0 }
#define FUNCTION_PART(name)	{ #name, FIELD_DOUBLE, offsetof(struct function_part, name), 0 }
#define HEAP_PART(name)		{ #name, FIELD_DOUBLE, offsetof(struct heap_part, name), 0 }
#define TOTAL(name)		{ #name, FIELD_U64, offsetof(struct profile_totals, name), 0 }
#define TIMER(name, type)	{ #name, type, offsetof(struct timer_sum, name), 0 }

/*
 * In the order of a row. Zeros at the end of a row are omitted, so numbers that most paths have come first.
 */
const struct field profile_node_fields[] = {
	{ "threads", FIELD_U32, offsetof(struct path_counters, nr_threads), 0 },
	NODE(calls, FIELD_U64),
	NODE(timed_calls, FIELD_U64),
	NODE(known_calls, FIELD_U64),
	NODE(total_ns, FIELD_DOUBLE),
	NODE(self_ns, FIELD_DOUBLE),
	NODE(square_ns2, FIELD_DOUBLE),
	NODE(min_ns, FIELD_DOUBLE),
	NODE(max_ns, FIELD_DOUBLE),
	NODE(finished_max_ns, FIELD_DOUBLE),
	NODE(inside_ns, FIELD_DOUBLE),
	NODE(hooks_ns, FIELD_DOUBLE),
	NODE(noise_ns, FIELD_DOUBLE),
	NODE(new_paths_ns, FIELD_DOUBLE),
	NODE(open_calls, FIELD_U64),
	NODE(open_ns, FIELD_DOUBLE),
	NODE(total_variance_ns2, FIELD_DOUBLE),
	NODE_HEAP(alloc_calls),
	NODE_HEAP(alloc_bytes),
	NODE_HEAP(free_calls),
	NODE_HEAP(freed_bytes),
	NODE_HEAP(failed_calls),
	NODE_HEAP(largest_bytes),
	NODE_HEAP(temporary_calls),
	NODE_HEAP(peak_calls),
	NODE_HEAP(peak_bytes),
	NODE_HEAP(not_freed_calls),
	NODE_HEAP(not_freed_bytes),
	NODE_HEAP(runtime_bytes),
	NODE_HEAP(live_records),
	NODE_HEAP(nr_samples),
	NODE_VARIANCE(alloc_variance_bytes2),
	NODE_VARIANCE(peak_variance_bytes2),
	NODE_VARIANCE(not_freed_variance_bytes2),
	SAMPLES(nr, FIELD_U64),
	SAMPLES(in_hooks, FIELD_U64),
	SAMPLES(missed, FIELD_U64),
	SAMPLES(ns, FIELD_DOUBLE),
	SAMPLES(hooks_ns, FIELD_DOUBLE),
	SAMPLES(stubs_ns, FIELD_DOUBLE),
	SAMPLES(kernel_ns, FIELD_DOUBLE),
	NODE(counted_calls, FIELD_U64),
	NODE(around_ns, FIELD_DOUBLE),
	{ NULL, 0, 0, 0 },
};

const struct field profile_range_fields[] = {
	{ "runs", FIELD_U32, offsetof(struct path_range, nr_runs), 0 },
	RANGE(min, calls),
	RANGE(max, calls),
	RANGE(min, self_ns),
	RANGE(max, self_ns),
	RANGE(min, total_ns),
	RANGE(max, total_ns),
	{ NULL, 0, 0, 0 },
};

const struct field profile_process_fields[] = {
	PROCESS(run, FIELD_U32),
	HEADER(pid, FIELD_U32),
	HEADER(ppid, FIELD_U32),
	HEADER(exec_count, FIELD_U32),
	HEADER(process_start, FIELD_U64),
	HEADER_TEXT(boot_id),
	HEADER_TEXT(host),
	HEADER_TEXT(program),
	HEADER(rank, FIELD_I32),
	HEADER(nr_ranks, FIELD_I32),
	HEADER(is_rank_child, FIELD_U32),
	HEADER(timing, FIELD_U32),
	HEADER(heap_bytes, FIELD_U32),
	HEADER(has_hooks, FIELD_U32),
	HEADER(nr_threads, FIELD_U32),
	{ "start_realtime_ns", FIELD_U64, offsetof(struct saved_process, process.header.start.realtime_ns),
	  0 },
	{ "start_monotonic_ns", FIELD_U64, offsetof(struct saved_process, process.header.start.monotonic_ns),
	  0 },
	{ "end_realtime_ns", FIELD_U64, offsetof(struct saved_process, process.header.finish.realtime_ns),
	  0 },
	{ "end_kind", FIELD_U32, offsetof(struct saved_process, process.end_kind), 0 },
	PROCESS(end_status, FIELD_I32),
	PROCESS(user_ns, FIELD_U64),
	PROCESS(system_ns, FIELD_U64),
	PROCESS(peak_rss_bytes, FIELD_U64),
	PROCESS(calls, FIELD_U64),
	PROCESS(functions_ns, FIELD_DOUBLE),
	PROCESS_HEAP(alloc_calls),
	PROCESS_HEAP(alloc_bytes),
	PROCESS_HEAP(free_calls),
	PROCESS_HEAP(freed_bytes),
	PROCESS_HEAP(failed_calls),
	PROCESS_HEAP(largest_bytes),
	PROCESS_HEAP(temporary_calls),
	PROCESS_HEAP(peak_calls),
	PROCESS_HEAP(peak_bytes),
	PROCESS_HEAP(not_freed_calls),
	PROCESS_HEAP(not_freed_bytes),
	PROCESS_HEAP(runtime_bytes),
	PROCESS_HEAP(live_records),
	HEADER(heap_sample_bytes, FIELD_U32),
	PROCESS(heap_peak_bytes, FIELD_U64),
	HEADER(heap_unknown_frees, FIELD_U64),
	HEADER(heap_shift, FIELD_U32),
	{ NULL, 0, 0, 0 },
};

const struct field profile_process_fields_2[] = {
	PROCESS(cpu_ns, FIELD_U64),
	HEADER(sampler_kind, FIELD_U32),
	PROCESS(log_bytes, FIELD_U64),
	THREADS(open_calls, FIELD_U64),
	THREADS(overflow_depth, FIELD_U64),
	THREADS(heap_bytes, FIELD_I64),
	HEADER(start_cost_ns, FIELD_U64),
	HEADER(sampler_cpu_ns, FIELD_U64),
	HEADER(nr_switches, FIELD_U64),
	{ "off_ns", FIELD_U64, offsetof(struct saved_process, process.header.off_ticks), 0 },
	{ "clock_readings_dropped", FIELD_U64, offsetof(struct saved_process, process.timebase.nr_dropped),
	  0 },
	{ NULL, 0, 0, 0 },
};

const struct field profile_total_fields[] = {
	TOTAL(log_bytes),      TOTAL(damaged_records), TOTAL(unreadable_logs),
	TOTAL(openmp_threads), TOTAL(untold_losses),   { NULL, 0, 0, 0 },
};

const struct field profile_part_fields[] = {
	PART(calls), PART(self_ns), PART(total_ns), { NULL, 0, 0, 0 },
};

const struct field profile_function_part_fields[] = {
	FUNCTION_PART(calls.calls), FUNCTION_PART(calls.self_ns), FUNCTION_PART(calls.total_ns),
	FUNCTION_PART(cpu_ns),	    { NULL, 0, 0, 0 },
};

const struct field profile_heap_part_fields[] = {
	HEAP_PART(alloc_calls), HEAP_PART(alloc_bytes), HEAP_PART(peak_bytes), HEAP_PART(not_freed_bytes),
	{ NULL, 0, 0, 0 },
};

const struct field profile_timer_fields[] = {
	TIMER(nr_spans, FIELD_U64),  TIMER(total_ns, FIELD_DOUBLE), TIMER(paused_ns, FIELD_DOUBLE),
	TIMER(min_ns, FIELD_DOUBLE), TIMER(max_ns, FIELD_DOUBLE),   TIMER(square_ns2, FIELD_DOUBLE),
	{ NULL, 0, 0, 0 },
};

json_t *text_to_json(const char *text)
{
	char *clean;
	json_t *string;

	if (!text)
		return json_null();
	clean = utf8_cleaned(text);
	string = json_string_nocheck(clean);
	free(clean);
	return string;
}

static json_t *count_to_json(uint64_t count)
{
	return count <= INT64_MAX ? json_integer((json_int_t)count) : json_null();
}

json_t *ns_to_json(double ns)
{
	if (fabs(ns) < 1e6)
		ns = round(ns * 1e9) / 1e9;
	if (fabs(ns) < 0x1p53 && ns == trunc(ns))
		return json_integer((json_int_t)ns);
	return isfinite(ns) ? json_real(ns) : json_null();
}

json_t *field_to_json(const struct field *field, const void *thing)
{
	const void *at = (const char *)thing + field->offset;

	switch (field->type) {
	case FIELD_U64:
		return count_to_json(*(const uint64_t *)at);
	case FIELD_U32:
		return json_integer(*(const uint32_t *)at);
	case FIELD_I32:
		return json_integer(*(const int32_t *)at);
	case FIELD_I64:
		return json_integer(*(const int64_t *)at);
	case FIELD_TEXT:
		return text_to_json(at);
	case FIELD_DOUBLE:
		return ns_to_json(*(const double *)at);
	}
	return json_null();
}

static bool take_integer(const json_t *value, int64_t min, int64_t max, int64_t *number)
{
	*number = json_integer_value(value);
	return json_is_integer(value) && *number >= min && *number <= max;
}

bool field_from_json(const struct field *field, void *thing, const json_t *value)
{
	void *at = (char *)thing + field->offset;
	int64_t number = 0;

	switch (field->type) {
	case FIELD_U64:		/* LOG_NONE is null */
		if (!json_is_null(value) && !take_integer(value, 0, INT64_MAX, &number))
			return false;
		*(uint64_t *)at = json_is_null(value) ? LOG_NONE : (uint64_t)number;
		return true;
	case FIELD_U32:
		*(uint32_t *)at = take_integer(value, 0, UINT32_MAX, &number) ? (uint32_t)number : 0;
		return json_is_integer(value) && *(uint32_t *)at == number;
	case FIELD_I32:
		*(int32_t *)at = take_integer(value, INT32_MIN, INT32_MAX, &number) ? (int32_t)number : 0;
		return json_is_integer(value) && *(int32_t *)at == number;
	case FIELD_I64:
		return take_integer(value, INT64_MIN, INT64_MAX, at);
	case FIELD_TEXT:
		if (!json_is_string(value) || json_string_length(value) >= field->bytes)
			return false;
		strcpy(at, json_string_value(value));
		return true;
	case FIELD_DOUBLE:
		*(double *)at = json_is_number(value) ? json_number_value(value) : NAN;
		return json_is_number(value) || json_is_null(value);
	}
	return false;
}
