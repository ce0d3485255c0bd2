/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run: a directory with one log per process image. Which run this process belongs to, starting a new
 * one, and the names of logs in it. No libc; used by the library's constructor and by insideme-run.
 */
#ifndef INSIDEME_RUNDIR_H
#define INSIDEME_RUNDIR_H

#include <stdint.h>

#include "insideme_log.h"
#include "process_id.h"

#define RUN_PATH_BYTES 4096

struct run {
	char path[RUN_PATH_BYTES];	/* absolute */
	struct log_run *page;		/* RUN/run, mapped shared and kept */
};

/*
 * The run of this process: @run_setting (INSIDEME_RUN) if not empty, else that of the nearest ancestor, else
 * the one that holds a log of this pid and start time (before an exec), else a new one in @dir.
 * Return: 0, or -errno with the path that failed in run->path.
 */
int run_find(struct run *run, const char *run_setting, const char *dir, const struct process_id *id);

/* A new run in @dir for @program: YYYYMMDD-hhmmss-PROGRAM in UTC, with -2 and so on if that exists. */
int run_create(struct run *run, const char *dir, const char *program);

/*
 * A new, empty log in the run: HOST-PID-N.log, mode 0600. Its absolute path goes to @path and N to
 * @exec_count. Return: descriptor (O_RDWR, O_CLOEXEC), or -errno.
 */
int run_new_log(const struct run *run, const struct process_id *id, char *path, uint64_t path_bytes,
		uint32_t *exec_count);

#endif
