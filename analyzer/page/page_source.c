/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The texts of the source files, as far as they can be read and the page has room. Their paths come from
 * debug information, which a malicious program may have made up. Only regular files whose names end like
 * those of sources are read.
 */
#include "analyzer/page/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/model/resolve.h"

#define FILE_BYTES_MAX	(1u << 20)
#define PAGE_SHARE	4		/* of the size of the page, before compression */

struct source {
	const char *path;
	double self_ns;			/* of its functions */
	uint64_t calls;
	uint64_t program_mtime_ns;	/* 0: not known */
	char *text;			/* NULL: not read; trouble says why */
	const char *trouble;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct source *)a)->path, ((const struct source *)b)->path);
}

static int most_first(const void *a, const void *b)
{
	const struct source *x = a, *y = b;

	if (x->self_ns != y->self_ns)
		return x->self_ns < y->self_ns ? 1 : -1;
	return (x->calls < y->calls) - (x->calls > y->calls);
}

/* List each source file once, those with most time first. */
static struct source *list_sources(const struct model *model, size_t *nr)
{
	struct source *list = xcalloc(model->nr_functions + 1, sizeof(*list));
	size_t nr_all = 0;

	*nr = 0;
	for (size_t i = 0; i < model->nr_functions; i++) {
		struct function *function = model->functions[i];

		resolve_source(function);
		if (function->file)
			list[nr_all++] = (struct source){
				.path = function->file,
				.self_ns = fmax(0, function->stats.self_ns),
				.calls = function->stats.calls,
				.program_mtime_ns = function->object ? function->object->file_mtime_ns : 0
			};
	}
	qsort(list, nr_all, sizeof(*list), by_path);
	for (size_t i = 0; i < nr_all; i++) {
		if (*nr && strcmp(list[*nr - 1].path, list[i].path) == 0) {
			list[*nr - 1].self_ns += list[i].self_ns;
			list[*nr - 1].calls += list[i].calls;
		} else {
			list[(*nr)++] = list[i];
		}
	}
	qsort(list, *nr, sizeof(*list), most_first);
	return list;
}

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

static void read_file(struct source *source, int fd, size_t *room)
{
	struct stat status;
	size_t bytes;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		source->trouble = "it is not a regular file";
		return;
	}
	bytes = (size_t)status.st_size;
	if (bytes > FILE_BYTES_MAX || bytes > *room) {
		source->trouble = "it is too large for this page";
		return;
	}
	if (source->program_mtime_ns &&
	    (uint64_t)status.st_mtim.tv_sec > source->program_mtime_ns / 1000000000)
		source->trouble = "it is newer than the program: line numbers may have changed";
	source->text = xcalloc(bytes + 1, 1);
	if (read_all(fd, source->text, bytes)) {
		*room -= bytes;
		return;
	}
	free(source->text);
	source->text = NULL;
	source->trouble = "it is not text, or is being changed";
}

static void read_source(struct source *source, size_t *room)
{
	int fd;

	if (source->path[0] != '/' || !is_source(source->path)) {
		source->trouble = source->path[0] != '/' ? "its folder is not known" :
			"its name does not end like that of a source file";
		return;
	}
	fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		source->trouble = strerrordesc_np(errno);
		return;
	}
	read_file(source, fd, room);
	close(fd);
}

void page_add_source(struct page *page)
{
	size_t room = page->report->options->max_bytes / PAGE_SHARE, nr;
	struct source *list = list_sources(page->report->model, &nr);
	char **columns[] = { xcalloc(nr + 1, sizeof(char *)), xcalloc(nr + 1, sizeof(char *)),
			     xcalloc(nr + 1, sizeof(char *)) };
	struct sheet *sheet = page_sheet(page, "source");

	for (size_t i = 0; i < nr; i++) {
		read_source(&list[i], &room);
		columns[0][i] = (char *)list[i].path;
		columns[1][i] = list[i].text;
		columns[2][i] = (char *)list[i].trouble;
	}
	sheet_add_texts(sheet, "path", columns[0], nr);
	sheet_add_texts(sheet, "text", columns[1], nr);
	sheet_add_texts(sheet, "trouble", columns[2], nr);
	for (size_t i = 0; i < nr; i++)
		free(list[i].text);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		free(columns[i]);
	free(list);
}
