/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder sometimes has a descriptor in the program for a moment. If another thread forked during that
 * moment, its child would inherit it. So forks and such moments wait for each other. They wait for a second
 * at most, because the other task may be gone, or stopped.
 */
#pragma once

/*
 * Around each such moment. Signals must be blocked, and moments must not be nested: a fork that
 * waits for the outer one would hold up the inner one. Not for the sampling task, which has its own
 * table of descriptors.
 */
void moment_begin(void);
void moment_end(void);

/* Call these around a fork, in parent and child, directly before and after it. */
void fork_gate_before_fork(void);
void fork_gate_in_parent(void);
void fork_gate_in_child(void);
