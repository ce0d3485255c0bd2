/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints and saves what is due when the program has ended. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/monitor/tools/totals.h"

/* Print one line on stderr: how much was recorded, and the command that shows it. */
void finish_say(const char *run_path, const struct count *count);

/*
 * Run insideme-report, with its output on stderr. @sort: show functions, sorted by it; NULL: the first page.
 * @mask: the signal mask that we were started with.
 */
void finish_print_summary(const char *run_path, const char *sort, const sigset_t *mask);

/* Let insideme-report save the functions' names in the run, before the program is built again. */
void finish_save_names(const char *run_path, const sigset_t *mask);

/* The same line for processes that ran already; 0: for the machine. */
void finish_say_sampled(const char *run_path, int nr_processes, uint64_t nr_bytes, bool has_stacks);
