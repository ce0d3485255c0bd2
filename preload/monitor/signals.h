/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals: what is meant for the program reaches it once, and what it ends by, insideme-run ends by. */
#ifndef INSIDEME_MONITOR_SIGNALS_H
#define INSIDEME_MONITOR_SIGNALS_H

#include <signal.h>
#include <sys/types.h>

/*
 * Block what is passed on, and SIGCHLD. @before: the mask as it was, for the program. Return: a descriptor that
 * tells of them, or -errno.
 */
int signals_open(sigset_t *before);

/* After the program was started: let also signals through that our starter had us ignore. */
void signals_hear_all(void);

/* Pass on what has come. @pid: the program. */
void signals_pass_on(int fd, pid_t pid);

/* The program stands still, by @signal: so do we, if somebody is there who lets us go on too. */
void signals_stop_too(int signal);

/* End as the program did. @status: as wait() tells. Does not return; no core of our own. */
_Noreturn void signals_end_like(int status);

#endif
