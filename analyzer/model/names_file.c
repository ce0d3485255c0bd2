/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Saved names: lines of fields between tabs. The file is not trusted: lines that make no sense are skipped.
 */
#include "analyzer/model/names_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"

#define HEAD		"INSIDEME NAMES 1"
#define BYTES_MAX	(1ll << 30)
#define MODULES_MAX	4096
#define FIELDS		6

/* Turn "\t", "\n" and "\\" into the characters. In place. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++, *to++ = *text == 't' ? '\t' : *text == 'n' ? '\n' : *text;
		else
			*to++ = *text;
	}
	*to = '\0';
}

/* Cut @line at its tabs. Return: number of fields, at most FIELDS */
static size_t split(char *line, char **fields)
{
	size_t nr = 0;

	while (line && nr < FIELDS) {
		fields[nr] = strsep(&line, "\t");
		unescape(fields[nr++]);
	}
	return nr;
}

static bool parse_number(const char *text, int base, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, base);
	return text[0] && text[0] != '-' && !*end && !errno && *number <= max;
}

static bool parse_build_id(const char *text, struct object *object)
{
	size_t length = strlen(text);

	if (strcmp(text, "-") == 0)
		return true;
	if (length % 2 || length == 0 || length > 2 * sizeof(object->build_id))
		return false;
	for (size_t i = 0; i < length / 2; i++)
		if (sscanf(text + 2 * i, "%2hhx", &object->build_id[i]) != 1)
			return false;
	object->build_id_bytes = (uint32_t)(length / 2);
	return true;
}

struct reader {
	struct model *model;
	struct object **objects;	/* in the order of the file */
	uint64_t nr_objects;
};

static bool read_module(struct reader *reader, char **fields, size_t nr)
{
	struct object wanted = { 0 };

	if (nr != 5 || reader->nr_objects == MODULES_MAX || !parse_build_id(fields[1], &wanted) ||
	    !parse_number(fields[2], 10, UINT64_MAX, &wanted.file_bytes) ||
	    !parse_number(fields[3], 10, UINT64_MAX, &wanted.file_mtime_ns))
		return false;
	wanted.path = fields[4];
	APPEND(reader->objects, reader->nr_objects) = object_find(reader->model, &wanted);
	return true;
}

static struct object *parse_object(const struct reader *reader, const char *text)
{
	uint64_t number;

	return reader->nr_objects && parse_number(text, 10, reader->nr_objects - 1, &number)
		       ? reader->objects[number]
		       : NULL;
}

static bool read_function(const struct reader *reader, char **fields, size_t nr)
{
	struct object *object = nr == 6 ? parse_object(reader, fields[1]) : NULL;
	struct saved_name name = { 0 };
	uint64_t line;

	if (!object || !parse_number(fields[2], 16, UINT64_MAX, &name.addr) ||
	    !parse_number(fields[3], 10, UINT32_MAX, &line) || !fields[4][0])
		return false;
	name.name = fields[4];
	name.file = fields[5][0] ? fields[5] : NULL;
	name.line = (uint32_t)line;
	naming_add_saved(object, &name);
	return true;
}

static bool read_stub(const struct reader *reader, char **fields, size_t nr)
{
	struct object *object = nr == 5 ? parse_object(reader, fields[1]) : NULL;
	struct saved_name name = { .home = nr == 5 ? parse_object(reader, fields[3]) : NULL };

	if (!object || !name.home || !parse_number(fields[2], 16, UINT64_MAX, &name.addr) ||
	    !parse_number(fields[4], 16, UINT64_MAX, &name.home_addr))
		return false;
	naming_add_saved(object, &name);
	return true;
}

static bool read_line(struct reader *reader, char *line)
{
	char *fields[FIELDS] = { line };
	size_t nr = split(line, fields);

	if (strcmp(fields[0], "m") == 0)
		return read_module(reader, fields, nr);
	if (strcmp(fields[0], "s") == 0)
		return read_stub(reader, fields, nr);
	return strcmp(fields[0], "f") == 0 && read_function(reader, fields, nr);
}

/* The whole file as a string, or NULL. */
static char *read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat stat_of;
	char *text = NULL;
	ssize_t done = 0;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &stat_of) == 0 && S_ISREG(stat_of.st_mode) && stat_of.st_size < BYTES_MAX) {
		text = xcalloc((size_t)stat_of.st_size + 1, 1);
		done = read(fd, text, (size_t)stat_of.st_size);
	}
	close(fd);
	if (text && done >= 0)
		return text;
	free(text);
	return NULL;
}

void names_file_read(struct model *model, const char *path)
{
	struct reader reader = { .model = model };
	char *text = read_text(path), *next = text;
	size_t nr_bad = 0, nr_lines = 0;
	const char *head = text ? strsep(&next, "\n") : "";

	if (!text)
		return;
	if (strcmp(head, HEAD) != 0) {
		warning("%s: not a file of names of this version; it is not used", path);
		free(text);
		return;
	}
	for (char *line = strsep(&next, "\n"); next; line = strsep(&next, "\n"), nr_lines++)
		nr_bad += !read_line(&reader, line);
	if (nr_bad || !nr_lines)
		warning("%s: damaged: %zu of %zu lines are not used", path, nr_bad, nr_lines);
	free(reader.objects);
	APPEND(model->texts, model->nr_texts) = text;
}

static void write_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '\t' || *text == '\n' || *text == '\\')
			fprintf(file, "\\%c", *text == '\t' ? 't' : *text == '\n' ? 'n' : '\\');
		else
			putc(*text, file);
	}
}

static void write_object(FILE *file, const struct object *object)
{
	fputs("m\t", file);
	for (uint32_t i = 0; i < object->build_id_bytes; i++)
		fprintf(file, "%02x", object->build_id[i]);
	fprintf(file, "%s\t%" PRIu64 "\t%" PRIu64 "\t", object->build_id_bytes ? "" : "-", object->file_bytes,
		object->file_mtime_ns);
	write_text(file, object->path);
	putc('\n', file);
}

static void write_names(const struct model *model, FILE *file, const struct object *object)
{
	const struct naming *naming = object->naming;
	const uint32_t number = object_number(model, object);

	for (size_t i = 0; naming && i < naming->nr_saved; i++) {
		const struct saved_name *name = &naming->saved[i];

		if (!name->name) {
			fprintf(file, "s\t%" PRIu32 "\t%" PRIx64 "\t%" PRIu32 "\t%" PRIx64 "\n", number,
				name->addr, object_number(model, name->home), name->home_addr);
			continue;
		}
		fprintf(file, "f\t%" PRIu32 "\t%" PRIx64 "\t%" PRIu32 "\t", number, name->addr, name->line);
		write_text(file, name->name);
		putc('\t', file);
		write_text(file, name->file ? name->file : "");
		putc('\n', file);
	}
}

static int write_all(struct model *model, FILE *file)
{
	uint32_t nr = 0;

	fputs(HEAD "\n", file);
	for (struct object *object = model->objects; object && nr < MODULES_MAX;
	     object = object->next, nr++) {
		naming_sort(object);
		write_object(file, object);
	}
	for (struct object *object = model->objects; object && nr--; object = object->next)
		write_names(model, file, object);
	return ferror(file) ? -1 : 0;
}

int names_file_write(struct model *model, const char *path)
{
	char *copy = xasprintf("%s.%d", path, (int)getpid());
	int fd = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	int result = -1;

	if (file) {
		result = write_all(model, file);
		if (fclose(file) != 0 || (result == 0 && rename(copy, path) != 0))
			result = -1;
		if (result < 0)
			unlink(copy);
	}
	free(copy);
	return result;
}
