/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting insideme-report, which lies beside insideme-run. */
#ifndef INSIDEME_START_REPORT_H
#define INSIDEME_START_REPORT_H

#include <signal.h>
#include <sys/types.h>

enum report_use {
	REPORT_SHOWN,
	REPORT_QUIET,			/* nothing that it says is shown, and it waits for no server for symbols */
	REPORT_LIVE,			/* nor does this one, and Ctrl-C is the program's: it sees that end */
};

/*
 * @arguments: without its name, NULL-terminated. It is not recorded, and writes to our stderr alone. @mask: as
 * insideme-run found it. Return: pid, or -errno.
 */
pid_t report_start(const char *const *arguments, const sigset_t *mask, enum report_use use);

/* Wait for its end. Return: exit status; 1 where a signal ended it, or there is none. */
int report_wait(pid_t pid);

#endif
