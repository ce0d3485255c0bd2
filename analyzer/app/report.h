/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the options to what is printed. */
#pragma once

#include "analyzer/ask/options.h"
#include "analyzer/formats/formats.h"

/* Print to the output file, or to standard output. Return: exit status */
int report_print(struct document *document, const struct format *format, const struct options *options);

/* Carry out TASK_REPORT or TASK_SAVE_NAMES. Return: exit status */
int report_make(struct options *options);
/* The html page. Return: exit status */
int report_make_page(const struct options *options);

/*
 * Several readers may share the work for a run. Save part @part of @nr_parts of the processes that @options
 * selects, join two parts, or have report_make() report what a NULL-terminated list of parts is together,
 * which must stay valid. A part without processes is not written. Return: exit status
 */
int report_save_part(const struct options *options, size_t part, size_t nr_parts, const char *path);
int report_join_parts(char **parts, const char *path);
void report_use_parts(struct options *options, char **parts);
