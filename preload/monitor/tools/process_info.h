/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts that /proc reports about a process until its parent has waited for it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct last_words {
	uint64_t start_ticks;		/* field 22 of stat; LOG_NONE here and below: not known */
	uint64_t user_ns;		/* in steps of 10 ms */
	uint64_t system_ns;
	uint64_t status;		/* as wait() returns it; only of a zombie that we may read */
	pid_t parent;			/* 0: not known */
	bool is_over;
	bool had_children;		/* the times of wait4() then include theirs */
	char name[16];			/* of the program; "": not known */
};

/* Return: whether the process exists. */
bool last_words_read(struct last_words *words, pid_t pid);

/*
 * A descriptor holds a process: it cannot be mistaken for a later process with the same pid. It
 * becomes readable when @pid ends, and hangs up when its parent has waited for it. Return: the
 * descriptor, or -errno.
 */
int pidfd_of(pid_t pid);

/*
 * How the process ended, after its parent has waited for it. Return: 0, and @status as wait()
 * returns it; -ENODATA: no one has waited yet, or the kernel is older than 6.15 and does not know.
 */
int pidfd_status(int fd, int *status);

/*
 * Drivers number processes as the host does. In a container that shows the host's /proc we may have
 * a pid namespace of our own. Return: the number that @pid has in our namespace, if it is a process
 * of that namespace; otherwise @pid.
 */
uint32_t pid_here(uint32_t pid);

/*
 * Call @each for the processes of @list: numbers, and names of executables, separated by commas; never for
 * ourselves. A name that no process has gets a line on stderr.
 */
void pids_each(const char *list, void (*each)(pid_t pid, void *context), void *context);
