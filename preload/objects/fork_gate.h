/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Descriptors that the recorder has in the program for a moment. A child that another thread forks just then would
 * inherit them, so that forks and such moments wait for each other: for a second at most, as whoever is waited for may
 * be gone, or stand still.
 */
#ifndef INSIDEME_FORK_GATE_H
#define INSIDEME_FORK_GATE_H

/*
 * Around each such moment; signals are blocked, and none begins within another: a fork that waits for the outer one
 * would hold up the inner one. Not in the sampling task, which has a table of descriptors of its own.
 */
void moment_begin(void);
void moment_end(void);

/* Around a fork, as the last thing before it and the first thing after it, in the parent and in the child. */
void fork_gate_before_fork(void);
void fork_gate_in_parent(void);
void fork_gate_in_child(void);

#endif
