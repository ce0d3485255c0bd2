/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signal handlers without libc, whose sigaction() the program may have replaced. */
#ifndef INSIDEME_SIGNALS_H
#define INSIDEME_SIGNALS_H

#include <signal.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

#define SA_RESTORER_FLAG	0x04000000ul

/* What the kernel takes: libc's own are other ones. */
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* The restorer: what a handler returns to. */
extern HIDDEN void insideme_signal_return(void);

#endif
