/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All runs that the user asked for. */
#pragma once

#include "analyzer/runs/run.h"

/*
 * Find the runs that @names mean, each once. @names ends with NULL; if it is empty, the newest run is
 * meant. A name may be a pattern of paths, as of the shell. Logs of one directory that are named one by one
 * form one run. A pattern leaves out the file @except (NULL: none). Return: their number; free them with
 * choose_free(). -1 after an error(); then @runs is NULL
 */
long choose_runs(struct run **runs, char *const *names, const char *except);
/* Are these paths of one file? */
bool is_same_file(const char *a, const char *b);
void choose_free(struct run *runs, size_t nr);
