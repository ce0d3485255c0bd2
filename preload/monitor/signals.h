/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals for the program reach it once, and insideme-run ends by the signal that ends the program. */
#pragma once

#include <signal.h>
#include <sys/types.h>

/*
 * Block the signals that are passed on, and SIGCHLD. @before: the previous mask, for the program. Return: a
 * descriptor that reads them, or -errno
 */
int signals_open(sigset_t *before);

/* After the program was started: also receive signals that our starter had us ignore. */
void signals_hear_all(void);

/* Pass on the signals that have come. @pid: the program. */
void signals_pass_on(int fd, pid_t pid);

/* The program was stopped by @signal. Stop too, if there is a process that will continue us. */
void signals_stop_too(int signal);

/* End as the program did. @status: as from wait(). Makes no core file. */
_Noreturn void signals_end_like(int status);
