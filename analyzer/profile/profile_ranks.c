/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of rows: some places in other lists, then the numbers of a table of fields. */
#include "analyzer/profile/profile_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/profile/profile_rows.h"
#include "analyzer/read/transfers_read.h"

#define MESSAGES_BEGIN "\"messages\":[\n"
#define WAITS_BEGIN "\"waits\":[\n"
#define RECORDED_BEGIN "\"recorded\":[\n"
#define RANGES_BEGIN "\"rank_ranges\":[\n"
#define COUNT_MOST (1ull << 62)

#define MESSAGES(name, member) { name, FIELD_U64, offsetof(struct log_messages, member), 0 }
static const struct field message_fields[] = {
	MESSAGES("calls", nr_calls),	   MESSAGES("messages", nr_messages),
	MESSAGES("sized", nr_sized),	   MESSAGES("bytes", bytes),
	MESSAGES("call_ns", call_ticks),   MESSAGES("most_ns", most_ticks),
	MESSAGES("least_ns", least_ticks), MESSAGES("size_bytes", size_bytes),
	{ NULL, 0, 0, 0 },
};

static const struct field wait_fields[] = {
	{ "calls", FIELD_U64, offsetof(struct mpi_wait, nr_calls), 0 },
	{ "waiting_ns", FIELD_DOUBLE, offsetof(struct mpi_wait, waiting_ns), 0 },
	{ "longest_ns", FIELD_DOUBLE, offsetof(struct mpi_wait, longest_ns), 0 },
	{ NULL, 0, 0, 0 },
};

static const struct field recorded_fields[] = {
	{ "calls", FIELD_U64, offsetof(struct mpi_recorded, nr_calls), 0 },
	{ "unknown", FIELD_U64, offsetof(struct mpi_recorded, nr_unknown), 0 },
	{ NULL, 0, 0, 0 },
};

static const struct field range_fields[] = {
	{ "ranks", FIELD_U64, offsetof(struct rank_range, nr_ranks), 0 },
	{ "least_ns", FIELD_DOUBLE, offsetof(struct rank_range, least_ns), 0 },
	{ "sum_ns", FIELD_DOUBLE, offsetof(struct rank_range, sum_ns), 0 },
	{ "most_ns", FIELD_DOUBLE, offsetof(struct rank_range, most_ns), 0 },
	{ NULL, 0, 0, 0 },
};

/* ---- texts ---- */

struct profile_texts {
	struct hashtable table; /* of struct text_place */
	const char **list;
	size_t nr;
};

struct text_place {
	const char *text;
	size_t place;
};

static bool is_text(const void *item, const void *key)
{
	return strcmp(((const struct text_place *)item)->text, key) == 0;
}

/* -1: no text. */
static int64_t place_of_text(const struct profile_texts *texts, const char *text)
{
	const struct text_place *found =
		text ? hashtable_find(&texts->table, hash_string(text), is_text, text) : NULL;

	return found ? (int64_t)found->place : -1;
}

static void add_text(struct profile_texts *texts, const char *text)
{
	struct text_place *place;

	if (!text || place_of_text(texts, text) >= 0)
		return;
	place = xcalloc(1, sizeof(*place));
	*place = (struct text_place){ text, texts->nr };
	hashtable_add(&texts->table, hash_string(text), place);
	APPEND(texts->list, texts->nr) = text;
}

static const char *communicator_of(const struct process *process, const struct log_messages *messages)
{
	return messages->label < process->nr_labels ? process->labels[messages->label] : NULL;
}

struct profile_texts *profile_texts_new(const struct model *model, const struct rank_sums *sums)
{
	struct profile_texts *texts = xcalloc(1, sizeof(*texts));

	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_messages; j++)
			add_text(texts,
				 communicator_of(model->processes[i], &model->processes[i]->messages[j]));
	for (size_t i = 0; sums && i < sums->nr_ranges; i++)
		add_text(texts, sums->ranges[i].field);
	return texts;
}

json_t *profile_texts_to_json(const struct profile_texts *texts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < texts->nr; i++)
		json_array_append_new(array, text_to_json(texts->list[i]));
	return array;
}

void profile_texts_free(struct profile_texts *texts)
{
	hashtable_release(&texts->table);
	free(texts->list);
	free(texts);
}

/* ---- writing ---- */

struct list_writer {
	const struct profile_places *places;
	struct row_text line;
	size_t nr;
};

static void begin_list(struct list_writer *list, const char *begin)
{
	fprintf(list->places->file, ",\n%s", begin);
	list->nr = 0;
}

static void add_row(struct list_writer *list, const int64_t *places, size_t nr_places,
		    const struct field *fields, const void *thing)
{
	if (list->nr++) {
		row_add_char(&list->line, ',');
		row_end(&list->line, list->places->file);
	}
	sum_row_print(&list->line, places, nr_places, fields, thing);
}

static void end_list(struct list_writer *list)
{
	if (list->nr)
		row_end(&list->line, list->places->file);
	fputs("]", list->places->file);
}

static int64_t place_of_function(const struct list_writer *list, const struct function *function)
{
	return function ? (int64_t)list->places->functions[function->number] - 1 : -1;
}

static int64_t place_of_process(const struct process *process)
{
	return (int64_t)process->number - 1;
}

static uint64_t to_ns(const struct process *process, uint64_t ticks)
{
	return ticks == UINT64_MAX ? ticks : (uint64_t)llround((double)ticks * process->tick_ns);
}

bool profile_has_messages(const struct process *process, const struct log_messages *messages)
{
	return messages->direction != LOG_MESSAGE_MOVED && messages_path(process, messages);
}

static void write_messages(struct list_writer *list, const struct profile_texts *texts,
			   const struct process *process)
{
	for (size_t i = 0; i < process->nr_messages; i++) {
		struct log_messages messages = process->messages[i];
		const struct tree_node *path = messages_path(process, &process->messages[i]);
		const int64_t places[] = { place_of_process(process),
					   path ? list->places->paths[path->id] : -1,
					   place_of_text(texts, communicator_of(process, &messages)),
					   messages.peer, messages.direction };

		if (!profile_has_messages(process, &process->messages[i]))
			continue;
		messages.call_ticks = to_ns(process, messages.call_ticks);
		messages.most_ticks = to_ns(process, messages.most_ticks);
		messages.least_ticks = to_ns(process, messages.least_ticks);
		add_row(list, places, 5, message_fields, &messages);
	}
}

static void write_waits(struct list_writer *list, const struct rank_sums *sums)
{
	for (size_t i = 0; i < sums->nr_waits; i++) {
		const struct mpi_wait *wait = &sums->waits[i];

		add_row(list, (int64_t[]){ wait->kind, place_of_process(wait->process),
					   place_of_process(wait->other),
					   place_of_function(list, wait->function),
					   place_of_function(list, wait->caller) }, 5, wait_fields, wait);
	}
}

static void write_recorded(struct list_writer *list, const struct rank_sums *sums)
{
	for (size_t i = 0; i < sums->nr_recorded; i++)
		add_row(list, (int64_t[]){ place_of_function(list, sums->recorded[i].function),
					   place_of_function(list, sums->recorded[i].caller) }, 2,
			recorded_fields, &sums->recorded[i]);
}

static void write_ranges(struct list_writer *list, const struct profile_texts *texts,
			 const struct rank_sums *sums)
{
	for (size_t i = 0; i < sums->nr_ranges; i++) {
		const struct rank_range *range = &sums->ranges[i];

		add_row(list, (int64_t[]){ place_of_function(list, range->function),
					   place_of_text(texts, range->field),
					   place_of_process(range->whose) }, 3, range_fields, range);
	}
}

void profile_ranks_write(const struct profile_places *places, const struct profile_texts *texts,
			 const struct rank_sums *sums)
{
	struct list_writer list = { .places = places };

	begin_list(&list, MESSAGES_BEGIN);
	for (size_t i = 0; i < places->model->nr_processes; i++)
		write_messages(&list, texts, places->model->processes[i]);
	end_list(&list);
	begin_list(&list, WAITS_BEGIN);
	if (sums)
		write_waits(&list, sums);
	end_list(&list);
	begin_list(&list, RECORDED_BEGIN);
	if (sums)
		write_recorded(&list, sums);
	end_list(&list);
	begin_list(&list, RANGES_BEGIN);
	if (sums)
		write_ranges(&list, texts, sums);
	end_list(&list);
	row_text_release(&list.line);
}

/* ---- reading ---- */

struct list_reader {
	struct profile *profile;
	struct rank_sums *sums;	/* of the model */
	const json_t *texts;
};

static struct process *process_at(const struct profile *profile, int64_t place)
{
	return place >= 0 && (size_t)place < profile->nr_processes ? profile->added[place] : NULL;
}

static struct function *function_at_place(const struct profile *profile, int64_t place)
{
	if (place < 0 || (size_t)place >= profile->nr_functions)
		return NULL;
	return profile->functions[place].function;
}

static bool is_function_or_none(const struct profile *profile, int64_t place)
{
	return place == -1 || function_at_place(profile, place);
}

static bool are_times(double most, const double *times, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!(times[i] >= 0 && times[i] <= most))
			return false;
	return true;
}

/* A number of the process's own for the text; 0: none. */
static uint32_t label_of(struct process *process, const char *text)
{
	if (!text)
		return 0;
	if (!process->nr_labels)
		APPEND(process->labels, process->nr_labels) = NULL;
	for (size_t i = process->nr_labels - 1; i > 0; i--)
		if (strcmp(process->labels[i], text) == 0)
			return (uint32_t)i;
	APPEND(process->labels, process->nr_labels) = xstrdup(text);
	return (uint32_t)process->nr_labels - 1;
}

static bool are_sound(const struct log_messages *messages)
{
	return messages->nr_calls < COUNT_MOST && messages->nr_messages < COUNT_MOST &&
	       messages->nr_sized <= messages->nr_messages && messages->bytes < COUNT_MOST &&
	       messages->call_ticks <= (uint64_t)NS_MAX && messages->most_ticks <= messages->call_ticks &&
	       messages->size_bytes < COUNT_MOST;
}

static bool read_message(struct list_reader *reader, const char *row)
{
	struct profile *profile = reader->profile;
	struct log_messages messages = { .nr_calls = 0 };
	int64_t places[5];
	struct process *process;
	size_t nr;

	if (!sum_row_parse(row, places, 5, message_fields, &messages) || !are_sound(&messages) ||
	    places[1] < 0 || (size_t)places[1] >= profile->nr_rows || places[4] < LOG_MESSAGE_NONE ||
	    places[4] > LOG_MESSAGE_FILE || places[3] < LOG_PEER_ANY)
		return false;
	process = process_at(profile, places[0]);
	if (!process)
		return false;
	messages.label =
		label_of(process, json_string_value(json_array_get(reader->texts, (size_t)places[2])));
	messages.peer = (int32_t)places[3];
	messages.direction = (uint32_t)places[4];
	nr = process->nr_messages;
	process->message_paths = xgrow(process->message_paths, nr, sizeof(struct tree_node *));
	process->message_paths[nr] = profile->nodes[places[1]];
	APPEND(process->messages, process->nr_messages) = messages;
	return true;
}

static bool read_wait(struct list_reader *reader, const char *row)
{
	const struct profile *profile = reader->profile;
	struct mpi_wait wait = { .nr_calls = 0 };
	int64_t places[5];

	if (!sum_row_parse(row, places, 5, wait_fields, &wait) || places[0] < 0 ||
	    places[0] >= MPI_WAIT_KINDS || wait.nr_calls >= COUNT_MOST ||
	    !are_times(NS_MAX, &wait.waiting_ns, 1) || !are_times(wait.waiting_ns, &wait.longest_ns, 1) ||
	    !is_function_or_none(profile, places[4]))
		return false;
	wait.kind = (enum mpi_wait_kind)places[0];
	wait.process = process_at(profile, places[1]);
	wait.other = process_at(profile, places[2]);
	wait.function = function_at_place(profile, places[3]);
	wait.caller = function_at_place(profile, places[4]);
	if (!wait.process || !wait.other || !wait.function)
		return false;
	APPEND(reader->sums->waits, reader->sums->nr_waits) = wait;
	return true;
}

static bool read_recorded(struct list_reader *reader, const char *row)
{
	struct mpi_recorded recorded = { .nr_calls = 0 };
	int64_t places[2];

	if (!sum_row_parse(row, places, 2, recorded_fields, &recorded) || recorded.nr_calls >= COUNT_MOST ||
	    recorded.nr_unknown >= COUNT_MOST || !is_function_or_none(reader->profile, places[1]))
		return false;
	recorded.function = function_at_place(reader->profile, places[0]);
	recorded.caller = function_at_place(reader->profile, places[1]);
	if (recorded.function)
		APPEND(reader->sums->recorded, reader->sums->nr_recorded) = recorded;
	return recorded.function;
}

static bool read_range(struct list_reader *reader, const char *row)
{
	struct rank_range range = { .nr_ranks = 0 };
	int64_t places[3];

	if (!sum_row_parse(row, places, 3, range_fields, &range) ||
	    !is_function_or_none(reader->profile, places[0]) || !range.nr_ranks ||
	    range.nr_ranks > reader->profile->nr_processes || !are_times(NS_MAX, &range.most_ns, 1) ||
	    !are_times(range.most_ns, &range.least_ns, 1) || !are_times(NS_MAX, &range.sum_ns, 1))
		return false;
	range.function = function_at_place(reader->profile, places[0]);
	range.field = json_string_value(json_array_get(reader->texts, (size_t)places[1]));
	range.whose = process_at(reader->profile, places[2]);
	if (!range.whose || !range.function == !range.field)
		return false;
	APPEND(reader->sums->ranges, reader->sums->nr_ranges) = range;
	return true;
}

static int read_list(struct list_reader *reader, const char *begin,
		     bool (*read)(struct list_reader *reader, const char *row))
{
	const char *row;
	int status;

	if (profile_next_list(reader->profile, begin) < 0)
		return -1;
	while ((status = profile_next_row(reader->profile, &row)) > 0)
		if (!read(reader, row))
			return profile_bad_row(reader->profile);
	return status;
}

int profile_ranks_read(struct profile *profile, struct model *model)
{
	struct list_reader reader = { profile, NULL, json_object_get(profile->root, "texts") };
	const json_t *about = json_object_get(profile->root, "waiting");

	if (!model->saved_ranks)
		model->saved_ranks = xcalloc(1, sizeof(*model->saved_ranks));
	reader.sums = model->saved_ranks;
	reader.sums->lacks |= profile->version < 3;
	if (profile->version < 3)
		return 0;
	reader.sums->nr_matched += (uint64_t)json_integer_value(json_object_get(about, "matched"));
	reader.sums->nr_unmatched += (uint64_t)json_integer_value(json_object_get(about, "unmatched"));
	reader.sums->is_cut |= json_is_true(json_object_get(about, "is_cut"));
	reader.sums->is_part |= json_is_true(json_object_get(about, "is_part"));
	if (read_list(&reader, MESSAGES_BEGIN, read_message) < 0 ||
	    read_list(&reader, WAITS_BEGIN, read_wait) < 0 ||
	    read_list(&reader, RECORDED_BEGIN, read_recorded) < 0)
		return -1;
	return read_list(&reader, RANGES_BEGIN, read_range);
}
