/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The owner of the machine's rows. Of a run's processes on one host, one writes them: its pid and start time are in the
 * run's page. Another process takes over when the owner has left, is gone, or is idle while the other one works.
 * Used by the sampler alone; makes no libc call.
 */
#ifndef INSIDEME_MACHINE_OWNER_H
#define INSIDEME_MACHINE_OWNER_H

#include <stdbool.h>

#include "preload/common/run/run.h"

struct machine_owner {
	struct run *run;		/* NULL: this process always reads the machine */
	const struct log_header *log;	/* of this process */
	bool has_looked;		/* for the page of the run: */
	struct log_run *page;		/* NULL: it cannot be shared, and this process always reads the machine */
};

/* @run, @log: kept. */
void machine_owner_init(struct machine_owner *owner, struct run *run, const struct log_header *log);

/*
 * A row of the machine is due. Return: whether this process is the owner now. @is_idle: it has had nothing to do, so a
 * process that works may take over, and it takes over from nobody who is there.
 */
bool machine_owner_claim(struct machine_owner *owner, bool is_idle);

bool machine_owner_is_self(const struct machine_owner *owner);

/* Let another process be the owner. */
void machine_owner_leave(struct machine_owner *owner);

/* The networks of one namespace are counted. Return: whether it is that of this process. */
bool machine_owner_has_network(const struct machine_owner *owner);

#endif
