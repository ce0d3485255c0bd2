/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The texts of the source files, as far as they can be read and the page has room. */
#include "analyzer/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/lines/source_text.h"
#include "analyzer/model/resolve.h"

#define FILE_BYTES_MAX	(1u << 20)
#define PAGE_SHARE	4		/* of the size of the page, before compression */

struct source {
	const char *path;
	double self_ns;			/* of its functions */
	uint64_t calls;
	uint64_t program_mtime_ns;	/* 0: not known */
	struct source_text text;
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

static void read_source(struct source *source, size_t *room)
{
	source->text = source_text_read(source->path, source->program_mtime_ns,
					*room < FILE_BYTES_MAX ? *room : FILE_BYTES_MAX);
	*room -= source->text.bytes;
}

void page_add_source(struct page *page)
{
	size_t room = options_most_bytes(page->report->options, PAGE_BYTES) / PAGE_SHARE, nr;
	struct source *list = list_sources(page->report->model, &nr);
	char **columns[] = { xcalloc(nr + 1, sizeof(char *)), xcalloc(nr + 1, sizeof(char *)),
			     xcalloc(nr + 1, sizeof(char *)) };
	struct sheet *sheet = page_sheet(page, "source");

	for (size_t i = 0; i < nr; i++) {
		read_source(&list[i], &room);
		columns[0][i] = (char *)list[i].path;
		columns[1][i] = list[i].text.text;
		columns[2][i] = (char *)list[i].text.trouble;
	}
	sheet_add_texts(sheet, "path", columns[0], nr);
	sheet_add_texts(sheet, "text", columns[1], nr);
	sheet_add_texts(sheet, "trouble", columns[2], nr);
	for (size_t i = 0; i < nr; i++)
		free(list[i].text.text);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		free(columns[i]);
	free(list);
}
