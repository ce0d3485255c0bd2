/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/lines/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"

static bool is_source(const char *path)
{
	static const char *const ends[] = { ".c",   ".h",   ".cc",  ".cpp", ".cxx", ".c++", ".C",   ".hh",
					    ".hpp", ".hxx", ".h++", ".H",   ".inc", ".inl", ".ipp", ".tcc",
					    ".tpp", ".cu",  ".cuh", ".f",   ".F",   ".for", ".f90", ".F90",
					    ".f95", ".F95", ".f03", ".f08", ".F08", ".fpp", ".d",   ".go",
					    ".rs",  ".adb", ".ads", ".y",   ".l" };
	const char *end = strrchr(path, '.');

	for (size_t i = 0; end && i < sizeof(ends) / sizeof(*ends); i++)
		if (strcmp(end, ends[i]) == 0)
			return true;
	return false;
}

static bool read_all(int fd, char *text, size_t bytes)
{
	size_t nr = 0;
	ssize_t more;

	while (nr < bytes && (more = read(fd, text + nr, bytes - nr)) > 0)
		nr += (size_t)more;
	return nr == bytes && !memchr(text, '\0', bytes);
}

static struct source_text read_file(int fd, uint64_t program_mtime_ns, size_t most_bytes)
{
	struct source_text source = { .text = NULL };
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		source.trouble = "it is not a regular file";
		return source;
	}
	if ((size_t)status.st_size > most_bytes) {
		source.trouble = "it is too large";
		return source;
	}
	if (program_mtime_ns && (uint64_t)status.st_mtim.tv_sec > program_mtime_ns / 1000000000)
		source.trouble = "it is newer than the program: line numbers may have changed";
	source.bytes = (size_t)status.st_size;
	source.text = xcalloc(source.bytes + 1, 1);
	if (read_all(fd, source.text, source.bytes))
		return source;
	free(source.text);
	return (struct source_text){ .trouble = "it is not text, or is being changed" };
}

struct source_text source_text_read(const char *path, uint64_t program_mtime_ns, size_t most_bytes)
{
	struct source_text source = { .text = NULL };
	int fd;

	if (path[0] != '/' || !is_source(path)) {
		source.trouble = path[0] != '/' ? "its folder is not known"
						: "its name does not end like that of a source file";
		return source;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		source.trouble = strerrordesc_np(errno);
		return source;
	}
	source = read_file(fd, program_mtime_ns, most_bytes);
	close(fd);
	return source;
}

#define FILE_BYTES_MAX (64u << 20)
#define TAB 8

struct source_file {
	const char *path;
	const char *trouble;
	char *text;			/* lines without tabs, each with its final 0; NULL: none */
	char **lines;
	size_t nr_lines;
};

/* Room for one more line as @text has it up to @end. Return: behind it */
static char *add_line(struct source_file *file, char *out, const char *text, const char *end)
{
	size_t column = 0;

	APPEND(file->lines, file->nr_lines) = out;
	for (; text < end && *text != '\r'; text++) {
		size_t width = *text == '\t' ? TAB - column % TAB : 1;

		memset(out, *text == '\t' ? ' ' : *text, width);
		out += width;
		column += width;
	}
	*out = '\0';
	return out + 1;
}

static void split_lines(struct source_file *file, const char *text, size_t bytes)
{
	size_t nr_tabs = 0;
	char *out;

	for (size_t i = 0; i < bytes; i++)
		nr_tabs += text[i] == '\t';
	file->text = out = xcalloc(bytes + nr_tabs * (TAB - 1) + 2, 1);
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		out = add_line(file, out, text, end);
	}
}

static struct source_file *find_file(struct source_files *files, const char *path,
				     uint64_t program_mtime_ns)
{
	struct source_text source;
	struct source_file *file;

	for (size_t i = 0; i < files->nr; i++)
		if (strcmp(files->list[i].path, path) == 0)
			return &files->list[i];
	source = source_text_read(path, program_mtime_ns, FILE_BYTES_MAX);
	file = &APPEND(files->list, files->nr);
	*file = (struct source_file){ .path = path, .trouble = source.trouble };
	if (source.text)
		split_lines(file, source.text, source.bytes);
	free(source.text);
	return file;
}

const char *source_line(struct source_files *files, const char *path, uint64_t program_mtime_ns,
			uint32_t number)
{
	const struct source_file *file = find_file(files, path, program_mtime_ns);

	return number && number <= file->nr_lines ? file->lines[number - 1] : "";
}

const char *source_trouble(struct source_files *files, const char *path, uint64_t program_mtime_ns)
{
	return find_file(files, path, program_mtime_ns)->trouble;
}

void source_files_release(struct source_files *files)
{
	for (size_t i = 0; i < files->nr; i++) {
		free(files->list[i].text);
		free(files->list[i].lines);
	}
	free(files->list);
}
