/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The turn to have rows of the machine: of a run's processes on one host one has it at a time. It is a time in the page
 * of the run, which passes unless who has it comes back: so it goes on to others when that one is idle, stopped, without
 * a task after a fork, or gone, and nobody has to be asked. Used by the sampler alone; makes no libc call.
 */
#ifndef INSIDEME_LEASE_H
#define INSIDEME_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/run/run.h"

struct lease {
	struct run *run;		/* NULL: all turns are ours */
	const char *boot_id;		/* of this process */
	bool is_found;			/* the run was looked at: */
	struct log_run *page;		/* NULL: all turns are ours: */
	uint64_t own_ns;		/* until when it was given us last */
};

/* @run, @boot_id: kept. */
void lease_init(struct lease *lease, struct run *run, const char *boot_id);

/*
 * Now that a row is due at @now_ns (CLOCK_MONOTONIC), each @period_ns: is it our turn? Who rests, as there is nothing new,
 * takes it from others only when they had none for @rest_ns.
 */
bool lease_take(struct lease *lease, uint64_t now_ns, uint64_t period_ns, uint64_t rest_ns);

/* It is ours: nobody took it since. */
bool lease_is_held(const struct lease *lease);

/* Let others have it at once. */
void lease_leave(struct lease *lease);

/* The networks are counted of one namespace: is it ours? */
bool lease_has_network(const struct lease *lease);

#endif
