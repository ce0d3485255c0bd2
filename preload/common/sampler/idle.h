/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process that uses no CPU time does nothing that rows would tell: none need be read until it does. It is looked at by its
 * CPU time alone, some us, and rows say what they last said when they are written at all. When it goes on again, a row
 * tells that nothing had changed by the look before, so that what it does now is placed between two looks.
 */
#ifndef INSIDEME_IDLE_H
#define INSIDEME_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct idle {
	uint64_t cpu_ns;		/* that the process had used when its newest row was due */
	uint64_t since_ns;		/* CLOCK_MONOTONIC of the first look that found no more; 0: it is at work */
	uint64_t seen_ns, seen_ticks;	/* of the newest such look */
};

/*
 * A look at @now_ns, at the log's clock @ticks, found that it has used @cpu_ns; LOG_NONE: not known. Return: whether it goes
 * on after such looks: seen_ns and seen_ticks are those of the last one.
 */
bool idle_look(struct idle *idle, uint64_t cpu_ns, uint64_t now_ns, uint64_t ticks);

/* Between rows that say nothing new; 0 while it is at work. */
uint64_t idle_rest_ns(const struct idle *idle);

/* When the next look is due, where rows come each @interval_ns. Those of all processes come together. */
uint64_t idle_next_ns(const struct idle *idle, uint64_t interval_ns);

#endif
