/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The html page: what it is made of. Each part makes a block of columns; web/ shows them. */
#ifndef INSIDEME_PAGE_H
#define INSIDEME_PAGE_H

#include <stdint.h>

#include "analyzer/page/sheet.h"
#include "analyzer/views/views.h"

/* Numbers by which the blocks speak of functions, threads and processes. */
struct page {
	struct report *report;
	uint32_t nr_paths;		/* nodes of the tree, by id; with --diff then the paths that only the earlier run has */
	uint32_t *function_of;		/* [path]: row in functions.functions; UINT32_MAX: the root */
	uint32_t *path_of;		/* [number of a diff_path]: path; NULL: no --diff */
	uint32_t nr_functions;		/* plain ones; then "(other paths)" */
	uint32_t nr_threads;
	struct sheet **sheets;
	size_t nr_sheets;
};

/* A new empty block of the page; released with it. */
struct sheet *page_sheet(struct page *page, const char *name);

/* As web/units.js calls it. */
const char *page_unit(enum unit unit);
/* The number of a thread, and of a process; one that has none (insideme-run's own): -1. */
uint32_t page_thread(const struct thread *thread);
int64_t page_process(const struct process *process);

/*
 * Every table that @build makes and csv or json have, as blocks "NAME.TABLE", and what it says as a block "NAME".
 * Return: exit status
 */
int page_add_view(struct page *page, const char *name, int (*build)(struct document *document, struct report *report));

void page_add_functions(struct page *page);	/* histograms; what names a function apart */
void page_add_source(struct page *page);	/* texts of the files that functions are in */
void page_add_tree(struct page *page);
void page_add_processes(struct page *page);	/* and threads, events; before all that needs page_thread() */
void page_add_thrown(struct page *page);	/* exceptions and the like, one by one */
void page_add_ranks(struct page *page);		/* what each process has of the functions */
void page_add_series(struct page *page);
/* The calls over time, in at most @bytes_max of the page. */
void page_add_timeline(struct page *page, size_t bytes_max);

#endif
