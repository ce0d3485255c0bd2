/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums up errors over all threads and processes. */
#include "analyzer/read/errors_read.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/read/nodes_read.h"

/* Both kinds begin with their place and are sorted by it. */
static int compare_place(const void *place, const void *record)
{
	uint32_t wanted = *(const uint32_t *)place, its = *(const uint32_t *)record;

	return (wanted > its) - (wanted < its);
}

static const void *at_place(const void *records, size_t nr, size_t bytes, uint32_t place)
{
	return nr ? bsearch(&place, records, nr, bytes, compare_place) : NULL;
}

_Static_assert(offsetof(struct thrown, place) == 0 && offsetof(struct error, place) == 0,
	       "records begin with their place");

const struct error *errors_find(const struct process *process, uint32_t reason, const struct thrown **thrown)
{
	*thrown = at_place(process->thrown, process->nr_thrown, sizeof(**thrown), reason);
	if (*thrown)
		reason = (*thrown)->error;
	return at_place(process->errors, process->nr_errors, sizeof(struct error), reason);
}

const struct error *errors_ending(const struct process *process)
{
	for (size_t i = process->nr_errors; i-- > 0;)
		if (process->errors[i].counts.uncaught)
			return &process->errors[i];
	return NULL;
}

struct tree_node *errors_path(const struct process *process, const struct error *error, uint32_t node)
{
	struct thread *thread = nodes_thread(process, error->counts.thread);

	struct tree_node *path = thread && node ? nodes_path(thread, node) : NULL;

	return path && path->function ? path : NULL;
}

/* A process sent it, or the code raised it. */
void errors_cause(const struct event *crash, char *text, size_t bytes)
{
	int64_t code = (int64_t)crash->values[1];

	if (code <= 0)
		snprintf(text, bytes, "sent by process %u", (uint32_t)crash->values[2]);
	else
		snprintf(text, bytes, "code %d, address 0x%llx", (int)code,
			 (unsigned long long)crash->values[2]);
}

const char *errors_kind(uint32_t kind)
{
	static const char *const kinds[] = {
		[ERROR_SAID] = "failure",
		[LOG_ERROR_THROW] = "exception",
		[LOG_ERROR_RETHROW] = "rethrown exception",
		[LOG_ERROR_LONGJMP] = "longjmp",
		[LOG_ERROR_THREAD_EXIT] = "pthread_exit",
		[LOG_ERROR_TERMINATE] = "std::terminate",
		[LOG_ERROR_ABORT] = "abort",
		[LOG_ERROR_ASSERTION] = "assertion",
	};

	return kind < sizeof(kinds) / sizeof(*kinds) && kinds[kind] ? kinds[kind]
								    : "error of an unknown kind";
}

/* A return address may be of the next line, or of the next function: the call is before it. */
static void find_place(struct error_sum *sum, const struct process *process, const struct log_error *counts)
{
	const struct module *module = module_at(process, counts->place_addr, counts->record.ticks);

	if (!module)
		return;
	sum->object = module->object;
	sum->addr = counts->place_addr - module->bias - 1;
}

char *errors_code_in(const struct module *module, uint64_t addr)
{
	struct symbols *symbols = module ? naming_symbols(module->object) : NULL;
	unsigned int line;
	const char *file = symbols ? symbols_own_line(symbols, addr - module->bias, &line) : NULL;

	if (file)
		return xasprintf("%s:%u", path_base(file), line);
	if (module)
		return xasprintf("%s+0x%llx", module->object->path,
				 (unsigned long long)(addr - module->bias));
	return xasprintf("0x%llx", (unsigned long long)addr);
}

char *errors_code(const struct process *process, uint64_t ticks, uint64_t addr)
{
	return errors_code_in(module_at(process, addr, ticks), addr);
}

char *errors_code_function_in(const struct module *module, uint64_t addr)
{
	struct symbol symbol = { .addr = module ? addr - module->bias : 0 };

	if (!module)
		return NULL;
	naming_fill(module->object, &symbol, 1);
	return symbol.name ? name_short(symbol.name) : NULL;
}

char *errors_code_function(const struct process *process, uint64_t ticks, uint64_t addr)
{
	return errors_code_function_in(module_at(process, addr, ticks), addr);
}

static bool is_equal(const struct error_sum *a, const struct error_sum *b)
{
	return a->kind == b->kind && a->path == b->path && a->object == b->object && a->addr == b->addr &&
	       strcmp(a->type, b->type) == 0;
}

/* The sum for equal errors, made if it is new. */
static struct error_sum *find_sum(struct error_sums *errors, const struct error_sum *wanted)
{
	for (size_t i = 0; i < errors->nr; i++)
		if (is_equal(&errors->sums[i], wanted))
			return &errors->sums[i];
	errors->sums = xgrow(errors->sums, errors->nr, sizeof(*errors->sums));
	errors->sums[errors->nr] = *wanted;
	errors->sums[errors->nr].type = xstrdup(wanted->type);
	return &errors->sums[errors->nr++];
}

static void add_catches(struct error_sum *sum, const struct process *process, const struct error *error)
{
	struct tree_node *path = errors_path(process, error, error->counts.caught_node);

	sum->caught += error->counts.caught;
	sum->caught_elsewhere += error->counts.caught_elsewhere;
	if (!sum->caught_path)
		sum->caught_path = path;
	else if (path && path != sum->caught_path)
		sum->caught_elsewhere += error->counts.caught - error->counts.caught_elsewhere;
}

/*
 * Does the message differ from those that were kept? One thread keeps at most LOG_THROWN_MOST for equal
 * errors.
 */
static bool is_news(const struct process *process, const struct thrown *thrown)
{
	for (const struct thrown *before = process->thrown; before < thrown; before++)
		if (before->error == thrown->error && before->message &&
		    strcmp(before->message, thrown->message) == 0)
			return false;
	return true;
}

static void add_messages(struct error_sum *sum, const struct process *process, const struct error *error)
{
	for (size_t i = 0; i < process->nr_thrown; i++) {
		const struct thrown *thrown = &process->thrown[i];

		if (thrown->error != error->place)
			continue;
		sum->kept++;
		if (!thrown->message)
			continue;
		if (!sum->message)
			sum->message = thrown->message;
		else if (strcmp(thrown->message, sum->message) != 0 && is_news(process, thrown))
			sum->other_messages++;
	}
}

static void add_error(struct error_sums *errors, struct process *process, const struct error *error)
{
	struct error_sum wanted = {
		.kind = error->counts.error,
		.type = error->type,
		.path = errors_path(process, error, error->counts.node),
		.first = INT64_MAX,
	}, *sum;
	int64_t first = process_time(process, error->counts.record.ticks);

	find_place(&wanted, process, &error->counts);
	sum = find_sum(errors, &wanted);
	sum->count += error->counts.count;
	sum->broken_calls += error->counts.broken_calls;
	sum->uncaught += error->counts.uncaught != 0;
	sum->own_what |= error->counts.own_what != 0;
	if (first < sum->first)
		sum->first = first;
	add_catches(sum, process, error);
	add_messages(sum, process, error);
}

/* Keep a text that differs from all before it. Those may include texts of other paths. */
static void add_text(struct error_sum *sum, const struct said *said, const struct mark *mark)
{
	const struct mark *before = said->marks;

	sum->kept++;
	if (!mark->text || !*mark->text)
		return;
	if (!sum->message) {
		sum->message = mark->text;
		return;
	}
	while (before < mark && (before->kind != LOG_MARK_FAILURE || strcmp(before->name, mark->name) != 0 ||
				 !before->text || strcmp(before->text, mark->text) != 0))
		before++;
	sum->other_messages += before == mark && strcmp(sum->message, mark->text) != 0;
}

/* Failures that the program reported are marks. */
static void add_failures(struct error_sums *errors, const struct process *process)
{
	for (size_t i = 0; process->said && i < process->said->nr_marks; i++) {
		const struct mark *mark = &process->said->marks[i];
		struct error_sum wanted = { .kind = ERROR_SAID,
					    .type = (char *)mark->name,
					    .first = mark->time },
				 *sum;

		if (mark->kind != LOG_MARK_FAILURE || !mark->thread || mark->thread->left_out)
			continue;
		wanted.path = nodes_path(mark->thread, mark->node);
		sum = find_sum(errors, &wanted);
		sum->count++;
		if (sum->kept < LOG_THROWN_MOST)
			add_text(sum, process->said, mark);
	}
}

static int most_first(const void *a, const void *b)
{
	const struct error_sum *x = a, *y = b;

	if (x->uncaught != y->uncaught)
		return x->uncaught < y->uncaught ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static void name_sum(struct error_sum *sum)
{
	char *type = sum->type[0] && sum->kind != ERROR_SAID ? name_of_type(sum->type) : NULL;
	struct symbols *symbols = sum->object ? naming_symbols(sum->object) : NULL;

	if (type) {
		free(sum->type);
		sum->type = type;
	}
	if (symbols)
		sum->file = symbols_line(symbols, sum->addr, &sum->line);
}

void errors_sum_up(struct error_sums *errors, struct model *model)
{
	memset(errors, 0, sizeof(*errors));
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_errors; j++) {
			const struct thread *thread = nodes_thread(
				model->processes[i], model->processes[i]->errors[j].counts.thread);

			if (thread && !thread->left_out)
				add_error(errors, model->processes[i], &model->processes[i]->errors[j]);
		}
	for (size_t i = 0; i < model->nr_processes; i++)
		add_failures(errors, model->processes[i]);
	for (size_t i = 0; i < errors->nr; i++)
		name_sum(&errors->sums[i]);
	if (errors->nr)
		qsort(errors->sums, errors->nr, sizeof(*errors->sums), most_first);
}

void errors_release(struct error_sums *errors)
{
	for (size_t i = 0; i < errors->nr; i++)
		free(errors->sums[i].type);
	free(errors->sums);
}
