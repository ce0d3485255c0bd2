/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The html page. Each part of it makes a sheet of columns; web/ shows them. */
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/page/sheet.h"
#include "analyzer/views/views.h"

#define PAGE_BYTES	(20u << 20)	/* --max-size where it is not given */

struct page {
	struct report *report;
	/* nodes of the tree, by id; with --diff, followed by the paths that only the earlier run has */
	uint32_t nr_paths;
	uint32_t *function_of;		/* [path]: row in functions.functions; UINT32_MAX: the root */
	uint32_t *path_of;		/* [number of a diff_path]: path; NULL without --diff */
	uint32_t nr_functions;		/* plain ones; "(other paths)" comes after them */
	struct sheet **sheets;
	size_t nr_sheets;
	char *text;			/* the first page as text, shown until the page is drawn */
};

/* Add an empty sheet, which is released with the page. */
static inline struct sheet *page_sheet(struct page *page, const char *name)
{
	struct sheet *sheet = xcalloc(1, sizeof(*sheet));

	page->sheets = xgrow(page->sheets, page->nr_sheets, sizeof(struct sheet *));
	sheet_init(sheet, name);
	return page->sheets[page->nr_sheets++] = sheet;
}

/*
 * The numbers by which sheets refer to a thread and to a process. insideme-run, which is no process of the
 * run, has -1.
 */
uint32_t page_thread(const struct thread *thread);
int64_t page_process(const struct process *process);

/*
 * Add every table that @build makes and csv or json have, as sheet "NAME.TABLE"; and its text, as sheet
 * "NAME".
 * Return: exit status
 */
int page_add_view(struct page *page, const char *name,
		  int (*build)(struct document *document, struct report *report));

void page_add_functions(struct page *page);	/* names and histograms */
void page_add_source(struct page *page);	/* texts of the source files */
void page_add_tree(struct page *page);
/* also threads and events; must come before whatever calls page_thread() */
void page_add_processes(struct page *page);
void page_add_thrown(struct page *page);	/* exceptions and the like, one by one */
void page_add_ranks(struct page *page);		/* sums of functions by process */
void page_add_series(struct page *page);
void page_add_states(struct page *page);	/* what threads did over time */
/* Add the calls over time, in at most @bytes_max of the page. */
void page_add_timeline(struct page *page, size_t bytes_max);

/* Write the page to --output, or to insideme.html. Return: exit status */
int page_write(struct report *report);
/* Write the page to @path. Return: exit status */
int page_save(struct report *report, const char *path);
