/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INSIDEME_COLLECT: logs of a host's ranks in one file, RUN/HOST-PID.logs. They keep their paths: where
 * RUN/NAME.log is no file, it is looked for in such files.
 */
#pragma once

#include <stdint.h>

/* The place of a log in the file that was opened. */
struct log_place {
	uint64_t offset;
	uint64_t bytes;
};

/*
 * Open the log @path for reading, wherever it lies: see log_elsewhere.h too. Return: descriptor, or -1 with
 * errno
 */
int log_place_open(const char *path, struct log_place *place);

/* Call @visit with the name of each log that is in such a file of @run_path. The files are read again. */
void collected_list(const char *run_path, void (*visit)(const char *name, void *context), void *context);
