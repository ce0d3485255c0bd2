/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines on stderr: few, and each once per run, whichever process comes first: which is kept in the run's page. */
#ifndef INSIDEME_MESSAGE_H
#define INSIDEME_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/run/run.h"

enum message { MESSAGE_SETTINGS, MESSAGE_OFF, MESSAGE_NOT_EVERY_CALL, MESSAGE_MEMORY, MESSAGE_SELECTION,
	       MESSAGE_SIGNAL };

/* @own: kept; NULL without a run. What stderr is now it must be later, or nothing is said. */
void say_init(struct run *own);
/* Maps the run's page where that is not yet. */
bool say_is_news(enum message message);

/* "insideme: ..." in one write on what was stderr at the start, and on nothing else. */
void say_line(const char *line);
/* "[Profiler] ...": what took so long, in multiprocess_profiler's words. Callable from threads and signal handlers. */
void say_span(const char *name, uint64_t ns, const char *program, int pid, bool broken);
/* The same as say_line() in the sampling task, which has no descriptors of the program's @pid. Before Linux 5.6 nothing is said. */
void say_line_of(int pid, const char *line);

#endif
