/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run: a directory with one log per process image, and RUN/run, a page that its processes
 * share. Each process keeps that page mapped, or a log of the run: by these its descendants find
 * the run. No libc; the library's constructor and insideme-run use it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/base/text.h"
#include "preload/common/run/process_id.h"

#define RUN_PATH_BYTES 4096

struct run {
	struct log_run *page;		/* RUN/run, mapped shared and kept; NULL: not mapped */
	bool page_is_private;		/* its file system cannot share it */
	/* The log that programs share, while this process may make an entry in it; see shared_log.h */
	struct log_header *shared;
	char path[RUN_PATH_BYTES];	/* absolute */
};

/* Write "@directory/@name" to @path. */
void path_join(char *path, size_t bytes, const char *directory, const char *name);
/*
 * Make @path absolute, since the program may change its directory. The caller can add to @text.
 * Return: 0, or -errno.
 */
int path_make_absolute(struct text *text, char *buffer, size_t bytes, const char *path);

/*
 * Make a directory that no other user can write to, so that their links and files cannot catch our
 * logs. Return: 0; -EPERM when others can write to it; or another -errno.
 */
int run_prepare_directory(const char *path);
/*
 * Choose and prepare the directory of runs: @dir made absolute or, if others can write to that, its
 * variant with the user's id. Return: 0, or -errno with @path as far as it was made.
 */
int run_choose_directory(const char *dir, char *path, size_t bytes);

/*
 * Make a new run in @directory: YYYYMMDD-hhmmss-PROGRAM in UTC; if that exists, followed by -2 or
 * -3, then by numbers from PID + 4 on. Return: 0, or -errno.
 */
int run_create(struct run *run, const char *directory, const struct process_id *id);
/*
 * Map RUN/run of run->path. @creator: the process that makes it; NULL: it exists. Return: 0, or
 * -errno.
 */
int run_map_page(struct run *run, const struct process_id *creator);
/* Read which process made the run at @run_path, without mapping it. Return: 0, or -errno. */
int run_read_creator(const char *run_path, uint32_t *pid, uint64_t *start);
/* Does a living insideme-run watch the run of @page (NULL: no run)? */
bool run_is_watched(const struct log_run *page);
/* insideme-run, @pid, watches the run from now on; 0: nothing does. */
void run_set_monitor(const struct run *run, uint32_t pid);
/*
 * The boot of all processes of the run, and so of a process that found it through an ancestor.
 * Return: false if there are several. A process that knows its boot otherwise reports it with
 * run_tell_boot(), before it has descendants; that returns whether it is one of several.
 */
bool run_boot_of_all(const struct run *run, char *boot_id, size_t bytes);
bool run_tell_boot(const struct run *run, const char *boot_id);
/*
 * Ticks in 1 us on the host of @boot_id, as a process of the run measured them; 0: not known yet.
 * run_set_us_ticks() reports them.
 */
uint64_t run_us_ticks(const struct run *run, const char *boot_id);
void run_set_us_ticks(struct run *run, const char *boot_id, uint64_t us_ticks);
/*
 * Leave a run. run_take_back() also removes a run that run_create() has just made, and that no
 * other process knows.
 */
void run_leave(struct run *run);
void run_take_back(struct run *run);
