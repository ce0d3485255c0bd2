/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a log: the file, its mapping and its header. */
#pragma once

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
	uint64_t most_bytes;			/* the most of the budget that may be used; 0: all */
	char path[RUN_PATH_BYTES];		/* result: the file, absolute */
	/* result: where the log belongs, if it lies outside of its run; otherwise empty */
	char home[RUN_PATH_BYTES];
};

/*
 * Make a new log in the run and map it whole. Its size follows from the budget, the free space and
 * the limits. The header is complete except for magic, which the caller stores last. @fd: set to
 * the file, which the caller may use and must close; NULL: the file is closed. Return: 0, or
 * -errno.
 */
int log_open(struct log_open *open, struct log_header **log, int *fd);

/* The clock that the kernel trusts. */
uint32_t choose_clock(void);
