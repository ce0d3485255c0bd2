/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/lines/line_counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/whole_file.h"
#include "analyzer/lines/counted_units.h"
#include "analyzer/lines/lines.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/tree.h"
#include "analyzer/runs/run.h"

#define HEAD "INSIDEME LINES 1"
#define LINES_FILE "lines" /* in the directory of a run */

/* The lines of one run, in the order in which they came. Texts are the model's. */
struct count {
	struct object *object;
	const char *function, *file;
	uint32_t function_line, number;
	uint64_t count;
};

struct run_counts {
	struct model *model;
	struct counted_units units;
	struct count *list;
	size_t nr;
	char *folder; /* of the run */
	char *path;   /* of the kept file in it */
};

static const char *keep(struct model *model, const char *text)
{
	return APPEND(model->texts, model->nr_texts) = xstrdup(text);
}

/* @text again where it is the one before. */
static const char *keep_once(struct model *model, const char *before, const char *text)
{
	return before && strcmp(before, text) == 0 ? before : keep(model, text);
}

static void add_count(struct run_counts *counts, struct object *object, const struct gcov_line *line)
{
	const struct count *before = counts->nr ? &counts->list[counts->nr - 1] : NULL;
	struct count count = { object,
			       keep_once(counts->model, before ? before->function : NULL, line->function),
			       keep_once(counts->model, before ? before->file : NULL, line->file),
			       line->function_line,
			       line->number,
			       line->count };

	APPEND(counts->list, counts->nr) = count;
}

static void add_of_gcov(const struct gcov_line *given, void *context)
{
	struct run_counts *counts = context;
	struct object *object = counts->units.objects[given->unit];
	struct symbols *symbols = object && object->file_bytes ? naming_symbols(object) : NULL;
	struct gcov_line line = *given;

	if (!line.function && symbols)
		line.function =
			symbols_function_before(symbols, line.file, line.number, &line.function_line);
	if (line.function)
		add_count(counts, object, &line);
}

/* ---- RUN/lines ---- */

/* Names have no tabs; a path that has one is not kept. */
static bool can_be_kept(const struct count *count)
{
	return count->object && !strpbrk(count->function, "\t\n") && !strpbrk(count->file, "\t\n") &&
	       !strpbrk(count->object->path, "\t\n");
}

static void write_count(FILE *out, const struct count *count, const struct count *before)
{
	if (!before || before->object != count->object)
		fprintf(out, "m\t%s\n", count->object->path);
	if (!before || before->object != count->object || before->function != count->function ||
	    before->file != count->file || before->function_line != count->function_line)
		fprintf(out, "f\t%s\t%" PRIu32 "\t%s\n", count->function, count->function_line,
			count->file);
	fprintf(out, "%" PRIu32 "\t%" PRIu64 "\n", count->number, count->count);
}

/* A file that exists is kept: it has the counts of these processes, or of more. */
static void write_kept(const struct run_counts *counts)
{
	struct whole_file file;

	if (model_is_running(counts->model) || counts->model->nr_left_out || !run_is_ours(counts->folder) ||
	    access(counts->path, F_OK) == 0 || whole_file_open(&file, counts->path) < 0)
		return;
	fprintf(file.out, HEAD "\t%016" PRIx64 "\n", counts->units.hash);
	for (size_t i = 0; i < counts->nr; i++)
		if (can_be_kept(&counts->list[i]))
			write_count(file.out, &counts->list[i], i ? &counts->list[i - 1] : NULL);
	whole_file_close(&file, true);
}

static struct object *object_named(const struct model *model, const char *path)
{
	struct object *object = model->objects;

	while (object && strcmp(object->path, path) != 0)
		object = object->next;
	return object;
}

/* One line of the file; @line: as the lines before it left it. Return: whether it makes sense */
static bool read_line(struct run_counts *counts, char *text, struct object **object, struct gcov_line *line)
{
	char *next = text, *first = strsep(&next, "\t"), *second = strsep(&next, "\t");

	if (strcmp(first, "m") == 0 && second) {
		*object = object_named(counts->model, second);
		line->function = line->file = NULL;
	} else if (strcmp(first, "f") == 0 && second && next) {
		line->function = keep(counts->model, second);
		line->function_line = (uint32_t)strtoul(strsep(&next, "\t"), NULL, 10);
		line->file = next ? keep(counts->model, next) : NULL;
	} else if (second && *object && line->function && line->file) {
		line->number = (uint32_t)strtoul(first, NULL, 10);
		line->count = strtoull(second, NULL, 10);
		add_count(counts, *object, line);
	} else {
		return false;
	}
	return true;
}

/* Return: whether it has the counts of these counters. A file of other processes or another time has not.
 */
static bool read_kept(struct run_counts *counts)
{
	char head[64], *text = NULL;
	struct gcov_line line = { 0 };
	struct object *object = NULL;
	FILE *in = fopen(counts->path, "re");
	size_t room = 0;
	bool is_sound = in && getline(&text, &room, in) > 0;

	snprintf(head, sizeof(head), HEAD "\t%016" PRIx64 "\n", counts->units.hash);
	is_sound = is_sound && strcmp(text, head) == 0;
	while (is_sound && getline(&text, &room, in) > 0) {
		text[strcspn(text, "\n")] = '\0';
		is_sound = read_line(counts, text, &object, &line);
	}
	if (!is_sound)
		counts->nr = 0;
	free(text);
	if (in)
		fclose(in);
	return is_sound;
}

/* ---- functions ---- */

struct known {
	struct function *function;
	const struct object *object;
	const char *file;
	uint32_t line;
};

struct finder {
	struct model *model;
	struct hashtable known;	    /* struct known: the functions of lines that samples met */
	const struct count *latest; /* the one before, and its function */
	struct function *function;
};

static uint64_t hash_place(const char *file, uint32_t line)
{
	return hash_pair(hash_string(path_base(file)), line);
}

struct wanted {
	const struct count *count;
	const char *name; /* as the source has it */
	bool is_of_any;			/* of another build too, which another run is of */
};

static bool is_wanted(const void *item, const void *key)
{
	const struct known *known = item;
	const struct wanted *wanted = key;
	const char *name = known->function->name;
	size_t length = name ? name_length_in_source(name) : 0;

	return (wanted->is_of_any || known->object == wanted->count->object) && name &&
	       known->line == wanted->count->function_line &&
	       strcmp(path_base(known->file), path_base(wanted->count->file)) == 0 &&
	       strncmp(name, wanted->name, length) == 0 && !wanted->name[length];
}

static void add_known(struct finder *finder, struct function *function)
{
	struct known *known;

	resolve_source(function);
	if (!function->file)
		return;
	known = xcalloc(1, sizeof(*known));
	*known = (struct known){ function, function->object, function->file, function->line };
	hashtable_add(&finder->known, hash_place(known->file, known->line), known);
}

static struct function *find_new(struct finder *finder, const struct wanted *wanted)
{
	const struct count *count = wanted->count;
	struct function_tables *tables = &finder->model->tables->functions;
	struct symbols *symbols = count->object->file_bytes ? naming_symbols(count->object) : NULL;
	uint64_t addr =
		symbols ? symbols_find_at(symbols, count->function, count->file, count->function_line) : 0;
	struct symbol_code code = { .file = count->file, .line = count->function_line };

	if (addr)
		return function_merged(tables, function_at(tables, count->object, NULL, addr));
	code.name = keep(finder->model, wanted->name);
	return code_inlined_only(finder->model, count->object, &code);
}

static bool same_function(const struct count *a, const struct count *b)
{
	return a && a->object == b->object && a->function == b->function && a->file == b->file &&
	       a->function_line == b->function_line;
}

static struct function *find_function(struct finder *finder, const struct count *count)
{
	const uint64_t hash = hash_place(count->file, count->function_line);
	struct wanted wanted = { count, count->function, false };
	const struct known *known;
	char *name;

	if (same_function(finder->latest, count))
		return finder->function;
	name = name_demangled(count->function);
	wanted.name = name ? name : count->function;
	known = hashtable_find(&finder->known, hash, is_wanted, &wanted);
	wanted.is_of_any = finder->model->nr_runs > 1;
	if (!known && wanted.is_of_any)
		known = hashtable_find(&finder->known, hash, is_wanted, &wanted);
	finder->latest = count;
	finder->function = known ? known->function : find_new(finder, &wanted);
	free(name);
	return finder->function;
}

static void add_to_lines(struct run_counts *counts)
{
	struct lines *lines = lines_of(counts->model);
	struct finder finder = { .model = counts->model };
	const struct line_function *of;

	for (size_t at = 0; (of = hashtable_next(&lines->functions, &at));)
		if (of->function->object)
			add_known(&finder, of->function);
	for (size_t i = 0; i < counts->nr; i++) {
		const struct count *count = &counts->list[i];

		if (count->object)
			lines_add_hits(lines, find_function(&finder, count), count->file, count->number,
				       count->count);
	}
	hashtable_release(&finder.known);
}

/* ---- a run ---- */

bool line_counts_are_in(const struct model *model, uint32_t run)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; process->log && j < process->log->nr_extents; j++)
			if (process->log->extents[j].kind == LOG_AREA_LINE_COUNTS &&
			    (run == NO_RUN || process->run == run))
				return true;
	}
	return false;
}

bool line_counts_are_beside(const struct model *model)
{
	bool has_some = false, has_none = false;

	for (uint32_t run = 0; run < model->nr_runs; run++) {
		bool is_in = line_counts_are_in(model, run);

		has_some |= is_in;
		has_none |= !is_in;
	}
	return has_some && has_none;
}

/* Return: the folder of the run's logs; "" if it has none */
static char *folder_of(const struct model *model, uint32_t run)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		const char *path = model->processes[i]->log ? model->processes[i]->log->path : "";

		if (model->processes[i]->run == run && path[0] && path_base(path) == path)
			return xstrdup(".");
		if (model->processes[i]->run == run && path[0])
			return xasprintf("%.*s", (int)(path_base(path) - path - 1), path);
	}
	return xstrdup("");
}

static void read_by_gcov(struct run_counts *counts)
{
	char *trouble = gcov_lines_read(counts->units.list, counts->units.nr, add_of_gcov, counts);

	if (trouble)
		warning("counts of lines%s are not known: %s", counts->nr ? " of some source files" : "",
			trouble);
	else
		write_kept(counts);
	free(trouble);
}

static void read_run(struct run_counts *counts, struct model *model, uint32_t run)
{
	*counts = (struct run_counts){ .model = model, .folder = folder_of(model, run) };
	counts->path = xasprintf("%s/" LINES_FILE, counts->folder);
	counted_units_read(&counts->units, model, run);
	if (counts->units.unknown_format)
		warning("counts of lines are not known: the counters of gcc %u are not",
			gcov_compiler(counts->units.unknown_format));
	if (counts->units.nr_not_copied)
		warning("counts of lines of %zu source files are not known: their process was killed before "
			"they were copied, or its memory may not be read",
			counts->units.nr_not_copied);
	if (counts->units.nr && !read_kept(counts))
		read_by_gcov(counts);
}

static void release_run(struct run_counts *counts)
{
	counted_units_release(&counts->units);
	free(counts->list);
	free(counts->path);
	free(counts->folder);
}

static void read_runs(struct model *model, void (*each)(struct run_counts *counts))
{
	for (uint32_t run = 0; run < model->nr_runs; run++) {
		struct run_counts counts;

		if (!line_counts_are_in(model, run))
			continue;
		read_run(&counts, model, run);
		if (each)
			each(&counts);
		release_run(&counts);
	}
}

void line_counts_read(struct model *model)
{
	read_runs(model, add_to_lines);
}

void line_counts_keep(struct model *model)
{
	read_runs(model, NULL);
}
