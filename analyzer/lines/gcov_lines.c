/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gcov reads counters from files, so they are written to a temporary folder, beside links to the notes.
 * Paths and numbers come from a log, which is not trusted: the notes must be of the same compilation.
 */
#include "analyzer/lines/gcov_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/error.h"

#define DATA_MAGIC 0x67636461u	/* "gcda" */
#define NOTES_MAGIC 0x67636e6fu /* "gcno" */
#define TAG_FUNCTION 0x01000000u
#define TAG_COUNTERS 0x01a10000u
#define TAG_SUMMARY 0xa1000000u
#define NAME_BYTES 32

struct gcov {
	const struct gcov_unit *units;
	size_t nr;
	bool *has_notes; /* [unit] */
	char folder[256];
	char *trouble;	   /* the first one */
	size_t nr_without; /* units whose notes are missing, or of another compilation */
	void (*each)(const struct gcov_line *line, void *context);
	void *context;
};

unsigned int gcov_compiler(uint32_t format)
{
	return ((format >> 24) - 'A') * 10 + ((format >> 16 & 0xff) - '0');
}

/* ---- what gcov reads ---- */

static void write_word(FILE *file, uint32_t word)
{
	fwrite(&word, sizeof(word), 1, file);
}

static void write_data(FILE *file, const struct gcov_unit *unit)
{
	const uint64_t *counters = unit->counters;
	const uint32_t head[] = { DATA_MAGIC, unit->format, unit->stamp, unit->checksum, TAG_SUMMARY, 8, 1,
				  0 };

	fwrite(head, sizeof(head), 1, file);
	for (size_t i = 0; i < unit->nr_functions; i++) {
		const struct gcov_function *function = &unit->functions[i];

		write_word(file, TAG_FUNCTION);
		write_word(file, 3 * sizeof(uint32_t));
		write_word(file, function->ident);
		write_word(file, function->lineno_checksum);
		write_word(file, function->cfg_checksum);
		write_word(file, TAG_COUNTERS);
		write_word(file, function->nr_counters * (uint32_t)sizeof(*counters));
		fwrite(counters, sizeof(*counters), function->nr_counters, file);
		counters += function->nr_counters;
	}
	write_word(file, 0);
}

static char *name_in_folder(const struct gcov *gcov, size_t unit, const char *end)
{
	return xasprintf("%s/%zu.%s", gcov->folder, unit, end);
}

static void tell(struct gcov *gcov, char *trouble)
{
	if (gcov->trouble)
		free(trouble);
	else
		gcov->trouble = trouble;
}

/* Return: whether these are the notes of this compilation */
static bool check_notes(struct gcov *gcov, const char *path, const struct gcov_unit *unit)
{
	uint32_t head[3] = { 0 };
	FILE *file = fopen(path, "re");
	size_t nr;

	if (!file) {
		tell(gcov, xasprintf("%s: %s", path, strerror(errno)));
		return false;
	}
	nr = fread(head, sizeof(*head), 3, file);
	fclose(file);
	if (nr == 3 && head[0] == NOTES_MAGIC && head[1] == unit->format && head[2] == unit->stamp)
		return true;
	tell(gcov, xasprintf("%s: of another compilation", path));
	return false;
}

/* ".gcda" becomes ".gcno". NULL: it is no such path. */
static char *notes_path(const char *data_path)
{
	size_t length = strlen(data_path);

	if (data_path[0] != '/' || length < 6 || strcmp(data_path + length - 5, ".gcda") != 0)
		return NULL;
	return xasprintf("%.*s.gcno", (int)length - 5, data_path);
}

static void prepare(struct gcov *gcov, size_t i)
{
	const struct gcov_unit *unit = &gcov->units[i];
	char *notes = notes_path(unit->path), *data = name_in_folder(gcov, i, "gcda");
	char *notes_link = name_in_folder(gcov, i, "gcno");
	FILE *file = NULL;

	if (notes && check_notes(gcov, notes, unit) && symlink(notes, notes_link) == 0)
		file = fopen(data, "wxe");
	if (file) {
		write_data(file, unit);
		gcov->has_notes[i] = fclose(file) == 0;
	}
	gcov->nr_without += !gcov->has_notes[i];
	free(notes);
	free(data);
	free(notes_link);
}

static void remove_folder(const struct gcov *gcov)
{
	static const char *const ends[] = { "gcda", "gcno" };

	for (size_t i = 0; i < gcov->nr; i++)
		for (size_t j = 0; j < 2; j++) {
			char *path = name_in_folder(gcov, i, ends[j]);

			unlink(path);
			free(path);
		}
	rmdir(gcov->folder);
}

/* ---- gcov's answer ---- */

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static uint32_t number_of(const json_t *object, const char *key)
{
	json_int_t number = json_integer_value(json_object_get(object, key));

	return number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
}

/* A function in a file. Instances of a template begin at the same place, and have lines of their own. */
struct range {
	const char *name;
	uint32_t begin, begin_column, end;
	bool is_instance;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->begin_column > y->begin_column) - (x->begin_column < y->begin_column);
}

static struct range *list_ranges(const json_t *functions, size_t *nr)
{
	struct range *list = xcalloc(json_array_size(functions) + 1, sizeof(*list));
	const json_t *function;
	size_t i;

	*nr = 0;
	json_array_foreach(functions, i, function) if (text_of(function, "name")) list[(*nr)++] =
		(struct range){ .name = text_of(function, "name"),
				.begin = number_of(function, "start_line"),
				.begin_column = number_of(function, "start_column"),
				.end = number_of(function, "end_line") };
	qsort(list, *nr, sizeof(*list), compare_ranges);
	for (i = 1; i < *nr; i++)
		if (compare_ranges(&list[i - 1], &list[i]) == 0)
			list[i - 1].is_instance = list[i].is_instance = true;
	return list;
}

/*
 * The function of a line. gcov names the instance of a template; otherwise the last function that began
 * before, which may be a lambda that has ended.
 */
static const struct range *range_of(const struct range *list, size_t nr, const char *name, uint32_t number)
{
	const struct range *found = NULL;

	for (size_t i = 0; i < nr && list[i].begin <= number; i++) {
		if (number > list[i].end)
			continue;
		if (list[i].is_instance && name && strcmp(list[i].name, name) == 0)
			return &list[i];
		found = &list[i];
	}
	return found;
}

static void read_file(const struct gcov *gcov, size_t unit, const char *folder, const json_t *file)
{
	const char *path = text_of(file, "file");
	size_t nr, i;
	struct range *list = list_ranges(json_object_get(file, "functions"), &nr);
	char *whole = path && path[0] != '/' && folder ? xasprintf("%s/%s", folder, path)
						       : xstrdup(path ? path : "");
	const json_t *line;

	json_array_foreach(json_object_get(file, "lines"), i, line)
	{
		uint32_t number = number_of(line, "line_number");
		const struct range *range = range_of(list, nr, text_of(line, "function_name"), number);
		json_int_t count = json_integer_value(json_object_get(line, "count"));

		if (number && count >= 0)
			gcov->each(&(struct gcov_line){ unit, range ? range->name : NULL, whole,
							range ? range->begin : 0, number, (uint64_t)count },
				   gcov->context);
	}
	free(whole);
	free(list);
}

/* Return: whether it is of this unit's compiler */
static bool read_document(struct gcov *gcov, const json_t *document)
{
	const char *version = text_of(document, "gcc_version"), *name = text_of(document, "data_file");
	const char *folder = text_of(document, "current_working_directory");
	const json_t *file;
	size_t unit, i;

	name = name && strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	if (!version || !name || sscanf(name, "%zu", &unit) != 1 || unit >= gcov->nr)
		return true;
	if (strtoul(version, NULL, 10) != gcov_compiler(gcov->units[unit].format)) {
		tell(gcov, xasprintf("gcov is of gcc %s, the program of gcc %u", version,
				     gcov_compiler(gcov->units[unit].format)));
		return false;
	}
	json_array_foreach(json_object_get(document, "files"), i, file) read_file(gcov, unit, folder, file);
	return true;
}

/* One document for each unit. */
static bool read_answer(struct gcov *gcov, FILE *in)
{
	json_t *document;
	size_t nr = 0;
	bool fits = true;

	while (fits && (document = json_loadf(in, JSON_DISABLE_EOF_CHECK, NULL))) {
		fits = read_document(gcov, document);
		json_decref(document);
		nr++;
	}
	return nr;
}

/* ---- gcov itself ---- */

/* Several versions may be installed, with their number in the name. */
static pid_t start(const struct gcov *gcov, char **arguments, int *in)
{
	char name[NAME_BYTES], *const names[] = { name, "gcov" };
	posix_spawn_file_actions_t actions;
	int ends[2], error = ENOENT;
	pid_t pid = -1;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	snprintf(name, sizeof(name), "gcov-%u", gcov_compiler(gcov->units[0].format));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	for (size_t i = 0; i < 2 && error; i++) {
		arguments[0] = names[i];
		error = posix_spawnp(&pid, names[i], &actions, NULL, arguments, environ);
	}
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*in = ends[0];
	if (error)
		close(ends[0]);
	return error ? -1 : pid;
}

static void run(struct gcov *gcov)
{
	char **arguments = xcalloc(gcov->nr + 4, sizeof(*arguments));
	size_t nr = 1;
	bool has_answer = false;
	int in, status;
	FILE *file;
	pid_t pid;

	arguments[nr++] = xstrdup("--json-format");
	arguments[nr++] = xstrdup("--stdout");
	for (size_t i = 0; i < gcov->nr; i++)
		if (gcov->has_notes[i])
			arguments[nr++] = name_in_folder(gcov, i, "gcda");
	pid = start(gcov, arguments, &in);
	if (pid > 0) {
		file = fdopen(in, "r");
		has_answer = file && read_answer(gcov, file);
		if (file)
			fclose(file);
		waitpid(pid, &status, 0);
	}
	if (!has_answer)
		tell(gcov,
		     xasprintf(pid > 0 ? "gcov says nothing" : "there is no gcov: it is part of gcc"));
	for (size_t i = 1; i < nr; i++)
		free(arguments[i]);
	free(arguments);
}

char *gcov_lines_read(const struct gcov_unit *units, size_t nr,
		      void (*each)(const struct gcov_line *line, void *context), void *context)
{
	struct gcov gcov = { .units = units, .nr = nr, .each = each, .context = context };
	const char *temporary = getenv("TMPDIR");
	char *all;

	snprintf(gcov.folder, sizeof(gcov.folder), "%s/insideme-XXXXXX",
		 temporary && temporary[0] == '/' ? temporary : "/tmp");
	if (!mkdtemp(gcov.folder))
		return xasprintf("%s: %s", gcov.folder, strerror(errno));
	gcov.has_notes = xcalloc(nr, sizeof(*gcov.has_notes));
	for (size_t i = 0; i < nr; i++)
		prepare(&gcov, i);
	if (gcov.nr_without < nr)
		run(&gcov);
	remove_folder(&gcov);
	free(gcov.has_notes);
	if (!gcov.nr_without || !gcov.trouble)
		return gcov.trouble;
	all = xasprintf("%zu of %zu source files have no notes of the compiler: %s", gcov.nr_without, nr,
			gcov.trouble);
	free(gcov.trouble);
	return all;
}
