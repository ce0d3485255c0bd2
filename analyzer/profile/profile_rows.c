/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of call paths as lines of text. */
#include "analyzer/profile/profile_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_zero(const struct field *field, const void *thing)
{
	const void *at = (const char *)thing + field->offset;

	return field->type == FIELD_U64	  ? *(const uint64_t *)at == 0
	       : field->type == FIELD_U32 ? *(const uint32_t *)at == 0
					  : *(const double *)at == 0;
}

static void print_number(struct row_text *line, const struct field *field, const void *thing)
{
	const void *at = (const char *)thing + field->offset;

	if (field->type == FIELD_U32)
		row_add_integer(line, *(const uint32_t *)at);
	else if (field->type == FIELD_U64 && *(const uint64_t *)at <= INT64_MAX)
		row_add_integer(line, (int64_t)*(const uint64_t *)at);
	else if (field->type == FIELD_DOUBLE && isfinite(*(const double *)at))
		row_add_real(line, *(const double *)at);	/* exact to a ns in a million seconds */
	else
		row_add_text(line, "null");
}

/* Print "[1,2.5,null]": the numbers of the fields, without zeros at the end. */
static void fields_print(struct row_text *line, const struct field *fields, const void *thing)
{
	const struct field *end = fields;

	for (const struct field *field = fields; field->name; field++)
		if (!is_zero(field, thing))
			end = field + 1;
	row_add_char(line, '[');
	for (const struct field *field = fields; field < end; field++) {
		if (field > fields)
			row_add_char(line, ',');
		print_number(line, field, thing);
	}
	row_add_char(line, ']');
}

static bool take(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length) != 0)
		return false;
	*text += length;
	return true;
}

static bool take_count(const char **text, uint64_t max, uint64_t *count)
{
	const char *begin = *text;

	*count = 0;
	for (; isdigit((unsigned char)**text); ++*text) {
		uint64_t digit = (uint64_t)(**text - '0');

		if (*count > (max - digit) / 10)
			return false;
		*count = *count * 10 + digit;
	}
	return *text > begin;
}

/*
 * A number without exponent, of at most 15 digits: it and its power of ten are exact, so the quotient is what
 * strtod() finds, in a tenth of the time.
 */
static bool take_short_real(const char **text, double *number)
{
	static const double tens[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
				       1e14, 1e15 };
	const char *at = *text + (**text == '-'), *point = NULL;
	uint64_t digits = 0;
	unsigned int nr = 0;

	for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
		if (*at == '.') {
			point = at + 1;
			continue;
		}
		digits = digits * 10 + (uint64_t)(*at - '0');
		if (++nr > 15)
			return false;
	}
	if (!nr || *at == 'e' || *at == 'E')
		return false;
	*number = (double)digits / tens[point ? at - point : 0];
	*number = **text == '-' ? -*number : *number;
	*text = at;
	return true;
}

static bool take_real(const char **text, double *number)
{
	char *end;

	if (take_short_real(text, number))
		return true;
	*number = strtod(*text, &end);
	if (end == *text || !isfinite(*number))
		return false;
	*text = end;
	return true;
}

static bool take_number(const char **text, const struct field *field, void *thing)
{
	void *at = (char *)thing + field->offset;
	uint64_t count;

	switch (field->type) {
	case FIELD_U32:
		if (!take_count(text, UINT32_MAX, &count))
			return false;
		*(uint32_t *)at = (uint32_t)count;
		return true;
	case FIELD_U64:		/* LOG_NONE is null */
		if (take(text, "null"))
			return *(uint64_t *)at = LOG_NONE, true;
		return take_count(text, INT64_MAX, at);
	default:
		if (take(text, "null"))
			return *(double *)at = NAN, true;
		return take_real(text, at);
	}
}

/*
 * Parse the same from *@text, which then points behind it. Fields that are missing are 0. Return: false if it
 * is not in this form
 */
static bool fields_parse(const struct field *fields, void *thing, const char **text)
{
	if (!take(text, "["))
		return false;
	for (const struct field *field = fields; field->name && **text != ']'; field++)
		if ((field > fields && !take(text, ",")) || !take_number(text, field, thing))
			return false;
	return take(text, "]");
}

static bool is_duration(double ns)
{
	return isnan(ns) || (ns >= -NS_MAX && ns <= NS_MAX);
}

/* Are the counts and times possible? */
static bool is_sound(const struct call_stats *stats)
{
	return stats->calls < 1ull << 62 && stats->open_calls <= stats->calls &&
	       stats->timed_calls <= stats->calls && stats->counted_calls <= stats->calls &&
	       stats->known_calls < 1ull << 62 && stats->total_variance_ns2 >= 0 && stats->total_ns >= 0 &&
	       stats->total_ns <= NS_MAX && fabs(stats->self_ns) <= NS_MAX && stats->open_ns >= 0 &&
	       stats->open_ns <= NS_MAX && stats->square_ns2 >= 0 && stats->square_ns2 <= NS_MAX * NS_MAX &&
	       stats->inside_ns >= 0 && stats->inside_ns <= NS_MAX && stats->hooks_ns >= 0 &&
	       stats->hooks_ns <= NS_MAX && stats->noise_ns >= 0 && stats->noise_ns <= NS_MAX &&
	       stats->new_paths_ns >= 0 && stats->new_paths_ns <= NS_MAX && stats->around_ns >= 0 &&
	       stats->around_ns <= NS_MAX && is_duration(stats->min_ns) && is_duration(stats->max_ns) &&
	       is_duration(stats->finished_max_ns) && !(stats->min_ns > stats->finished_max_ns);
}

static bool are_sound_samples(const struct sample_stats *samples)
{
	return samples->nr < 1ull << 62 && samples->in_hooks < 1ull << 62 && samples->missed < 1ull << 62 &&
	       samples->ns >= 0 && samples->ns <= NS_MAX && samples->hooks_ns >= 0 &&
	       samples->hooks_ns <= NS_MAX && samples->stubs_ns >= 0 &&
	       samples->stubs_ns <= samples->hooks_ns && samples->kernel_ns >= 0 &&
	       samples->kernel_ns <= samples->ns;
}

static bool are_sound_variances(const struct heap_stats *heap)
{
	return heap->alloc_variance_bytes2 >= 0 && heap->peak_variance_bytes2 >= 0 &&
	       heap->not_freed_variance_bytes2 >= 0;
}

bool part_is_sound(const void *part, size_t bytes, size_t nr_counts)
{
	const double *numbers = part;

	for (size_t i = 0; i < bytes / sizeof(*numbers); i++)
		if (fabs(numbers[i]) > NS_MAX || (i < nr_counts && !(numbers[i] >= 0)))
			return false;
	return true;
}

static bool is_sound_range(const struct path_range *range, size_t nr_runs)
{
	return range->nr_runs <= nr_runs && part_is_sound(&range->min, sizeof(range->min), 1) &&
	       part_is_sound(&range->max, sizeof(range->max), 1);
}

static bool take_index(const char **text, int64_t *index)
{
	bool is_none = take(text, "-");
	uint64_t count;

	if (!take_count(text, INT32_MAX, &count))
		return false;
	*index = is_none ? -(int64_t)count : (int64_t)count;
	return true;
}

/* How old live blocks are, the youngest first. */
static void print_age(struct row_text *line, const struct heap_age *age)
{
	for (int i = 0; i < HEAP_AGES; i++) {
		row_add_text(line, i ? "," : ",[");
		row_add_integer(line, (int64_t)age->born[i]);
	}
	row_add_char(line, ']');
}

static bool parse_age(struct heap_age *age, const char **text)
{
	for (int i = 0; i < HEAP_AGES; i++)
		if (!take(text, i ? "," : ",[") || !take_count(text, INT64_MAX / HEAP_AGES, &age->born[i]))
			return false;
	return take(text, "]");
}

static void print_places(struct row_text *line, const int64_t *places, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		row_add_char(line, i ? ',' : '[');
		row_add_integer(line, places[i]);
	}
}

static bool take_places(const char **text, int64_t *places, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!take(text, i ? "," : "[") || !take_index(text, &places[i]))
			return false;
	return true;
}

void path_row_print(struct row_text *line, const struct saved_path *path, size_t nr_runs)
{
	print_places(line, (int64_t[]){ path->parent, path->function }, 2);
	row_add_char(line, ',');
	fields_print(line, profile_node_fields, &path->counters);
	if (nr_runs > 1) {
		row_add_char(line, ',');
		fields_print(line, profile_range_fields, &path->range);
	}
	if (path->has_age)
		print_age(line, &path->age);
	row_add_char(line, ']');
}

bool path_row_parse(struct saved_path *path, const char *text, size_t nr_runs)
{
	struct path_counters *counters = &path->counters;
	int64_t places[2];

	if (!take_places(&text, places, 2) || !take(&text, ",") ||
	    !fields_parse(profile_node_fields, counters, &text) || !is_sound(&counters->stats) ||
	    !are_sound_samples(&counters->samples) || !are_sound_variances(&counters->heap))
		return false;
	path->parent = places[0];
	path->function = places[1];
	counters->stats.duration_ns = counters->stats.total_ns;
	if (nr_runs > 1 && (!take(&text, ",") || !fields_parse(profile_range_fields, &path->range, &text) ||
			    !is_sound_range(&path->range, nr_runs)))
		return false;
	path->has_age = *text == ',';
	if (path->has_age && !parse_age(&path->age, &text))
		return false;
	return take(&text, "]") && !*text;
}

void parts_row_print(struct row_text *line, const int64_t *places, size_t nr_places,
		     const struct field *fields, const void *parts, size_t bytes, size_t nr_runs)
{
	print_places(line, places, nr_places);
	for (size_t i = 0; i < nr_runs; i++) {
		row_add_char(line, ',');
		fields_print(line, fields, (const char *)parts + i * bytes);
	}
	row_add_char(line, ']');
}

bool parts_row_parse(const char *text, int64_t *places, size_t nr_places, const struct field *fields,
		     void *parts, size_t bytes, size_t nr_runs)
{
	memset(parts, 0, nr_runs * bytes);
	if (!take_places(&text, places, nr_places))
		return false;
	for (char *part = parts; part < (char *)parts + nr_runs * bytes; part += bytes)
		if (!take(&text, ",") || !fields_parse(fields, part, &text) || !part_is_sound(part, bytes, 1))
			return false;
	return take(&text, "]") && !*text;
}

void sum_row_print(struct row_text *line, const int64_t *places, size_t nr_places, const struct field *fields,
		   const void *thing)
{
	print_places(line, places, nr_places);
	row_add_char(line, ',');
	fields_print(line, fields, thing);
	row_add_char(line, ']');
}

bool sum_row_parse(const char *text, int64_t *places, size_t nr_places, const struct field *fields,
		   void *thing)
{
	return take_places(&text, places, nr_places) && take(&text, ",") &&
	       fields_parse(fields, thing, &text) && take(&text, "]") && !*text;
}
