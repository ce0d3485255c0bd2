/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines on stderr: few, and each once per run, whichever process is first. The run's page keeps
 * which lines were printed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/text.h"
#include "preload/common/run/run.h"

enum message { MESSAGE_SETTINGS, MESSAGE_OFF, MESSAGE_NOT_EVERY_CALL, MESSAGE_MEMORY, MESSAGE_SELECTION,
	       MESSAGE_SIGNAL };

/*
 * @own: must stay valid; NULL without a run. Lines are printed only while stderr is the file that
 *   it is now.
 */
void say_init(struct run *own);
/* Is @message new in this run? From now on it is not. Maps the run's page if it is not yet mapped. */
bool say_is_news(enum message message);

/* Is stderr still the file that it was? Otherwise nothing is printed. */
bool say_can(void);
/* Print "insideme: ..." in one write. */
void say_line(const char *line);
/*
 * Print "[Profiler] ...", a duration in multiprocess_profiler's words. May be called from threads
 * and signal handlers.
 */
#define SPAN_NAME_MAX 255
struct span_line {
	uint64_t ns;
	const char *program;
	uint32_t pid;
	/* at most SPAN_NAME_MAX: names are cut to it, and padded; 0: neither */
	size_t name_width;
	bool broken;
};
void say_span(const char *name, const struct span_line *span);
/*
 * As say_line(), for the sampling task, which does not have the descriptors of the program @pid.
 * Before Linux 5.6 nothing is printed.
 */
void say_line_of(int pid, const char *line);

/* Complaints about settings are kept here until the run is known, so that only one process prints them. */
struct complaints {
	struct text text;
	char buffer[2048];
};

void complaints_init(struct complaints *complaints);
/* A settings_complain; @context is the struct complaints. */
void complaints_keep(void *context, const char *line);
void complaints_say(struct complaints *complaints);
