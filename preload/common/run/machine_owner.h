/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The owner of the machine's rows. One process of the run on each host writes them. Its pid and start time
 * are in the run's page. Another process takes over when the owner has left, is gone, or is idle while the
 * other one works. Used by the sampler alone; makes no libc call.
 */
#pragma once

#include <stdbool.h>

#include "preload/common/run/run.h"

struct machine_owner {
	struct run *run;		/* NULL: this process always reads the machine */
	const struct log_header *log;	/* this process's log */
	bool has_looked;		/* for the run's page */
	struct log_run *page;		/* NULL: it cannot be shared; this process always reads the machine */
};

/* @run and @log must stay valid. */
void machine_owner_init(struct machine_owner *owner, struct run *run, const struct log_header *log);

/*
 * A row of the machine is due. @is_idle: this process has had nothing to do. Then it takes over
 * only if there is no owner, and a process that works may take over from it. Return: whether this
 * process is the owner now.
 */
bool machine_owner_claim(struct machine_owner *owner, bool is_idle);

bool machine_owner_is_self(const struct machine_owner *owner);

/* Let another process be the owner. */
void machine_owner_leave(struct machine_owner *owner);

/* The networks of one namespace are counted. Return: whether this process is in it. */
bool machine_owner_has_network(const struct machine_owner *owner);
