/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said when the program has ended. */
#ifndef INSIDEME_FINISH_RUN_H
#define INSIDEME_FINISH_RUN_H

#include <signal.h>
#include <stdint.h>

#include "preload/monitor/tools/totals.h"

/* One line on stderr: how much there is, and what to type. */
void finish_say(const char *run_path, const struct count *count);

/* insideme-report on stderr. @mask: the signal mask as we found it. */
void finish_print_summary(const char *run_path, const sigset_t *mask);

/* Have insideme-report keep the functions' names in the run, before anybody builds the program anew. */
void finish_save_names(const char *run_path, const sigset_t *mask);

/* The same of processes that ran already; none: of the machine. */
void finish_say_sampled(const char *run_path, int nr_processes, uint64_t nr_bytes);

#endif
