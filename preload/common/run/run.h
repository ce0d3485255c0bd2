/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run: a directory with one log per process image, and RUN/run, a page that its processes share. Each keeps that
 * mapped, or a log of the run: by these its descendants find the run.
 * No libc; used by the library's constructor and by insideme-run.
 */
#ifndef INSIDEME_RUN_H
#define INSIDEME_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/base/text.h"
#include "preload/common/run/process_id.h"

#define RUN_PATH_BYTES 4096

struct run {
	struct log_run *page;		/* RUN/run, mapped shared and kept; NULL: not mapped, as there is: */
	bool page_is_private;		/* its file system cannot share it */
	struct log_header *shared;	/* the log that programs share, while this process may enter itself, see shared_log.h */
	char path[RUN_PATH_BYTES];	/* absolute */
};

/* "@directory/@name" */
void path_join(char *path, size_t bytes, const char *directory, const char *name);
/* @path made absolute, since the program may change its directory; @text can be added to. Return: 0, or -errno. */
int path_make_absolute(struct text *text, char *buffer, size_t bytes, const char *path);

/*
 * Make a directory that nobody else can write: other users' links and files must not catch our logs.
 * Return: 0, -EPERM when it is not ours alone, or another -errno.
 */
int run_prepare_directory(const char *path);
/*
 * Where runs lie: @dir made absolute, or its variant with the user's id when the plain one is not ours alone.
 * Prepared. Return: 0, or -errno with @path as far as it came.
 */
int run_choose_directory(const char *dir, char *path, size_t bytes);

/*
 * A new run in @directory, by @id: YYYYMMDD-hhmmss-PROGRAM in UTC; if that exists -2, -3, then numbers from PID + 4 on.
 * Return: 0, or -errno.
 */
int run_create(struct run *run, const char *directory, const struct process_id *id);
/* Map RUN/run of run->path; @creator: who makes it, NULL: it is there. Return: 0, or -errno. */
int run_map_page(struct run *run, const struct process_id *creator);
/* Which process made the run at @run_path, without mapping it. Return: 0, or -errno. */
int run_read_creator(const char *run_path, uint32_t *pid, uint64_t *start);
/* Does an insideme-run that lives look after the run of @page (NULL: no run)? */
bool run_is_watched(const struct log_run *page);
/* insideme-run of @pid looks after the run from now on; 0: nobody does. */
void run_set_monitor(const struct run *run, uint32_t pid);
/*
 * The boot of all processes of the run, and so of who found it through an ancestor. False: there are several. Each that
 * knows its boot otherwise tells it, before it has descendants. Return of run_tell_boot(): is it one of several?
 */
bool run_boot_of_all(const struct run *run, char *boot_id, size_t bytes);
bool run_tell_boot(const struct run *run, const char *boot_id);
/* Ticks in 1 us on the host of @boot_id, as a process of the run measured them; 0: not known yet. And to tell them. */
uint64_t run_us_ticks(const struct run *run, const char *boot_id);
void run_set_us_ticks(struct run *run, const char *boot_id, uint64_t us_ticks);
/* Go out of a run; or, of one that run_create() has just made and nobody knows, remove it too. */
void run_leave(struct run *run);
void run_take_back(struct run *run);

#endif
