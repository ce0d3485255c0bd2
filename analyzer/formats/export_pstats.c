/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file that python's cProfile saves, for pstats, snakeviz and gprof2dot: a dictionary by (file, line,
 * name) in the format of marshal. Functions of one key are added up.
 */
#include "analyzer/formats/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/base/names.h"
#include "analyzer/model/call_edges.h"
#include "analyzer/read/counted_read.h"
#include "analyzer/model/tree.h"
#include "analyzer/tables/table_text.h"

struct times {
	uint64_t calls, primitive_calls;
	double self_s, total_s;
};

struct caller {
	struct entry *entry;
	struct times times;
};

/* A key, and what all functions have that share it. */
struct entry {
	const struct function *function;	/* the first of them */
	const char *file;
	struct times times;
	struct caller *callers;
	size_t nr_callers;
};

struct pstats {
	const struct report *report;
	struct row_text out;
	struct hashtable by_key;
	struct entry **list;
	size_t nr;
	struct entry **entry_of;	/* [number of a function] */
};

/* ---- marshal ---- */

static void add_u32(struct row_text *out, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		row_add_char(out, (char)(number >> (8 * i)));
}

/* Up to 31 bits, else digits of 15 bits. */
static void add_integer(struct row_text *out, uint64_t number)
{
	uint32_t nr_digits = 0;

	if (number <= INT32_MAX) {
		row_add_char(out, 'i');
		add_u32(out, (uint32_t)number);
		return;
	}
	for (uint64_t left = number; left; left >>= 15)
		nr_digits++;
	row_add_char(out, 'l');
	add_u32(out, nr_digits);
	for (; number; number >>= 15) {
		row_add_char(out, (char)number);
		row_add_char(out, (char)(number >> 8 & 0x7f));
	}
}

static void add_double(struct row_text *out, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	row_add_char(out, 'g');
	add_u32(out, (uint32_t)bits);
	add_u32(out, (uint32_t)(bits >> 32));
}

static void add_text(struct row_text *out, const char *text)
{
	char *clean = utf8_cleaned(text);

	row_add_char(out, 'u');
	add_u32(out, (uint32_t)strlen(clean));
	row_add_text(out, clean);
	free(clean);
}

static void begin_tuple(struct row_text *out, uint32_t nr)
{
	row_add_char(out, '(');
	add_u32(out, nr);
}

/* ---- sums by key ---- */

static bool is_entry(const void *item, const void *key)
{
	const struct entry *entry = item, *wanted = key;

	return entry->function->line == wanted->function->line && strcmp(entry->file, wanted->file) == 0 &&
	       strcmp(entry->function->name, wanted->function->name) == 0;
}

static const char *file_of(const struct function *function)
{
	const char *slash = function->object ? strrchr(function->object->path, '/') : NULL;

	if (function->file)
		return function->file;
	return slash ? slash + 1 : function->object ? function->object->path : "~";
}

static struct entry *entry_of(struct pstats *pstats, const struct function *function)
{
	struct entry wanted = { .function = function, .file = file_of(function) }, *entry;
	uint64_t hash = hash_pair(hash_string(function->name), hash_string(wanted.file) + function->line);

	if (pstats->entry_of[function->number])
		return pstats->entry_of[function->number];
	entry = hashtable_find(&pstats->by_key, hash, is_entry, &wanted);
	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		*entry = wanted;
		hashtable_add(&pstats->by_key, hash, entry);
		APPEND(pstats->list, pstats->nr) = entry;
	}
	return pstats->entry_of[function->number] = entry;
}

static void add_times(struct times *sum, const struct call_stats *stats, uint64_t primitive_calls,
		      const struct sample_stats *samples)
{
	bool by_samples = !stats->calls && samples->total_nr;

	sum->calls += by_samples ? samples->total_nr : stats->calls;
	sum->primitive_calls += by_samples ? samples->total_nr : primitive_calls;
	sum->self_s += fmax(by_samples ? samples->ns : stats->self_ns, 0) / 1e9;
	sum->total_s += fmax(by_samples ? samples->total_ns : stats->total_ns, 0) / 1e9;
}

static void add_edge(struct pstats *pstats, const struct edge *edge)
{
	struct entry *entry = entry_of(pstats, edge->function), *caller = entry_of(pstats, edge->caller);
	size_t i = 0;

	while (i < entry->nr_callers && entry->callers[i].entry != caller)
		i++;
	if (i == entry->nr_callers) {
		APPEND(entry->callers, entry->nr_callers) = (struct caller){ .entry = caller };
	}
	add_times(&entry->callers[i].times, &edge->stats, edge->primitive_calls, &edge->samples);
}

static void sum_up(struct pstats *pstats)
{
	const struct model *model = pstats->report->model;
	struct edges edges;

	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct function *function = model->functions[i];

		add_times(&entry_of(pstats, function)->times, &function->stats, function->primitive_calls,
			  &function->samples);
	}
	counted_callers_read(pstats->report->model);
	edges_init(&edges, model);
	for (size_t i = 0; i < edges.nr; i++)
		if (edges.list[i].caller)
			add_edge(pstats, &edges.list[i]);
	edges_release(&edges);
}

/* ---- the file ---- */

static void add_key(struct row_text *out, const struct entry *entry)
{
	begin_tuple(out, 3);
	add_text(out, entry->file);
	add_integer(out, entry->function->line);
	add_text(out, entry->function->name);
}

/* Primitive calls come first for functions, and last for callers. */
static void add_entry(struct row_text *out, const struct entry *entry)
{
	add_key(out, entry);
	begin_tuple(out, 5);
	add_integer(out, entry->times.primitive_calls);
	add_integer(out, entry->times.calls);
	add_double(out, entry->times.self_s);
	add_double(out, entry->times.total_s);
	row_add_char(out, '{');
	for (size_t i = 0; i < entry->nr_callers; i++) {
		const struct times *times = &entry->callers[i].times;

		add_key(out, entry->callers[i].entry);
		begin_tuple(out, 4);
		add_integer(out, times->calls);
		add_integer(out, times->primitive_calls);
		add_double(out, times->self_s);
		add_double(out, times->total_s);
	}
	row_add_char(out, '0');
}

int export_pstats(struct report *report)
{
	size_t nr_functions = functions_count(&report->model->tables->functions);
	struct pstats pstats = { .report = report,
				 .entry_of = xcalloc(nr_functions, sizeof(struct entry *)) };
	struct whole_file file;
	int status = EXIT_FAILURE;

	export_sources(report->model);
	export_warn(report->model);
	sum_up(&pstats);
	row_add_char(&pstats.out, '{');
	for (size_t i = 0; i < pstats.nr; i++) {
		add_entry(&pstats.out, pstats.list[i]);
		free(pstats.list[i]->callers);
	}
	row_add_char(&pstats.out, '0');
	if (export_open(&file, report->options)) {
		fwrite(pstats.out.bytes, 1, pstats.out.used, file.out);
		status = export_close(&file);
	}
	hashtable_release(&pstats.by_key);
	free(pstats.list);
	free(pstats.entry_of);
	row_text_release(&pstats.out);
	return status;
}
