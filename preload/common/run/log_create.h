/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a log: the file, its mapping and its header. */
#ifndef INSIDEME_LOG_CREATE_H
#define INSIDEME_LOG_CREATE_H

#include "preload/common/base/settings.h"
#include "preload/common/log/log.h"
#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

struct log_open {
	const struct run *run;
	const struct process_id *id;
	const struct settings *settings;
	enum log_kind kind;
	uint32_t clock;				/* enum log_clock */
	uint64_t most_bytes;			/* of the budget that is set; 0: all */
	char path[RUN_PATH_BYTES];		/* result: the file, absolute */
	char home[RUN_PATH_BYTES];		/* result: where it belongs if it lives away from its run, else empty */
};

/*
 * Make a new log in the run, sized by the budget, the free space and the limits, and map it whole.
 * The header is filled but for magic, which the caller stores last. @fd: kept open for the caller to use
 * or close; NULL: closed. Return: 0, or -errno.
 */
int log_open(struct log_open *open, struct log_header **log, int *fd);

/* The clock that the kernel trusts. */
uint32_t choose_clock(void);

#endif
