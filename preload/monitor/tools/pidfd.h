/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process held by a descriptor: it cannot be mistaken for a later one of the same pid. */
#ifndef INSIDEME_MONITOR_PIDFD_H
#define INSIDEME_MONITOR_PIDFD_H

#include <sys/types.h>

/* Return: a descriptor that becomes readable when @pid ends and hangs up when it was waited for, or -errno. */
int pidfd_of(pid_t pid);

/*
 * How the process ended, whoever waited for it. Return: 0 with @status as wait() tells; -ENODATA: nobody has waited
 * for it yet, or the kernel is older than 6.15 and does not know.
 */
int pidfd_status(int fd, int *status);

#endif
